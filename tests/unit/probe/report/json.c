#include "unit/probe/made.h"

#include "base/json_read.h"
#include "probe/report/render.h"

struct parsed {
  struct kiln_report *report;
  struct kiln_buf text;
  struct cJSON *tree;
};

static struct parsed
render(struct kiln_report *report)
{
  struct parsed parsed = {.report = report};
  kiln_buf_init(&parsed.text);
  kiln_report_summarise(report);
  kiln_report_json(report, &parsed.text);
  assert_false(parsed.text.failed);
  assert_int_equal(
      kiln_json_parse(kiln_buf_text(&parsed.text), parsed.text.len, "report", &parsed.tree, NULL), KILN_OK);
  return parsed;
}

static void
release(struct parsed *parsed)
{
  kiln_json_free(parsed->tree);
  kiln_buf_release(&parsed->text);
  kiln_report_free(parsed->report);
}

/* "a.b.0.c": members by name, elements by number. */
static const struct cJSON *
at(const struct cJSON *value, const char *path)
{
  char copy[200];
  assert_true(strlen(path) < sizeof copy);
  strcpy(copy, path);
  for (char *word = strtok(copy, "."); word; word = strtok(NULL, ".")) {
    if (kiln_json_is_array(value)) {
      value = kiln_json_first(value);
      for (int i = atoi(word); i > 0; i--)
        value = kiln_json_next(value);
    } else {
      value = kiln_json_get(value, word);
    }
    if (!value)
      fail_msg("the report has no %s", path);
  }
  return value;
}

static double
number(const struct parsed *parsed, const char *path)
{
  return kiln_json_as_double(at(parsed->tree, path), -77);
}

static const char *
text(const struct parsed *parsed, const char *path)
{
  return kiln_json_as_string(at(parsed->tree, path), "no string");
}

static struct kiln_report *
filled(void)
{
  struct kiln_report *report = made_report(2);
  struct kiln_report_run *run = &report->arms[0].samples[0].cold;
  struct kiln_model_build *build = made_build(run->model, "m", "aaaaaaaaaa", 7, 1500, 400);
  build->pch.wall_ns = 300 * MS;
  build->native.wall_ns = 60 * MS;
  build->source_bytes = 4321;
  build->toolchain = "llvm";
  build->where = AT(12);
  made_build(run->model, "cached", "bbbbbbbbbb", 7, 1600, 4)->result = KILN_BUILD_CACHED;
  made_build(run->model, "broken", "cccccccccc", 7, 1700, 4)->result = KILN_BUILD_FAILED;
  made_load(run->model, "m", "aaaaaaaaaa", 7, 2000);
  made_launch(run->model, "k", 7, 8, 2);
  made_launch(run->model, "k", 8, 8, 3);
  made_launch(run->model, "k", 7, UINT64_MAX, 1);
  run->result = (struct kiln_run_result){.begin_ns = 1000 * MS, .killed = 2, .exit_code = 3};
  run->result.usage.max_rss_bytes = 123456789;
  run->artefacts_new = 5;
  run->phase[KILN_PHASE_PCH] = (struct kiln_span_time){300 * MS, 290 * MS};
  report->arms[0].samples[1].warm.result.signal = 9;
  report->arms[0].samples[1].valid = false;
  report->arms[0].samples[1].invalid_because = "it escaped";
  return report;
}

static void
the_head_is_complete(void **state)
{
  (void)state;
  struct kiln_report *report = filled();
  report->state = KILN_REPORT_INVALID;
  report->failure = "sample 2 escaped";
  kiln_report_warn(report, "a warning");
  struct parsed parsed = render(report);
  assert_string_equal(text(&parsed, "schema"), "kiln-report-1");
  assert_string_equal(text(&parsed, "command.1"), "app.py");
  assert_string_equal(text(&parsed, "state"), "invalid");
  assert_string_equal(text(&parsed, "failure"), "sample 2 escaped");
  assert_string_equal(text(&parsed, "environment.framework"), "warp 1.19.0");
  assert_true(kiln_json_is_null(at(parsed.tree, "environment.load_1m")));
  assert_true(kiln_json_is_null(at(parsed.tree, "time")));
  assert_string_equal(text(&parsed, "warnings.0"), "a warning");
  assert_string_not_equal(text(&parsed, "kiln_version"), "no string");
  assert_string_equal(text(&parsed, "date"), "2026-01-02T03:04:05Z");
  release(&parsed);
}

static void
samples_are_raw(void **state)
{
  (void)state;
  struct parsed parsed = render(filled());
  assert_true(number(&parsed, "arms.0.samples.0.cold.builds") == 3);
  assert_true(number(&parsed, "arms.0.samples.0.cold.launches") == 6);
  assert_true(number(&parsed, "arms.0.samples.0.cold.exit_code") == 3);
  assert_true(number(&parsed, "arms.0.samples.0.cold.signal") == 0);
  assert_true(number(&parsed, "arms.0.samples.0.cold.killed") == 2);
  assert_true(number(&parsed, "arms.0.samples.0.cold.max_rss_bytes") == 123456789);
  assert_true(number(&parsed, "arms.0.samples.0.cold.artefacts_new") == 5);
  assert_true(number(&parsed, "arms.0.samples.0.cold.phases.pch.elapsed_s") == 0.3);
  assert_true(number(&parsed, "arms.0.samples.0.cold.phases.pch.cpu_s") == 0.29);
  assert_true(number(&parsed, "arms.0.samples.0.cold.elapsed_s") == 3);
  assert_true(kiln_json_is_null(at(parsed.tree, "arms.0.samples.0.invalid_because")));
  assert_string_equal(text(&parsed, "arms.0.samples.1.invalid_because"), "it escaped");
  assert_true(number(&parsed, "arms.0.samples.1.warm.signal") == 9);
  assert_true(kiln_json_is_null(at(parsed.tree, "arms.0.samples.1.warm.exit_code")));
  release(&parsed);
}

static void
the_summary_has_intervals(void **state)
{
  (void)state;
  struct parsed parsed = render(filled());
  assert_true(number(&parsed, "arms.0.summary.cold.builds.median") == 3);
  assert_true(number(&parsed, "arms.0.summary.cold.builds.n") == 1);
  assert_true(number(&parsed, "arms.0.summary.cold.phases.pch.median") == 0.3);
  assert_true(number(&parsed, "arms.0.summary.cold.phases.pch.cpu_s.hi") == 0.29);
  assert_true(number(&parsed, "arms.0.summary.compile_elapsed_s.median") == 2);
  assert_true(number(&parsed, "arms.0.summary.compile_cpu_s.median") == 1.75);
  assert_true(number(&parsed, "arms.0.summary.cold.native_s.median") == 0.06);
  /* 1500 to 1900 ms holds the other builds; the load at 2000 ms takes 1 ms */
  assert_true(number(&parsed, "arms.0.summary.cold.module_work_s.median") == 0.401);
  release(&parsed);
}

static void
tables_carry_their_origin(void **state)
{
  (void)state;
  struct parsed parsed = render(filled());
  assert_int_equal(kiln_json_count(at(parsed.tree, "builds")), 2);
  assert_string_equal(text(&parsed, "builds.0.arm"), "base");
  assert_true(number(&parsed, "builds.0.sample") == 1);
  assert_string_equal(text(&parsed, "builds.0.run"), "cold");
  assert_true(number(&parsed, "builds.0.start_s") == 0.5);
  assert_true(number(&parsed, "builds.0.pch_s") == 0.3);
  assert_true(number(&parsed, "builds.0.source_bytes") == 4321);
  assert_string_equal(text(&parsed, "builds.0.where.file"), "/home/somebody/app.py");
  assert_true(number(&parsed, "builds.0.where.line") == 12);
  assert_string_equal(text(&parsed, "builds.1.result"), "failed");
  assert_true(kiln_json_is_null(at(parsed.tree, "builds.1.where")));
  assert_string_equal(text(&parsed, "loads.0.result"), "cached");
  release(&parsed);
}

static void
launches_are_summed_over_processes(void **state)
{
  (void)state;
  struct parsed parsed = render(filled());
  assert_int_equal(kiln_json_count(at(parsed.tree, "launches")), 2);
  assert_true(number(&parsed, "launches.0.dim") == 8);
  assert_true(number(&parsed, "launches.0.count") == 5);
  assert_true(kiln_json_is_null(at(parsed.tree, "launches.1.dim")));
  release(&parsed);
}

static void
findings_have_all_their_parts(void **state)
{
  (void)state;
  struct kiln_report *report = filled();
  struct kiln_finding *finding = kiln_finding_add(report, "CS-1");
  kiln_finding_sentence(report, finding, "a \"quoted\" sentence");
  kiln_finding_evidence(report, finding, "fact");
  kiln_finding_cite(report, finding,
      (struct kiln_cited){.kind = "compile", .pid = 7, .start_s = 0.5, .wall_s = 0.25, .what = "m", .where = AT(9)});
  kiln_finding_remedy(report, finding, "first");
  kiln_finding_remedy(report, finding, "second");
  kiln_finding_where(report, finding, AT(3));
  kiln_finding_add(report, "none");
  kiln_finding_not_reached(report, "N-9", "a run on a GPU", "nothing was loaded");
  finding = &report->findings[0];
  finding->saves_at_most_s = 1.5;
  struct parsed parsed = render(report);
  assert_string_equal(text(&parsed, "findings.0.id"), "CS-1");
  assert_string_equal(text(&parsed, "findings.0.state"), "fired");
  assert_string_equal(text(&parsed, "findings.0.sentence"), "a \"quoted\" sentence");
  assert_string_equal(text(&parsed, "findings.0.evidence.0"), "fact");
  assert_true(number(&parsed, "findings.0.where.0.line") == 3);
  assert_true(number(&parsed, "findings.0.saves_at_most_s") == 1.5);
  assert_true(kiln_json_is_null(at(parsed.tree, "findings.1.saves_at_most_s")));
  assert_true(kiln_json_is_null(at(parsed.tree, "findings.1.remedy")));
  assert_true(number(&parsed, "findings.0.events.0.evidence") == 0);
  assert_true(number(&parsed, "findings.0.events.0.where.line") == 9);
  assert_string_equal(text(&parsed, "findings.0.remedy"), "first");
  assert_string_equal(text(&parsed, "findings.0.remedies.1"), "second");
  assert_non_null(strstr(text(&parsed, "findings.0.deadline"), "launch"));
  assert_string_equal(text(&parsed, "not_fired.0.state"), "not_reached");
  assert_string_equal(text(&parsed, "not_fired.0.to_measure"), "a run on a GPU");
  assert_true(kiln_json_is_null(at(parsed.tree, "diagnosis")));
  release(&parsed);
}

/* A measurement that was interrupted: some runs were never made. */
static void
missing_runs_are_null(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  report->arms[0].samples[0].warm.present = false;
  kiln_model_free(report->arms[0].samples[0].warm.model);
  report->arms[0].samples[0].warm.model = NULL;
  struct parsed parsed = render(report);
  assert_true(kiln_json_is_null(at(parsed.tree, "arms.0.samples.0.warm")));
  assert_true(number(&parsed, "arms.0.summary.warm.elapsed_s.n") == 0);
  release(&parsed);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_head_is_complete), cmocka_unit_test(samples_are_raw),
      cmocka_unit_test(the_summary_has_intervals), cmocka_unit_test(tables_carry_their_origin),
      cmocka_unit_test(launches_are_summed_over_processes), cmocka_unit_test(findings_have_all_their_parts),
      cmocka_unit_test(missing_runs_are_null)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
