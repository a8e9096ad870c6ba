#include "unit/probe/rules/judged.h"

static void
ranks_that_build_the_same(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  for (int i = 0; i < 3; i++) {
    struct kiln_model_build *build = made_build(made_cold(report, 0), "work", A, 101 + i, 10, 100 + (uint64_t)i);
    build->pch.cpu_ns = 40 * MS;
    build->where = AT(21);
  }
  made_run(&kiln_rule_n3, report);
  assert_int_equal(report->finding_count, 1);
  const struct kiln_finding *finding = &report->findings[0];
  assert_true(made_says(finding, "built 3 times in one run, by 3 processes: 2 of 3 builds were not needed"));
  assert_true(made_says(finding, "101, 102, 103"));
  assert_true(made_says(finding, "overlapped in time"));
  assert_true(made_points_at(finding, 21));
  /* 100 + 101 + 102 of CPU with the headers, minus the cheapest */
  assert_true(finding->saves_at_most_s > 0.2029 && finding->saves_at_most_s < 0.2031);
  kiln_report_free(report);
}

static void
threads_of_one_process(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  made_build(made_cold(report, 0), "work", A, 7, 10, 20)->tid = 71;
  made_build(made_cold(report, 0), "work", A, 7, 500, 20)->tid = 72;
  made_run(&kiln_rule_n3, report);
  assert_int_equal(report->finding_count, 1);
  assert_true(made_says(&report->findings[0], "built 2 times in one run, by 2 threads"));
  assert_true(made_says(&report->findings[0], "71, 72"));
  assert_true(made_says(&report->findings[0], "came one after another"));
  kiln_report_free(report);
}

static void
several_identities_make_one_finding(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(2);
  static const char *const modules[] = {"a", "b", "c"};
  for (int i = 0; i < 6; i++)
    made_build(made_cold(report, 0), modules[i % 3], A, 1 + i / 3, 10, 5);
  made_run(&kiln_rule_n3, report);
  assert_int_equal(report->finding_count, 1);
  assert_true(made_says(&report->findings[0], "3 identities were built several times in one run"));
  assert_true(made_says(&report->findings[0], "3 of 6 builds were not needed"));
  assert_true(made_says(&report->findings[0], "sample 2 differs: 0 builds"));
  kiln_report_free(report);
}

static void
what_is_not_this(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  struct kiln_model *cold = made_cold(report, 0);
  /* found in the cache by the second process */
  made_build(cold, "cached", A, 1, 10, 5);
  made_build(cold, "cached", A, 2, 20, 5)->result = KILN_BUILD_CACHED;
  /* the same thread again */
  made_build(cold, "again", A, 1, 10, 5);
  made_build(cold, "again", A, 1, 20, 5);
  /* other block size, other device kind */
  made_build(cold, "sizes", A, 1, 10, 5);
  made_build(cold, "sizes", A, 2, 10, 5)->block_dim = 2;
  made_build(cold, "kinds", A, 1, 10, 5);
  made_build(cold, "kinds", A, 2, 10, 5)->device = "cuda:0";
  made_run(&kiln_rule_n3, report);
  assert_int_equal(report->finding_count, 0);
  kiln_report_free(report);
}

static void
each_identity_once(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  made_build(made_cold(report, 0), "work", A, 1, 10, 20);
  made_build(made_cold(report, 0), "work", B, 2, 10, 20);
  assert_int_equal(judged(&kiln_rule_n3, report), KILN_FINDING_RULED_OUT);
  kiln_report_free(report);
  report = made_report(1);
  assert_int_equal(judged(&kiln_rule_n3, report), KILN_FINDING_RULED_OUT);
  assert_true(judged_because(report, "no module was built"));
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(ranks_that_build_the_same),
      cmocka_unit_test(threads_of_one_process), cmocka_unit_test(several_identities_make_one_finding),
      cmocka_unit_test(what_is_not_this), cmocka_unit_test(each_identity_once)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
