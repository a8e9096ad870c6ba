#include "unit/probe/rules/judged.h"

static void
generic(struct kiln_model *cold)
{
  made_build(cold, "m", A, 1, 10, 100);
  made_build(cold, "m", B, 1, 200, 120);
  made_hash(cold, "m", A, 1, 9, "scale=1 scale<f32>=2", "x=1");
  made_hash(cold, "m", B, 1, 199, "scale=9 scale<f32>=2 scale<f64>=3", "x=1");
  made_declaration(cold, "m", "scale", 1, 3, false, 6);
  struct kiln_model_declaration *overload = made_declaration(cold, "m", "scale", 1, 5, false, 6);
  overload->overload = "f32";
  overload->trigger = AT(13);
  overload = made_declaration(cold, "m", "scale", 1, 150, true, 6);
  overload->overload = "f64";
  overload->trigger = AT(17);
}

static void
a_late_overload_is_named_with_both_places(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  generic(made_cold(report, 0));
  made_run(&kiln_rule_cs6, report);
  assert_int_equal(report->finding_count, 1);
  const struct kiln_finding *finding = &report->findings[0];
  assert_true(made_says(finding, "overload `scale<f64>` of the kernel declared at app.py:6 was first asked for at "
                                 "app.py:17 after the module was first loaded"));
  assert_true(made_points_at(finding, 17) && made_points_at(finding, 6) && !made_points_at(finding, 13));
  kiln_report_free(report);
}

/* The generic kernel's digest moves with its overloads: that is no kernel declared late. */
static void
the_generic_kernel_is_no_second_cause(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  generic(made_cold(report, 0));
  made_run(&kiln_rule_cs1, report);
  assert_int_equal(report->finding_count, 0);
  kiln_report_free(report);
}

static void
a_plain_kernel_is_not_this(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  struct kiln_model *cold = made_cold(report, 0);
  made_build(cold, "m", A, 1, 10, 100);
  made_build(cold, "m", B, 1, 200, 120);
  made_hash(cold, "m", A, 1, 9, "k=1", "");
  made_hash(cold, "m", B, 1, 199, "k=1 l=1", "");
  made_run(&kiln_rule_cs6, report);
  assert_int_equal(report->finding_count, 0);
  kiln_report_free(report);
}

/* Nothing moved; something moved for another reason, or for one that nobody wrote down. */
static void
what_rules_it_out(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  made_build(made_cold(report, 0), "m", A, 1, 10, 5);
  assert_int_equal(judged(&kiln_rule_cs6, report), KILN_FINDING_RULED_OUT);
  assert_true(judged_because(report, "more than one identity"));
  kiln_report_free(report);
  report = made_report(1);
  made_build(made_cold(report, 0), "m", A, 1, 10, 5);
  made_build(made_cold(report, 0), "m", B, 1, 20, 5);
  made_hash(made_cold(report, 0), "m", A, 1, 9, "k=1", "x=1");
  made_hash(made_cold(report, 0), "m", B, 1, 19, "k=1 l=1", "x=1");
  assert_int_equal(judged(&kiln_rule_cs6, report), KILN_FINDING_RULED_OUT);
  assert_true(judged_because(report, "none of them moved because"));
  kiln_report_free(report);
  report = made_report(1);
  made_build(made_cold(report, 0), "m", A, 1, 10, 5);
  made_build(made_cold(report, 0), "m", B, 1, 20, 5);
  assert_int_equal(judged(&kiln_rule_cs6, report), KILN_FINDING_NOT_REACHED);
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_late_overload_is_named_with_both_places),
      cmocka_unit_test(the_generic_kernel_is_no_second_cause), cmocka_unit_test(a_plain_kernel_is_not_this),
      cmocka_unit_test(what_rules_it_out)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
