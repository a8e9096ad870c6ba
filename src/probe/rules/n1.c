#include <stdlib.h>

#include "base/text.h"
#include "probe/report/work.h"
#include "probe/rules/facts.h"
#include "probe/rules/list.h"
#include "probe/rules/moved.h"

#define MOST_EVIDENCE 12

/* What differs between two identities, as ": kernel `x` changed, option `y` changed from 1 to 2"; nothing when the
 * tables were not recorded. */
static void
append_difference(struct kiln_buf *out, const struct kiln_model_hash *from, const struct kiln_model_hash *to)
{
  struct kiln_churn churn = {0};
  if (from && to)
    kiln_churn_diff(&churn, from, to);
  for (size_t i = 0; i < churn.cause_count && i < 3; i++) {
    const struct kiln_cause *cause = &churn.causes[i];
    static const char *const words[] = {"added", "changed", "gone", "changed"};
    kiln_buf_printf(out, "%s%s `%s` %s", i ? ", " : ": ", cause->kind == KILN_CAUSE_OPTION ? "option" : "kernel",
        cause->name, words[cause->kind]);
    if (cause->kind == KILN_CAUSE_OPTION)
      kiln_buf_printf(
          out, " from %s to %s", cause->before ? cause->before : "unset", cause->after ? cause->after : "unset");
  }
  free(churn.causes);
}

static void
add_build(struct kiln_report *report, struct kiln_finding *finding, const struct kiln_report_sample *sample,
    const struct kiln_model_build *build, const struct kiln_model_build *before, struct kiln_buf *sentence)
{
  const struct kiln_model *cold = sample->cold.model, *warm = sample->warm.model;
  struct kiln_buf text;
  kiln_buf_init(&text);
  kiln_buf_printf(&text, "the identity of module `%s` differs between the cold and the warm run (%.7s, then %.7s)",
      build->module ? build->module : "?", before->identity, build->identity);
  append_difference(&text, kiln_model_find_hash(cold, before->framework, before->module, before->identity),
      kiln_model_find_hash(warm, build->framework, build->module, build->identity));
  kiln_finding_evidence(report, finding, "%s", kiln_buf_text(&text));
  kiln_finding_event(report, finding, &sample->warm, "compile", build->pid, build->tid, build->start_ns, build->wall_ns,
      build->module, build->where);
  kiln_finding_where(report, finding, kiln_moved_declared(warm, build));
  kiln_finding_where(report, finding, build->where);
  if (sentence->len == 0)
    kiln_buf_text_append(sentence, kiln_buf_text(&text));
  kiln_buf_release(&text);
}

static void
finish(struct kiln_report *report, struct kiln_finding *finding, uint64_t wall_ns)
{
  kiln_finding_remedy(report, finding,
      "Keep what changes from run to run (process id, time, temporary path, random number) out of kernels and options; "
      "pass it as an argument of the launch.");
  kiln_finding_remedy(report, finding,
      "Sort what is generated from sets or dictionaries, and give generated kernels "
      "names that depend on their content alone.");
  if (finding)
    finding->saves_at_most_s = (double)wall_ns / 1e9;
}

/* Builds of the warm run under an identity that the cold run did not have, of a module that it had. */
static bool
fire_between_runs(struct kiln_report *report, const struct kiln_report_sample *sample)
{
  struct kiln_finding *finding = NULL;
  struct kiln_buf sentence;
  size_t count = 0;
  uint64_t wall_ns = 0;
  kiln_buf_init(&sentence);
  for (size_t i = 0; sample->cold.model && sample->warm.model && i < sample->warm.model->build_count; i++) {
    const struct kiln_model_build *build = &sample->warm.model->builds[i];
    const struct kiln_model_build *before = kiln_moved_from(sample->cold.model, build);
    if (!before)
      continue;
    finding = finding ? finding : kiln_finding_add(report, "N-1");
    wall_ns += build->wall_ns;
    if (count++ < MOST_EVIDENCE)
      add_build(report, finding, sample, build, before, &sentence);
  }
  if (count) {
    kiln_finding_sentence(report, finding, "%s; no cache can hit, and %zu build%s of the warm run %s repeated.",
        kiln_buf_text(&sentence), count, count == 1 ? "" : "s", count == 1 ? "was" : "were");
    finish(report, finding, wall_ns);
  }
  kiln_buf_release(&sentence);
  return count > 0;
}

/* Of one run: another process built the same module, with the same names of kernels, under another identity, and
 * neither process had both. */
static const struct kiln_model_build *
find_twin(const struct kiln_model *model, const struct kiln_model_build *build)
{
  for (size_t i = 0; i < model->build_count; i++) {
    const struct kiln_model_build *other = &model->builds[i];
    if (other == build)
      return NULL;
    if (other->pid != build->pid && other->result == KILN_BUILD_COMPILED && kiln_moved_same_slot(other, build) &&
        !kiln_text_equal(other->identity, build->identity) && kiln_moved_same_kernels(model, other, build) &&
        !kiln_moved_used(model, other->pid, build->identity) && !kiln_moved_used(model, build->pid, other->identity))
      return other;
  }
  return NULL;
}

static bool
fire_between_processes(struct kiln_report *report, const struct kiln_report_run *run)
{
  struct kiln_finding *finding = NULL;
  uint64_t wall_ns = 0;
  size_t count = 0;
  for (size_t i = 0; run->model && i < run->model->build_count; i++) {
    const struct kiln_model_build *build = &run->model->builds[i];
    const struct kiln_model_build *twin =
        build->result == KILN_BUILD_COMPILED && build->identity ? find_twin(run->model, build) : NULL;
    if (!twin)
      continue;
    finding = finding ? finding : kiln_finding_add(report, "N-1");
    wall_ns += build->wall_ns;
    if (count++ >= MOST_EVIDENCE)
      continue;
    kiln_finding_evidence(report, finding,
        "module `%s` is %.7s in process %d and %.7s in process %d, with the same kernels",
        build->module ? build->module : "?", twin->identity, twin->pid, build->identity, build->pid);
    kiln_finding_event(report, finding, run, "compile", build->pid, build->tid, build->start_ns, build->wall_ns,
        build->module, build->where);
    kiln_finding_where(report, finding, build->where);
  }
  if (count) {
    kiln_finding_sentence(report, finding,
        "processes of one run built the same modules under identities of their own: %zu build%s could have been "
        "shared.",
        count, count == 1 ? "" : "s");
    finish(report, finding, wall_ns);
  }
  return count > 0;
}

static void
run(struct kiln_report *report)
{
  bool warm = false, cold = false, fired = false;
  for (size_t i = 0; i < kiln_facts_sample_count(report) && !fired; i++) {
    const struct kiln_report_sample *sample = kiln_facts_sample(report, i);
    fired = fire_between_runs(report, sample) || fire_between_processes(report, &sample->cold);
    warm = warm || sample->warm.model;
    cold = cold || sample->cold.model;
  }
  if (!fired && warm)
    kiln_finding_ruled_out(report, "N-1",
        "the warm run found every identity that it needed among those of the cold run, "
        "or used other modules.");
  else if (!fired && cold)
    kiln_finding_not_reached(report, "N-1", "a second run of the same command: kiln diagnose -- COMMAND",
        "one run was recorded; whether a second one has the same identities is not known.");
}

const struct kiln_rule kiln_rule_n1 = {.id = "N-1",
    .title = "the identity differs from run to run",
    .run = run,
    .not_when =
        "The value must be known when the kernel is compiled, and changes for a reason: then each is a module of "
        "its own.",
    .confirm = "Measure again: the warm run compiles nothing.",
    .deadline = "where the kernel or the option is made"};
