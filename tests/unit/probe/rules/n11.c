#include "unit/probe/rules/judged.h"

static struct kiln_model_build *
at_path(struct kiln_model *model, const char *identity, uint64_t t_ms, enum kiln_build_result result)
{
  struct kiln_model_build *build = made_build(model, "m", identity, 1, t_ms, 5);
  build->result = result;
  build->path = "/out/wp_m";
  build->where = AT((int)t_ms);
  return build;
}

static void
found_under_another_identity(void **state)
{
  (void)state;
  struct kiln_report *report = judged_report("warp 1.19.0");
  at_path(made_cold(report, 0), A, 10, KILN_BUILD_COMPILED);
  at_path(made_cold(report, 0), B, 20, KILN_BUILD_CACHED);
  assert_int_equal(judged(&kiln_rule_n11, report), KILN_FINDING_FIRED);
  assert_true(made_says(&report->findings[0], "as identity bbbbbbb, but what lies there was built as aaaaaaa"));
  assert_true(report->findings[0].correctness);
  assert_true(made_points_at(&report->findings[0], 20));
  kiln_report_free(report);
}

static void
found_by_the_warm_run(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  at_path(made_cold(report, 0), A, 10, KILN_BUILD_COMPILED);
  at_path(made_warm(report, 0), B, 20, KILN_BUILD_CACHED);
  assert_int_equal(judged(&kiln_rule_n11, report), KILN_FINDING_FIRED);
  kiln_report_free(report);
  report = made_report(1);
  at_path(made_cold(report, 0), A, 10, KILN_BUILD_COMPILED);
  at_path(made_warm(report, 0), A, 20, KILN_BUILD_CACHED);
  assert_int_equal(judged(&kiln_rule_n11, report), KILN_FINDING_RULED_OUT);
  kiln_report_free(report);
}

static void
one_identity_for_two_sets_of_kernels(void **state)
{
  (void)state;
  struct kiln_report *report = judged_report("warp 1.19.0");
  made_hash(made_cold(report, 0), "m", A, 1, 9, "k=1", "");
  made_hash(made_cold(report, 0), "m", A, 2, 9, "k=2", "");
  assert_int_equal(judged(&kiln_rule_n11, report), KILN_FINDING_FIRED);
  kiln_report_free(report);
}

/* Ahead of time without hashes: a kernel that was declared since is the only sign. */
static void
found_without_a_hash(void **state)
{
  (void)state;
  struct kiln_report *report = judged_report("warp 1.19.0");
  at_path(made_cold(report, 0), NULL, 10, KILN_BUILD_COMPILED);
  at_path(made_cold(report, 0), NULL, 30, KILN_BUILD_CACHED);
  assert_int_equal(judged(&kiln_rule_n11, report), KILN_FINDING_NOT_REACHED);
  kiln_report_free(report);
  report = judged_report("warp 1.19.0");
  at_path(made_cold(report, 0), NULL, 10, KILN_BUILD_COMPILED);
  at_path(made_cold(report, 0), NULL, 30, KILN_BUILD_CACHED);
  made_declaration(made_cold(report, 0), "m", "k", 1, 20, false, 17);
  assert_int_equal(judged(&kiln_rule_n11, report), KILN_FINDING_FIRED);
  assert_true(made_says(&report->findings[0], "kernel `k` was declared since"));
  assert_true(made_points_at(&report->findings[0], 17) && made_points_at(&report->findings[0], 30));
  kiln_report_free(report);
}

static void
nothing_was_found_in_a_cache(void **state)
{
  (void)state;
  struct kiln_report *report = judged_report("warp 1.19.0");
  at_path(made_cold(report, 0), A, 10, KILN_BUILD_COMPILED);
  assert_int_equal(judged(&kiln_rule_n11, report), KILN_FINDING_NOT_REACHED);
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(found_under_another_identity),
      cmocka_unit_test(found_by_the_warm_run), cmocka_unit_test(one_identity_for_two_sets_of_kernels),
      cmocka_unit_test(found_without_a_hash), cmocka_unit_test(nothing_was_found_in_a_cache)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
