#include "unit/probe/rules/judged.h"

static struct kiln_report *
failed(int exit_code)
{
  struct kiln_report *report = judged_report("warp 1.16.0");
  struct kiln_model_build *build = made_build(made_cold(report, 0), "m", A, 1, 10, 50);
  build->result = KILN_BUILD_FAILED;
  build->where = AT(14);
  report->arms[0].samples[0].cold.result.exit_code = exit_code;
  return report;
}

static void
a_failure_that_nobody_heard_of(void **state)
{
  (void)state;
  struct kiln_report *report = failed(0);
  assert_int_equal(judged(&kiln_rule_n14, report), KILN_FINDING_FIRED);
  assert_true(made_says(&report->findings[0], "1 build failed in the cold run"));
  assert_true(report->findings[0].correctness);
  assert_non_null(report->findings[0].gate);
  assert_true(made_points_at(&report->findings[0], 14));
  kiln_report_free(report);
}

static void
a_program_that_says_so(void **state)
{
  (void)state;
  struct kiln_report *report = failed(1);
  assert_int_equal(judged(&kiln_rule_n14, report), KILN_FINDING_RULED_OUT);
  assert_true(judged_because(report, "said so"));
  kiln_report_free(report);
  report = failed(0);
  report->arms[0].samples[0].cold.result.signal = 11;
  assert_int_equal(judged(&kiln_rule_n14, report), KILN_FINDING_RULED_OUT);
  kiln_report_free(report);
  report = judged_report("warp 1.19.0");
  assert_int_equal(judged(&kiln_rule_n14, report), KILN_FINDING_RULED_OUT);
  assert_true(judged_because(report, "no build failed"));
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_failure_that_nobody_heard_of), cmocka_unit_test(a_program_that_says_so)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
