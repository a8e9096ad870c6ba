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

#define HOSTILE_ROW(model, table, count, capacity, ...)                                                                \
  do {                                                                                                                 \
    assert_true(KILN_GROW((model)->table, (model)->count, (model)->capacity));                                         \
    (model)->table[(model)->count] = (__typeof__(*(model)->table)){__VA_ARGS__};                                       \
    (model)->count++;                                                                                                  \
  } while (0)

/* Events from outside may lack every name. */
static void
fill_without_names(struct kiln_model *model, enum kiln_build_result result, const char *identity, uint64_t large)
{
  for (int i = 0; i < 6; i++) {
    HOSTILE_ROW(model, builds, build_count, build_capacity, .identity = identity, .result = result, .tid = i,
        .wall_ns = large, .cpu_ns = large, .source_bytes = large, .backward_bytes = large, .largest_bytes = large,
        .unrolled = i % 2 ? INT32_MAX : -1, .lto = 1);
    HOSTILE_ROW(model, loads, load_count, load_capacity, .identity = identity, .tid = i, .wall_ns = large, .jit = true);
    HOSTILE_ROW(model, links, link_count, link_capacity, .wall_ns = large);
    HOSTILE_ROW(model, headers, header_count, header_capacity, .tid = i, .wall_ns = large);
    HOSTILE_ROW(model, moments, moment_count, moment_capacity, .kind = "request", .what = i ? NULL : "capture_begin");
    HOSTILE_ROW(model, declarations, declaration_count, declaration_capacity, .unique = i % 2, .code = "x");
    HOSTILE_ROW(model, options, option_count, option_capacity, .pid = i);
    HOSTILE_ROW(model, caches, cache_count, cache_capacity, .what = "clear");
    HOSTILE_ROW(model, launches, launch_count, launch_capacity, .identity = identity, .count = 1);
    HOSTILE_ROW(model, hashes, hash_count, hash_capacity, .identity = identity);
  }
}

static void
rules_bear_rows_without_names(void **state)
{
  (void)state;
  static const char *const identities[] = {NULL, "", "a"};
  static const char *const versions[] = {NULL, "warp 1.16.0", "warp -1.99999999999", "warp 1.19.0"};
  for (size_t i = 0; i < 3; i++)
    for (int result = KILN_BUILD_COMPILED; result <= KILN_BUILD_FAILED; result++)
      for (size_t v = 0; v < 4; v++) {
        struct kiln_report *report = made_report(2);
        for (int j = 0; j < 2; j++) {
          struct kiln_model *const models[] = {made_cold(report, j), made_warm(report, j)};
          for (int k = 0; k < 2; k++) {
            fill_without_names(models[k], (enum kiln_build_result)result, identities[i], v % 2 ? UINT64_MAX / 8 : 0);
            HOSTILE_ROW(models[k], processes, process_count, process_capacity, .framework_version = versions[v]);
          }
        }
        kiln_rules_run(report);
        assert_true(report->finding_count + report->other_count >= 28);
        kiln_report_free(report);
      }
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(text_is_copied), cmocka_unit_test(no_finding_is_ignored),
      cmocka_unit_test(findings_come_in_the_order_of_the_registry), cmocka_unit_test(rules_have_distinct_ids),
      cmocka_unit_test(every_mechanism_has_a_state), cmocka_unit_test(advice_of_the_rule_is_in_the_finding),
      cmocka_unit_test(rules_bear_missing_runs), cmocka_unit_test(rules_bear_rows_without_names)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
