/* Rules of a gate about builds. */
#include "base/text.h"
#include "probe/gate_judge.h"

bool
kiln_judging_saw_nothing(struct kiln_judging *judging)
{
  struct kiln_gated_run run;
  uint64_t artefacts = 0, bad_lines = 0;
  bool anything = false;
  for (size_t at = 0; kiln_gated_next(judging->report, &at, &run);) {
    const struct kiln_counts *counts = &run.run->model->counts;
    anything = anything || counts->builds || counts->loads || counts->launches;
    artefacts += run.run->artefacts_new;
    bad_lines += run.run->model->bad_lines;
  }
  if (anything && !bad_lines)
    return false;
  judging->rule->state = KILN_GATE_OPEN;
  if (bad_lines)
    kiln_buf_printf(
        judging->text, "event lines were lost (%llu), so a build may be missing", (unsigned long long)bad_lines);
  else if (artefacts)
    kiln_buf_printf(judging->text,
        "no build was observed, but %llu artefacts are new in the caches: kiln does not see "
        "the builds of this framework",
        (unsigned long long)artefacts);
  else
    kiln_buf_text_append(judging->text, "nothing was compiled, loaded or launched in any run, so this proves nothing");
  return true;
}

void
kiln_judge_no_build_when_warm(struct kiln_judging *judging)
{
  struct kiln_gated_run run;
  size_t warm = 0;
  if (kiln_judging_saw_nothing(judging))
    return;
  for (size_t at = 0; kiln_gated_next(judging->report, &at, &run);) {
    const uint64_t builds = run.warm ? run.run->model->counts.builds : 0;
    warm += run.warm;
    if (!builds)
      continue;
    judging->rule->state = KILN_GATE_BROKEN;
    kiln_gated_name(judging, &run, judging->text);
    kiln_buf_printf(judging->text, " made %llu build%s", (unsigned long long)builds, builds == 1 ? "" : "s");
    kiln_judging_builds(judging, &run, NULL);
    return;
  }
  judging->rule->state = warm ? KILN_GATE_KEPT : KILN_GATE_OPEN;
  if (warm)
    kiln_buf_printf(judging->text, "no build in %zu warm run%s", warm, warm == 1 ? "" : "s");
  else
    kiln_buf_text_append(judging->text, "no warm run was made");
}

void
kiln_judge_max_builds(struct kiln_judging *judging)
{
  struct kiln_gated_run run;
  uint64_t most = 0;
  if (kiln_judging_saw_nothing(judging))
    return;
  judging->rule->state = KILN_GATE_KEPT;
  for (size_t at = 0; kiln_gated_next(judging->report, &at, &run);) {
    const uint64_t builds = run.warm ? 0 : run.run->model->counts.builds;
    most = builds > most ? builds : most;
    if (builds <= judging->rule->number)
      continue;
    judging->rule->state = KILN_GATE_BROKEN;
    kiln_gated_name(judging, &run, judging->text);
    kiln_buf_printf(judging->text, " made %llu build%s", (unsigned long long)builds, builds == 1 ? "" : "s");
    kiln_judging_builds(judging, &run, NULL);
    return;
  }
  kiln_buf_printf(judging->text, "%llu build%s in a cold run", (unsigned long long)most, most == 1 ? "" : "s");
}

/* ---- after a launch ---- */

static bool
is_after_launch(
    const struct kiln_judging *judging, const struct kiln_gated_run *run, const struct kiln_model_build *build)
{
  (void)run;
  return build->launches >= 0 && (uint64_t)build->launches >= judging->rule->number;
}

static bool
is_unknown(const struct kiln_judging *judging, const struct kiln_gated_run *run, const struct kiln_model_build *build)
{
  (void)judging, (void)run;
  return build->launches < 0;
}

/* Builds of a run for which a filter says true, without a word about them. */
static size_t
count_builds(const struct kiln_judging *judging, const struct kiln_gated_run *run, kiln_build_filter *chosen)
{
  const struct kiln_model *model = run->run->model;
  size_t count = 0;
  for (size_t i = 0; i < model->build_count; i++)
    count += model->builds[i].result == KILN_BUILD_COMPILED && chosen(judging, run, &model->builds[i]);
  return count;
}

/* The first run in which something is built behind the moment; false when there is none. */
static bool
find_late(struct kiln_judging *judging, kiln_build_filter *chosen, const char *moment)
{
  struct kiln_gated_run run;
  for (size_t at = 0; kiln_gated_next(judging->report, &at, &run);) {
    const size_t late = count_builds(judging, &run, chosen);
    if (!late)
      continue;
    judging->rule->state = KILN_GATE_BROKEN;
    kiln_gated_name(judging, &run, judging->text);
    kiln_buf_printf(judging->text, " made %zu build%s after %s", late, late == 1 ? "" : "s", moment);
    kiln_judging_builds(judging, &run, chosen);
    return true;
  }
  return false;
}

void
kiln_judge_after_launch(struct kiln_judging *judging)
{
  const unsigned long long wanted = judging->rule->number;
  struct kiln_gated_run run;
  struct kiln_buf moment;
  bool late;
  if (kiln_judging_saw_nothing(judging))
    return;
  kiln_buf_init(&moment);
  kiln_buf_printf(&moment, "launch %llu", wanted);
  late = find_late(judging, is_after_launch, kiln_buf_text(&moment));
  kiln_buf_release(&moment);
  if (late)
    return;
  judging->rule->state = KILN_GATE_OPEN;
  for (size_t at = 0; kiln_gated_next(judging->report, &at, &run);) {
    const unsigned long long launches = run.run->model->counts.launches;
    const size_t unknown = count_builds(judging, &run, is_unknown);
    if (launches >= wanted && !unknown)
      continue;
    kiln_gated_name(judging, &run, judging->text);
    if (unknown)
      kiln_buf_printf(
          judging->text, " made %zu build%s, and it is not known after which launch", unknown, unknown == 1 ? "" : "s");
    else
      kiln_buf_printf(judging->text, " made %llu launches, so launch %llu never came", launches, wanted);
    return;
  }
  judging->rule->state = KILN_GATE_KEPT;
  kiln_buf_printf(judging->text, "no build after launch %llu", wanted);
}

/* ---- after a mark ---- */

/* When a process set the mark; one that never did is held against the first of the run. 0: nobody did. */
static uint64_t
mark_of(const struct kiln_judging *judging, const struct kiln_gated_run *run, int pid)
{
  const struct kiln_model *model = run->run->model;
  uint64_t first = 0, own = 0;
  for (size_t i = 0; i < model->mark_count; i++) {
    const struct kiln_model_mark *mark = &model->marks[i];
    if (!kiln_text_equal(mark->name, judging->rule->argument))
      continue;
    first = !first || mark->t_ns < first ? mark->t_ns : first;
    if (mark->pid == pid)
      own = !own || mark->t_ns < own ? mark->t_ns : own;
  }
  return own ? own : first;
}

static bool
is_after_mark(
    const struct kiln_judging *judging, const struct kiln_gated_run *run, const struct kiln_model_build *build)
{
  const uint64_t mark = mark_of(judging, run, build->pid);
  return mark && build->start_ns >= mark;
}

void
kiln_judge_after_mark(struct kiln_judging *judging)
{
  struct kiln_gated_run run;
  struct kiln_buf moment;
  bool late;
  if (kiln_judging_saw_nothing(judging))
    return;
  kiln_buf_init(&moment);
  kiln_buf_printf(&moment, "the mark '%s'", judging->rule->argument);
  late = find_late(judging, is_after_mark, kiln_buf_text(&moment));
  kiln_buf_release(&moment);
  if (late)
    return;
  judging->rule->state = KILN_GATE_OPEN;
  for (size_t at = 0; kiln_gated_next(judging->report, &at, &run);) {
    if (mark_of(judging, &run, 0))
      continue;
    kiln_gated_name(judging, &run, judging->text);
    kiln_buf_printf(judging->text, " never set the mark '%s'", judging->rule->argument);
    return;
  }
  judging->rule->state = KILN_GATE_KEPT;
  kiln_buf_printf(judging->text, "no build after the mark '%s'", judging->rule->argument);
}
