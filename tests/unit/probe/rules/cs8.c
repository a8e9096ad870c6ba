#include "unit/probe/rules/judged.h"

/* Two threads of process 1 that load for the CPU from `a_ms` and `b_ms` on, 10 ms each. */
static struct kiln_report *
two_loads(const char *version, uint64_t a_ms, uint64_t b_ms)
{
  struct kiln_report *report = judged_report(version);
  struct kiln_model_load *load = made_load(made_cold(report, 0), "a", A, 1, a_ms);
  load->tid = 11;
  load->wall_ns = 10 * MS;
  load->where = AT(7);
  load = made_load(made_cold(report, 0), "b", B, 1, b_ms);
  load->tid = 12;
  load->wall_ns = 10 * MS;
  return report;
}

static void
overlapping_loads_on_an_old_version(void **state)
{
  (void)state;
  struct kiln_report *report = two_loads("warp 1.16.2", 100, 105);
  assert_int_equal(judged(&kiln_rule_cs8, report), KILN_FINDING_FIRED);
  assert_true(report->findings[0].correctness);
  assert_true(made_says(&report->findings[0], "Warp 1.16 does not guard"));
  assert_true(made_points_at(&report->findings[0], 7));
  assert_non_null(report->findings[0].gate);
  kiln_report_free(report);
}

static void
the_mutex_and_the_order_rule_it_out(void **state)
{
  (void)state;
  struct kiln_report *report = two_loads("warp 1.17.0", 100, 105);
  assert_int_equal(judged(&kiln_rule_cs8, report), KILN_FINDING_RULED_OUT);
  assert_true(judged_because(report, "mutex"));
  kiln_report_free(report);
  report = two_loads("warp 1.16.2", 100, 120);
  assert_int_equal(judged(&kiln_rule_cs8, report), KILN_FINDING_RULED_OUT);
  kiln_report_free(report);
  report = two_loads("warp 1.16.2", 100, 105);
  made_cold(report, 0)->loads[1].device = "cuda:0";
  assert_int_equal(judged(&kiln_rule_cs8, report), KILN_FINDING_RULED_OUT);
  kiln_report_free(report);
  report = two_loads(NULL, 100, 105);
  assert_int_equal(judged(&kiln_rule_cs8, report), KILN_FINDING_RULED_OUT);
  assert_true(judged_because(report, "no process imported Warp"));
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(overlapping_loads_on_an_old_version), cmocka_unit_test(the_mutex_and_the_order_rule_it_out)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
