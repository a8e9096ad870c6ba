/* The verdicts of arms as a page and as JSON. */
#include "unit/probe/made.h"

#include "base/json_read.h"
#include "probe/judge.h"
#include "probe/report/render.h"
#include "probe/report/time_parts.h"

/* Judged arms; the candidate's cold CPU time is multiplied by `cpu`. */
static struct kiln_report *
judged_arms(size_t n, double cpu)
{
  struct kiln_report *report = made_arms(n, 1);
  for (size_t i = 0; i < n; i++) {
    report->arms[1].samples[i].cold.cpu_s *= cpu;
    report->pairs[i].candidate_first = i % 2;
    report->pairs[i].cold = (struct kiln_conditions){5.5, 0.25, -1, 0, 0.01};
  }
  report->plan.seed = UINT64_C(0xfedcba9876543210);
  report->verdicts = kiln_arena_alloc(&report->arena, sizeof *report->verdicts);
  report->verdict_count = 1;
  report->verdicts[0].candidate = 1;
  assert_int_equal(kiln_report_judge_work(report, &report->verdicts[0], NULL), KILN_OK);
  assert_int_equal(kiln_report_judge_time(report, &report->verdicts[0], NULL), KILN_OK);
  kiln_report_summarise(report);
  return report;
}

static void
page_has(struct kiln_report *report, int columns, const char *const *expected)
{
  struct kiln_buf out;
  kiln_buf_init(&out);
  kiln_report_text(report, columns, false, &out);
  for (; *expected; expected++)
    if (!strstr(kiln_buf_text(&out), *expected))
      fail_msg("'%s' is not in:\n%s", *expected, kiln_buf_text(&out));
  for (char *line = strtok(out.data, "\n"); line; line = strtok(NULL, "\n"))
    if (kiln_text_columns(line) > (size_t)columns)
      fail_msg("wider than %d: '%s'", columns, line);
  kiln_buf_release(&out);
  kiln_report_free(report);
}

static void
test_page(void **state)
{
  static const char *const regressed[] = {"cand against base\n", "work: SAME",
      "time: REGRESSED: cold CPU +10.0 % [+10.0,", "+10.0], 11 pairs", "same work, different cost",
      "seed 0xfedcba9876543210", "load 5.5", "25 %", "side by side", "SAME = less than 5 %", NULL};
  static const char *const open[] = {"time: INCONCLUSIVE, 4 pairs; the first verdict comes at 11", NULL};
  (void)state;
  page_has(judged_arms(11, 1.1), 80, regressed);
  page_has(judged_arms(4, 1.1), 80, open);
}

static void
test_narrow_page(void **state)
{
  static const char *const improved[] = {"time: IMPROVED: cold CPU -50.0 %", "cold elapsed", NULL};
  (void)state;
  page_has(judged_arms(11, 0.5), 60, improved);
}

static void
test_unlike_launches_are_said(void **state)
{
  static const char *const unlike[] = {"work: UNLIKE", "these are times of different work", NULL};
  struct kiln_report *report = judged_arms(11, 1.1);
  (void)state;
  report->verdicts[0].work = "UNLIKE";
  page_has(report, 80, unlike);
}

static void
test_json(void **state)
{
  struct kiln_report *report = judged_arms(16, 1.1);
  struct kiln_buf out;
  struct cJSON *tree = NULL;
  (void)state;
  report->plan.serial = true;
  report->pairs[2].valid = false;
  report->pairs[2].invalid_because = "it failed";
  kiln_buf_init(&out);
  kiln_report_json(report, &out);
  assert_int_equal(kiln_json_parse(kiln_buf_text(&out), out.len, "report", &tree, NULL), KILN_OK);
  const struct cJSON *time = kiln_json_get(tree, "time");
  assert_string_equal(kiln_json_get_string(time, "rule", ""), "hl-seq-1");
  assert_string_equal(kiln_json_get_string(time, "verdict", ""), "REGRESSED");
  assert_string_equal(kiln_json_get_string(time, "metric", ""), "cold_cpu");
  assert_string_equal(kiln_json_get_string(time, "mode", ""), "serial");
  assert_string_equal(kiln_json_get_string(time, "seed", ""), "0xfedcba9876543210");
  assert_true(kiln_json_get_double(time, "effect", 0) > 0.0999 && kiln_json_get_double(time, "effect", 0) < 0.1001);
  assert_int_equal(kiln_json_get_int(time, "pairs", 0), 11);
  assert_int_equal(kiln_json_get_int(time, "pairs_made", 0), 16);
  const struct cJSON *look = kiln_json_first(kiln_json_get(time, "looks"));
  assert_int_equal(kiln_json_get_int(look, "k_beta", 0), 7);
  assert_string_equal(kiln_json_get_string(look, "decision", ""), "REGRESSED");
  const struct cJSON *pair = kiln_json_first(kiln_json_get(tree, "pairs"));
  assert_string_equal(kiln_json_get_string(pair, "first", ""), "base");
  assert_true(kiln_json_is_null(kiln_json_get(kiln_json_get(pair, "cold"), "io_pressure")));
  assert_true(kiln_json_get_double(kiln_json_get(pair, "cold"), "cpu_pressure", 0) == 0.25);
  pair = kiln_json_next(pair);
  assert_string_equal(kiln_json_get_string(pair, "first", ""), "cand");
  assert_string_equal(kiln_json_get_string(kiln_json_next(pair), "invalid_because", ""), "it failed");
  assert_int_equal(kiln_json_count(kiln_json_get(tree, "arms")), 2);
  kiln_json_free(tree);
  kiln_buf_release(&out);
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_page), cmocka_unit_test(test_narrow_page),
      cmocka_unit_test(test_unlike_launches_are_said), cmocka_unit_test(test_json)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
