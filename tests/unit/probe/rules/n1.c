#include "unit/probe/rules/judged.h"

static void
the_identity_differs_from_run_to_run(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  made_build(made_cold(report, 0), "m", A, 1, 10, 50);
  made_build(made_warm(report, 0), "m", B, 2, 10, 40)->where = AT(40);
  made_hash(made_cold(report, 0), "m", A, 1, 9, "k=1", "");
  made_hash(made_warm(report, 0), "m", B, 2, 9, "k=2", "");
  made_declaration(made_warm(report, 0), "m", "k", 2, 5, false, 12);
  assert_int_equal(judged(&kiln_rule_n1, report), KILN_FINDING_FIRED);
  const struct kiln_finding *finding = &report->findings[0];
  assert_non_null(strstr(finding->sentence, "differs between the cold and the warm run (aaaaaaa, then bbbbbbb)"));
  assert_non_null(strstr(finding->sentence, "kernel `k` changed"));
  assert_non_null(strstr(finding->remedy, "changes from run to run"));
  assert_true(made_points_at(finding, 40) && made_points_at(finding, 12));
  assert_true(JUDGED_NEAR(finding->saves_at_most_s, 0.040));
  kiln_report_free(report);
}

/* Ranks whose keys hold their process id. */
static void
each_process_has_an_identity_of_its_own(void **state)
{
  (void)state;
  struct kiln_report *report = judged_report("warp 1.19.0");
  made_build(made_cold(report, 0), "m", A, 1, 10, 50);
  made_build(made_cold(report, 0), "m", B, 2, 11, 50);
  made_hash(made_cold(report, 0), "m", A, 1, 9, "k=1", "");
  made_hash(made_cold(report, 0), "m", B, 2, 9, "k=2", "");
  assert_int_equal(judged(&kiln_rule_n1, report), KILN_FINDING_FIRED);
  assert_true(made_says(&report->findings[0], "1 build could have been shared"));
  kiln_report_free(report);
}

static void
the_same_identities_again(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  made_build(made_cold(report, 0), "m", A, 1, 10, 50);
  made_build(made_warm(report, 0), "m", A, 2, 10, 50);
  made_build(made_warm(report, 0), "other", B, 2, 10, 50);
  assert_int_equal(judged(&kiln_rule_n1, report), KILN_FINDING_RULED_OUT);
  kiln_report_free(report);
}

/* Processes that run other kernels, or that went through both identities one after the other. */
static void
other_kernels_are_other_modules(void **state)
{
  (void)state;
  struct kiln_report *report = judged_report("warp 1.19.0");
  made_build(made_cold(report, 0), "m", A, 1, 10, 50);
  made_build(made_cold(report, 0), "m", B, 2, 11, 50);
  made_hash(made_cold(report, 0), "m", A, 1, 9, "k=1", "");
  made_hash(made_cold(report, 0), "m", B, 2, 9, "k=1 l=2", "");
  assert_int_equal(judged(&kiln_rule_n1, report), KILN_FINDING_NOT_REACHED);
  kiln_report_free(report);
  report = judged_report("warp 1.19.0");
  made_build(made_cold(report, 0), "m", A, 1, 10, 50);
  made_build(made_cold(report, 0), "m", B, 2, 11, 50);
  made_load(made_cold(report, 0), "m", A, 2, 5);
  made_hash(made_cold(report, 0), "m", A, 1, 9, "k=1", "");
  made_hash(made_cold(report, 0), "m", B, 2, 9, "k=2", "");
  assert_int_equal(judged(&kiln_rule_n1, report), KILN_FINDING_NOT_REACHED);
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_identity_differs_from_run_to_run),
      cmocka_unit_test(each_process_has_an_identity_of_its_own), cmocka_unit_test(the_same_identities_again),
      cmocka_unit_test(other_kernels_are_other_modules)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
