#include "unit/probe/rules/judged.h"

/* False, True, False: two builds, and a return that costs no build. */
static void
an_option_flip_is_named(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  struct kiln_model *cold = made_cold(report, 0);
  made_build(cold, "m", A, 1, 10, 300);
  made_build(cold, "m", B, 1, 400, 200)->where = AT(33);
  made_load(cold, "m", A, 1, 700);
  made_hash(cold, "m", A, 1, 9, "k=1", "fast_math=False lineinfo=False");
  made_hash(cold, "m", B, 1, 399, "k=1", "fast_math=True lineinfo=False");
  made_option(cold, "other", "fast_math", "False", "True", 350, 99);
  made_option(cold, "m", "fast_math", "False", "True", 350, 14);
  made_option(cold, "m", "fast_math", "True", "False", 650, 15);
  made_run(&kiln_rule_cs3, report);
  assert_int_equal(report->finding_count, 1);
  const struct kiln_finding *finding = &report->findings[0];
  assert_true(made_says(finding, "option `fast_math` was changed from False to True at app.py:14 after the module was "
                                 "first loaded"));
  assert_true(made_says(finding, "aaaaaaa, bbbbbbb, aaaaaaa"));
  assert_true(made_points_at(finding, 14) && !made_points_at(finding, 99));
  assert_false(made_says(finding, "lineinfo"));
  assert_true(made_points_at(finding, 33));  /* the launch that asked for the second build */
  assert_int_equal(finding->cited_count, 2); /* the change, and that build */
  assert_string_equal(finding->cited[0].kind, "option");
  assert_string_equal(finding->cited[1].kind, "compile");
  assert_null(finding->gate);
  assert_true(finding->saves_at_most_s > 0.1999 && finding->saves_at_most_s < 0.2001);
  kiln_report_free(report);
}

/* The global configuration reaches a module when no event of its own does. */
static void
a_global_option_is_found(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  struct kiln_model *cold = made_cold(report, 0);
  made_build(cold, "m", A, 1, 10, 5);
  made_build(cold, "m", B, 1, 20, 5);
  made_hash(cold, "m", A, 1, 9, "", "mode=release");
  made_hash(cold, "m", B, 1, 19, "", "mode=debug");
  made_option(cold, NULL, "mode", "release", "debug", 15, 21);
  made_run(&kiln_rule_cs3, report);
  assert_int_equal(report->finding_count, 1);
  assert_true(made_points_at(&report->findings[0], 21));
  kiln_report_free(report);
}

/* Advice that an old version does not understand is put in its words. */
static void
the_version_gates_the_advice(void **state)
{
  (void)state;
  struct kiln_report *report = judged_report("warp 1.16.2");
  struct kiln_model *cold = made_cold(report, 0);
  made_build(cold, "m", A, 1, 10, 5);
  made_build(cold, "m", B, 1, 20, 5);
  made_hash(cold, "m", A, 1, 9, "", "mode=release");
  made_hash(cold, "m", B, 1, 19, "", "mode=debug");
  assert_int_equal(judged(&kiln_rule_cs3, report), KILN_FINDING_FIRED);
  assert_non_null(strstr(report->findings[0].gate, "until Warp 1.16"));
  kiln_report_free(report);
}

static void
a_kernel_is_not_this(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  struct kiln_model *cold = made_cold(report, 0);
  made_build(cold, "m", A, 1, 10, 5);
  made_build(cold, "m", B, 1, 20, 5);
  made_hash(cold, "m", A, 1, 9, "k=1", "x=1");
  made_hash(cold, "m", B, 1, 19, "k=2", "x=1");
  /* an option event without effect on the hash is no cause */
  made_option(cold, "m", "x", "0", "1", 15, 14);
  made_run(&kiln_rule_cs3, report);
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
  assert_int_equal(judged(&kiln_rule_cs3, report), KILN_FINDING_RULED_OUT);
  assert_true(judged_because(report, "more than one identity"));
  kiln_report_free(report);
  report = made_report(1);
  made_build(made_cold(report, 0), "m", A, 1, 10, 5);
  made_build(made_cold(report, 0), "m", B, 1, 20, 5);
  made_hash(made_cold(report, 0), "m", A, 1, 9, "k=1", "x=1");
  made_hash(made_cold(report, 0), "m", B, 1, 19, "k=1 l=1", "x=1");
  assert_int_equal(judged(&kiln_rule_cs3, report), KILN_FINDING_RULED_OUT);
  assert_true(judged_because(report, "none of them moved because"));
  kiln_report_free(report);
  report = made_report(1);
  made_build(made_cold(report, 0), "m", A, 1, 10, 5);
  made_build(made_cold(report, 0), "m", B, 1, 20, 5);
  assert_int_equal(judged(&kiln_rule_cs3, report), KILN_FINDING_NOT_REACHED);
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(an_option_flip_is_named),
      cmocka_unit_test(a_global_option_is_found), cmocka_unit_test(the_version_gates_the_advice),
      cmocka_unit_test(a_kernel_is_not_this), cmocka_unit_test(what_rules_it_out)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
