#include "base/text.h"
#include "probe/rules/artefacts.h"
#include "probe/rules/facts.h"
#include "probe/rules/list.h"

/* Making the header takes about twice what reading it does, once in each thread that builds: the third build gains. */
#define LEAST_BUILDS 3

struct tally {
  size_t off, on, gpu_off;      /* builds for the CPU without and with the header; for a GPU without */
  size_t many;                  /* most of those without in one thread */
  double off_cpu_s, off_wall_s; /* native compile of those without */
  double header_cpu_s;          /* making the header */
};

static bool
is_off(const struct kiln_artefact *artefact)
{
  return !kiln_artefact_on_gpu(artefact) &&
         kiln_text_equal(kiln_artefact_option(artefact, "use_precompiled_headers"), "False");
}

static size_t
off_beside(const struct kiln_artefacts *artefacts, const struct kiln_model_build *build)
{
  size_t n = 0;
  for (size_t i = 0; i < artefacts->count; i++) {
    const struct kiln_model_build *other = artefacts->items[i].build;
    n += is_off(&artefacts->items[i]) && other->pid == build->pid && other->tid == build->tid;
  }
  return n;
}

static struct tally
tally_of(const struct kiln_artefacts *artefacts)
{
  struct tally tally = {0};
  for (size_t i = 0; i < artefacts->count; i++) {
    const struct kiln_artefact *artefact = &artefacts->items[i];
    const bool off = is_off(artefact);
    if (kiln_artefact_on_gpu(artefact)) {
      tally.gpu_off += kiln_text_equal(kiln_artefact_option(artefact, "use_precompiled_headers"), "False");
      continue;
    }
    tally.off += off;
    tally.on += !off;
    if (!off)
      continue;
    const size_t beside = off_beside(artefacts, artefact->build);
    tally.many = beside > tally.many ? beside : tally.many;
    tally.off_cpu_s += (double)artefact->build->native.cpu_ns / 1e9;
    tally.off_wall_s += (double)artefact->build->native.wall_ns / 1e9;
  }
  for (size_t i = 0; i < artefacts->model->header_count; i++)
    tally.header_cpu_s += (double)artefacts->model->headers[i].cpu_ns / 1e9;
  return tally;
}

/* At most: one of them still has to make the header. */
static double
saved(const struct tally *tally, double off_s)
{
  return tally->off ? off_s * (double)(tally->off - 1) / (double)tally->off : 0;
}

/* On an older Warp the option says nothing of the CPU. */
static bool
is_worth(const struct kiln_artefacts *artefacts, const struct tally *tally)
{
  const int version = kiln_facts_warp(artefacts->model);
  return (!version || version >= KILN_WARP_CPU_HEADER) && tally->many >= LEAST_BUILDS &&
         kiln_artefacts_worth(artefacts, saved(tally, tally->off_cpu_s));
}

static void
add_change(struct kiln_report *report, struct kiln_finding *finding, const struct kiln_artefacts *artefacts)
{
  for (size_t i = 0; i < artefacts->model->option_count; i++) {
    const struct kiln_model_option *option = &artefacts->model->options[i];
    if (!kiln_text_equal(option->name, "use_precompiled_headers"))
      continue;
    kiln_finding_evidence(report, finding, "`use_precompiled_headers` was changed from %s to %s",
        option->before ? option->before : "unset", option->after ? option->after : "unset");
    kiln_finding_event(report, finding, artefacts->run, "option", option->pid, 0, option->t_ns, UINT64_MAX,
        option->name, option->where);
    kiln_finding_where(report, finding, option->where);
  }
}

static void
fire(struct kiln_report *report, const struct kiln_artefacts *artefacts, const struct tally *tally)
{
  struct kiln_finding *finding = kiln_finding_add(report, "CS-12");
  size_t shown = 0;
  kiln_finding_sentence(report, finding,
      "precompiled headers are off, and each of %zu builds for the CPU read all of the framework's headers again: %.1f "
      "s "
      "of native compile each.",
      tally->off, tally->off_wall_s / (double)tally->off);
  add_change(report, finding, artefacts);
  for (size_t i = 0; i < artefacts->count && shown < 8; i++) {
    const struct kiln_artefact *artefact = &artefacts->items[i];
    if (is_off(artefact)) {
      kiln_finding_build(report, finding, artefacts->run, artefact->build);
      shown++;
    }
  }
  kiln_finding_remedy(report, finding, "Restore the default, `warp.config.use_precompiled_headers = True`.");
  kiln_finding_remedy(report, finding, "Measure both ways (`kiln try`): with one or two small modules off is cheaper.");
  if (finding)
    finding->saves_at_most_s = saved(tally, tally->off_wall_s);
}

static void
rule_out(struct kiln_report *report, const struct kiln_artefacts *artefacts, const struct tally *tally)
{
  const int version = kiln_facts_warp(artefacts->model);
  if (tally->gpu_off)
    kiln_finding_not_reached(report, "CS-12", "the same run with `use_precompiled_headers` on: kiln try",
        "precompiled headers are off for %zu build%s for a GPU; what they cost and save there differs by toolkit.",
        tally->gpu_off, tally->gpu_off == 1 ? "" : "s");
  else if (version && version < KILN_WARP_CPU_HEADER)
    kiln_finding_ruled_out(report, "CS-12", "Warp %d.%d has no precompiled header for the CPU (from 1.13).",
        version / 1000, version % 1000);
  else if (tally->off)
    kiln_finding_ruled_out(report, "CS-12",
        "precompiled headers are off, which %zu build%s for the CPU can afford: %.2f s of CPU time in the native "
        "compiler.",
        tally->off, tally->off == 1 ? "" : "s", tally->off_cpu_s);
  else if (tally->on == 1 && tally->header_cpu_s > 0)
    kiln_finding_not_reached(report, "CS-12", "the same run with `use_precompiled_headers` off: kiln try",
        "the header took %.2f s of CPU time for the only module; whether that module is cheaper without it was not "
        "measured.",
        tally->header_cpu_s);
  else
    kiln_finding_ruled_out(report, "CS-12",
        "precompiled headers are on; %zu build%s for the CPU shared %.2f s of CPU "
        "time for making them.",
        tally->on, tally->on == 1 ? "" : "s", tally->header_cpu_s);
}

static void
run(struct kiln_report *report)
{
  struct kiln_artefacts artefacts;
  if (kiln_artefacts_find(&artefacts, report, "CS-12")) {
    const struct tally tally = tally_of(&artefacts);
    if (is_worth(&artefacts, &tally))
      fire(report, &artefacts, &tally);
    else
      rule_out(report, &artefacts, &tally);
  }
  kiln_artefacts_release(&artefacts);
}

const struct kiln_rule kiln_rule_cs12 = {.id = "CS-12",
    .title = "precompiled headers off, or not paying",
    .run = run,
    .not_when =
        "The setting is a library's: it decides for its own tests only. With one or two small modules the header "
        "may cost more than it saves.",
    .confirm =
        "Measure again: one header is made in each process that builds, and the native time of each module fell.",
    .deadline = "before the first module is built"};
