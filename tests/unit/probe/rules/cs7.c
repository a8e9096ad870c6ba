#include "unit/probe/rules/judged.h"

static void
objects_that_cost_seconds(void **state)
{
  (void)state;
  struct kiln_report *report = judged_report("warp 1.19.0");
  struct kiln_model *cold = made_cold(report, 0);
  made_build(cold, "m", A, 1, 10, 9000)->lto = 2;
  judged_link(cold, "dot_a", KILN_BUILD_COMPILED, 5000);
  judged_link(cold, "dot_b", KILN_BUILD_COMPILED, 3000);
  judged_link(cold, "dot_c", KILN_BUILD_CACHED, 1);
  assert_int_equal(judged(&kiln_rule_cs7, report), KILN_FINDING_FIRED);
  const struct kiln_finding *finding = &report->findings[0];
  assert_true(made_says(finding, "2 link-time objects"));
  assert_true(made_says(finding, "dot_a"));
  assert_true(made_says(finding, "uses 2 link-time objects"));
  assert_true(JUDGED_NEAR(finding->saves_at_most_s, 8.0));
  assert_non_null(strstr(finding->remedy, "CS-10"));
  assert_int_equal(finding->otherwise_count, 2);
  kiln_report_free(report);
}

static void
cached_cheap_or_none(void **state)
{
  (void)state;
  struct kiln_report *report = judged_report("warp 1.19.0");
  made_build(made_cold(report, 0), "m", A, 1, 10, 100);
  assert_int_equal(judged(&kiln_rule_cs7, report), KILN_FINDING_RULED_OUT);
  kiln_report_free(report);
  report = judged_report("warp 1.19.0");
  made_build(made_cold(report, 0), "m", A, 1, 10, 100)->lto = 1;
  judged_link(made_cold(report, 0), "dot", KILN_BUILD_CACHED, 1);
  assert_int_equal(judged(&kiln_rule_cs7, report), KILN_FINDING_RULED_OUT);
  assert_true(judged_because(report, "came from the cache"));
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(objects_that_cost_seconds), cmocka_unit_test(cached_cheap_or_none)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
