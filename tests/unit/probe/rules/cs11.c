#include "unit/probe/rules/judged.h"

static struct kiln_report *
unrolled(int bodies, uint64_t bytes, uint64_t wall_ms)
{
  struct kiln_report *report = judged_report("warp 1.19.0");
  struct kiln_model_build *build = made_build(made_cold(report, 0), "m", A, 1, 10, wall_ms);
  build->unrolled = bodies;
  build->source_bytes = bytes;
  made_hash(made_cold(report, 0), "m", A, 1, 9, "k=1", "max_unroll=16");
  made_declaration(made_cold(report, 0), "m", "k", 1, 5, false, 12);
  return report;
}

static void
a_large_source_of_repeated_bodies(void **state)
{
  (void)state;
  struct kiln_report *report = unrolled(256, 300000, 900);
  assert_int_equal(judged(&kiln_rule_cs11, report), KILN_FINDING_FIRED);
  assert_true(made_says(&report->findings[0], "256 loop bodies were repeated"));
  assert_true(made_says(&report->findings[0], "max_unroll is 16"));
  assert_true(made_points_at(&report->findings[0], 12));
  assert_non_null(strstr(report->findings[0].remedy, "kiln try"));
  kiln_report_free(report);
}

static void
few_small_or_cheap(void **state)
{
  (void)state;
  static const struct {
    int bodies;
    uint64_t bytes, wall_ms;
    const char *because;
  } cases[] = {{0, 300000, 900, "no loop"}, {16, 300000, 900, "16 loop bodies"}, {256, 20000, 900, "stays small"},
      {256, 300000, 100, "cheap"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct kiln_report *report = unrolled(cases[i].bodies, cases[i].bytes, cases[i].wall_ms);
    assert_int_equal(judged(&kiln_rule_cs11, report), KILN_FINDING_RULED_OUT);
    assert_true(judged_because(report, cases[i].because));
    kiln_report_free(report);
  }
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_large_source_of_repeated_bodies), cmocka_unit_test(few_small_or_cheap)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
