#include "unit/probe/rules/judged.h"

static void
loads_that_alternate(void **state)
{
  (void)state;
  struct kiln_report *report = judged_report("warp 1.19.0");
  for (int i = 0; i < 6; i++)
    made_load(made_cold(report, 0), "m", i % 2 ? B : A, 1, 10 + (uint64_t)i)->where = AT(20 + i);
  assert_int_equal(judged(&kiln_rule_n5, report), KILN_FINDING_FIRED);
  assert_int_equal(report->finding_count, 1);
  assert_true(made_says(&report->findings[0], "loaded 6 times by process 1 under 2 identities"));
  assert_true(made_points_at(&report->findings[0], 25));
  assert_true(JUDGED_NEAR(report->findings[0].saves_at_most_s, 0.004));
  kiln_report_free(report);
}

static void
several_processes_and_devices_load_once_each(void **state)
{
  (void)state;
  struct kiln_report *report = judged_report("warp 1.19.0");
  for (int i = 0; i < 6; i++)
    made_load(made_cold(report, 0), "m", A, 1 + i, 10);
  made_load(made_cold(report, 0), "m", A, 1, 20)->device = "cuda:0";
  made_load(made_cold(report, 0), "m", A, 1, 20)->block_dim = 64;
  assert_int_equal(judged(&kiln_rule_n5, report), KILN_FINDING_RULED_OUT);
  assert_true(judged_because(report, "1 time"));
  kiln_report_free(report);
  report = judged_report("warp 1.19.0");
  assert_int_equal(judged(&kiln_rule_n5, report), KILN_FINDING_RULED_OUT);
  assert_true(judged_because(report, "nothing was loaded"));
  kiln_report_free(report);
}

/* Going back to an earlier state once is a change of options (CS-3), not a loop. */
static void
once_back_is_no_loop(void **state)
{
  (void)state;
  struct kiln_report *report = judged_report("warp 1.19.0");
  made_load(made_cold(report, 0), "m", A, 1, 10);
  made_load(made_cold(report, 0), "m", B, 1, 20);
  made_load(made_cold(report, 0), "m", A, 1, 30);
  assert_int_equal(judged(&kiln_rule_n5, report), KILN_FINDING_RULED_OUT);
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(loads_that_alternate),
      cmocka_unit_test(several_processes_and_devices_load_once_each), cmocka_unit_test(once_back_is_no_loop)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
