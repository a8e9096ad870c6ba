#include "unit/probe/made.h"

#include "probe/rules/list.h"

static void
identities_without_tables_are_told(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  made_build(made_cold(report, 0), "m", "aaaaaaaaaa", 1, 10, 5);
  made_build(made_cold(report, 0), "m", "bbbbbbbbbb", 1, 20, 5);
  made_run(&kiln_rule_unexplained, report);
  assert_int_equal(report->finding_count, 1);
  assert_true(made_says(&report->findings[0], "does not show what changed"));
  assert_null(report->findings[0].remedy);
  kiln_report_free(report);
}

static void
explained_ones_are_left_to_their_rule(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  struct kiln_model *cold = made_cold(report, 0);
  made_build(cold, "m", "aaaaaaaaaa", 1, 10, 5);
  made_build(cold, "m", "bbbbbbbbbb", 1, 20, 5);
  made_hash(cold, "m", "aaaaaaaaaa", 1, 9, "k=1", "");
  made_hash(cold, "m", "bbbbbbbbbb", 1, 19, "k=2", "");
  made_run(&kiln_rule_unexplained, report);
  assert_int_equal(report->finding_count, 0);
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(identities_without_tables_are_told), cmocka_unit_test(explained_ones_are_left_to_their_rule)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
