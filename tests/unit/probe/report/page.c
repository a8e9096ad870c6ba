#include "unit/probe/made.h"

#include "probe/report/page.h"

static struct kiln_buf out;

static int
set_up(void **state)
{
  (void)state;
  kiln_buf_init(&out);
  return 0;
}

static int
tear_down(void **state)
{
  (void)state;
  kiln_buf_release(&out);
  return 0;
}

static void
shortens_in_the_middle(void **state)
{
  (void)state;
  kiln_page_shorten(&out, "abcdefghij", 10);
  assert_string_equal(kiln_buf_text(&out), "abcdefghij");
  kiln_buf_clear(&out);
  kiln_page_shorten(&out, "abcdefghij", 7);
  assert_string_equal(kiln_buf_text(&out), "abc…hij");
  kiln_buf_clear(&out);
  kiln_page_shorten(&out, "éééééééééé", 4);
  assert_string_equal(kiln_buf_text(&out), "éé…é");
  kiln_buf_clear(&out);
  kiln_page_shorten(&out, "abc", 1);
  assert_string_equal(kiln_buf_text(&out), "…");
  kiln_buf_clear(&out);
  kiln_page_shorten(&out, NULL, 5);
  assert_string_equal(kiln_buf_text(&out), "-");
}

static void
cleans_what_is_not_text(void **state)
{
  (void)state;
  kiln_page_clean(&out, "a\tb\x01\x7f\xc2\x9b\xc3\xa9\xe2\x82\xf5z");
  assert_string_equal(kiln_buf_text(&out), "a b???\xc3\xa9???z");
}

static void
pads_by_columns(void **state)
{
  (void)state;
  kiln_page_pad(&out, "é", 3, false);
  kiln_page_pad(&out, "é", 3, true);
  kiln_page_pad(&out, "long", 2, true);
  assert_string_equal(kiln_buf_text(&out), "é    élong");
}

static void
wraps_under_the_text(void **state)
{
  (void)state;
  struct kiln_page page;
  kiln_page_init(&page, &out, 10, false);
  assert_int_equal(page.columns, KILN_PAGE_MIN);
  page.columns = 12;
  kiln_page_labelled(&page, KILN_STYLE_BOLD, 1, "id", 4, "one two three");
  assert_string_equal(kiln_buf_text(&out), " id  one two\n     three\n");
  kiln_buf_clear(&out);
  kiln_page_text(&page, KILN_STYLE_PLAIN, 2, 4, "abcdefghijklmnopqr st");
  assert_string_equal(kiln_buf_text(&out), "  abcdefghij\n    klmnopqr\n    st\n");
  kiln_buf_clear(&out);
  kiln_page_text(&page, KILN_STYLE_PLAIN, 2, 2, "at /a/long/folder/app.py:7");
  assert_string_equal(kiln_buf_text(&out), "  at\n  /a/long/\n  folder/\n  app.py:7\n");
  kiln_buf_clear(&out);
  kiln_page_text(&page, KILN_STYLE_PLAIN, 2, 2, "/abcdefghijklm");
  assert_string_equal(kiln_buf_text(&out), "  /abcdefghi\n  jklm\n");
  kiln_buf_clear(&out);
  kiln_page_text(&page, KILN_STYLE_PLAIN, 2, 4, "");
  assert_string_equal(kiln_buf_text(&out), "  \n");
}

static void
shows_places_from_its_folder(void **state)
{
  (void)state;
  static const struct {
    const char *folder, *file, *seen;
  } cases[] = {{"/home/me", "/home/me/app.py", "app.py:7"}, {"/home/me", "/home/me/src/app.py", "src/app.py:7"},
      {"/home/me", "/home/mean/app.py", "/home/mean/app.py:7"}, {"/home/me", "/home/me", "/home/me:7"},
      {"/home/me", "app.py", "app.py:7"}, {"/", "/app.py", "/app.py:7"}, {NULL, "/app.py", "/app.py:7"}};
  struct kiln_page page;
  kiln_page_init(&page, &out, 60, false);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    page.folder = cases[i].folder;
    kiln_buf_clear(&out);
    kiln_page_place(&page, cases[i].file, 7, &out);
    assert_string_equal(kiln_buf_text(&out), cases[i].seen);
  }
}

static void
colour_surrounds_each_line(void **state)
{
  (void)state;
  struct kiln_page page;
  kiln_page_init(&page, &out, 60, true);
  page.columns = 5;
  kiln_page_text(&page, KILN_STYLE_BOLD, 0, 0, "abc def");
  assert_string_equal(kiln_buf_text(&out), "\033[1mabc\033[0m\n\033[1mdef\033[0m\n");
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(shortens_in_the_middle, set_up, tear_down),
      cmocka_unit_test_setup_teardown(cleans_what_is_not_text, set_up, tear_down),
      cmocka_unit_test_setup_teardown(pads_by_columns, set_up, tear_down),
      cmocka_unit_test_setup_teardown(wraps_under_the_text, set_up, tear_down),
      cmocka_unit_test_setup_teardown(shows_places_from_its_folder, set_up, tear_down),
      cmocka_unit_test_setup_teardown(colour_surrounds_each_line, set_up, tear_down)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
