#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "jit/toolchain/nvrtc/nvrtc.h"

struct seen {
  char text[2000];
  const char *source;
  size_t stop_after;
};

static bool
visit(void *context, const struct kiln_scan_hit *hit)
{
  static const char *const kinds[] = {"include", "next", "asks", "macro", "defines"};
  struct seen *seen = context;
  const size_t len = strlen(seen->text);
  snprintf(seen->text + len, sizeof seen->text - len, "%s %c%.*s%s%.*s;", kinds[hit->kind], hit->open ? hit->open : '-',
      (int)(hit->end - hit->begin), seen->source + hit->begin, hit->kind == KILN_SCAN_DEFINES ? " by " : "",
      (int)hit->macro_len, hit->macro ? hit->macro : "");
  return --seen->stop_after > 0;
}

static const struct {
  const char *text, *seen;
} rows[] = {
    {"", ""},
    {"#include \"a.h\"", "include \"a.h;"},
    {"#include <sub/a.h>\n", "include <sub/a.h;"},
    {"  #  include\t<a.h> // x\n", "include <a.h;"},
    {"#/* c */include/* c */\"a.h\"\n", "include \"a.h;"},
    {"/* #include <no.h> */ int x;\n#include <a.h>\n", "include <a.h;"},
    {"/* over\n#include <no.h>\n*/ #include <a.h>\n", "include <a.h;"},
    {"// #include <no.h>\n// \\\n#include <no.h>\n#include <a.h>\n", "include <a.h;"},
    {"// a /* b\n#include <a.h>\n// R\"(\n#include <b.h>\n", "include <a.h;include <b.h;"},
    {"char *s = \"#include <no.h>\";\n", ""},
    {"char *s = \"\\\"\\\n#include <no.h>\\\n\";\n#include <a.h>\n", "include <a.h;"},
    {"auto s = R\"x(\n#include <no.h>\n)\" \n#include <no.h>\n)x\";\n#include <a.h>\n", "include <a.h;"},
    {"auto s = u8R\"(\n#include <no.h>\n)\";\n#include <a.h>\n", "include <a.h;"},
    {"int xR = 1; char c = '\"';\n#include <a.h>\n", "include <a.h;"},
    {"int n = 1'000'000;\n#include <a.h>\n", "include <a.h;"},
    {"#error don't\n#include <a.h>\n", "include <a.h;"},
    {"#include_next <a.h>\n", "next <a.h;"},
    {"#include NAME\n#include NAME(x)\n", "macro -NAME;macro -NAME;"},
    {"#if __has_include(<a.h>) && __has_include( \"b.h\" )\n#endif\n", "asks <a.h;asks \"b.h;"},
    {"#ifdef X\n#elif __has_include_next(<a.h>)\n#endif\n", "asks <a.h;"},
    {"#define NAME <a/b.h>\n", "defines <a/b.h by NAME;"},
    {"#define NAME \"b.h\" // x\n#define F(x) \"c.h\"\n", "defines \"b.h by NAME;"},
    {"#define ROOT thrust/system\n#define N 5\n#define W two words\n", "defines -thrust/system by ROOT;"},
    {"#include <a.h\n#include \"\"\n#include <b.h>\n", "include <b.h;"},
    {"#include\n<a.h>\n", ""},
    {"#incl\\\nude <a.h>\n", ""}, /* a name that is spliced is nobody's */
    {"x # include <a.h>\n", ""},
    {"/* never closed\n#include <a.h>", ""},
    {"char c = '\\", ""},
    {"R\"(", ""},
};

static void
test_rows(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct seen seen = {.source = rows[i].text, .stop_after = 100};
    assert_true(kiln_scan_includes(rows[i].text, strlen(rows[i].text), visit, &seen));
    if (strcmp(seen.text, rows[i].seen) != 0)
      fail_msg("row %zu '%s': '%s', not '%s'", i, rows[i].text, seen.text, rows[i].seen);
  }
}

/* Every beginning of every row, in memory of exactly that length. */
static void
test_cut_anywhere(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (size_t len = 0; len <= strlen(rows[i].text); len++) {
      char *copy = malloc(len + 1);
      memcpy(copy, rows[i].text, len);
      char *exact = realloc(copy, len ? len : 1);
      struct seen seen = {.source = exact, .stop_after = 100};
      assert_true(kiln_scan_includes(exact, len, visit, &seen));
      free(exact);
    }
}

static void
test_stops(void **state)
{
  static const char text[] = "#include <a.h>\n#include <b.h>\n";
  struct seen seen = {.source = text, .stop_after = 1};
  (void)state;
  assert_false(kiln_scan_includes(text, sizeof text - 1, visit, &seen));
  assert_string_equal(seen.text, "include <a.h;");
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rows), cmocka_unit_test(test_cut_anywhere), cmocka_unit_test(test_stops)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
