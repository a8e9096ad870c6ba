#include "unit/probe/rules/judged.h"

static struct kiln_report *
captured(uint64_t build_ms)
{
  struct kiln_report *report = judged_report("warp 1.19.0");
  judged_moment(made_cold(report, 0), "request", "capture_begin", 100, 30);
  judged_moment(made_cold(report, 0), "request", "capture_end", 200, 33);
  if (build_ms)
    made_build(made_cold(report, 0), "m", A, 1, build_ms, 50)->where = AT(31);
  return report;
}

static void
a_build_inside(void **state)
{
  (void)state;
  struct kiln_report *report = captured(120);
  assert_int_equal(judged(&kiln_rule_n12, report), KILN_FINDING_FIRED);
  assert_true(made_says(&report->findings[0], "1 build and 0 further loads"));
  assert_true(made_points_at(&report->findings[0], 31) && made_points_at(&report->findings[0], 30));
  kiln_report_free(report);
}

/* The bound holds the header too, so the build says what it was. */
static void
a_build_with_its_header(void **state)
{
  (void)state;
  struct kiln_report *report = captured(120);
  made_cold(report, 0)->builds[0].pch.wall_ns = 30 * 1000000ull;
  assert_int_equal(judged(&kiln_rule_n12, report), KILN_FINDING_FIRED);
  assert_true(made_says(&report->findings[0], "in 20.0 ms, after 30.0 ms for the precompiled header"));
  kiln_report_free(report);
}

static void
a_load_inside(void **state)
{
  (void)state;
  struct kiln_report *report = captured(0);
  made_load(made_cold(report, 0), "m", A, 1, 150);
  assert_int_equal(judged(&kiln_rule_n12, report), KILN_FINDING_FIRED);
  kiln_report_free(report);
}

static void
before_after_and_elsewhere(void **state)
{
  (void)state;
  static const uint64_t times[] = {50, 300};
  for (int i = 0; i < 2; i++) {
    struct kiln_report *report = captured(times[i]);
    assert_int_equal(judged(&kiln_rule_n12, report), KILN_FINDING_RULED_OUT);
    assert_true(judged_because(report, "during 1 capture"));
    kiln_report_free(report);
  }
  struct kiln_report *report = captured(120);
  made_cold(report, 0)->builds[0].tid = 9; /* another thread */
  assert_int_equal(judged(&kiln_rule_n12, report), KILN_FINDING_RULED_OUT);
  kiln_report_free(report);
  report = judged_report("warp 1.19.0");
  assert_int_equal(judged(&kiln_rule_n12, report), KILN_FINDING_RULED_OUT);
  assert_true(judged_because(report, "no graph"));
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_build_inside), cmocka_unit_test(a_build_with_its_header),
      cmocka_unit_test(a_load_inside), cmocka_unit_test(before_after_and_elsewhere)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
