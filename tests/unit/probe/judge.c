/* Verdicts of arms made by hand. */
#include "unit/probe/made.h"

#include "probe/compare.h"
#include "probe/judge.h"

static void
judge(struct kiln_report *report, struct kiln_report_verdict *verdict)
{
  verdict->candidate = 1;
  assert_int_equal(kiln_report_judge_work(report, verdict, NULL), KILN_OK);
  assert_int_equal(kiln_report_judge_time(report, verdict, NULL), KILN_OK);
}

static void
test_same_work_overlapped_elapsed_decides(void **state)
{
  struct kiln_report_verdict verdict = {0};
  struct kiln_report *report = made_arms(11, 0.5);
  (void)state;
  for (size_t i = 0; i < 11; i++) {
    report->arms[0].samples[i].cold.model->overlap = 1;
    report->arms[1].samples[i].cold.model->overlap = 1.9;
  }
  judge(report, &verdict);
  assert_string_equal(verdict.work, "SAME");
  assert_int_equal(verdict.time.metric, KILN_METRIC_COLD_ELAPSED);
  assert_int_equal(verdict.time.sequence.verdict, KILN_VERDICT_IMPROVED);
  kiln_report_free(report);
}

static void
test_less_work_cpu_decides(void **state)
{
  struct kiln_report_verdict verdict = {0};
  struct kiln_report *report = made_arms(11, 0.5);
  (void)state;
  for (size_t i = 0; i < 11; i++) {
    made_build(report->arms[0].samples[i].cold.model, "m", "1", 7, 0, 10);
    report->arms[1].samples[i].cold.model->overlap = 1.9;
  }
  judge(report, &verdict);
  assert_string_equal(verdict.work, "FEWER");
  assert_string_equal(verdict.decided_by, "builds");
  assert_int_equal(verdict.time.metric, KILN_METRIC_COLD_CPU);
  assert_int_equal(verdict.time.sequence.verdict, KILN_VERDICT_SAME);
  kiln_report_free(report);
}

/* Fixed by the lever before anything ran, whatever work and overlap say. */
static void
test_moved_work_elapsed_decides(void **state)
{
  struct kiln_report_verdict verdict = {.elapsed_decides = true};
  struct kiln_report *report = made_arms(11, 0.5);
  (void)state;
  made_build(report->arms[1].samples[0].cold.model, "m", "1", 7, 0, 10);
  judge(report, &verdict);
  assert_int_equal(verdict.time.metric, KILN_METRIC_COLD_ELAPSED);
  assert_int_equal(verdict.time.sequence.verdict, KILN_VERDICT_IMPROVED);
  kiln_report_free(report);
}

/* The metric is chosen once; later pairs do not change who decides. */
static void
test_metric_is_kept(void **state)
{
  struct kiln_report_verdict verdict = {0};
  struct kiln_report *report = made_arms(16, 1);
  (void)state;
  for (size_t i = 0; i < 16; i++) {
    report->arms[1].samples[i].cold.elapsed_s *= i % 2 ? 3 : 0.3;
    report->arms[0].samples[i].cold.model->overlap = report->arms[1].samples[i].cold.model->overlap = 1;
  }
  report->pair_count = 11;
  judge(report, &verdict);
  assert_int_equal(verdict.time.metric, KILN_METRIC_COLD_CPU);
  report->pair_count = 16;
  for (size_t i = 0; i < 16; i++)
    report->arms[1].samples[i].cold.model->overlap = 5;
  judge(report, &verdict);
  assert_int_equal(verdict.time.metric, KILN_METRIC_COLD_CPU);
  kiln_report_free(report);
}

static void
test_void_pairs_do_not_count(void **state)
{
  struct kiln_report_verdict verdict = {0};
  struct kiln_report *report = made_arms(12, 1);
  size_t count;
  (void)state;
  report->pairs[3].valid = false;
  report->arms[0].samples[3].valid = report->arms[1].samples[3].valid = false;
  report->arms[1].samples[3].cold.model->counts.builds = 9;
  free(kiln_report_timed_pairs(report, 1, &count));
  assert_int_equal(count, 11);
  judge(report, &verdict);
  assert_string_equal(verdict.work, "SAME");
  assert_int_equal(verdict.time.pairs_made, 11);
  for (size_t i = 0; i < 12; i++) {
    report->arms[1].samples[i].valid = false;
    report->pairs[i].valid = false;
  }
  judge(report, &verdict);
  assert_null(verdict.work);
  assert_int_equal(verdict.time.pairs_made, 0);
  kiln_report_free(report);
}

static void
test_samples_that_disagree(void **state)
{
  struct kiln_report_verdict verdict = {0};
  struct kiln_report *report = made_arms(11, 1);
  (void)state;
  report->arms[1].samples[4].cold.model->counts.builds = 2;
  judge(report, &verdict);
  assert_string_equal(verdict.work, "UNSTABLE");
  assert_true(verdict.note_count > 0);
  assert_non_null(strstr(verdict.notes[0], "'cand'"));
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_same_work_overlapped_elapsed_decides),
      cmocka_unit_test(test_less_work_cpu_decides),
      cmocka_unit_test(test_moved_work_elapsed_decides),
      cmocka_unit_test(test_metric_is_kept),
      cmocka_unit_test(test_void_pairs_do_not_count),
      cmocka_unit_test(test_samples_that_disagree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
