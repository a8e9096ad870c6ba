#include "unit/probe/rules/judged.h"

static const char *const modules[] = {"a_11111111", "b_22222222", "c_33333333"};
static const char *const identities[] = {A, B, C};

static struct kiln_report *
unique_modules(void)
{
  struct kiln_report *report = judged_report("warp 1.19.0");
  for (size_t i = 0; i < 3; i++) {
    made_declaration(made_cold(report, 0), modules[i], "k", 1, 1 + i, false, 20 + (int)i)->unique = true;
    made_build(made_cold(report, 0), modules[i], identities[i], 1, 100 + 10 * i, 5);
  }
  return report;
}

static void
stable_kernels_with_a_module_each(void **state)
{
  (void)state;
  struct kiln_report *report = unique_modules();
  assert_int_equal(judged(&kiln_rule_cs9, report), KILN_FINDING_FIRED);
  assert_true(made_says(&report->findings[0], "3 kernels"));
  assert_true(made_points_at(&report->findings[0], 21));
  assert_true(JUDGED_NEAR(report->findings[0].saves_at_most_s, 0.010));
  kiln_report_free(report);
}

/* Plugins that come with requests, products of a factory, and a library's kernels. */
static void
kept_apart_on_purpose(void **state)
{
  (void)state;
  struct kiln_report *report = unique_modules();
  made_cold(report, 0)->declarations[1].t_ns = made_cold(report, 0)->declarations[2].t_ns = 105 * MS;
  assert_int_equal(judged(&kiln_rule_cs9, report), KILN_FINDING_RULED_OUT);
  kiln_report_free(report);
  report = unique_modules();
  made_cold(report, 0)->declarations[0].code = "0123";
  assert_int_equal(judged(&kiln_rule_cs9, report), KILN_FINDING_RULED_OUT);
  kiln_report_free(report);
  report = unique_modules();
  made_cold(report, 0)->declarations[0].where.file = "/v/lib/site-packages/lib/k.py";
  assert_int_equal(judged(&kiln_rule_cs9, report), KILN_FINDING_RULED_OUT);
  kiln_report_free(report);
  report = judged_report("warp 1.19.0");
  made_build(made_cold(report, 0), "m", A, 1, 10, 5);
  assert_int_equal(judged(&kiln_rule_cs9, report), KILN_FINDING_RULED_OUT);
  assert_true(judged_because(report, "no kernel has a module of its own"));
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stable_kernels_with_a_module_each), cmocka_unit_test(kept_apart_on_purpose)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
