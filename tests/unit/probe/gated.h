/* For tests of a gate: one rule judged on a report. */
#ifndef KILN_TESTS_UNIT_PROBE_GATED_H
#define KILN_TESTS_UNIT_PROBE_GATED_H

#include "probe/gate.h"
#include "unit/probe/made.h"

/* A report of two samples with one module that is compiled cold and loaded cold and warm, after no launch. */
static inline struct kiln_report *
gated_report(void)
{
  struct kiln_report *report = made_report(2);
  report->state = KILN_REPORT_COMPLETE;
  for (int i = 0; i < 2; i++) {
    made_build(made_cold(report, i), "sim", "aaaaaaaaaa", 1, 10, 5)->where = AT(31);
    made_load(made_cold(report, i), "sim", "aaaaaaaaaa", 1, 15);
    made_load(made_warm(report, i), "sim", "aaaaaaaaaa", 1, 15);
    made_launch(made_cold(report, i), "step", 1, 64, 100);
    made_launch(made_warm(report, i), "step", 1, 64, 100);
  }
  kiln_report_summarise(report);
  return report;
}

static inline void
gated_mark(struct kiln_model *model, const char *name, int pid, uint64_t t_ms)
{
  assert_true(KILN_GROW(model->marks, model->mark_count, model->mark_capacity));
  model->marks[model->mark_count++] = (struct kiln_model_mark){name, pid, t_ms * MS};
}

/* The rule in `text` has this state on the report, and its sentence holds `says`. */
static inline void
gated_is(const struct kiln_report *report, const char *text, enum kiln_gate_state state, const char *says)
{
  struct kiln_gate gate;
  struct kiln_error error = {0};
  kiln_gate_init(&gate);
  if (kiln_gate_parse(&gate, text, strlen(text), "rules", &error) != KILN_OK)
    fail_msg("%s", error.what);
  assert_int_equal(gate.count, 1);
  assert_int_equal(kiln_gate_judge(&gate, report, NULL), KILN_OK);
  assert_true(gate.judged);
  if (gate.rules[0].state != state || !strstr(gate.rules[0].sentence, says))
    fail_msg("%s: %s: %s", text, kiln_gate_state_name(gate.rules[0].state), gate.rules[0].sentence);
  assert_int_equal(kiln_gate_exit(&gate, report), state == KILN_GATE_KEPT ? 0 : state == KILN_GATE_BROKEN ? 1 : 3);
  kiln_gate_release(&gate);
}

#endif
