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
  assert_true(made_says(finding, "stands for about 0.75 s of CPU time"));
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

/* A little that is launched does not answer for much that is not. */
static void
little_launched_and_much_not(void **state)
{
  (void)state;
  struct kiln_report *report = forward_only(100);
  struct kiln_model_build *build = made_build(made_cold(report, 0), "ahead", B, 1, 20, 1000);
  build->source_bytes = 1000;
  build->backward_bytes = 750;
  assert_int_equal(judged(&kiln_rule_cs10, report), KILN_FINDING_NOT_REACHED);
  kiln_report_free(report);
  report = forward_only(100);
  build = made_build(made_cold(report, 0), "ahead", B, 1, 20, 100);
  build->source_bytes = 1000;
  build->backward_bytes = 750;
  assert_int_equal(judged(&kiln_rule_cs10, report), KILN_FINDING_RULED_OUT);
  kiln_report_free(report);
}

/* The header is the yardstick on the CPU: a third of it is worth a word. */
static void
beside_a_header(void **state)
{
  (void)state;
  struct kiln_report *report = forward_only(1000); /* 0.75 s, the header takes 1.9 s */
  judged_header(made_cold(report, 0), 1, 1, "/t/h.pch");
  assert_int_equal(judged(&kiln_rule_cs10, report), KILN_FINDING_FIRED);
  kiln_report_free(report);
  report = forward_only(800); /* 0.6 s */
  judged_header(made_cold(report, 0), 1, 1, "/t/h.pch");
  assert_int_equal(judged(&kiln_rule_cs10, report), KILN_FINDING_RULED_OUT);
  kiln_report_free(report);
}

/* A tile module, built ahead of time for a GPU, whose kernels have no backward code by their argument. */
static struct kiln_report *
tile_module(int backward_bytes, const char *option)
{
  struct kiln_report *report = judged_report("warp 1.19.0");
  struct kiln_model_build *build = made_build(made_cold(report, 0), "m", A, 1, 10, 9000);
  build->device = "cuda";
  build->block_dim = 256;
  build->source_bytes = 1000;
  build->backward_bytes = backward_bytes;
  build->lto = 3;
  made_hash(made_cold(report, 0), "m", A, 1, 9, "k=1", option);
  made_declaration(made_cold(report, 0), "m", "k", 1, 5, false, 12);
  judged_link(made_cold(report, 0), "dot_8_8_16", KILN_BUILD_COMPILED, 2000);
  judged_link(made_cold(report, 0), "dot_8_16_8", KILN_BUILD_COMPILED, 3000);
  judged_link(made_cold(report, 0), "dot_16_8_8", KILN_BUILD_COMPILED, 4000);
  return report;
}

static void
objects_that_the_kernels_argument_keeps(void **state)
{
  (void)state;
  struct kiln_report *report = tile_module(0, "enable_backward=True");
  assert_int_equal(judged(&kiln_rule_cs10, report), KILN_FINDING_FIRED);
  assert_non_null(strstr(report->findings[0].sentence, "switched off for the kernels, and not for the module"));
  assert_true(made_says(&report->findings[0], "uses 3 link-time objects"));
  assert_true(made_points_at(&report->findings[0], 12));
  assert_true(JUDGED_NEAR(report->findings[0].saves_at_most_s, 7.0));
  kiln_report_free(report);
}

static void
objects_that_are_needed_or_were_not_made(void **state)
{
  (void)state;
  struct kiln_report *report = tile_module(0, "enable_backward=False");
  assert_int_equal(judged(&kiln_rule_cs10, report), KILN_FINDING_RULED_OUT);
  kiln_report_free(report);
  report = tile_module(500, "enable_backward=True"); /* whoever launches it may differentiate */
  assert_int_equal(judged(&kiln_rule_cs10, report), KILN_FINDING_NOT_REACHED);
  kiln_report_free(report);
  report = tile_module(0, "enable_backward=True");
  for (size_t i = 0; i < 3; i++)
    made_cold(report, 0)->links[i].result = KILN_BUILD_CACHED;
  assert_int_equal(judged(&kiln_rule_cs10, report), KILN_FINDING_RULED_OUT);
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(backward_code_that_nobody_needs),
      cmocka_unit_test(a_program_that_differentiates), cmocka_unit_test(too_little_or_none),
      cmocka_unit_test(headers_are_no_backward_code), cmocka_unit_test(kernels_that_were_not_launched),
      cmocka_unit_test(little_launched_and_much_not), cmocka_unit_test(beside_a_header),
      cmocka_unit_test(objects_that_the_kernels_argument_keeps),
      cmocka_unit_test(objects_that_are_needed_or_were_not_made)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
