#include "unit/probe/report/drawn.h"

#include "probe/report/html_axis.h"
#include "probe/report/html_parts.h"

struct fixture {
  struct kiln_buf out;
  struct kiln_html html;
};

static struct fixture *
begin(void)
{
  static struct fixture fixture;
  kiln_buf_init(&fixture.out);
  kiln_html_init(&fixture.html, &fixture.out);
  return &fixture;
}

static void
gives(struct fixture *fixture, const char *expected)
{
  assert_false(fixture->out.failed);
  assert_string_equal(kiln_buf_text(&fixture->out), expected);
  kiln_buf_release(&fixture->out);
}

static void
a_number_has_its_interval_and_n(void **state)
{
  (void)state;
  struct fixture *fixture = begin();
  kiln_html_interval(&fixture->html, (struct kiln_interval){1.5, 1.25, 2, 7}, KILN_HTML_SECONDS);
  gives(fixture,
      "<span class=\"value\">1.50\u00a0s</span> <span class=\"spread\">[1.25\u00a0s, 2.00\u00a0s] n = 7</span>");
  fixture = begin();
  kiln_html_interval(&fixture->html, (struct kiln_interval){3, 3, 3, 1}, KILN_HTML_COUNT);
  gives(fixture, "<span class=\"value\">3</span> <span class=\"spread\">n = 1</span>");
  fixture = begin();
  kiln_html_interval(&fixture->html, (struct kiln_interval){0, 0, 0, 0}, KILN_HTML_SECONDS);
  gives(fixture, "–");
  fixture = begin();
  kiln_html_interval(&fixture->html, (struct kiln_interval){-0.25, -0.5, 0, 2}, KILN_HTML_SECONDS);
  gives(fixture,
      "<span class=\"value\">−250\u00a0ms</span> <span class=\"spread\">[−500\u00a0ms, 0\u00a0s] n = 2</span>");
}

static void
backticks_become_code(void **state)
{
  (void)state;
  static const char *const cases[][2] = {
      {"kernel `a<b>` and `c`.", "kernel <code>a&lt;b&gt;</code> and <code>c</code>."},
      {"an `open one", "an `open one"},
      {"`a` `", "<code>a</code> `"},
      {"", ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct fixture *fixture = begin();
    kiln_html_prose(&fixture->html, cases[i][0]);
    gives(fixture, cases[i][1]);
  }
}

static void
a_place_has_its_folder_apart(void **state)
{
  (void)state;
  struct fixture *fixture = begin();
  kiln_html_place(&fixture->html, (struct kiln_where){"/a/b.py", 3});
  gives(fixture, "<code class=\"place\" title=\"/a/b.py\"><span class=\"folder\">/a/</span><b>b.py:3</b></code>");
  fixture = begin();
  kiln_html_place(&fixture->html, NOWHERE);
  gives(fixture, "");
}

static void
the_shown_sample_is_the_median_one(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(5); /* cold 3, 4, 5, 6, 7 s */
  report->arms[0].samples[2].valid = false;
  report->arms[0].samples[3].cold.elapsed_s = 4.75;
  kiln_report_summarise(report); /* 3, 4, 4.75, 7: median 4.375 */
  assert_int_equal(kiln_html_sample(&report->arms[0])->index, 2);
  for (int i = 0; i < 5; i++)
    report->arms[0].samples[i].valid = false;
  assert_int_equal(kiln_html_sample(&report->arms[0])->index, 1);
  report->arms[0].sample_count = 0;
  assert_null(kiln_html_sample(&report->arms[0]));
  report->arms[0].sample_count = 5;
  kiln_report_free(report);
}

/* Three to eight ticks, whatever the length. */
static void
ticks_are_few_and_round(void **state)
{
  (void)state;
  for (double length = 1e-6; length < 1e6; length *= 1.07) {
    const double step = kiln_axis_step(length), ticks = length / step;
    if (ticks < 2.9 || ticks > 8)
      fail_msg("%g ticks of %g for %g", ticks, step, length);
  }
  assert_true(kiln_axis_step(10) > 1.99 && kiln_axis_step(10) < 2.01);
  assert_true(kiln_axis_step(0) > 0 && kiln_axis_step(1e-310) > 0 && kiln_axis_step(1e300) > 0);
}

static void
every_phase_has_a_colour_of_the_legend(void **state)
{
  (void)state;
  struct fixture *fixture = begin();
  kiln_html_legend(&fixture->html);
  for (int i = 0; i < KILN_PHASE_COUNT; i++) {
    char swatch[64];
    snprintf(swatch, sizeof swatch, "<i class=\"%s\">", kiln_html_phase_class((enum kiln_phase)i));
    assert_non_null(strstr(kiln_buf_text(&fixture->out), swatch));
  }
  assert_string_equal(kiln_html_phase_class(KILN_PHASE_PCH), "p-header");
  assert_string_equal(kiln_html_phase_class(KILN_PHASE_REST), "p-rest");
  kiln_buf_release(&fixture->out);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_number_has_its_interval_and_n),
      cmocka_unit_test(backticks_become_code),
      cmocka_unit_test(a_place_has_its_folder_apart),
      cmocka_unit_test(the_shown_sample_is_the_median_one),
      cmocka_unit_test(ticks_are_few_and_round),
      cmocka_unit_test(every_phase_has_a_colour_of_the_legend),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
