#include "unit/probe/rules/judged.h"

static const char *const modules[] = {"a", "b", "c", "d", "e"};
static const char *const identities[] = {A, B, C, D, "eeeeeeeeee55"};

static void
fill(struct kiln_model *cold, size_t count, const char *kernels)
{
  for (size_t i = 0; i < count; i++) {
    made_declaration(cold, modules[i], "k", 1, 1 + i, false, 10 + (int)i);
    made_build(cold, modules[i], identities[i], 1, 100 + 10 * i, 5 + i);
    made_hash(cold, modules[i], identities[i], 1, 99, kernels, "fast=1");
  }
}

static void
modules_of_one_kernel_could_be_one(void **state)
{
  (void)state;
  struct kiln_report *report = judged_report("warp 1.19.0");
  fill(made_cold(report, 0), 4, "k=1");
  assert_int_equal(judged(&kiln_rule_cs4, report), KILN_FINDING_FIRED);
  assert_int_equal(report->finding_count, 1);
  const struct kiln_finding *finding = &report->findings[0];
  assert_true(made_says(finding, "4 modules of one kernel each"));
  assert_true(made_says(finding, "was not measured"));
  assert_true(made_points_at(finding, 10) && made_points_at(finding, 13));
  assert_true(JUDGED_NEAR(finding->saves_at_most_s, 0.018)); /* 5 + 6 + 7 + 8, minus the dearest */
  assert_true(finding->cited_count >= 4);
  kiln_report_free(report);
}

/* A merged module saves the floor of the others, and nothing of their own code. */
static void
a_measured_floor_bounds_the_gain(void **state)
{
  (void)state;
  struct kiln_report *report = judged_report("warp 1.19.0");
  report->diagnosis.floor_s = 0.004;
  fill(made_cold(report, 0), 4, "k=1");
  assert_int_equal(judged(&kiln_rule_cs4, report), KILN_FINDING_FIRED);
  assert_true(JUDGED_NEAR(report->findings[0].saves_at_most_s, 0.012));
  assert_true(
      made_says(&report->findings[0], "costs 4.0 ms here") || made_says(&report->findings[0], "costs 4 ms here"));
  kiln_report_free(report);
}

static void
what_does_not_belong_together_is_left_alone(void **state)
{
  (void)state;
  struct kiln_report *report = judged_report("warp 1.19.0");
  fill(made_cold(report, 0), 3, "k=1");
  assert_int_equal(judged(&kiln_rule_cs4, report), KILN_FINDING_RULED_OUT); /* too few */
  kiln_report_free(report);
  report = judged_report("warp 1.19.0");
  fill(made_cold(report, 0), 5, "k=1 l=2");
  assert_int_equal(judged(&kiln_rule_cs4, report), KILN_FINDING_RULED_OUT); /* two kernels each */
  kiln_report_free(report);
  report = judged_report("warp 1.19.0");
  fill(made_cold(report, 0), 4, "k=1");
  made_cold(report, 0)->declarations[0].t_ns = 200 * MS; /* made while the program runs */
  assert_int_equal(judged(&kiln_rule_cs4, report), KILN_FINDING_RULED_OUT);
  kiln_report_free(report);
  report = judged_report("warp 1.19.0");
  fill(made_cold(report, 0), 4, "k=1");
  made_cold(report, 0)->declarations[1].where.file = "/v/lib/site-packages/lib/k.py"; /* a library's */
  assert_int_equal(judged(&kiln_rule_cs4, report), KILN_FINDING_RULED_OUT);
  kiln_report_free(report);
}

static void
other_options_are_another_module(void **state)
{
  (void)state;
  struct kiln_report *report = judged_report("warp 1.19.0");
  struct kiln_model *cold = made_cold(report, 0);
  fill(cold, 4, "k=1");
  cold->hash_count--;
  made_hash(cold, "d", D, 1, 99, "k=1", "fast=0");
  assert_int_equal(judged(&kiln_rule_cs4, report), KILN_FINDING_RULED_OUT);
  kiln_report_free(report);
}

static void
a_run_without_builds(void **state)
{
  (void)state;
  struct kiln_report *report = judged_report("warp 1.19.0");
  assert_int_equal(judged(&kiln_rule_cs4, report), KILN_FINDING_RULED_OUT);
  assert_true(judged_because(report, "no module was built"));
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(modules_of_one_kernel_could_be_one),
      cmocka_unit_test(a_measured_floor_bounds_the_gain), cmocka_unit_test(what_does_not_belong_together_is_left_alone),
      cmocka_unit_test(other_options_are_another_module), cmocka_unit_test(a_run_without_builds)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
