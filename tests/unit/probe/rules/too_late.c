#include "unit/probe/rules/judged.h"

/* Two modules were declared before the option was set at line 14, one after it. */
static struct kiln_report *
late(struct kiln_model **cold)
{
  struct kiln_report *report = made_report(1);
  *cold = made_cold(report, 0);
  made_declaration(*cold, "forces", "push", 1, 1, false, 3);
  made_declaration(*cold, "moves", "move", 1, 2, false, 4);
  made_option(*cold, NULL, "enable_backward", "True", "False", 5, 14);
  made_declaration(*cold, "early", "show", 1, 6, false, 20);
  made_build(*cold, "forces", A, 1, 10, 5);
  made_build(*cold, "moves", B, 1, 20, 5);
  made_build(*cold, "early", C, 1, 30, 5);
  made_hash(*cold, "forces", A, 1, 9, "push=1", "enable_backward=True");
  made_hash(*cold, "moves", B, 1, 19, "move=1", "enable_backward=True");
  made_hash(*cold, "early", C, 1, 29, "show=1", "enable_backward=False");
  return report;
}

static void
each_module_that_it_missed_is_named(void **state)
{
  (void)state;
  struct kiln_model *cold;
  struct kiln_report *report = late(&cold);
  made_run(&kiln_rule_too_late, report);
  assert_int_equal(report->finding_count, 1);
  const struct kiln_finding *finding = &report->findings[0];
  assert_true(made_says(finding, "`warp.config.enable_backward` was set to False at app.py:14 after 2 modules"));
  assert_true(made_says(finding, "not arrived in module `forces`"));
  assert_true(made_says(finding, "not arrived in module `moves`"));
  assert_false(made_says(finding, "`early`"));
  assert_true(made_points_at(finding, 14));
  kiln_report_free(report);
}

/* A module that sets the option itself, an option that is read at the first load, a setting that was taken back. */
static void
what_is_not_too_late_is_left_alone(void **state)
{
  (void)state;
  struct kiln_model *cold;
  struct kiln_report *report = late(&cold);
  made_option(cold, "forces", "enable_backward", "False", "True", 7, 3);
  made_option(cold, "moves", "enable_backward", "False", "True", 7, 4);
  made_option(cold, NULL, "mode", "release", "debug", 6, 30);
  made_run(&kiln_rule_too_late, report);
  assert_int_equal(report->finding_count, 0);
  kiln_report_free(report);
  report = late(&cold);
  made_option(cold, NULL, "enable_backward", "False", "True", 7, 15);
  made_run(&kiln_rule_too_late, report);
  assert_int_equal(
      report->finding_count, 1); /* the first setting reached `early`, and the second came too late for it */
  assert_true(made_says(&report->findings[0], "app.py:15 after 1 module"));
  assert_true(made_says(&report->findings[0], "`early`"));
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_module_that_it_missed_is_named), cmocka_unit_test(what_is_not_too_late_is_left_alone)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
