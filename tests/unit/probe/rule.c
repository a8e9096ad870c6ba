#include "unit/probe/made.h"

#include <stdio.h>

#include "registry/probe.h"

static void
text_is_copied(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  struct kiln_finding *finding = kiln_finding_add(report, "X-1");
  assert_true(finding->saves_at_most_s < 0);
  char text[] = "fact";
  kiln_finding_sentence(report, finding, "%s %d", text, 1);
  for (int i = 0; i < 40; i++)
    kiln_finding_evidence(report, finding, "%s %d", text, i);
  kiln_finding_remedy(report, finding, "do %s", text);
  char file[] = "a.py";
  for (int i = 0; i < 20; i++)
    kiln_finding_where(report, finding, (struct kiln_where){file, i});
  kiln_finding_where(report, finding, NOWHERE);
  memset(text, 'x', 4);
  memset(file, 'x', 4);
  assert_string_equal(finding->sentence, "fact 1");
  assert_string_equal(finding->evidence[39], "fact 39");
  assert_string_equal(finding->remedy, "do fact");
  assert_int_equal(finding->where_count, 20);
  assert_string_equal(finding->where[19].file, "a.py");
  assert_int_equal(finding->where[19].line, 19);
  kiln_report_free(report);
}

static void
no_finding_is_ignored(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  kiln_finding_sentence(report, NULL, "x");
  kiln_finding_evidence(report, NULL, "x");
  kiln_finding_remedy(report, NULL, "x");
  kiln_finding_where(report, NULL, AT(1));
  assert_int_equal(report->finding_count, 0);
  kiln_report_free(report);
}

static void
findings_come_in_the_order_of_the_registry(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  struct kiln_model *cold = made_cold(report, 0);
  made_build(cold, "m", "aaaaaaaaaa", 1, 10, 5);
  made_build(cold, "m", "bbbbbbbbbb", 1, 20, 5);
  made_build(cold, "m", "bbbbbbbbbb", 2, 20, 5);
  made_hash(cold, "m", "aaaaaaaaaa", 1, 9, "k=1", "fast=False");
  made_hash(cold, "m", "bbbbbbbbbb", 1, 19, "k=1 l=2", "fast=True");
  made_build(made_warm(report, 0), "m", "aaaaaaaaaa", 3, 10, 5);
  kiln_rules_run(report);
  static const char *const ids[] = {"CS-1", "CS-2", "CS-3", "N-3"};
  assert_int_equal(report->finding_count, 4);
  for (size_t i = 0; i < 4; i++)
    assert_string_equal(report->findings[i].id, ids[i]);
  kiln_report_free(report);
}

/* Each mechanism of docs/mechanisms.md gets exactly one state, whatever the report holds. */
static void
every_mechanism_has_a_state(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  made_build(made_cold(report, 0), "m", "aaaaaaaaaa", 1, 10, 5);
  kiln_rules_run(report);
  for (int i = 1; i <= 28; i++) {
    char id[16];
    snprintf(id, sizeof id, i <= 13 ? "CS-%d" : "N-%d", i <= 13 ? i : i - 13);
    assert_non_null(kiln_rule_named(id));
    size_t told = 0;
    for (size_t j = 0; j < report->finding_count; j++)
      told += kiln_text_equal(report->findings[j].id, id);
    for (size_t j = 0; j < report->other_count; j++)
      told += kiln_text_equal(report->others[j].id, id);
    assert_int_equal(told, 1);
  }
  assert_int_equal(report->finding_count + report->other_count, 28);
  kiln_report_forget_findings(report);
  assert_int_equal(report->finding_count + report->other_count, 0);
  kiln_report_free(report);
}

/* What a rule advises to everybody stands in its table, and reaches each of its findings. */
static void
advice_of_the_rule_is_in_the_finding(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  const struct kiln_finding *finding = kiln_finding_add(report, "CS-10");
  assert_string_equal(finding->not_when, kiln_rule_named("CS-10")->not_when);
  assert_string_equal(finding->deadline, kiln_rule_named("CS-10")->deadline);
  assert_true(kiln_finding_add(report, "CS-8")->correctness);
  assert_null(kiln_rule_named("CS-14"));
  kiln_report_free(report);
}

static void
rules_have_distinct_ids(void **state)
{
  (void)state;
  for (size_t i = 0; i < kiln_registered_rule_count; i++)
    for (size_t j = 0; j < i; j++)
      assert_string_not_equal(kiln_registered_rules[i]->id, kiln_registered_rules[j]->id);
}

/* Reports of a measurement that stopped early: no sample, or runs that were not made. */
static void
rules_bear_missing_runs(void **state)
{
  (void)state;
  struct kiln_report *report = kiln_report_new();
  kiln_rules_run(report);
  assert_int_equal(report->finding_count, 0);
  kiln_report_free(report);
  report = made_report(2);
  for (int i = 0; i < 2; i++) {
    kiln_model_free(report->arms[0].samples[i].cold.model);
    kiln_model_free(report->arms[0].samples[i].warm.model);
    report->arms[0].samples[i].cold.model = report->arms[0].samples[i].warm.model = NULL;
    report->arms[0].samples[i].valid = false;
  }
  kiln_rules_run(report);
  assert_int_equal(report->finding_count, 0);
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(text_is_copied), cmocka_unit_test(no_finding_is_ignored),
      cmocka_unit_test(findings_come_in_the_order_of_the_registry), cmocka_unit_test(rules_have_distinct_ids),
      cmocka_unit_test(every_mechanism_has_a_state), cmocka_unit_test(advice_of_the_rule_is_in_the_finding),
      cmocka_unit_test(rules_bear_missing_runs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
