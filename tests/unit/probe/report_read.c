#include "probe/report_read.h"
#include "os/file.h"
#include "probe/report/render.h"
#include "unit/probe/made.h"

#include <stdio.h>

static char path[] = "/tmp/kiln-report-read-XXXXXX";

static int
make_file(void **state)
{
  (void)state;
  strcpy(path + strlen(path) - 6, "XXXXXX");
  int fd = mkstemp(path);
  if (fd < 0)
    return 1;
  kiln_fd_close(fd);
  return 0;
}

static int
remove_file(void **state)
{
  (void)state;
  return remove(path);
}

static void
write_report(const struct kiln_report *report)
{
  struct kiln_buf json;
  kiln_buf_init(&json);
  kiln_report_json(report, &json);
  assert_int_equal(kiln_file_write(path, json.data, json.len, NULL), KILN_OK);
  kiln_buf_release(&json);
}

static void
page_of(const struct kiln_report *report, struct kiln_buf *page)
{
  kiln_buf_init(page);
  kiln_report_text(report, 100, false, page);
}

static struct kiln_report *
full_report(void)
{
  struct kiln_report *report = made_report(2);
  struct kiln_model_build *build = made_build(made_cold(report, 0), "m", "abcdef0", 7, 10, 500);
  build->where = AT(31);
  build->pch = (struct kiln_span_time){100 * MS, 90 * MS};
  build->native = (struct kiln_span_time){200 * MS, 190 * MS};
  made_cold(report, 0)->counts.builds = 1;
  report->until = "something listens on port 80";
  report->arms[0].samples[0].cold.phase[KILN_PHASE_PCH] = (struct kiln_span_time){2000 * MS, 1000 * MS};
  report->arms[0].samples[1].valid = false;
  report->arms[0].samples[1].invalid_because = "it was wrong";
  report->state = KILN_REPORT_FAILED;
  report->failure = "it failed";
  struct kiln_finding *finding = kiln_finding_add(report, "CS-1");
  kiln_finding_sentence(report, finding, "something");
  kiln_finding_evidence(report, finding, "a fact");
  kiln_finding_where(report, finding, AT(4));
  kiln_finding_remedy(report, finding, "do it");
  finding->saves_at_most_s = 1.5;
  kiln_report_warn(report, "beware of %s", "100%s");
  kiln_report_summarise(report);
  return report;
}

static void
the_page_is_the_same(void **state)
{
  (void)state;
  struct kiln_report *report = full_report(), *again;
  struct kiln_buf before, after;
  page_of(report, &before);
  write_report(report);
  kiln_report_free(report);
  assert_int_equal(kiln_report_read(path, &again, NULL), KILN_OK);
  page_of(again, &after);
  assert_string_equal(kiln_buf_text(&before), kiln_buf_text(&after));
  assert_non_null(strstr(kiln_buf_text(&after), "beware of 100%s"));
  assert_int_equal(again->arms[0].samples[0].cold.model->build_count, 1);
  assert_int_equal(again->arms[0].samples[0].cold.model->builds[0].wall_ns, 500 * MS);
  kiln_report_free(again);
  kiln_buf_release(&before);
  kiln_buf_release(&after);
}

static void
what_is_no_report_is_refused(void **state)
{
  (void)state;
  static const char *const texts[] = {"", "7", "{}", "{\"schema\":\"kiln-report-1\"}",
      "{\"schema\":\"kiln-report-2\",\"state\":\"complete\",\"arms\":[{\"samples\":[]}]}",
      "{\"schema\":\"kiln-report-1\",\"state\":\"odd\",\"arms\":[{\"samples\":[]}]}",
      "{\"schema\":\"kiln-report-1\",\"state\":\"complete\",\"arms\":[]}",
      "{\"schema\":\"kiln-report-1\",\"state\":\"complete\",\"arms\":[{}]}",
      "{\"schema\":\"kiln-report-1\",\"state\":\"complete\",\"arms\":[{\"samples\":7}]}"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct kiln_report *report = (struct kiln_report *)1;
    struct kiln_error error = {0};
    assert_int_equal(kiln_file_write(path, texts[i], strlen(texts[i]), NULL), KILN_OK);
    if (kiln_report_read(path, &report, &error) == KILN_OK)
      fail_msg("accepted: %s", texts[i]);
    assert_null(report);
    assert_string_not_equal(error.what, "");
  }
}

/* Values of a wrong kind are as if they were absent; a renderer must take the rest. */
static void
odd_values_do_no_harm(void **state)
{
  (void)state;
  static const char text[] =
      "{\"schema\":\"kiln-report-1\",\"state\":\"complete\",\"command\":[1,null],\"date\":5,\"environment\":7,"
      "\"arms\":[{\"name\":null,\"samples\":[{\"index\":\"x\",\"valid\":true,\"cold\":{\"elapsed_s\":-1e300,\"builds\":"
      "-4,"
      "\"phases\":[1]},\"warm\":[]},null,7]},{\"samples\":[{}]}],\"findings\":[null,{\"evidence\":[1],\"where\":[2]}],"
      "\"warnings\":[3],\"builds\":[null,{\"arm\":\"base\",\"sample\":0,\"run\":\"cold\",\"wall_s\":1e999}],"
      "\"loads\":{},\"launches\":[{\"arm\":7}],\"processes\":[{\"arm\":\"base\",\"sample\":0,\"run\":\"warm\"}],"
      "\"pairs\":[null,{\"index\":1e18}],\"time\":{\"seed\":\"0xzz\"}}";
  struct kiln_report *report;
  struct kiln_buf page;
  assert_int_equal(kiln_file_write(path, text, strlen(text), NULL), KILN_OK);
  if (kiln_report_read(path, &report, NULL) != KILN_OK)
    return;
  page_of(report, &page);
  assert_true(page.len > 0);
  kiln_buf_clear(&page);
  kiln_report_json(report, &page);
  kiln_report_html(report, &page);
  kiln_report_trace(report, &page);
  kiln_buf_release(&page);
  kiln_report_free(report);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_file, remove_file)

int
main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(the_page_is_the_same),
      TEST(what_is_no_report_is_refused),
      TEST(odd_values_do_no_harm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
