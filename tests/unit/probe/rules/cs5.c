#include "unit/probe/rules/judged.h"

static struct kiln_model_build *
sized(struct kiln_model *cold, const char *identity, int block_dim, uint64_t t_ms)
{
  struct kiln_model_build *build = made_build(cold, "m", identity, 1, t_ms, 100);
  build->device = "cuda:0";
  build->block_dim = block_dim;
  build->where = AT(block_dim);
  return build;
}

static void
several_block_sizes_of_one_module(void **state)
{
  (void)state;
  struct kiln_report *report = judged_report("warp 1.19.0");
  struct kiln_model *cold = made_cold(report, 0);
  static const char *const identities[] = {A, B, C};
  for (int i = 0; i < 3; i++) {
    sized(cold, identities[i], 64 << i, 10 + 200 * (uint64_t)i);
    judged_launch(cold, "m", identities[i], "cuda:0", 64 << i);
  }
  assert_int_equal(judged(&kiln_rule_cs5, report), KILN_FINDING_FIRED);
  assert_int_equal(report->finding_count, 1);
  assert_true(made_says(&report->findings[0], "3 block sizes (64, 128, 256)"));
  assert_true(made_points_at(&report->findings[0], 128));
  assert_true(JUDGED_NEAR(report->findings[0].saves_at_most_s, 0.2));
  kiln_report_free(report);
}

static void
ahead_of_time_nothing_is_launched(void **state)
{
  (void)state;
  struct kiln_report *report = judged_report("warp 1.19.0");
  sized(made_cold(report, 0), A, 64, 10)->aot = true;
  sized(made_cold(report, 0), B, 128, 200)->aot = true;
  assert_int_equal(judged(&kiln_rule_cs5, report), KILN_FINDING_FIRED);
  kiln_report_free(report);
}

/* CPU beside CUDA is not a spread, and a variant that nobody launched is N-4. */
static void
what_looks_like_it_and_is_not(void **state)
{
  (void)state;
  struct kiln_report *report = judged_report("warp 1.19.0");
  struct kiln_model *cold = made_cold(report, 0);
  made_build(cold, "m", A, 1, 10, 100);
  sized(cold, B, 256, 200);
  judged_launch(cold, "m", A, "cpu", 1);
  judged_launch(cold, "m", B, "cuda:0", 256);
  assert_int_equal(judged(&kiln_rule_cs5, report), KILN_FINDING_RULED_OUT);
  assert_true(judged_because(report, "with one block size"));
  kiln_report_free(report);
  report = judged_report("warp 1.19.0");
  cold = made_cold(report, 0);
  sized(cold, A, 256, 10);
  sized(cold, B, 64, 200);
  judged_launch(cold, "m", B, "cuda:0", 64);
  assert_int_equal(judged(&kiln_rule_cs5, report), KILN_FINDING_RULED_OUT);
  kiln_report_free(report);
  report = judged_report("warp 1.19.0");
  made_build(made_cold(report, 0), "m", A, 1, 10, 100);
  assert_int_equal(judged(&kiln_rule_cs5, report), KILN_FINDING_RULED_OUT);
  assert_true(judged_because(report, "nothing was built for a GPU"));
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(several_block_sizes_of_one_module),
      cmocka_unit_test(ahead_of_time_nothing_is_launched), cmocka_unit_test(what_looks_like_it_and_is_not)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
