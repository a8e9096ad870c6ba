#include "unit/probe/made.h"

#include "probe/report/render.h"

/* Columns of a line without its colours; fails on an escape sequence when colours were not asked for. */
static int
columns_of(const char *line, size_t len, bool color)
{
  int columns = 0;
  for (size_t i = 0; i < len; i++) {
    if (line[i] == '\033') {
      assert_true(color);
      while (i < len && line[i] != 'm')
        i++;
      continue;
    }
    columns += ((unsigned char)line[i] & 0xc0) != 0x80;
  }
  return columns;
}

static void
check_width(const struct kiln_buf *out, int most, bool color)
{
  const char *line = kiln_buf_text(out);
  while (*line) {
    const size_t len = strcspn(line, "\n");
    if (columns_of(line, len, color) > most)
      fail_msg("line of %d columns where %d are allowed: %.*s", columns_of(line, len, color), most, (int)len, line);
    line += len + (line[len] == '\n');
  }
}

static struct kiln_buf
render(struct kiln_report *report, int columns, bool color)
{
  struct kiln_buf out;
  kiln_buf_init(&out);
  kiln_report_text(report, columns, color, &out);
  assert_false(out.failed);
  check_width(&out, columns < 60 ? 60 : columns, color);
  return out;
}

static void
says(struct kiln_report *report, int columns, const char *words)
{
  struct kiln_buf out = render(report, columns, false);
  if (!strstr(kiln_buf_text(&out), words))
    fail_msg("not said: '%s' in\n%s", words, kiln_buf_text(&out));
  kiln_buf_release(&out);
}

static void
says_not(struct kiln_report *report, int columns, const char *words)
{
  struct kiln_buf out = render(report, columns, false);
  if (strstr(kiln_buf_text(&out), words))
    fail_msg("said: '%s' in\n%s", words, kiln_buf_text(&out));
  kiln_buf_release(&out);
}

static struct kiln_report *
filled(int samples)
{
  struct kiln_report *report = made_report(samples);
  struct kiln_model *cold = made_cold(report, 0);
  struct kiln_model_build *build = made_build(cold, "first", "aaaaaaaaaa", 1, 10, 2600);
  build->pch.wall_ns = 2400 * MS;
  build->native.wall_ns = 150 * MS;
  build->where = AT(12);
  made_build(cold, "second", "bbbbbbbbbb", 1, 3000, 300);
  made_build(cold, "a.module.whose.name.is.so.long.that.no.terminal.has.room.for.it.in.one.column.of.a.table.tail",
      "cccccccccc", 1, 4000, 100);
  report->arms[0].samples[0].cold.phase[KILN_PHASE_PCH] = (struct kiln_span_time){2400 * MS, 2300 * MS};
  report->arms[0].samples[0].cold.phase[KILN_PHASE_INTERPRETER_START] = (struct kiln_span_time){20 * MS, 20 * MS};
  cold->overlap = 1.25;
  kiln_report_summarise(report);
  return report;
}

static void
the_headline_judges_nothing(void **state)
{
  (void)state;
  struct kiln_report *report = filled(3);
  says(report, 80, "elapsed cold");
  says(report, 80, "4.00 s [3.00 s, 5.00 s]");
  says(report, 80, "CPU 3.50 s [2.50 s, 4.50 s]");
  says(report, 80, "compile elapsed");
  says(report, 60, "(no verdict: times of 3 samples are shown, not judged)");
  kiln_report_free(report);
  report = filled(1);
  says(report, 60, "(no verdict: times of 1 sample are shown, not judged)");
  says_not(report, 80, "[3.00 s");
  kiln_report_free(report);
}

static void
every_width_holds(void **state)
{
  (void)state;
  static const int widths[] = {20, 60, 61, 80, 160};
  struct kiln_report *report = filled(3);
  static const char *command[] = {"python",
      "/a/very/long/path/without/any/space/that/is/longer/than/the/page/is/wide.py", "--scene", "two words",
      "caf\xc3\xa9"};
  report->command = command;
  report->command_count = 5;
  report->arms[0].samples[2].valid = false;
  report->arms[0].samples[2].invalid_because =
      "a cache outside the sandbox was written: /home/somebody/.cache/warp/1.19.0/x";
  report->arms[0].cold.elapsed_s = (struct kiln_interval){1e9, 1e9, 1e9, 3};
  report->arms[0].cold.count[KILN_COUNT_LAUNCHES] = (struct kiln_interval){9e15, 8e15, 9.1e15, 3};
  struct kiln_finding *finding = kiln_finding_add(report, "CS-1");
  kiln_finding_sentence(report, finding, "module `%090d` was built twice.", 0);
  kiln_finding_evidence(report, finding, "→ é %0100d", 0);
  kiln_finding_where(report, finding, AT(31));
  kiln_finding_remedy(
      report, finding, "Declare the kernels at module scope; else declare all of them before the launch.");
  finding->saves_at_most_s = 0.3;
  kiln_report_warn(report, "something could not be observed, and this sentence is long enough to be wrapped somewhere");
  for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
    for (int color = 0; color < 2; color++) {
      struct kiln_buf out = render(report, widths[i], color);
      assert_int_equal(strstr(kiln_buf_text(&out), "\033[") != NULL, color);
      kiln_buf_release(&out);
    }
  kiln_report_free(report);
}

/* 'first' made the header for all: without it, 'second' is the dearer one. */
static void
the_header_ranks_no_module(void **state)
{
  (void)state;
  struct kiln_report *report = filled(1);
  struct kiln_buf out = render(report, 80, false);
  const char *table = strstr(kiln_buf_text(&out), "costliest builds");
  assert_non_null(table);
  const char *first = strstr(table, "\n  first "), *second = strstr(table, "\n  second ");
  assert_non_null(first);
  assert_non_null(second);
  assert_true(second < first);
  assert_true(strstr(first, "200 ms") < strstr(first, "2.40 s"));
  assert_non_null(strstr(table, "aaaaaaa on cpu, block 1: /home/somebody/app.py:12"));
  assert_non_null(strstr(table, "…"));
  kiln_buf_release(&out);
  says(report, 60, "precompiled header");
  says(report, 60, "interpreter start");
  says_not(report, 60, "interpreter_start");
  kiln_report_free(report);
}

static void
findings_and_their_absence(void **state)
{
  (void)state;
  struct kiln_report *report = filled(1);
  says(report, 160, "Nothing structural was found");
  says_not(report, 160, "optimal");
  struct kiln_finding *finding = kiln_finding_add(report, "CS-3");
  kiln_finding_sentence(report, finding, "it fired");
  kiln_finding_where(report, finding, AT(31));
  kiln_finding_where(report, finding, AT(31));
  says(report, 80, "CS-3  it fired");
  says(report, 80, "where     /home/somebody/app.py:31\n");
  says_not(report, 80, "app.py:31\n              /home");
  says_not(report, 160, "Nothing structural");
  kiln_report_free(report);
  /* without a build there is nothing of which one could say that it is sound */
  report = made_report(1);
  kiln_report_summarise(report);
  says_not(report, 160, "Nothing structural");
  kiln_report_free(report);
}

static void
failures_come_first(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  report->arms[0].samples[0].valid = false;
  report->state = KILN_REPORT_FAILED;
  report->failure = "the command ended with status 3";
  kiln_report_summarise(report);
  says(report, 80, "failed      the command ended with status 3");
  says(report, 80, "no valid sample: no number is shown");
  says(report, 80, "sample 1 does not count");
  kiln_report_free(report);
}

static void
names_cannot_steer_the_terminal(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  made_build(made_cold(report, 0), "a\033[2Jb\xff\x9b", "aaaaaaaaaa", 1, 10, 5);
  kiln_report_warn(report, "line\nbreak and \033]0;title\007");
  kiln_report_summarise(report);
  says(report, 80, "a?[2Jb??");
  says(report, 80, "line break and ?]0;title?");
  kiln_report_free(report);
}

static void
counts_that_disagree_show_their_range(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(2);
  made_build(made_cold(report, 1), "m", "aaaaaaaaaa", 1, 10, 5);
  kiln_report_summarise(report);
  says(report, 80, "0 to 1");
  kiln_report_free(report);
}

static void
time_that_nothing_splits_has_no_table(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(2);
  for (int i = 0; i < 2; i++)
    report->arms[0].samples[i].cold.phase[KILN_PHASE_REST] = (struct kiln_span_time){3000 * MS, 2500 * MS};
  kiln_report_summarise(report);
  says(report, 80, "where the time goes: no Python program was observed, so there is no split\n");
  says_not(report, 80, "interpreter start");
  /* one phase of one run is enough */
  report->arms[0].samples[1].warm.phase[KILN_PHASE_COMPILE] = (struct kiln_span_time){MS, MS};
  kiln_report_summarise(report);
  says(report, 80, "interpreter start");
  says_not(report, 80, "no split");
  report->arms[0].samples[1].valid = false; /* not of a sample that does not count */
  kiln_report_summarise(report);
  says(report, 80, "so there is no split");
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_headline_judges_nothing), cmocka_unit_test(every_width_holds),
      cmocka_unit_test(the_header_ranks_no_module), cmocka_unit_test(findings_and_their_absence),
      cmocka_unit_test(failures_come_first), cmocka_unit_test(names_cannot_steer_the_terminal),
      cmocka_unit_test(counts_that_disagree_show_their_range), cmocka_unit_test(time_that_nothing_splits_has_no_table)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
