#include "unit/probe/rules/judged.h"

/* One module of which three quarters are backward code, launched forward. cold.cpu_s of made reports is 2.5. */
static struct kiln_report *
forward_only(uint64_t wall_ms)
{
  struct kiln_report *report = judged_report("warp 1.19.0");
  struct kiln_model_build *build = made_build(made_cold(report, 0), "m", A, 1, 10, wall_ms);
  build->source_bytes = 1000;
  build->backward_bytes = 750;
  made_declaration(made_cold(report, 0), "m", "k", 1, 5, false, 12);
  judged_launch(made_cold(report, 0), "m", A, "cpu", 1);
  return report;
}

static void
backward_code_that_nobody_needs(void **state)
{
  (void)state;
  struct kiln_report *report = forward_only(1000);
  made_cold(report, 0)->tape_recorded = 2;
  assert_int_equal(judged(&kiln_rule_cs10, report), KILN_FINDING_FIRED);
  const struct kiln_finding *finding = &report->findings[0];
  assert_true(made_says(finding, "75 % of the source"));
  assert_true(made_says(finding, "2 tapes were recorded"));
  assert_true(made_points_at(finding, 12));
  assert_true(JUDGED_NEAR(finding->saves_at_most_s, 1.0));
  assert_non_null(strstr(finding->remedy, "entry point"));
  assert_non_null(strstr(finding->not_when, "silently wrong"));
  assert_non_null(strstr(finding->deadline, "imported"));
  kiln_report_free(report);
}

static void
a_program_that_differentiates(void **state)
{
  (void)state;
  struct kiln_report *report = forward_only(1000);
  made_cold(report, 0)->tape_backward = 1;
  assert_int_equal(judged(&kiln_rule_cs10, report), KILN_FINDING_RULED_OUT);
  assert_true(judged_because(report, "silently wrong"));
  kiln_report_free(report);
  report = forward_only(1000);
  judged_launch(made_cold(report, 0), "m", A, "cpu", 1)->direction = "backward";
  assert_int_equal(judged(&kiln_rule_cs10, report), KILN_FINDING_RULED_OUT);
  kiln_report_free(report);
}

static void
too_little_or_none(void **state)
{
  (void)state;
  struct kiln_report *report = forward_only(300);
  assert_int_equal(judged(&kiln_rule_cs10, report), KILN_FINDING_RULED_OUT);
  assert_true(judged_because(report, "too little"));
  kiln_report_free(report);
  report = forward_only(1000);
  made_hash(made_cold(report, 0), "m", A, 1, 9, "k=1", "enable_backward=False");
  assert_int_equal(judged(&kiln_rule_cs10, report), KILN_FINDING_RULED_OUT);
  assert_true(judged_because(report, "no backward code"));
  kiln_report_free(report);
}

/* Where the headers are read anew in each build, the share of the source says nothing about the cheapest one. */
static void
headers_are_no_backward_code(void **state)
{
  (void)state;
  struct kiln_report *report = forward_only(1500);
  made_hash(made_cold(report, 0), "m", A, 1, 9, "k=1", "use_precompiled_headers=False");
  assert_int_equal(judged(&kiln_rule_cs10, report), KILN_FINDING_RULED_OUT);
  assert_true(judged_because(report, "too little"));
  kiln_report_free(report);
}

/* Built ahead of time: whoever launches it may differentiate. */
static void
kernels_that_were_not_launched(void **state)
{
  (void)state;
  struct kiln_report *report = forward_only(1000);
  made_cold(report, 0)->launch_count = 0;
  assert_int_equal(judged(&kiln_rule_cs10, report), KILN_FINDING_NOT_REACHED);
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(backward_code_that_nobody_needs),
      cmocka_unit_test(a_program_that_differentiates), cmocka_unit_test(too_little_or_none),
      cmocka_unit_test(headers_are_no_backward_code), cmocka_unit_test(kernels_that_were_not_launched)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
