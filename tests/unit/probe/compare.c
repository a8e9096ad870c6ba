#include "unit/probe/made.h"

#include "base/json_read.h"
#include "probe/compare.h"
#include "probe/report/render.h"

/* A report with one launched kernel and `builds` builds, read back from its JSON. */
static struct kiln_loaded_report *
load(struct kiln_report *report, const char *name)
{
  struct kiln_buf text;
  kiln_buf_init(&text);
  kiln_report_summarise(report);
  kiln_report_json(report, &text);
  struct kiln_loaded_report *loaded = NULL;
  assert_int_equal(kiln_loaded_report_parse(kiln_buf_text(&text), text.len, name, &loaded, NULL), KILN_OK);
  kiln_buf_release(&text);
  kiln_report_free(report);
  return loaded;
}

static struct kiln_report *
with_builds(int samples, int builds)
{
  struct kiln_report *report = made_report(samples);
  for (int i = 0; i < samples; i++) {
    struct kiln_model *cold = made_cold(report, i);
    for (int j = 0; j < builds; j++)
      made_build(cold, "app", "aaaaaaaaaa", 1, 10, 5);
    cold->counts.identities = (uint64_t)builds;
    cold->counts.source_bytes = 1000;
    made_launch(cold, "step", 1, 8, 4);
    made_launch(made_warm(report, i), "step", 1, 8, 4);
  }
  return report;
}

/* Compare and free both. */
static struct kiln_comparison
compare(struct kiln_report *first, struct kiln_report *second)
{
  struct kiln_loaded_report *a = load(first, "a.json"), *b = load(second, "b.json");
  struct kiln_comparison comparison;
  assert_int_equal(kiln_compare(a, b, &comparison, NULL), KILN_OK);
  kiln_loaded_report_free(a);
  kiln_loaded_report_free(b);
  return comparison;
}

static bool
notes_say(const struct kiln_comparison *comparison, const char *words)
{
  for (size_t i = 0; i < comparison->note_count; i++)
    if (strstr(comparison->notes[i], words))
      return true;
  return false;
}

static void
check(struct kiln_comparison comparison, enum kiln_work work, const char *decided_by, bool warm, int code)
{
  assert_string_equal(kiln_work_name(comparison.work), kiln_work_name(work));
  assert_true(kiln_text_equal(comparison.decided_by, decided_by));
  assert_int_equal(comparison.decided_warm, warm);
  assert_int_equal(kiln_comparison_exit(&comparison), code);
  kiln_comparison_release(&comparison);
}

static void
builds_decide_first(void **state)
{
  (void)state;
  check(compare(with_builds(2, 3), with_builds(2, 3)), KILN_WORK_SAME, NULL, false, 0);
  check(compare(with_builds(2, 3), with_builds(2, 1)), KILN_WORK_FEWER, "builds", false, 0);
  check(compare(with_builds(2, 1), with_builds(2, 3)), KILN_WORK_MORE, "builds", false, 1);
}

/* The order is builds, identities, LTO, source bytes, loads, of each the cold run before the warm one: each is tried
 * against a later one that says the opposite. */
static void
the_first_that_differs_decides(void **state)
{
  (void)state;
  struct kiln_report *a = with_builds(1, 1), *b = with_builds(1, 1);
  made_cold(b, 0)->counts = (struct kiln_counts){.builds = 1, .identities = 2, .launches = 4};
  check(compare(a, b), KILN_WORK_MORE, "identities", false, 1);
  a = with_builds(1, 1), b = with_builds(1, 1);
  made_cold(b, 0)->counts.lto = 1;
  made_cold(b, 0)->counts.source_bytes = 1;
  check(compare(a, b), KILN_WORK_MORE, "lto", false, 1);
  a = with_builds(1, 1), b = with_builds(1, 1);
  made_cold(b, 0)->counts.source_bytes = 999;
  made_cold(b, 0)->counts.loads = 9;
  check(compare(a, b), KILN_WORK_FEWER, "source_bytes", false, 0);
  a = with_builds(1, 1), b = with_builds(1, 1);
  made_cold(b, 0)->counts.loads = 9;
  made_warm(a, 0)->counts.builds = 9;
  check(compare(a, b), KILN_WORK_FEWER, "builds", true, 0);
  a = with_builds(1, 1), b = with_builds(1, 1);
  made_cold(b, 0)->counts.loads = 9;
  made_warm(a, 0)->counts.loads = 9;
  check(compare(a, b), KILN_WORK_MORE, "loads", false, 1);
  a = with_builds(1, 1), b = with_builds(1, 1);
  made_warm(a, 0)->counts.builds = 9;
  check(compare(a, b), KILN_WORK_FEWER, "builds", true, 0);
  /* modules, processes and times decide nothing */
  a = with_builds(1, 1), b = with_builds(1, 1);
  made_cold(b, 0)->counts.processes = 9;
  made_cold(b, 0)->counts.modules = 9;
  b->arms[0].samples[0].cold.elapsed_s = 1000;
  check(compare(a, b), KILN_WORK_SAME, NULL, false, 0);
}

static void
unlike_launches_are_not_compared(void **state)
{
  (void)state;
  struct kiln_report *b = with_builds(1, 1);
  made_cold(b, 0)->launches[0].count = 5;
  struct kiln_comparison comparison = compare(with_builds(1, 3), b);
  assert_true(notes_say(&comparison, "`step` (dim 8, cpu, block size 1, forward) has the count 4 in 'a.json' and 5"));
  check(comparison, KILN_WORK_UNLIKE, NULL, false, 3);
  b = with_builds(1, 3);
  made_cold(b, 0)->launches[0].dim = UINT64_MAX;
  check(compare(with_builds(1, 3), b), KILN_WORK_UNLIKE, NULL, false, 3);
  b = with_builds(1, 3);
  made_cold(b, 0)->launches[0].device = "cuda:0";
  check(compare(with_builds(1, 3), b), KILN_WORK_UNLIKE, NULL, false, 3);
  b = with_builds(1, 3);
  made_cold(b, 0)->launches[0].block_dim = 64;
  check(compare(with_builds(1, 3), b), KILN_WORK_UNLIKE, NULL, false, 3);
  b = with_builds(1, 3);
  made_cold(b, 0)->launches[0].direction = "backward";
  check(compare(with_builds(1, 3), b), KILN_WORK_UNLIKE, NULL, false, 3);
  b = with_builds(1, 3);
  made_cold(b, 0)->launches[0].kernel = "other";
  check(compare(with_builds(1, 3), b), KILN_WORK_UNLIKE, NULL, false, 3);
  b = with_builds(1, 3);
  made_launch(made_warm(b, 0), "more", 1, 8, 1);
  check(compare(with_builds(1, 3), b), KILN_WORK_UNLIKE, NULL, false, 3);
}

/* Processes and modules share the work otherwise, the launches are the same. */
static void
other_modules_only_warn(void **state)
{
  (void)state;
  struct kiln_report *b = with_builds(1, 3);
  made_cold(b, 0)->launches[0].module = "renamed";
  made_cold(b, 0)->launches[0].count = 1;
  made_launch(made_cold(b, 0), "step", 2, 8, 3);
  struct kiln_comparison comparison = compare(with_builds(1, 3), b);
  assert_true(notes_say(&comparison, "modules of other names"));
  assert_true(notes_say(&comparison, "in 'b.json' `step` of `renamed`"));
  check(comparison, KILN_WORK_SAME, NULL, false, 0);
}

static void
samples_that_disagree_are_unstable(void **state)
{
  (void)state;
  struct kiln_report *b = with_builds(3, 3);
  made_cold(b, 2)->counts.builds = 4;
  struct kiln_comparison comparison = compare(with_builds(3, 3), b);
  assert_true(notes_say(&comparison, "cold builds is 3 in sample 1 and 4 in sample 3"));
  check(comparison, KILN_WORK_UNSTABLE, "builds", false, 3);
  b = with_builds(2, 3);
  made_warm(b, 1)->counts.loads = 4;
  check(compare(b, with_builds(2, 1)), KILN_WORK_UNSTABLE, "loads", true, 3);
  /* an invalid sample has no say */
  b = with_builds(3, 3);
  made_cold(b, 0)->counts.builds = 4;
  b->arms[0].samples[0].valid = false;
  check(compare(with_builds(3, 3), b), KILN_WORK_SAME, NULL, false, 0);
}

static void
notes_name_samples_and_environments(void **state)
{
  (void)state;
  struct kiln_report *b = with_builds(2, 3);
  b->framework = "warp 1.18.0";
  struct kiln_comparison comparison = compare(with_builds(1, 3), b);
  assert_true(notes_say(&comparison, "'a.json' holds one sample"));
  assert_false(notes_say(&comparison, "'b.json' holds one sample"));
  assert_true(notes_say(&comparison, "framework is 'warp 1.19.0' in 'a.json' and 'warp 1.18.0' in 'b.json'"));
  assert_int_equal(comparison.samples[0], 1);
  assert_int_equal(comparison.samples[1], 2);
  assert_true(comparison.cold_elapsed_s[1] == 3.5);
  check(comparison, KILN_WORK_SAME, NULL, false, 0);
}

static void
refused(const char *text, const char *words)
{
  struct kiln_loaded_report *loaded = (struct kiln_loaded_report *)&loaded;
  struct kiln_error error = {KILN_OK, 0, "", ""};
  assert_int_equal(kiln_loaded_report_parse(text, strlen(text), "x.json", &loaded, &error), KILN_ERROR_FORMAT);
  assert_null(loaded);
  if (!strstr(error.what, words))
    fail_msg("'%s' is not in '%s'", words, error.what);
  assert_string_not_equal(error.remedy, "");
}

static void
foreign_files_are_refused(void **state)
{
  (void)state;
  refused("", "x.json");
  refused("{\"schema\":\"kiln-report-9\"}", "kiln-report-9");
  refused("{\"a\":1}", "no 'schema'");
  refused("[1,2]", "no 'schema'");
  refused("{\"schema\":\"kiln-report-1\"}", "no arm");
  refused("{\"schema\":\"kiln-report-1\",\"arms\":[{}]}", "no list 'samples'");
  refused("{\"schema\":\"kiln-report-1\",\"arms\":[{\"samples\":[{\"valid\":false}]}]}", "no valid sample");
  refused("{\"schema\":\"kiln-report-1\",\"arms\":[{\"samples\":[{\"valid\":true}]}]}", "no cold run");
  refused("{\"schema\":\"kiln-report-1\",\"arms\":[{\"samples\":[{\"valid\":true,\"cold\":{\"builds\":-1}}]}]}",
      "no count 'builds'");
  struct kiln_loaded_report *loaded = NULL;
  struct kiln_error error;
  assert_int_not_equal(kiln_loaded_report_read("/nowhere/at/all.json", &loaded, &error), KILN_OK);
  assert_non_null(strstr(error.what, "/nowhere/at/all.json"));
}

static void
fits(const char *text, size_t columns)
{
  while (*text) {
    char line[512];
    size_t len = strcspn(text, "\n");
    assert_true(len < sizeof line);
    memcpy(line, text, len);
    line[len] = '\0';
    if (kiln_text_columns(line) > columns)
      fail_msg("wider than %zu columns: '%s'", columns, line);
    text += len + (text[len] == '\n');
  }
}

static void
first_line(struct kiln_comparison comparison, const char *line)
{
  struct kiln_buf out;
  kiln_buf_init(&out);
  kiln_comparison_text(&comparison, 60, false, &out);
  if (!kiln_text_starts(kiln_buf_text(&out), line))
    fail_msg("not '%s' but:\n%s", line, kiln_buf_text(&out));
  fits(strchr(kiln_buf_text(&out), '\n') + 1, 60);
  assert_null(strchr(kiln_buf_text(&out), '\033'));
  assert_non_null(strstr(kiln_buf_text(&out), "recorded apart: no time verdict"));
  kiln_buf_clear(&out);
  kiln_comparison_text(&comparison, 80, true, &out);
  assert_non_null(strchr(kiln_buf_text(&out), '\033'));
  kiln_buf_release(&out);
  kiln_comparison_release(&comparison);
}

static void
the_first_line_is_the_verdict(void **state)
{
  (void)state;
  first_line(compare(with_builds(2, 5), with_builds(2, 3)), "work: FEWER (5 → 3 builds)\n");
  first_line(compare(with_builds(2, 3), with_builds(2, 3)), "work: SAME (3 builds, 3 identities)\n");
  struct kiln_report *b = with_builds(2, 3);
  made_warm(b, 0)->counts.builds = made_warm(b, 1)->counts.builds = 1;
  first_line(compare(with_builds(2, 3), b), "work: MORE (0 → 1 build in the warm run)\n");
  b = with_builds(2, 3);
  made_warm(b, 1)->counts.builds = 1;
  first_line(compare(with_builds(2, 3), b), "work: UNSTABLE (the warm count of builds differs between samples)\n");
  b = with_builds(2, 3);
  made_launch(made_cold(b, 0), "x", 1, 1, 1);
  first_line(compare(with_builds(2, 3), b), "work: UNLIKE (the launches differ");
}

static void
json_has_the_promised_names(void **state)
{
  (void)state;
  struct kiln_comparison comparison = compare(with_builds(2, 5), with_builds(2, 3));
  struct kiln_buf out;
  kiln_buf_init(&out);
  kiln_comparison_json(&comparison, &out);
  struct cJSON *tree = NULL;
  assert_int_equal(kiln_json_parse(kiln_buf_text(&out), out.len, "comparison", &tree, NULL), KILN_OK);
  assert_string_equal(kiln_json_get_string(tree, "work", ""), "FEWER");
  assert_string_equal(kiln_json_get_string(tree, "decided_by", ""), "builds");
  assert_string_equal(kiln_json_get_string(tree, "run", ""), "cold");
  static const char *const nulls[] = {"time", "metric", "effect", "lo", "hi"};
  for (size_t i = 0; i < sizeof nulls / sizeof *nulls; i++) {
    assert_non_null(kiln_json_get(tree, nulls[i]));
    assert_true(kiln_json_is_null(kiln_json_get(tree, nulls[i])));
  }
  const struct cJSON *builds = kiln_json_get(kiln_json_get(kiln_json_get(tree, "counts"), "cold"), "builds");
  assert_true(kiln_json_as_double(kiln_json_first(builds), 0) == 5);
  assert_true(kiln_json_as_double(kiln_json_next(kiln_json_first(builds)), 0) == 3);
  assert_int_equal(kiln_json_count(kiln_json_get(tree, "samples")), 2);
  assert_true(kiln_json_is_array(kiln_json_get(tree, "notes")));
  kiln_json_free(tree);
  kiln_buf_release(&out);
  kiln_comparison_release(&comparison);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(builds_decide_first),
      cmocka_unit_test(the_first_that_differs_decides), cmocka_unit_test(unlike_launches_are_not_compared),
      cmocka_unit_test(other_modules_only_warn), cmocka_unit_test(samples_that_disagree_are_unstable),
      cmocka_unit_test(notes_name_samples_and_environments), cmocka_unit_test(foreign_files_are_refused),
      cmocka_unit_test(the_first_line_is_the_verdict), cmocka_unit_test(json_has_the_promised_names)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
