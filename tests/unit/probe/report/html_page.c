#include "unit/probe/report/drawn.h"

#include <ctype.h>

#include "probe/report/render.h"

#define DEPTH 32
#define TAG 32

/* Every start tag has its end tag, in order; attribute values are quoted; nothing is fetched from elsewhere. */
static void
check_page(const char *page)
{
  char open[DEPTH][TAG];
  int depth = 0;
  for (const char *at = strchr(page, '<'); at; at = strchr(at, '<')) {
    const bool end = at[1] == '/';
    const char *name = at + 1 + end;
    size_t len = 0;
    while (isalnum((unsigned char)name[len]) && len < TAG - 1)
      len++;
    if (*name == '!') {
      at++;
      continue;
    }
    if (len == 0)
      fail_msg("a '<' that begins no tag: %.60s", at);
    const char *close = name + len;
    for (bool quoted = false; *close && (quoted || *close != '>'); close++)
      quoted = *close == '"' ? !quoted : quoted;
    assert_int_equal(*close, '>');
    if (strncmp(name, "meta", len) == 0) {
      at = close;
      continue;
    }
    if (end) {
      assert_true(depth > 0);
      depth--;
      if (strlen(open[depth]) != len || strncmp(open[depth], name, len) != 0)
        fail_msg("</%.*s> ends <%s>", (int)len, name, open[depth]);
    } else {
      assert_true(depth < DEPTH);
      snprintf(open[depth++], TAG, "%.*s", (int)len, name);
      /* The text of these two is not markup. */
      if (len == 6 && strncmp(name, "script", len) == 0)
        close = strstr(close, "</script>") - 1;
    }
    at = close;
  }
  assert_int_equal(depth, 0);
  assert_null(strstr(page, "http://"));
  assert_null(strstr(page, "https://"));
  assert_null(strstr(page, " src=\"")); /* quotes of names are escaped */
  assert_null(strstr(page, "@import"));
}

static struct kiln_buf
render(const struct kiln_report *report)
{
  struct kiln_buf out;
  kiln_buf_init(&out);
  kiln_report_html(report, &out);
  assert_false(out.failed);
  check_page(kiln_buf_text(&out));
  return out;
}

static void
has(const struct kiln_buf *page, const char *words)
{
  if (!strstr(kiln_buf_text(page), words))
    fail_msg("not in the page: %s", words);
}

static void
every_section_is_there(void **state)
{
  (void)state;
  struct kiln_report *report = drawn_report(7, 25);
  struct kiln_buf page = render(report);
  static const char *const sections[] = {
      "first", "timeline", "compare", "phases", "modules", "samples", "findings", "tables", "method"};
  for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
    char id[64];
    snprintf(id, sizeof id, "id=\"%s\"", sections[i]);
    has(&page, id);
  }
  has(&page, "n = 7");
  has(&page, "<b>sim.py:17</b>");
  has(&page, "acme.orbit_24");
  has(&page, "25 → 0");
  has(&page, "prefers-color-scheme:dark");
  has(&page, "@media print");
  assert_true(page.len < 2000000);
  kiln_buf_release(&page);
  kiln_report_free(report);
}

static void
links_lead_somewhere(void **state)
{
  (void)state;
  struct kiln_report *reports[] = {drawn_report(3, 2), made_report(1)};
  for (int i = 0; i < 2; i++) {
    struct kiln_buf page = render(reports[i]);
    for (const char *at = strstr(kiln_buf_text(&page), "href=\"#"); at; at = strstr(at + 1, "href=\"#")) {
      char id[64];
      snprintf(id, sizeof id, "id=\"%.*s\"", (int)strcspn(at + 7, "\""), at + 7);
      has(&page, id);
    }
    kiln_buf_release(&page);
    kiln_report_free(reports[i]);
  }
}

/* Each claim leads to the events that it rests on, and a diagnosis has every state. */
static void
findings_link_to_their_events(void **state)
{
  (void)state;
  struct kiln_report *report = drawn_report(3, 2);
  kiln_report_forget_findings(report);
  struct kiln_finding *finding = kiln_finding_add(report, "CS-10");
  kiln_finding_sentence(report, finding, "backward code that nobody needs");
  kiln_finding_evidence(report, finding, "a module was built");
  kiln_finding_cite(report, finding,
      (struct kiln_cited){.kind = "compile", .pid = 77, .start_s = 0.5, .wall_s = 0.25, .what = "m", .where = AT(9)});
  kiln_finding_remedy(report, finding, "switch it off");
  kiln_finding_remedy(report, finding, "for one module");
  kiln_finding_ruled_out(report, "CS-1", "no module moved");
  kiln_finding_not_reached(report, "N-2", "more samples", "one build only");
  struct kiln_buf page = render(report);
  has(&page, "href=\"#event-1-1\"");
  has(&page, "id=\"event-1-1\"");
  has(&page, "Remedies, best first");
  has(&page, "How to see that it arrived");
  assert_null(strstr(kiln_buf_text(&page), "no module moved"));
  kiln_buf_release(&page);
  report->diagnosis = (struct kiln_diagnosis){.made = true, .sentence = "Compiling is 80 %."};
  page = render(report);
  has(&page, "Compiling is 80 %.");
  has(&page, "no module moved");
  has(&page, "one build only");
  has(&page, "more samples");
  kiln_buf_release(&page);
  kiln_report_free(report);
}

static void
names_of_programs_cannot_write_markup(void **state)
{
  (void)state;
  struct kiln_report *report = drawn_report(2, 2);
  struct kiln_model *cold = made_cold(report, 0);
  static const char evil[] = "\"><script>alert(1)</script><img src=x onerror=alert(2)>\xe2\x80\xae";
  cold->builds[0].module = cold->loads[0].module = cold->launches[0].kernel = evil;
  cold->builds[1].where.file = evil;
  cold->builds[1].identity = cold->builds[1].device = cold->builds[1].toolchain = evil;
  cold->processes[0].command = cold->processes[0].framework_version = evil;
  cold->longs[0].name = evil;
  report->command[1] = evil;
  report->framework = report->python = report->failure = evil;
  report->state = KILN_REPORT_FAILED;
  kiln_report_warn(report, "%s", evil);
  kiln_finding_sentence(report, &report->findings[0], "module `%s` `", evil);
  struct kiln_buf page = render(report);
  assert_null(strstr(kiln_buf_text(&page), "<script>alert"));
  assert_null(strstr(kiln_buf_text(&page), "<img"));
  assert_null(strstr(kiln_buf_text(&page), "\xe2\x80\xae"));
  kiln_buf_release(&page);
  kiln_report_free(report);
}

/* A measurement that was stopped early, and one without any valid sample. */
static void
little_is_shown_as_little(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  report->arms[0].samples[0].valid = false;
  report->arms[0].samples[0].invalid_because = "The time limit of 1 s ended it.";
  report->state = KILN_REPORT_INVALID;
  report->failure = "The time limit of 1 s ended it.";
  kiln_report_summarise(report);
  struct kiln_buf page = render(report);
  has(&page, "No valid sample");
  has(&page, "The time limit of 1 s ended it.");
  assert_null(strstr(kiln_buf_text(&page), "nan"));
  kiln_buf_release(&page);
  report->arms[0].sample_count = 0;
  page = render(report);
  has(&page, "No valid sample");
  kiln_buf_release(&page);
  report->arms[0].sample_count = 1; /* its models are freed with the report */
  kiln_report_free(report);
}

static void
hostile_times_do_not_break_pictures(void **state)
{
  (void)state;
  struct kiln_report *report = drawn_report(2, 3);
  struct kiln_model *cold = made_cold(report, 0);
  cold->longs[0].start_ns = UINT64_MAX - 5;
  cold->longs[0].wall_ns = UINT64_MAX;
  cold->builds[0].wall_ns = UINT64_MAX;
  cold->processes[0].main_ns = UINT64_MAX;
  cold->processes[0].exit_ns = 1;
  static const double lengths[] = {3, 1e-310, 1e-12, 1e300};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    report->arms[0].samples[0].cold.elapsed_s = report->arms[0].samples[1].cold.elapsed_s = lengths[i];
    report->arms[0].samples[0].warm.elapsed_s = report->arms[0].samples[1].warm.elapsed_s = lengths[i];
    kiln_report_summarise(report);
    struct kiln_buf page = render(report);
    assert_null(strstr(kiln_buf_text(&page), "nan"));
    assert_null(strstr(kiln_buf_text(&page), "inf%"));
    kiln_buf_release(&page);
  }
  kiln_report_free(report);
}

static void
time_that_nothing_splits_is_said(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  kiln_report_summarise(report);
  struct kiln_buf page = render(report);
  has(&page, "no Python program was observed, so there is no split");
  kiln_buf_release(&page);
  report->arms[0].samples[0].cold.phase[KILN_PHASE_IMPORTS].wall_ns = MS;
  kiln_report_summarise(report);
  page = render(report);
  assert_null(strstr(kiln_buf_text(&page), "no split"));
  kiln_buf_release(&page);
  kiln_report_free(report);
}

static void
many_modules_stay_below_two_megabytes(void **state)
{
  (void)state;
  struct kiln_report *report = drawn_report(2, 1500);
  struct kiln_buf page = render(report);
  has(&page, "modules are drawn");
  assert_true(page.len < 2000000);
  kiln_buf_release(&page);
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_section_is_there),
      cmocka_unit_test(links_lead_somewhere),
      cmocka_unit_test(findings_link_to_their_events),
      cmocka_unit_test(names_of_programs_cannot_write_markup),
      cmocka_unit_test(little_is_shown_as_little),
      cmocka_unit_test(hostile_times_do_not_break_pictures),
      cmocka_unit_test(time_that_nothing_splits_is_said),
      cmocka_unit_test(many_modules_stay_below_two_megabytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
