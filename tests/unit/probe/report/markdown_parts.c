#include "probe/report/markdown_parts.h"
#include "unit/probe/made.h"

static void
is_text(const char *text, const char *expected)
{
  struct kiln_buf out;
  kiln_buf_init(&out);
  kiln_markdown_text(&out, text);
  assert_string_equal(kiln_buf_text(&out), expected);
  kiln_buf_release(&out);
}

static void
test_text_is_shown_as_it_is(void **state)
{
  (void)state;
  is_text("module __main__ [1] <b> a|b ~x # $y", "module \\_\\_main\\_\\_ \\[1\\] \\<b\\> a\\|b \\~x \\# \\$y");
  is_text("kernel `a_b` of `x", "kernel `a_b` of \\`x");
  is_text("`` twice", "\\`\\` twice");
  is_text("see @wp.kernel, a@b and (@user)", "see `@wp.kernel`, a@b and (`@user`)");
  is_text("a\nb\033[1m", "a b?\\[1m");
  is_text(NULL, "-");
}

static void
is_code(const char *text, const char *expected)
{
  struct kiln_buf out;
  kiln_buf_init(&out);
  kiln_markdown_code(&out, text);
  assert_string_equal(kiln_buf_text(&out), expected);
  kiln_buf_release(&out);
}

static void
test_code(void **state)
{
  (void)state;
  is_code("python a_b.py", "`python a_b.py`");
  is_code("a`b", "`` a`b ``");
  is_code("a|b", "`a\\|b`");
}

static void
test_intervals(void **state)
{
  (void)state;
  struct kiln_buf out;
  kiln_buf_init(&out);
  kiln_markdown_interval(&out, (struct kiln_interval){2.5, 2, 3, 3});
  kiln_buf_text_append(&out, "; ");
  kiln_markdown_interval(&out, (struct kiln_interval){2.5, 2.5, 2.5, 1});
  kiln_buf_text_append(&out, "; ");
  kiln_markdown_interval(&out, (struct kiln_interval){0, 0, 0, 0});
  assert_string_equal(kiln_buf_text(&out), "2.50 s (2.00 s to 3.00 s, n = 3); 2.50 s (n = 1); -");
  kiln_buf_release(&out);
}

static void
test_places_are_seen_from_the_folder(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  struct kiln_buf out;
  kiln_buf_init(&out);
  report->folder = "/home/somebody";
  kiln_markdown_place(&out, report, AT(12));
  assert_string_equal(kiln_buf_text(&out), "`app.py:12`");
  kiln_buf_release(&out);
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_text_is_shown_as_it_is),
      cmocka_unit_test(test_code),
      cmocka_unit_test(test_intervals),
      cmocka_unit_test(test_places_are_seen_from_the_folder),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
