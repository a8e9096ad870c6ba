#include "unit/probe/rules/judged.h"

/* A preload at the wrong block size: built for 256, launched at 1. */
static struct kiln_report *
wrong_size(void)
{
  struct kiln_report *report = judged_report("warp 1.19.0");
  struct kiln_model *cold = made_cold(report, 0);
  struct kiln_model_build *build = made_build(cold, "m", A, 1, 10, 50);
  build->block_dim = 256;
  build->where = AT(15);
  made_build(cold, "m", B, 1, 100, 50);
  judged_launch(cold, "m", B, "cpu", 1);
  judged_moment(cold, "request", "force_load", 9, 15);
  return report;
}

static void
the_wrong_block_size_is_named(void **state)
{
  (void)state;
  struct kiln_report *report = wrong_size();
  assert_int_equal(judged(&kiln_rule_n4, report), KILN_FINDING_FIRED);
  const struct kiln_finding *finding = &report->findings[0];
  assert_true(made_says(finding, "for a block size that no launch uses"));
  assert_true(made_says(finding, "built for `force_load`"));
  assert_true(made_says(finding, "launches use the build for block size 1: this one, for block size 256"));
  assert_true(made_points_at(finding, 15));
  assert_non_null(strstr(finding->remedy, "block_dim="));
  assert_true(JUDGED_NEAR(finding->saves_at_most_s, 0.050));
  kiln_report_free(report);
}

static void
launched_or_ahead_of_time(void **state)
{
  (void)state;
  struct kiln_report *report = wrong_size();
  judged_launch(made_cold(report, 0), "m", A, "cpu", 256);
  assert_int_equal(judged(&kiln_rule_n4, report), KILN_FINDING_RULED_OUT);
  kiln_report_free(report);
  report = wrong_size();
  made_cold(report, 0)->builds[0].aot = true;
  assert_int_equal(judged(&kiln_rule_n4, report), KILN_FINDING_RULED_OUT);
  kiln_report_free(report);
}

/* What a library builds unasked is not the program's; what the program asked for is. */
static void
a_librarys_own_kernels(void **state)
{
  (void)state;
  struct kiln_report *report = wrong_size();
  struct kiln_model *cold = made_cold(report, 0);
  made_declaration(cold, "m", "k", 1, 1, false, 3)->where.file = "/v/site-packages/lib/k.py";
  assert_int_equal(judged(&kiln_rule_n4, report), KILN_FINDING_FIRED);
  kiln_report_free(report);
  report = wrong_size();
  cold = made_cold(report, 0);
  made_declaration(cold, "m", "k", 1, 1, false, 3)->where.file = "/v/site-packages/lib/k.py";
  cold->moment_count = 0;
  assert_int_equal(judged(&kiln_rule_n4, report), KILN_FINDING_RULED_OUT);
  kiln_report_free(report);
}

static void
without_launches_nothing_is_proved(void **state)
{
  (void)state;
  struct kiln_report *report = wrong_size();
  made_cold(report, 0)->launch_count = 0;
  made_cold(report, 0)->counts.launches = 0;
  assert_int_equal(judged(&kiln_rule_n4, report), KILN_FINDING_NOT_REACHED);
  kiln_report_free(report);
  report = wrong_size();
  made_cold(report, 0)->launch_overflow = 3;
  assert_int_equal(judged(&kiln_rule_n4, report), KILN_FINDING_NOT_REACHED);
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_wrong_block_size_is_named),
      cmocka_unit_test(launched_or_ahead_of_time), cmocka_unit_test(a_librarys_own_kernels),
      cmocka_unit_test(without_launches_nothing_is_proved)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
