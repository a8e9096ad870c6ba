/* What a spec takes and refuses, and that a refusal quotes the value. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "jit/spec.h"

static int
set_up(void **state)
{
  return kiln_spec_new("scale", "hostcc", (struct kiln_spec **)state, NULL) == KILN_OK ? 0 : -1;
}

static int
tear_down(void **state)
{
  kiln_spec_free(*state);
  return 0;
}

static void
test_names(void **state)
{
  static const char *const bad[] = {"", "a/b", "a b", "ä", "a\n", NULL};
  char longest[202];
  struct kiln_spec *spec;
  struct kiln_error error;
  (void)state;
  for (size_t i = 0; bad[i]; i++) {
    assert_int_equal(kiln_spec_new(bad[i], "hostcc", &spec, &error), KILN_ERROR_ARGUMENT);
    assert_null(spec);
    assert_non_null(strstr(error.what, bad[i]));
  }
  memset(longest, 'a', sizeof longest - 1);
  longest[201] = '\0';
  assert_int_equal(kiln_spec_new(longest, "hostcc", &spec, NULL), KILN_ERROR_ARGUMENT);
  longest[200] = '\0';
  assert_int_equal(kiln_spec_new(longest, "hostcc", &spec, NULL), KILN_OK);
  kiln_spec_free(spec);
}

static void
test_toolchains(void **state)
{
  struct kiln_spec *spec;
  struct kiln_error error;
  (void)state;
  assert_int_equal(kiln_spec_new("a", "icc", &spec, &error), KILN_ERROR_ARGUMENT);
  assert_non_null(strstr(error.what, "'icc'"));
  assert_non_null(strstr(error.remedy, "hostcc"));
}

static void
test_source_names(void **state)
{
  static const char *const bad[] = {"", "/a.c", "../a.c", "a/../b.c", "a//b.c", "./a.c", "a/", "a\tb.c", NULL};
  struct kiln_spec *spec = *state;
  struct kiln_error error;
  for (size_t i = 0; bad[i]; i++)
    assert_int_equal(kiln_spec_add_source(spec, bad[i], "", 0, &error), KILN_ERROR_ARGUMENT);
  assert_int_equal(spec->source_count, 0);
  assert_int_equal(kiln_spec_add_source(spec, "a/b..c.c", "x", 1, NULL), KILN_OK);
  assert_int_equal(kiln_spec_add_source_file(spec, "/somewhere/a.c", NULL), KILN_OK);
  assert_int_equal(kiln_spec_add_source(spec, "a.c", "x", 1, &error), KILN_ERROR_ARGUMENT);
  assert_non_null(strstr(error.what, "two sources called 'a.c'"));
  assert_int_equal(spec->source_count, 2);
  assert_string_equal(spec->sources[1].path, "/somewhere/a.c");
}

static void
test_text_is_copied(void **state)
{
  struct kiln_spec *spec = *state;
  char text[] = "int x;";
  assert_int_equal(kiln_spec_add_source(spec, "a.c", text, 6, NULL), KILN_OK);
  memset(text, 0, sizeof text);
  assert_int_equal(spec->sources[0].len, 6);
  assert_string_equal(spec->sources[0].text, "int x;");
}

static void
test_flags(void **state)
{
  static const char *const bad[] = {"", "a.c", "-o", "-oout", "-c", "-S", "-E", "-x", "-xc++", "-wrapper", "@file", "-",
      "-I/usr", "-B/x", "-fplugin=x", "-specs=x", "-fuse-ld=gold", "-MD", "-MF", "-Wp,-MD", "-march=native",
      "-save-temps", "-a\nb", NULL};
  static const char *const good[] = {"-O2", "-ffast-math", "-fopenmp", "-Wall", "-funroll-loops", "-std=gnu11", NULL};
  struct kiln_spec *spec = *state;
  struct kiln_error error;
  for (size_t i = 0; bad[i]; i++) {
    if (kiln_spec_add_flag(spec, bad[i], &error) != KILN_ERROR_ARGUMENT)
      fail_msg("'%s' was taken", bad[i]);
    assert_non_null(strstr(error.what, bad[i]));
    assert_true(error.remedy[0] != '\0');
  }
  for (size_t i = 0; good[i]; i++)
    assert_int_equal(kiln_spec_add_flag(spec, good[i], NULL), KILN_OK);
  assert_int_equal(spec->flags.count, 6);
  assert_string_equal(spec->flags.items[5], "-std=gnu11");
  assert_int_equal(kiln_spec_add_link(spec, "-o", NULL), KILN_ERROR_ARGUMENT);
  assert_int_equal(kiln_spec_add_link(spec, "-lm", NULL), KILN_OK);
}

static void
test_words(void **state)
{
  struct kiln_spec *spec = *state;
  assert_int_equal(kiln_spec_add_define(spec, "N=4 + 4", NULL), KILN_OK);
  assert_int_equal(kiln_spec_add_define(spec, "N", NULL), KILN_OK);
  assert_int_equal(kiln_spec_add_define(spec, "=4", NULL), KILN_ERROR_ARGUMENT);
  assert_int_equal(kiln_spec_add_define(spec, "4N", NULL), KILN_ERROR_ARGUMENT);
  assert_int_equal(kiln_spec_add_define(spec, "N(x)=x", NULL), KILN_ERROR_ARGUMENT);
  assert_int_equal(kiln_spec_add_entry_point(spec, "f_1", NULL), KILN_OK);
  assert_int_equal(kiln_spec_add_entry_point(spec, "f-1", NULL), KILN_ERROR_ARGUMENT);
  assert_int_equal(kiln_spec_add_entry_point(spec, "", NULL), KILN_ERROR_ARGUMENT);
  assert_int_equal(kiln_spec_add_arch(spec, "x86-64-v3", NULL), KILN_OK);
  assert_int_equal(kiln_spec_add_arch(spec, "a/b", NULL), KILN_ERROR_ARGUMENT);
  assert_int_equal(kiln_spec_add_include(spec, "", NULL), KILN_ERROR_ARGUMENT);
  assert_int_equal(kiln_spec_add_include(spec, "/usr/include", NULL), KILN_OK);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int
main(void)
{
  const struct CMUnitTest tests[] = {TEST(test_names), TEST(test_toolchains), TEST(test_source_names),
      TEST(test_text_is_copied), TEST(test_flags), TEST(test_words)};
  kiln_spec_free(NULL);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
