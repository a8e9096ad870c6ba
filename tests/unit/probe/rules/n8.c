#include "unit/probe/rules/judged.h"

static void
the_same_header_again_and_again(void **state)
{
  (void)state;
  struct kiln_report *report = judged_report("warp 1.19.0");
  for (int i = 0; i < 3; i++)
    judged_header(made_cold(report, 0), 1, 10 + 3000 * (uint64_t)i, "/t/h_o2.pch");
  assert_int_equal(judged(&kiln_rule_n8, report), KILN_FINDING_FIRED);
  assert_true(made_says(&report->findings[0], "made the precompiled header `h_o2.pch` 3 times"));
  assert_true(JUDGED_NEAR(report->findings[0].saves_at_most_s, 4.0));
  kiln_report_free(report);
}

static void
other_threads_other_names_other_failures(void **state)
{
  (void)state;
  struct kiln_report *report = judged_report("warp 1.19.0");
  judged_header(made_cold(report, 0), 1, 10, "/t/h_o2.pch");
  judged_header(made_cold(report, 0), 1, 3000, "/t/h_o0.pch");
  judged_header(made_cold(report, 0), 2, 10, "/t/h_o2.pch");
  assert_int_equal(judged(&kiln_rule_n8, report), KILN_FINDING_RULED_OUT);
  kiln_report_free(report);
  report = judged_report("warp 1.19.0");
  judged_header(made_cold(report, 0), 1, 10, "/t/h_o2.pch");
  judged_header(made_cold(report, 0), 1, 3000, "/t/h_o2.pch");
  made_build(made_cold(report, 0), "m", A, 1, 5, 2500)->result = KILN_BUILD_FAILED;
  assert_int_equal(judged(&kiln_rule_n8, report), KILN_FINDING_RULED_OUT);
  kiln_report_free(report);
  report = judged_report("warp 1.19.0");
  assert_int_equal(judged(&kiln_rule_n8, report), KILN_FINDING_RULED_OUT);
  assert_true(judged_because(report, "no precompiled header"));
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_same_header_again_and_again), cmocka_unit_test(other_threads_other_names_other_failures)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
