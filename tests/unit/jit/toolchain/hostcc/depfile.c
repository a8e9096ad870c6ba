/* Dependency files as gcc, clang and ld write them, and as nobody should. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "jit/toolchain/hostcc/hostcc.h"

struct names {
  char text[1024];
};

static bool
take(void *context, const char *path, size_t len)
{
  struct names *names = context;
  assert_int_equal(strlen(path), len);
  strcat(names->text, "[");
  strncat(names->text, path, 900);
  strcat(names->text, "]");
  return true;
}

static void
expect(const char *text, const char *known, const char *names)
{
  struct names found = {""};
  struct kiln_buf buf;
  kiln_buf_init(&buf);
  kiln_buf_text_append(&buf, text);
  assert_int_equal(kiln_depfile_read(&buf, &known, known ? 1 : 0, take, &found, NULL), KILN_OK);
  assert_string_equal(found.text, names);
  kiln_buf_release(&buf);
}

static void
test_plain(void **state)
{
  (void)state;
  expect("", NULL, "");
  expect("kiln: a.c b.h\n", NULL, "[a.c][b.h]");
  expect("kiln: a.c \\\n b.h \\\n  /usr/c.h\n", NULL, "[a.c][b.h][/usr/c.h]");
  expect("kiln: a.c \\\r\n b.h\r\n", NULL, "[a.c][b.h]");
  expect("kiln:", NULL, "");
  expect("kiln: a.c", NULL, "[a.c]");
  expect("o.so: \\\n  crti.o \\\n  c.o\n\ncrti.o:\n\nc.o:\n", NULL, "[crti.o][c.o]");
  expect("a b: c\nd: e\n", NULL, "[c][e]");
}

static void
test_escapes(void **state)
{
  (void)state;
  expect("kiln: a\\ b.c c\\#d.h e$$f.h g\\h.h i:j.h\n", NULL, "[a b.c][c#d.h][e$f.h][g\\h.h][i:j.h]");
  expect("kiln: C:\\\\x.h\n", NULL, "[C:\\\\x.h]");
}

static void
test_folders_that_cannot_be_written(void **state)
{
  (void)state;
  expect("kiln: /a\n\\ b/x.c /c.h\n", "/a\n b", "[/a\n b/x.c][/c.h]");
  expect("/a\n b/o.so: /a\n b/x.o \\\n  /c.o\n", "/a\n b", "[/a\n b/x.o][/c.o]");
  expect("kiln: /d$$\\#/x.c\n", "/d$#", "[/d$#/x.c]");
  expect("kiln: /ab/x.c\n", "/a", "[/ab/x.c]");
}

static bool
refuse(void *context, const char *path, size_t len)
{
  (void)context;
  (void)path;
  (void)len;
  return false;
}

static bool
accept_any(void *context, const char *path, size_t len)
{
  (void)context;
  (void)path;
  return len == 1;
}

static void
test_bounds(void **state)
{
  struct kiln_buf buf;
  (void)state;
  kiln_buf_init(&buf);
  kiln_buf_text_append(&buf, "kiln:");
  for (int i = 0; i <= KILN_REQUEST_MAX_DEPENDENCIES; i++)
    kiln_buf_text_append(&buf, " a");
  assert_int_equal(kiln_depfile_read(&buf, NULL, 0, refuse, NULL, NULL), KILN_ERROR_MEMORY);
  assert_int_equal(kiln_depfile_read(&buf, NULL, 0, accept_any, NULL, NULL), KILN_ERROR_FORMAT);
  buf.len -= 2;
  assert_int_equal(kiln_depfile_read(&buf, NULL, 0, accept_any, NULL, NULL), KILN_OK);
  kiln_buf_release(&buf);
}

/* Any bytes end. */
static void
test_any_bytes(void **state)
{
  static const char alphabet[] = "a:\\ \n\t\r$#/";
  uint32_t random = 7;
  (void)state;
  for (int round = 0; round < 3000; round++) {
    struct names found = {""};
    struct kiln_buf buf;
    const char *known = "/a $";
    kiln_buf_init(&buf);
    for (int i = 0; i < 40; i++) {
      random = random * 1664525 + 1013904223;
      kiln_buf_append(&buf, &alphabet[(random >> 16) % (sizeof alphabet - 1)], 1);
    }
    assert_int_equal(kiln_depfile_read(&buf, &known, 1, take, &found, NULL), KILN_OK);
    kiln_buf_release(&buf);
  }
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_plain), cmocka_unit_test(test_escapes),
      cmocka_unit_test(test_folders_that_cannot_be_written), cmocka_unit_test(test_bounds),
      cmocka_unit_test(test_any_bytes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
