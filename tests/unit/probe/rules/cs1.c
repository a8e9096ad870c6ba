#include "unit/probe/rules/judged.h"

/* Three kernels, each declared after the module was loaded; the first build also makes the header. */
static void
late_kernels(struct kiln_model *cold)
{
  made_build(cold, "__main__", A, 1, 10, 2600)->pch.wall_ns = 2400 * MS;
  made_load(cold, "__main__", A, 1, 2615);
  made_build(cold, "__main__", B, 1, 3000, 180);
  made_build(cold, "__main__", C, 1, 4000, 190);
  made_hash(cold, "__main__", A, 1, 9, "first=1", "fast_math=False");
  made_hash(cold, "__main__", B, 1, 2999, "first=1 second=2", "fast_math=False");
  made_hash(cold, "__main__", C, 1, 3999, "first=1 second=2 third=3", "fast_math=False");
  made_declaration(cold, "__main__", "first", 1, 5, false, 12);
  made_declaration(cold, "__main__", "second", 1, 2900, true, 31);
  made_declaration(cold, "__main__", "third", 1, 3900, true, 36);
}

static void
kernels_declared_after_load_are_named(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  late_kernels(made_cold(report, 0));
  made_run(&kiln_rule_cs1, report);
  assert_int_equal(report->finding_count, 1);
  const struct kiln_finding *finding = &report->findings[0];
  assert_true(made_says(finding, "built 3 times"));
  assert_true(made_says(finding, "the module was rebuilt because kernel `second` was declared at app.py:31 after the "
                                 "module was first loaded"));
  assert_true(made_says(finding, "kernel `third` was declared at app.py:36"));
  assert_true(made_points_at(finding, 31) && made_points_at(finding, 36));
  assert_false(made_points_at(finding, 12));
  assert_non_null(finding->remedy);
  /* 200 + 180 + 190 without the header, minus the dearest */
  assert_true(finding->saves_at_most_s > 0.3699 && finding->saves_at_most_s < 0.3701);
  kiln_report_free(report);
}

static void
a_changed_and_a_vanished_kernel_count_too(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  struct kiln_model *cold = made_cold(report, 0);
  made_build(cold, "m", A, 1, 10, 5);
  made_build(cold, "m", B, 1, 20, 5);
  made_hash(cold, "m", A, 1, 9, "gone=3 step=1", "");
  made_hash(cold, "m", B, 1, 19, "step=2", "");
  made_declaration(cold, "m", "step", 1, 5, false, 7);
  made_declaration(cold, "m", "step", 1, 15, true, 77);
  made_run(&kiln_rule_cs1, report);
  assert_int_equal(report->finding_count, 1);
  assert_true(made_says(&report->findings[0], "kernel `step` was declared with other code at app.py:77"));
  assert_true(made_says(&report->findings[0], "kernel `gone` no longer existed"));
  kiln_report_free(report);
}

/* One of these alone must not fire the rule. */
static void
other_reasons_are_not_this(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  struct kiln_model *cold = made_cold(report, 0);
  /* block sizes and device kinds have a key each */
  made_build(cold, "sizes", A, 1, 10, 5)->block_dim = 64;
  made_build(cold, "sizes", B, 1, 20, 5)->block_dim = 128;
  made_build(cold, "kinds", A, 1, 10, 5)->device = "cuda:0";
  made_build(cold, "kinds", B, 1, 20, 5);
  /* two processes with one identity each */
  made_build(cold, "ranks", A, 1, 10, 5);
  made_build(cold, "ranks", B, 2, 20, 5);
  /* an option */
  made_build(cold, "option", A, 1, 10, 5);
  made_build(cold, "option", B, 1, 20, 5);
  made_hash(cold, "option", A, 1, 9, "k=1", "x=1");
  made_hash(cold, "option", B, 1, 19, "k=1", "x=2");
  /* the same identity again */
  made_build(cold, "again", A, 1, 10, 5);
  made_load(cold, "again", A, 1, 30);
  made_run(&kiln_rule_cs1, report);
  assert_int_equal(report->finding_count, 0);
  kiln_report_free(report);
}

static void
one_kind_of_device_is_one_module(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  struct kiln_model *cold = made_cold(report, 0);
  made_build(cold, "m", A, 1, 10, 5)->device = "cuda:0";
  made_build(cold, "m", B, 1, 20, 5)->device = "cuda:1";
  made_hash(cold, "m", A, 1, 9, "k=1", "");
  made_hash(cold, "m", B, 1, 19, "k=1 l=1", "");
  made_run(&kiln_rule_cs1, report);
  assert_int_equal(report->finding_count, 1);
  kiln_report_free(report);
}

static void
samples_that_differ_are_told(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(2);
  late_kernels(made_cold(report, 0));
  made_build(made_cold(report, 1), "__main__", A, 1, 10, 5);
  made_run(&kiln_rule_cs1, report);
  assert_int_equal(report->finding_count, 1);
  assert_true(made_says(&report->findings[0], "sample 2 differs: it used 1 identity"));
  kiln_report_free(report);
  /* and only the second sample may show it */
  report = made_report(2);
  late_kernels(made_cold(report, 1));
  made_run(&kiln_rule_cs1, report);
  assert_int_equal(report->finding_count, 1);
  assert_true(made_says(&report->findings[0], "sample 1 differs"));
  kiln_report_free(report);
}

static void
several_processes_make_one_finding(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  struct kiln_model *cold = made_cold(report, 0);
  late_kernels(cold);
  made_load(cold, "__main__", A, 2, 10);
  made_load(cold, "__main__", B, 2, 20);
  made_run(&kiln_rule_cs1, report);
  assert_int_equal(report->finding_count, 1);
  assert_true(made_says(&report->findings[0], "in 2 processes"));
  kiln_report_free(report);
}

/* Nothing moved; something moved for another reason, or for one that nobody wrote down. */
static void
what_rules_it_out(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  made_build(made_cold(report, 0), "m", A, 1, 10, 5);
  assert_int_equal(judged(&kiln_rule_cs1, report), KILN_FINDING_RULED_OUT);
  assert_true(judged_because(report, "more than one identity"));
  kiln_report_free(report);
  report = made_report(1);
  made_build(made_cold(report, 0), "m", A, 1, 10, 5);
  made_build(made_cold(report, 0), "m", B, 1, 20, 5);
  made_hash(made_cold(report, 0), "m", A, 1, 9, "k=1", "x=1");
  made_hash(made_cold(report, 0), "m", B, 1, 19, "k=1", "x=2");
  assert_int_equal(judged(&kiln_rule_cs1, report), KILN_FINDING_RULED_OUT);
  assert_true(judged_because(report, "none of them moved because"));
  kiln_report_free(report);
  report = made_report(1);
  made_build(made_cold(report, 0), "m", A, 1, 10, 5);
  made_build(made_cold(report, 0), "m", B, 1, 20, 5);
  assert_int_equal(judged(&kiln_rule_cs1, report), KILN_FINDING_NOT_REACHED);
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(kernels_declared_after_load_are_named),
      cmocka_unit_test(a_changed_and_a_vanished_kernel_count_too), cmocka_unit_test(other_reasons_are_not_this),
      cmocka_unit_test(one_kind_of_device_is_one_module), cmocka_unit_test(samples_that_differ_are_told),
      cmocka_unit_test(several_processes_make_one_finding), cmocka_unit_test(what_rules_it_out)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
