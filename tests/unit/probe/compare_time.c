/* Arms and two reports, from the JSON of reports made by hand. */
#include "unit/probe/made.h"

#include <math.h>

#include "probe/compare.h"
#include "probe/judge.h"
#include "probe/report/render.h"

static const char *const command[] = {"python", "app.py"};

/* Frees the report. inputs: digest of the baseline. */
static struct kiln_loaded_file *
load(struct kiln_report *report, uint64_t inputs)
{
  struct kiln_loaded_file *file = NULL;
  struct kiln_error error = {0};
  struct kiln_buf out;
  for (size_t i = 0; i < report->arm_count; i++) {
    report->arms[i].command = (const char **)command;
    report->arms[i].command_count = 2;
  }
  report->arms[0].inputs = inputs;
  kiln_buf_init(&out);
  kiln_report_json(report, &out);
  if (kiln_loaded_file_parse(kiln_buf_text(&out), out.len, "r.json", &file, &error) != KILN_OK)
    fail_msg("%s", error.what);
  kiln_buf_release(&out);
  kiln_report_free(report);
  return file;
}

static struct kiln_report *
slower(size_t n, double cpu)
{
  struct kiln_report *report = made_arms(n, 1);
  for (size_t i = 0; i < n; i++)
    report->arms[1].samples[i].cold.cpu_s *= cpu * (1 + 0.001 * (double)(i % 3));
  return report;
}

static void
test_arms(void **state)
{
  struct kiln_loaded_file *file = load(slower(16, 1.2), 7);
  struct kiln_comparison comparison;
  (void)state;
  assert_int_equal(kiln_loaded_file_candidates(file), 1);
  assert_int_equal(kiln_compare_arms(file, 1, &comparison, NULL), KILN_OK);
  assert_int_equal(comparison.recorded, KILN_RECORDED_TOGETHER);
  assert_int_equal(comparison.work, KILN_WORK_SAME);
  assert_int_equal(comparison.verdict, KILN_VERDICT_REGRESSED);
  assert_int_equal(comparison.change.pairs, 11);
  assert_string_equal(comparison.names[1], "cand");
  assert_int_equal(kiln_comparison_exit(&comparison), 1);
  kiln_comparison_release(&comparison);
  kiln_loaded_file_free(file);
}

static void
test_exit_of_arms(void **state)
{
  struct kiln_comparison comparison = {.recorded = KILN_RECORDED_TOGETHER};
  (void)state;
  assert_int_equal(kiln_comparison_exit(&comparison), 3); /* SAME work, INCONCLUSIVE */
  comparison.verdict = KILN_VERDICT_SAME;
  assert_int_equal(kiln_comparison_exit(&comparison), 0);
  comparison.work = KILN_WORK_UNSTABLE;
  assert_int_equal(kiln_comparison_exit(&comparison), 3);
  comparison.verdict = KILN_VERDICT_REGRESSED;
  assert_int_equal(kiln_comparison_exit(&comparison), 1);
  comparison.work = KILN_WORK_UNLIKE;
  assert_int_equal(kiln_comparison_exit(&comparison), 3);
  comparison.work = KILN_WORK_FEWER;
  comparison.verdict = KILN_VERDICT_IMPROVED;
  assert_int_equal(kiln_comparison_exit(&comparison), 0);
  comparison.recorded = KILN_RECORDED_APART;
  comparison.verdict = KILN_VERDICT_INCONCLUSIVE;
  assert_int_equal(kiln_comparison_exit(&comparison), 0);
}

/* Scattered by 8 % to each side, so that neither report knows its change well. */
static struct kiln_report *
scattered(double cpu)
{
  static const double scatter[] = {0.92, 1.05, 0.98, 1.08, 0.95, 1.02, 1.0};
  struct kiln_report *report = made_arms(11, 1);
  for (size_t i = 0; i < 11; i++)
    report->arms[1].samples[i].cold.cpu_s *= cpu * scatter[i % 7];
  return report;
}

/* What lies within both uncertainties is no change, and no proof that there is none. */
static void
test_uncertain_with_a_common_baseline(void **state)
{
  static const double factors[] = {1, 1.1, 0.9};
  (void)state;
  for (size_t i = 0; i < 3; i++) {
    struct kiln_loaded_file *a = load(scattered(1), 7), *b = load(scattered(factors[i]), 7);
    struct kiln_comparison comparison;
    assert_int_equal(kiln_compare_files(a, b, NULL, false, &comparison, NULL), KILN_OK);
    assert_int_equal(comparison.verdict, KILN_VERDICT_INCONCLUSIVE);
    assert_true(comparison.change.low < 0 && comparison.change.high > 0);
    kiln_comparison_release(&comparison);
    kiln_loaded_file_free(a);
    kiln_loaded_file_free(b);
  }
}

static enum kiln_verdict
anchored(double first, double second, struct kiln_look *change)
{
  struct kiln_loaded_file *a = load(slower(16, first), 7), *b = load(slower(16, second), 7);
  struct kiln_comparison comparison;
  assert_int_equal(kiln_compare_files(a, b, NULL, false, &comparison, NULL), KILN_OK);
  assert_int_equal(comparison.recorded, KILN_RECORDED_ANCHORED);
  const enum kiln_verdict verdict = comparison.verdict;
  *change = comparison.change;
  kiln_comparison_release(&comparison);
  kiln_loaded_file_free(a);
  kiln_loaded_file_free(b);
  return verdict;
}

static void
test_common_baseline(void **state)
{
  struct kiln_look change;
  (void)state;
  assert_int_equal(anchored(1.1, 1.3, &change), KILN_VERDICT_REGRESSED);
  assert_true(fabs(change.estimate - log(1.3 / 1.1)) < 1e-6);
  assert_true(change.low > 0 && change.low < change.estimate);
  assert_int_equal(anchored(1.3, 1.1, &change), KILN_VERDICT_IMPROVED);
  assert_true(change.high < 0 && change.high > change.estimate);
  assert_int_equal(anchored(1.3, 1.3, &change), KILN_VERDICT_SAME);
  assert_int_equal(anchored(1.3, 1.305, &change), KILN_VERDICT_SAME); /* below the floor */
}

static void
test_few_pairs_with_a_common_baseline(void **state)
{
  struct kiln_loaded_file *a = load(slower(16, 1), 7), *b = load(slower(4, 1), 7);
  struct kiln_comparison comparison;
  (void)state;
  assert_int_equal(kiln_compare_files(a, b, NULL, false, &comparison, NULL), KILN_OK);
  assert_int_equal(comparison.verdict, KILN_VERDICT_INCONCLUSIVE);
  assert_int_equal(comparison.change.pairs, 0);
  assert_true(comparison.note_count > 0);
  kiln_comparison_release(&comparison);
  kiln_loaded_file_free(a);
  kiln_loaded_file_free(b);
}

static void
test_no_common_baseline(void **state)
{
  struct kiln_loaded_file *a = load(slower(11, 1), 7), *b = load(slower(11, 3), 8), *c = load(slower(11, 3), 0);
  struct kiln_comparison comparison;
  (void)state;
  assert_int_equal(kiln_compare_files(a, b, NULL, false, &comparison, NULL), KILN_OK);
  assert_int_equal(comparison.recorded, KILN_RECORDED_APART);
  assert_int_equal(kiln_comparison_exit(&comparison), 0);
  assert_string_equal(comparison.commands[0], "python app.py");
  kiln_comparison_release(&comparison);
  assert_int_equal(kiln_compare_files(c, c, NULL, false, &comparison, NULL), KILN_OK);
  assert_int_equal(comparison.recorded, KILN_RECORDED_APART); /* a digest that is not known is not the same one */
  kiln_comparison_release(&comparison);
  kiln_loaded_file_free(a);
  kiln_loaded_file_free(b);
  kiln_loaded_file_free(c);
}

static void
test_environments(void **state)
{
  struct kiln_report *other = slower(11, 1);
  struct kiln_comparison comparison;
  (void)state;
  other->framework = "warp 1.18.0";
  struct kiln_loaded_file *a = load(slower(11, 1), 7), *b = load(other, 8);
  assert_int_equal(kiln_compare_files(a, b, NULL, false, &comparison, NULL), KILN_OK);
  assert_true(comparison.unlike_environment);
  assert_int_equal(comparison.work, KILN_WORK_UNLIKE);
  assert_int_equal(kiln_comparison_exit(&comparison), 3);
  kiln_comparison_release(&comparison);
  assert_int_equal(kiln_compare_files(a, b, NULL, true, &comparison, NULL), KILN_OK);
  assert_false(comparison.unlike_environment);
  assert_int_equal(kiln_comparison_exit(&comparison), 0);
  kiln_comparison_release(&comparison);
  kiln_loaded_file_free(a);
  kiln_loaded_file_free(b);
}

static void
test_arm_by_name(void **state)
{
  struct kiln_loaded_file *a = load(slower(11, 1), 7);
  struct kiln_error error = {0};
  struct kiln_comparison comparison;
  size_t arm;
  (void)state;
  assert_int_equal(kiln_loaded_file_arm(a, "cand", &arm, &error), KILN_OK);
  assert_int_equal(arm, 1);
  assert_int_equal(kiln_loaded_file_arm(a, "none", &arm, &error), KILN_ERROR_NOT_FOUND);
  assert_non_null(strstr(error.what, "'none'"));
  assert_non_null(strstr(error.remedy, "'base', 'cand'"));
  assert_int_equal(kiln_compare_files(a, a, "none", false, &comparison, &error), KILN_ERROR_NOT_FOUND);
  assert_int_equal(kiln_compare_files(a, a, "base", false, &comparison, &error), KILN_OK);
  assert_int_equal(comparison.recorded, KILN_RECORDED_APART); /* the baseline is no candidate */
  kiln_comparison_release(&comparison);
  kiln_loaded_file_free(a);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_arms),
      cmocka_unit_test(test_exit_of_arms),
      cmocka_unit_test(test_common_baseline),
      cmocka_unit_test(test_uncertain_with_a_common_baseline),
      cmocka_unit_test(test_few_pairs_with_a_common_baseline),
      cmocka_unit_test(test_no_common_baseline),
      cmocka_unit_test(test_environments),
      cmocka_unit_test(test_arm_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
