#include "probe/diagnose.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/text.h"
#include "probe/report/work.h"
#include "probe/rule.h"
#include "registry/probe.h"

/* Below this share of elapsed no lever can matter: even all of it would hardly be noticed. */
#define SMALL_SHARE 0.1
#define NOT_MEASURED "not measured"

/* What compiling costs in the first run that counts: the difference to the warm run, and never less than the time in
 * which modules were built or loaded (a warm run may compile too). */
static void
fill_share(struct kiln_report *report, struct kiln_diagnosis *diagnosis)
{
  const struct kiln_report_arm *arm = &report->arms[0];
  diagnosis->compile_s = diagnosis->elapsed_s = -1;
  if (arm->cold.elapsed_s.n == 0)
    return;
  diagnosis->elapsed_s = arm->cold.elapsed_s.median;
  diagnosis->compile_s = arm->cold.module_work_s.median;
  if (arm->compile_elapsed_s.n && arm->compile_elapsed_s.median > diagnosis->compile_s)
    diagnosis->compile_s = arm->compile_elapsed_s.median;
  if (diagnosis->compile_s > diagnosis->elapsed_s)
    diagnosis->compile_s = diagnosis->elapsed_s;
}

/* The largest part of the time that is not compiling. */
static enum kiln_phase
largest_other(const struct kiln_report_arm *arm)
{
  static const enum kiln_phase others[] = {KILN_PHASE_INTERPRETER_START, KILN_PHASE_IMPORTS, KILN_PHASE_INIT,
      KILN_PHASE_FIRST_LAUNCH, KILN_PHASE_PROGRAM, KILN_PHASE_INTERPRETER_EXIT, KILN_PHASE_REST};
  enum kiln_phase largest = KILN_PHASE_REST;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (arm->cold.phase_wall_s[others[i]].median > arm->cold.phase_wall_s[largest].median)
      largest = others[i];
  return largest;
}

static void
write_cost(struct kiln_buf *text, const struct kiln_report *report, const struct kiln_diagnosis *diagnosis)
{
  kiln_buf_printf(
      text, "Compiling is %.0f %% of the elapsed time (", diagnosis->compile_s / diagnosis->elapsed_s * 100);
  kiln_text_duration(text, diagnosis->compile_s);
  kiln_buf_text_append(text, " of ");
  kiln_text_duration(text, diagnosis->elapsed_s);
  kiln_buf_text_append(text, ").");
  if (!diagnosis->small)
    return;
  const enum kiln_phase phase = largest_other(&report->arms[0]);
  kiln_buf_printf(text, " The cost is elsewhere: most of it is `%s` (", kiln_phase_name(phase));
  kiln_text_duration(text, report->arms[0].cold.phase_wall_s[phase].median);
  kiln_buf_text_append(text, "). No lever is advised.");
}

static void
fill_sentence(struct kiln_report *report, struct kiln_diagnosis *diagnosis)
{
  struct kiln_buf text;
  kiln_buf_init(&text);
  if (diagnosis->elapsed_s <= 0) {
    kiln_buf_text_append(&text, "No run counts, so nothing can be said about what compiling costs.");
  } else if (report->arms[0].cold.count[KILN_COUNT_BUILDS].median <= 0 &&
             report->arms[0].warm.count[KILN_COUNT_BUILDS].median <= 0) {
    diagnosis->small = true;
    kiln_buf_text_append(&text, "No module was built: there is nothing that a lever could save.");
  } else {
    diagnosis->small = diagnosis->compile_s < SMALL_SHARE * diagnosis->elapsed_s;
    write_cost(&text, report, diagnosis);
  }
  diagnosis->sentence = kiln_arena_strdup(&report->arena, kiln_buf_text(&text));
  kiln_buf_release(&text);
}

/* Findings stay as they are: they are true. What they advise would not be noticed. */
static void
withhold_levers(struct kiln_report *report)
{
  for (size_t i = 0; i < report->finding_count; i++) {
    struct kiln_finding *finding = &report->findings[i];
    if (finding->correctness)
      continue;
    finding->remedy = NULL;
    finding->otherwise_count = 0;
  }
}

static bool
is_told(const struct kiln_report *report, const char *id, const char *arm)
{
  for (size_t i = 0; i < report->finding_count; i++)
    if (kiln_text_equal(report->findings[i].id, id) && kiln_text_equal(report->findings[i].arm, arm))
      return true;
  for (size_t i = 0; i < report->other_count; i++)
    if (kiln_text_equal(report->others[i].id, id) && kiln_text_equal(report->others[i].arm, arm))
      return true;
  return false;
}

static void
complete(struct kiln_report *report)
{
  for (size_t arm = 0; arm < report->arm_count; arm++) {
    report->rules_arm = &report->arms[arm];
    for (size_t i = 0; i < kiln_registered_rule_count; i++) {
      const struct kiln_rule *rule = kiln_registered_rules[i];
      if (!rule->remark && !is_told(report, rule->id, report->arms[arm].name))
        kiln_finding_not_reached(report, rule->id, "the command again: kiln diagnose -- COMMAND",
            "this report does not say what became of this mechanism.");
    }
  }
  report->rules_arm = NULL;
}

void
kiln_diagnosis_fill(struct kiln_report *report)
{
  struct kiln_diagnosis *diagnosis = &report->diagnosis;
  if (diagnosis->made || report->arm_count == 0)
    return;
  diagnosis->made = true;
  if (diagnosis->floor_s <= 0) {
    diagnosis->floor_s = diagnosis->floor_cpu_s = -1;
    diagnosis->floor_note = diagnosis->floor_note ? diagnosis->floor_note : NOT_MEASURED;
  }
  fill_share(report, diagnosis);
  fill_sentence(report, diagnosis);
  complete(report);
  if (diagnosis->small)
    withhold_levers(report);
}

bool
kiln_diagnosis_wants_floor(const struct kiln_report *report)
{
  static const char *const ids[] = {"CS-4", "CS-5", "CS-9", "N-7"};
  for (size_t i = 0; i < report->finding_count; i++)
    for (size_t j = 0; j < sizeof ids / sizeof *ids; j++)
      if (kiln_text_equal(report->findings[i].id, ids[j]))
        return true;
  return false;
}
