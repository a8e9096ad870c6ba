#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probe/report/html.h"

static void
expect(const struct kiln_html *html, const char *text)
{
  assert_false(html->out->failed);
  assert_string_equal(kiln_buf_text(html->out), text);
}

static void
escapes_text_and_values(void **state)
{
  (void)state;
  struct kiln_buf out;
  struct kiln_html html;
  kiln_buf_init(&out);
  kiln_html_init(&html, &out);
  kiln_html_open(&html, "b", NULL);
  kiln_html_attr(&html, "title", "\"><script>'&");
  kiln_html_text(&html, "<script>\"&'</script>");
  kiln_html_finish(&html);
  expect(&html, "<b title=\"&quot;&gt;&lt;script&gt;&#39;&amp;\">&lt;script&gt;&quot;&amp;&#39;&lt;/script&gt;</b>");
  kiln_buf_release(&out);
}

static void
replaces_what_is_no_text(void **state)
{
  (void)state;
  static const char *const cases[][2] = {
      {"a\x01z", "a\xef\xbf\xbdz"},                                         /* control */
      {"a\xffz", "a\xef\xbf\xbdz"},                                         /* no UTF-8 */
      {"a\xc0\xbcz", "a\xef\xbf\xbd\xef\xbf\xbdz"},                         /* '<' written too long */
      {"a\xed\xa0\x80z", "a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz"},         /* half of a pair */
      {"a\xe2\x80\xaez", "a\xef\xbf\xbdz"},                                 /* turns the line around */
      {"a\xe2\x82", "a\xef\xbf\xbd\xef\xbf\xbd"},                           /* cut */
      {"caf\xc3\xa9 \xf0\x9f\x94\xa5\n", "caf\xc3\xa9 \xf0\x9f\x94\xa5\n"}, /* fine */
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct kiln_buf out;
    struct kiln_html html;
    kiln_buf_init(&out);
    kiln_html_init(&html, &out);
    kiln_html_text(&html, cases[i][0]);
    expect(&html, cases[i][1]);
    kiln_buf_release(&out);
  }
}

static void
nests_and_closes(void **state)
{
  (void)state;
  struct kiln_buf out;
  struct kiln_html html;
  kiln_buf_init(&out);
  kiln_html_init(&html, &out);
  kiln_html_open(&html, "td", "number");
  kiln_html_attr_number(&html, "data-sort", 0.25, "");
  kiln_html_attr(&html, "title", NULL);
  kiln_html_open(&html, "i", NULL);
  kiln_html_close(&html);
  kiln_html_leaff(&html, "b", NULL, "%d <", 3);
  kiln_html_finish(&html);
  expect(&html, "<td class=\"number\" data-sort=\"0.25\"><i></i><b>3 &lt;</b></td>");
  kiln_html_close(&html); /* nothing is open: nothing happens */
  expect(&html, "<td class=\"number\" data-sort=\"0.25\"><i></i><b>3 &lt;</b></td>");
  kiln_buf_release(&out);
}

static void
shapes_stay_within_the_picture(void **state)
{
  (void)state;
  struct kiln_buf out;
  struct kiln_html html;
  kiln_buf_init(&out);
  kiln_html_init(&html, &out);
  kiln_svg_rect(&html, "c", -10, 1, 25, 8, "a<b");
  kiln_svg_rect(&html, "c", 90, 1, 50, 8, NULL);
  kiln_svg_rect(&html, "c", 0.0 / 1, 1, 1e300 * 1e300, 8, NULL);
  expect(&html, "<rect class=\"c\" x=\"0%\" y=\"1\" width=\"15%\" height=\"8\"><title>a&lt;b</title></rect>"
                "<rect class=\"c\" x=\"90%\" y=\"1\" width=\"10%\" height=\"8\"></rect>"
                "<rect class=\"c\" x=\"0%\" y=\"1\" width=\"100%\" height=\"8\"></rect>");
  kiln_buf_release(&out);
}

static void
too_deep_is_a_failure(void **state)
{
  (void)state;
  struct kiln_buf out;
  struct kiln_html html;
  kiln_buf_init(&out);
  kiln_html_init(&html, &out);
  for (int i = 0; i <= KILN_HTML_DEPTH; i++)
    kiln_html_open(&html, "b", NULL);
  assert_true(out.failed);
  kiln_html_finish(&html);
  kiln_buf_release(&out);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(escapes_text_and_values),
      cmocka_unit_test(replaces_what_is_no_text),
      cmocka_unit_test(nests_and_closes),
      cmocka_unit_test(shapes_stay_within_the_picture),
      cmocka_unit_test(too_deep_is_a_failure),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
