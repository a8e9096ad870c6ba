#include <stdio.h>

#include "os/file.h"
#include "probe/judge.h"
#include "probe/report/render.h"
#include "unit/probe/gated.h"

static void
test_limits_of_time(void **state)
{
  (void)state;
  struct kiln_report *report = gated_report(); /* cold 3 and 4 s, CPU 2.5 and 3.5; warm 1 s, CPU 0.75 */
  gated_is(report, "max-cold-elapsed 3.5", KILN_GATE_KEPT, "median 3.50 s of 2 runs");
  gated_is(report, "max-cold-elapsed 3.4", KILN_GATE_BROKEN, "median 3.50 s");
  gated_is(report, "max-cold-cpu 2.9", KILN_GATE_BROKEN, "median 3.00 s");
  gated_is(report, "max-warm-elapsed 1", KILN_GATE_KEPT, "median 1.00 s");
  gated_is(report, "max-warm-cpu 0.7", KILN_GATE_BROKEN, "median 750 ms");
  report->arms[0].warm.cpu_s.n = 0;
  gated_is(report, "max-warm-cpu 9", KILN_GATE_OPEN, "no such run");
  kiln_report_free(report);
}

static void
gate_arms(size_t pairs, double factor, enum kiln_gate_state state, const char *says)
{
  struct kiln_report *report = made_arms(pairs, 1);
  struct kiln_report_verdict verdict = {.candidate = 1};
  for (size_t i = 0; i < pairs; i++) {
    report->arms[0].samples[i].cold.cpu_s = 2;
    report->arms[1].samples[i].cold.cpu_s = 2 * factor;
  }
  verdict.time.resolution = 0.05;
  assert_int_equal(kiln_report_judge_time(report, &verdict, NULL), KILN_OK);
  report->verdicts = &verdict;
  report->verdict_count = 1;
  gated_is(report, "not-slower", state, says);
  report->verdicts = NULL;
  report->verdict_count = 0;
  kiln_report_free(report);
}

static void
test_not_slower(void **state)
{
  (void)state;
  gate_arms(12, 1.5, KILN_GATE_BROKEN, "'cand' REGRESSED: cold CPU +50.0 %");
  gate_arms(12, 0.5, KILN_GATE_KEPT, "'cand' IMPROVED");
  gate_arms(3, 1.5, KILN_GATE_OPEN, "'cand' INCONCLUSIVE");
  struct kiln_report *report = gated_report();
  gated_is(report, "not-slower", KILN_GATE_OPEN, "there is one arm");
  kiln_report_free(report);
}

/* The baseline of several arms may do what it likes. */
static void
test_the_baseline_is_not_gated(void **state)
{
  (void)state;
  struct kiln_report *report = made_arms(2, 1);
  made_load(report->arms[1].samples[0].cold.model, "m", "a", 1, 1);
  for (int i = 0; i < 5; i++)
    made_build(made_cold(report, 0), "m", "a", 1, 1, 1);
  gated_is(report, "max-builds 0", KILN_GATE_KEPT, "0 builds");
  made_build(report->arms[1].samples[1].cold.model, "m", "a", 1, 1, 1);
  gated_is(report, "max-builds 0", KILN_GATE_BROKEN, "the cold run of sample 2 of arm 'cand' made 1 build");
  kiln_report_free(report);
}

/* ---- against a stored report ---- */

static char stored[] = "/tmp/kiln-gate-XXXXXX";

static void
store(const struct kiln_report *report)
{
  struct kiln_buf json;
  kiln_buf_init(&json);
  kiln_report_json(report, &json);
  assert_int_equal(kiln_file_write(stored, json.data, json.len, NULL), KILN_OK);
  kiln_buf_release(&json);
}

static void
test_not_above(void **state)
{
  (void)state;
  char rule[100], some[100];
  struct kiln_report *report = gated_report();
  const int fd = mkstemp(stored);
  assert_true(fd >= 0);
  kiln_fd_close(fd);
  store(report);
  snprintf(rule, sizeof rule, "not-above %s", stored);
  snprintf(some, sizeof some, "not-above %s lto identities", stored);
  gated_is(report, rule, KILN_GATE_KEPT, "no count is above");
  made_cold(report, 1)->counts.builds = 3;
  gated_is(report, rule, KILN_GATE_BROKEN, "cold builds 3, there 1");
  gated_is(report, some, KILN_GATE_KEPT, "");
  made_warm(report, 0)->counts.lto = 1;
  gated_is(report, some, KILN_GATE_BROKEN, "warm lto 1, there 0");
  made_warm(report, 0)->counts.lto = 0;
  made_cold(report, 1)->counts.builds = 1;
  /* It launches less: that it builds no more is no merit. */
  made_cold(report, 0)->launches[0].count = 99;
  gated_is(report, rule, KILN_GATE_OPEN, "the launches are not those of the stored report");
  kiln_report_free(report);
  remove(stored);
}

static void
test_a_run_that_stopped_early_cannot_pass(void **state)
{
  (void)state;
  static const struct {
    enum kiln_report_state state;
    int code;
  } ends[] = {{KILN_REPORT_FAILED, 4}, {KILN_REPORT_INVALID, 3}, {KILN_REPORT_INTERRUPTED, 130}};
  struct kiln_report *report = gated_report();
  struct kiln_gate gate;
  kiln_gate_init(&gate);
  assert_int_equal(kiln_gate_parse(&gate, "max-builds 9", 12, "rules", NULL), KILN_OK);
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    report->state = ends[i].state;
    report->failure = "it stopped";
    assert_int_equal(kiln_gate_judge(&gate, report, NULL), KILN_OK);
    assert_false(gate.judged);
    assert_string_equal(gate.refusal, "it stopped");
    assert_int_equal(kiln_gate_exit(&gate, report), ends[i].code);
  }
  report->state = KILN_REPORT_COMPLETE;
  report->failure = NULL;
  report->unfinished = true;
  assert_int_equal(kiln_gate_judge(&gate, report, NULL), KILN_OK);
  assert_non_null(strstr(gate.refusal, "has no end"));
  assert_int_equal(kiln_gate_exit(&gate, report), 3);
  kiln_gate_release(&gate);
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_limits_of_time),
      cmocka_unit_test(test_not_slower),
      cmocka_unit_test(test_the_baseline_is_not_gated),
      cmocka_unit_test(test_not_above),
      cmocka_unit_test(test_a_run_that_stopped_early_cannot_pass),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
