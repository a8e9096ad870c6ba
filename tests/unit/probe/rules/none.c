#include "unit/probe/made.h"

#include "probe/rules/list.h"

static void
add_process(struct kiln_model *model, const char *python, const char *framework)
{
  assert_true(KILN_GROW(model->processes, model->process_count, model->process_capacity));
  model->processes[model->process_count++] =
      (struct kiln_model_process){.pid = 5, .python = python, .framework_version = framework};
}

static void
no_work_is_said(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(2);
  add_process(made_cold(report, 0), "3.11.2", "warp 1.19.0");
  made_run(&kiln_rule_none, report);
  assert_int_equal(report->finding_count, 1);
  assert_true(made_says(&report->findings[0], "no kernel was built or launched"));
  assert_true(made_says(&report->findings[0], "process 5 imported warp 1.19.0"));
  assert_null(report->findings[0].remedy);
  kiln_report_free(report);
}

static void
unobserved_programs_are_told_apart(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  made_run(&kiln_rule_none, report);
  assert_int_equal(report->finding_count, 1);
  assert_true(made_says(&report->findings[0], "no Python process was seen"));
  assert_non_null(report->findings[0].remedy);
  kiln_report_free(report);
  report = made_report(1);
  add_process(made_cold(report, 0), "3.11.2", NULL);
  made_run(&kiln_rule_none, report);
  assert_true(made_says(&report->findings[0], "1 Python process was seen, and none imported a framework"));
  kiln_report_free(report);
}

static void
any_work_silences_it(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  made_launch(made_cold(report, 0), "k", 1, 8, 1);
  made_run(&kiln_rule_none, report);
  assert_int_equal(report->finding_count, 0);
  kiln_report_free(report);
  report = made_report(1);
  made_load(made_cold(report, 0), "m", "a", 1, 5);
  made_run(&kiln_rule_none, report);
  assert_int_equal(report->finding_count, 0);
  kiln_report_free(report);
  report = made_report(2);
  made_build(made_cold(report, 1), "m", "a", 1, 5, 5)->result = KILN_BUILD_FAILED;
  made_run(&kiln_rule_none, report);
  assert_int_equal(report->finding_count, 0);
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(no_work_is_said),
      cmocka_unit_test(unobserved_programs_are_told_apart), cmocka_unit_test(any_work_silences_it)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
