#include "base/text.h"
#include "probe/report/work.h"
#include "probe/rules/facts.h"
#include "probe/rules/list.h"
#include "probe/rules/moved.h"

#define MOST_EVIDENCE 12

/* Why the cache was not reused, as far as the record tells; the first one found goes into the sentence. */
struct causes {
  struct kiln_report *report;
  struct kiln_finding *finding;
  const struct kiln_model *cold, *warm;
  const struct kiln_report_run *run; /* the warm one */
  struct kiln_buf reason;
  const char *kept_root; /* a folder of the program's own that both runs used: suspected only when nothing else is */
};

static void
add_reason(struct causes *causes, const char *text)
{
  kiln_finding_evidence(causes->report, causes->finding, "%s", text);
  if (causes->reason.len == 0)
    kiln_buf_text_append(&causes->reason, text);
}

static void
append_place(struct kiln_buf *out, struct kiln_where where)
{
  if (where.file)
    kiln_buf_printf(out, " at %s:%d", kiln_text_base_name(where.file), where.line);
}

/* Is it the first cache event of this kind and place? A program in a loop would repeat one fact. */
static bool
is_repeated(const struct kiln_model *model, size_t at)
{
  const struct kiln_model_cache *cache = &model->caches[at];
  for (size_t i = 0; i < at; i++) {
    const struct kiln_model_cache *other = &model->caches[i];
    if (kiln_text_equal(cache->what, other->what) && kiln_text_equal(cache->by, other->by) &&
        kiln_text_equal(cache->path, other->path) && kiln_text_equal(cache->where.file, other->where.file) &&
        cache->where.line == other->where.line)
      return true;
  }
  return false;
}

static bool
cold_had_root(const struct kiln_model *cold, const char *path)
{
  for (size_t i = 0; cold && i < cold->cache_count; i++)
    if (kiln_text_equal(cold->caches[i].what, "root") && kiln_text_equal(cold->caches[i].path, path))
      return true;
  return false;
}

/* The name of the switch a user has to look for, where it is known. */
static const char *
switch_name(const struct kiln_model_cache *cache, const char *warp)
{
  return kiln_text_equal(cache->framework, "warp") ? warp : "";
}

static void
explain_cache_event(struct causes *causes, const struct kiln_model_cache *cache)
{
  struct kiln_buf text;
  kiln_buf_init(&text);
  if (kiln_text_equal(cache->what, "root") && kiln_text_equal(cache->by, "program")) {
    kiln_buf_printf(&text, "the program set its own cache folder %s%s", cache->path ? cache->path : "(not recorded)",
        switch_name(cache, " (`kernel_cache_dir`)"));
    append_place(&text, cache->where);
    if (cold_had_root(causes->cold, cache->path)) {
      causes->kept_root = cache->path ? cache->path : "(not recorded)";
      kiln_finding_evidence(causes->report, causes->finding, "%s, the same in both runs", kiln_buf_text(&text));
      kiln_finding_where(causes->report, causes->finding, cache->where);
      kiln_buf_clear(&text);
    } else if (causes->cold) {
      kiln_buf_text_append(&text, ", another one than in the cold run");
    }
  } else if (kiln_text_equal(cache->what, "clear")) {
    kiln_buf_text_append(&text, "the program cleared the cache");
    append_place(&text, cache->where);
  } else if (kiln_text_equal(cache->what, "off") && kiln_text_equal(cache->framework, "cuda")) {
    return; /* the driver's cache: N-9 */
  } else if (kiln_text_equal(cache->what, "off")) {
    kiln_buf_printf(
        &text, "the program switched the reuse of the cache off%s", switch_name(cache, " (`cache_kernels`)"));
    append_place(&text, cache->where);
  }
  if (text.len) {
    add_reason(causes, kiln_buf_text(&text));
    kiln_finding_where(causes->report, causes->finding, cache->where);
  }
  kiln_buf_release(&text);
}

static bool
built_cold(const struct kiln_model *cold, const struct kiln_model_build *build)
{
  for (size_t i = 0; i < cold->build_count; i++)
    if (kiln_moved_same_slot(&cold->builds[i], build))
      return true;
  return false;
}

/* A module that the cold run did not need. */
static void
explain_new_module(struct causes *causes, const struct kiln_model_build *build)
{
  if (!causes->cold || built_cold(causes->cold, build))
    return;
  struct kiln_buf text;
  kiln_buf_init(&text);
  kiln_buf_printf(&text, "module `%s` was not built in the cold run", build->module ? build->module : "?");
  add_reason(causes, kiln_buf_text(&text));
  kiln_buf_release(&text);
}

/* Does the artefact lie outside every cache folder that this run announced? */
static void
explain_path(struct causes *causes, const struct kiln_model_build *build)
{
  const char *root = NULL;
  for (size_t i = 0; i < causes->warm->cache_count; i++) {
    const struct kiln_model_cache *cache = &causes->warm->caches[i];
    if (!kiln_text_equal(cache->what, "root") || !cache->path)
      continue;
    if (!build->path || kiln_text_path_within(build->path, cache->path))
      return;
    root = cache->path;
  }
  if (!root)
    return;
  struct kiln_buf text;
  kiln_buf_init(&text);
  kiln_buf_printf(&text, "module `%s` is written to %s, outside the cache %s", build->module ? build->module : "?",
      build->path, root);
  add_reason(causes, kiln_buf_text(&text));
  kiln_buf_release(&text);
}

/* Compiled in the warm run though the cold one had the same identity, or did not have the module. What moved to another
 * identity no cache could have kept (N-1). */
static bool
is_missed(const struct kiln_model *cold, const struct kiln_model_build *build)
{
  return build->result == KILN_BUILD_COMPILED && build->identity && (!cold || !kiln_moved_from(cold, build));
}

static size_t
warm_builds(const struct kiln_report_sample *sample)
{
  const struct kiln_model *warm = sample->warm.model;
  size_t count = 0;
  for (size_t i = 0; warm && i < warm->build_count; i++)
    count += is_missed(sample->cold.model, &warm->builds[i]);
  return count;
}

static bool
is_new_artefact(const struct kiln_model *warm, size_t at)
{
  for (size_t i = 0; i < at; i++)
    if (warm->builds[i].result == KILN_BUILD_COMPILED && kiln_facts_same_artefact(&warm->builds[i], &warm->builds[at]))
      return false;
  return true;
}

/* Name what was compiled again and collect reasons; the wall time of these builds, s. */
static double
examine_builds(struct causes *causes)
{
  size_t shown = 0;
  uint64_t wall_ns = 0;
  for (size_t i = 0; i < causes->warm->build_count; i++) {
    const struct kiln_model_build *build = &causes->warm->builds[i];
    if (!is_missed(causes->cold, build))
      continue;
    wall_ns += build->wall_ns;
    if (shown >= MOST_EVIDENCE || !is_new_artefact(causes->warm, i))
      continue;
    shown++;
    kiln_finding_evidence(causes->report, causes->finding, "the warm run compiled module `%s`, identity %.7s",
        build->module ? build->module : "?", build->identity);
    kiln_finding_event(causes->report, causes->finding, causes->run, "compile", build->pid, build->tid, build->start_ns,
        build->wall_ns, build->module, build->where);
    kiln_finding_where(causes->report, causes->finding, build->where);
    explain_new_module(causes, build);
    explain_path(causes, build);
  }
  return (double)wall_ns / 1e9;
}

static void
add_remedies(struct kiln_report *report, struct kiln_finding *finding)
{
  kiln_finding_remedy(report, finding,
      "Keep one cache folder between runs, made for this program's version, options, architecture and driver; drop "
      "what "
      "clears or replaces it.");
  kiln_finding_remedy(
      report, finding, "If no cache can be kept, build ahead of the run: that moves the cost, it does not remove it.");
}

static void
fire(struct kiln_report *report, const struct kiln_report_sample *sample)
{
  struct causes causes = {.report = report,
      .finding = kiln_finding_add(report, "CS-2"),
      .cold = sample->cold.model,
      .warm = sample->warm.model,
      .run = &sample->warm};
  kiln_buf_init(&causes.reason);
  for (size_t i = 0; i < causes.warm->cache_count; i++)
    if (!is_repeated(causes.warm, i))
      explain_cache_event(&causes, &causes.warm->caches[i]);
  const double wall_s = examine_builds(&causes);
  const size_t builds = warm_builds(sample);
  if (causes.reason.len == 0 && causes.kept_root)
    kiln_buf_printf(
        &causes.reason, "the program's own cache folder %s did not keep what the cold run built", causes.kept_root);
  else if (causes.reason.len == 0)
    kiln_buf_text_append(&causes.reason, "nothing in the record says why the artefacts of the cold run were not used");
  kiln_finding_sentence(report, causes.finding, "the warm run compiled again (%zu build%s): %s.", builds,
      builds == 1 ? "" : "s", kiln_buf_text(&causes.reason));
  add_remedies(report, causes.finding);
  /* With a cache that is reused all of it goes, the header included: no build, no header. */
  if (causes.finding)
    causes.finding->saves_at_most_s = wall_s;
  kiln_buf_release(&causes.reason);
}

/* A record has no second run; what the program itself does to the cache is seen all the same. */
static bool
fire_recorded(struct kiln_report *report, const struct kiln_report_sample *sample)
{
  const struct kiln_model *cold = sample->cold.model;
  struct causes causes = {.report = report, .warm = cold, .cold = NULL, .run = &sample->cold};
  bool spoilt = false;
  for (size_t i = 0; i < cold->cache_count; i++)
    spoilt =
        spoilt || (!kiln_text_equal(cold->caches[i].framework, "cuda") &&
                      (kiln_text_equal(cold->caches[i].what, "clear") || kiln_text_equal(cold->caches[i].what, "off")));
  if (!spoilt || cold->counts.builds == 0)
    return false;
  causes.finding = kiln_finding_add(report, "CS-2");
  kiln_buf_init(&causes.reason);
  for (size_t i = 0; i < cold->cache_count; i++)
    if (!kiln_text_equal(cold->caches[i].what, "root") && !is_repeated(cold, i))
      explain_cache_event(&causes, &cold->caches[i]);
  kiln_finding_sentence(
      report, causes.finding, "this run compiled, and the next one will again: %s.", kiln_buf_text(&causes.reason));
  add_remedies(report, causes.finding);
  kiln_buf_release(&causes.reason);
  return true;
}

static void
report_nothing(struct kiln_report *report, const struct kiln_report_sample *sample)
{
  const struct kiln_model *warm = sample->warm.model;
  size_t compiled = 0;
  for (size_t i = 0; warm && i < warm->build_count; i++)
    compiled += warm->builds[i].result == KILN_BUILD_COMPILED;
  if (!warm)
    kiln_finding_not_reached(report, "CS-2", "a second run on what this one left: kiln diagnose -- COMMAND",
        "there is no warm run; nothing in this one cleared the cache or switched it off.");
  else if (compiled)
    kiln_finding_ruled_out(report, "CS-2",
        "the warm run compiled only under identities that the cold run did not have, so that no cache could hit "
        "(N-1).");
  else
    kiln_finding_ruled_out(report, "CS-2", "the warm run compiled nothing; it made %zu load%s from the cache.",
        (size_t)warm->counts.loads, warm->counts.loads == 1 ? "" : "s");
}

static void
run(struct kiln_report *report)
{
  const struct kiln_report_sample *fired = NULL, *seen = NULL;
  for (size_t i = 0; i < kiln_facts_sample_count(report); i++) {
    const struct kiln_report_sample *sample = kiln_facts_sample(report, i);
    const size_t builds = warm_builds(sample);
    seen = !seen && sample->cold.model ? sample : seen;
    if (!fired && builds) {
      fire(report, sample);
      fired = sample;
    }
  }
  if (!fired && seen && (seen->warm.model || !fire_recorded(report, seen)))
    report_nothing(report, seen);
  for (size_t i = 0; fired && i < kiln_facts_sample_count(report); i++) {
    const struct kiln_report_sample *sample = kiln_facts_sample(report, i);
    const size_t builds = warm_builds(sample);
    if (sample->warm.model && builds != warm_builds(fired) && report->finding_count)
      kiln_finding_evidence(report, &report->findings[report->finding_count - 1],
          "sample %d differs: its warm run compiled %zu", sample->index, builds);
  }
}

const struct kiln_rule kiln_rule_cs2 = {.id = "CS-2",
    .title = "the cache is not reused",
    .run = run,
    .not_when = "A clean build is wanted, or the cache would be shared between builds that do not fit each other.",
    .confirm = "Measure again: the warm run compiles nothing.",
    .deadline = "before the framework is initialised"};
