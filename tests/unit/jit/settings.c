/* Where each value comes from, and that malformed ones are refused with value and variable. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <stdio.h>

#include "jit/context.h"
#include "jit/settings.h"

static const char *const variables[] = {"KILN_JOBS", "KILN_MEMORY", "KILN_JOB_MEMORY", "KILN_LOW_PRIORITY",
    "KILN_BUDGET_DIR", "KILN_SYSTEM_ROOT", "KILN_CACHE_DIR", "XDG_CACHE_HOME", "KILN_CACHE_LAYERS", "KILN_CACHE_LIMIT",
    "KILN_CACHE", "KILN_JIT", "KILN_DEBUG", "KILN_KEEP", "KILN_SYNC", "KILN_WORKSPACE", "KILN_CC", "KILN_LAUNCHER",
    "KILN_EXTRA_FLAGS", "KILN_LIBEXEC", "KILN_WAIT_LIMIT", "KILN_EVENTS", "KILN_CUDA", "KILN_ARCHS", NULL};

static int
set_up(void **state)
{
  (void)state;
  for (size_t i = 0; variables[i]; i++)
    unsetenv(variables[i]);
  setenv("HOME", "/nowhere/home", 1);
  return 0;
}

static const struct kiln_setting *
setting(const struct kiln *kiln, const char *name)
{
  for (size_t i = 0; kiln_setting_at(kiln, i); i++)
    if (strcmp(kiln_setting_at(kiln, i)->name, name) == 0)
      return kiln_setting_at(kiln, i);
  return NULL;
}

/* What one setting is, and says that it comes from. */
static void
expect(const struct kiln_options *options, const char *name, const char *value, const char *source)
{
  struct kiln *kiln;
  struct kiln_error error;
  if (kiln_new(options, &kiln, &error) != KILN_OK)
    fail_msg("%s", error.what);
  const struct kiln_setting *found = setting(kiln, name);
  assert_non_null(found);
  assert_string_equal(found->value, value);
  assert_string_equal(found->source, source);
  kiln_free(kiln);
}

static void
refuse(const struct kiln_options *options, const char *first, const char *second)
{
  struct kiln *kiln;
  struct kiln_error error = {0};
  assert_int_equal(kiln_new(options, &kiln, &error), KILN_ERROR_ARGUMENT);
  assert_null(kiln);
  if (!strstr(error.what, first) || !strstr(error.what, second))
    fail_msg("'%s' does not name '%s' and '%s'", error.what, first, second);
}

static void
test_place_of_the_cache(void **state)
{
  struct kiln_options options;
  (void)state;
  expect(NULL, "cache_folder", "/nowhere/home/.cache/kiln", "HOME");
  setenv("XDG_CACHE_HOME", "/nowhere/xdg/", 1);
  expect(NULL, "cache_folder", "/nowhere/xdg//kiln", "XDG_CACHE_HOME");
  setenv("XDG_CACHE_HOME", "relative", 1);
  expect(NULL, "cache_folder", "/nowhere/home/.cache/kiln", "HOME");
  setenv("KILN_CACHE_DIR", "/nowhere/cache/", 1);
  expect(NULL, "cache_folder", "/nowhere/cache", "KILN_CACHE_DIR");
  kiln_options_init(&options);
  options.cache_folder = "/nowhere/explicit";
  expect(&options, "cache_folder", "/nowhere/explicit", "option");
  options.cache_folder = "relative";
  refuse(&options, "cache_folder", "'relative'");
  setenv("KILN_CACHE_DIR", "relative/too", 1);
  refuse(NULL, "KILN_CACHE_DIR", "'relative/too'");
}

static void
test_no_home(void **state)
{
  struct kiln *kiln;
  (void)state;
  setenv("HOME", "relative", 1);
  expect(NULL, "cache_folder", "", "default");
  unsetenv("HOME");
  assert_int_equal(kiln_new(NULL, &kiln, NULL), KILN_OK);
  assert_null(kiln->store);
  assert_null(kiln->options.workspace);
  kiln_free(kiln);
}

static void
test_switches(void **state)
{
  struct kiln_options options;
  struct kiln *kiln;
  (void)state;
  expect(NULL, "reuse", "on", "default");
  expect(NULL, "keep", "off", "default");
  setenv("KILN_CACHE", "off", 1);
  setenv("KILN_KEEP", "1", 1);
  expect(NULL, "reuse", "off", "KILN_CACHE");
  assert_int_equal(kiln_new(NULL, &kiln, NULL), KILN_OK);
  assert_int_equal(kiln->options.reuse, KILN_OFF);
  assert_int_equal(kiln->options.keep, KILN_ON);
  assert_int_equal(kiln->options.jit, KILN_ON);
  kiln_free(kiln);
  kiln_options_init(&options);
  options.reuse = KILN_ON;
  expect(&options, "reuse", "on", "option");
  setenv("KILN_CACHE", "maybe", 1);
  refuse(NULL, "KILN_CACHE", "'maybe'");
  setenv("KILN_CACHE", "", 1); /* empty: as unset */
  expect(NULL, "reuse", "on", "default");
}

static uint64_t
limit_of(const char *text)
{
  struct kiln *kiln;
  setenv("KILN_CACHE_LIMIT", text, 1);
  if (kiln_new(NULL, &kiln, NULL) != KILN_OK)
    return 0;
  const uint64_t limit = kiln->options.cache_limit_bytes;
  kiln_free(kiln);
  return limit;
}

static void
test_budget(void **state)
{
  static const char *const wrong[] = {"0", "-1", "4097", "two", "1.5", "8 "};
  struct kiln_options options;
  struct kiln *kiln;
  (void)state;
  expect(NULL, "jobs", "auto", "default");
  expect(NULL, "memory", "auto", "default");
  expect(NULL, "low_priority", "on", "default");
  setenv("KILN_JOBS", "4096", 1);
  setenv("KILN_MEMORY", "16G", 1);
  setenv("KILN_JOB_MEMORY", "unlimited", 1);
  expect(NULL, "jobs", "4096", "KILN_JOBS");
  assert_int_equal(kiln_new(NULL, &kiln, NULL), KILN_OK);
  assert_int_equal(kiln->options.jobs, 4096);
  assert_int_equal(kiln->options.memory_bytes, (uint64_t)16 << 30);
  assert_true(kiln->options.job_memory_bytes == UINT64_MAX);
  assert_string_equal(kiln_setting_source(kiln, "memory"), "KILN_MEMORY");
  assert_string_equal(kiln_setting_source(kiln, "no such setting"), "default");
  kiln_free(kiln);
  setenv("KILN_MEMORY", "auto", 1);
  kiln_options_init(&options);
  options.jobs = 3;
  expect(&options, "jobs", "3", "option");
  options.jobs = 5000;
  refuse(&options, "jobs", "'5000'");
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char quoted[16];
    snprintf(quoted, sizeof quoted, "'%s'", wrong[i]);
    setenv("KILN_JOBS", wrong[i], 1);
    refuse(NULL, "KILN_JOBS", quoted);
  }
  setenv("KILN_JOBS", "auto", 1);
  setenv("KILN_MEMORY", "much", 1);
  refuse(NULL, "KILN_MEMORY", "'much'");
}

static void
test_sizes(void **state)
{
  (void)state;
  assert_int_equal(limit_of("1"), 1);
  assert_int_equal(limit_of("8K"), 8192);
  assert_int_equal(limit_of("3T"), 3ull << 40);
  assert_int_equal(limit_of("unlimited"), UINT64_MAX);
  assert_int_equal(limit_of("0"), 0);
  assert_int_equal(limit_of("G"), 0);
  assert_int_equal(limit_of("-1G"), 0);
  assert_int_equal(limit_of("1.5G"), 0);
  assert_int_equal(limit_of("16777216T"), 0);
  assert_int_equal(limit_of("18446744073709551616"), 0);
  refuse(NULL, "KILN_CACHE_LIMIT", "'18446744073709551616'");
  unsetenv("KILN_CACHE_LIMIT");
  expect(NULL, "cache_limit", "8G", "default");
}

static void
test_others(void **state)
{
  struct kiln *kiln;
  (void)state;
  setenv("KILN_WAIT_LIMIT", "2.5", 1);
  setenv("KILN_CC", "gcc", 1);
  setenv("KILN_CACHE_LAYERS", "/nowhere/a:/nowhere/b", 1);
  assert_int_equal(kiln_new(NULL, &kiln, NULL), KILN_OK);
  assert_true(kiln->options.wait_limit_s == 2.5);
  assert_string_equal(kiln->options.compiler, "gcc");
  assert_string_equal(kiln->options.layers[0], "/nowhere/a");
  assert_string_equal(kiln->options.layers[1], "/nowhere/b");
  assert_null(kiln->options.layers[2]);
  assert_string_equal(kiln->options.workspace, "/nowhere/home/.cache/kiln/workspace");
  kiln_free(kiln);
  setenv("KILN_CACHE_LAYERS", "/nowhere/a:b", 1);
  refuse(NULL, "KILN_CACHE_LAYERS", "'b'");
  unsetenv("KILN_CACHE_LAYERS");
  setenv("KILN_WAIT_LIMIT", "soon", 1);
  refuse(NULL, "KILN_WAIT_LIMIT", "'soon'");
  unsetenv("KILN_WAIT_LIMIT");
  setenv("KILN_LIBEXEC", "bin", 1);
  refuse(NULL, "KILN_LIBEXEC", "'bin'");
}

static void
test_toolkits(void **state)
{
  (void)state;
  setenv("KILN_CUDA", "/nowhere/cuda 13", 1);
  setenv("KILN_ARCHS", "8.0 9.0a", 1);
  expect(NULL, "cuda", "/nowhere/cuda 13", "KILN_CUDA");
  expect(NULL, "archs", "8.0 9.0a", "KILN_ARCHS");
  setenv("KILN_CUDA", "none", 1);
  expect(NULL, "cuda", "none", "KILN_CUDA");
  setenv("KILN_CUDA", "cuda-13.0", 1);
  refuse(NULL, "variable KILN_CUDA", "'cuda-13.0'");
  unsetenv("KILN_CUDA");
  setenv("KILN_ARCHS", "8.0 9", 1);
  refuse(NULL, "variable KILN_ARCHS: architecture '9' has no minor version", "'9'");
  unsetenv("KILN_ARCHS");
  const struct kiln_options options = {.size = sizeof options, .archs = "9.0b"};
  refuse(&options, "option archs: ", "'9.0b'");
}

static void
test_size_of_the_options(void **state)
{
  struct kiln_options options;
  struct kiln *kiln;
  (void)state;
  kiln_options_init(&options);
  options.size = sizeof options + 8;
  assert_int_equal(kiln_new(&options, &kiln, NULL), KILN_ERROR_ARGUMENT);
  options.size = 0;
  assert_int_equal(kiln_new(&options, &kiln, NULL), KILN_ERROR_ARGUMENT);
  /* A program that was built when the options were shorter. */
  kiln_options_init(&options);
  options.size = offsetof(struct kiln_options, log);
  options.jit = KILN_OFF;
  options.log = (void (*)(void *, enum kiln_log_level, const char *))1;
  assert_int_equal(kiln_new(&options, &kiln, NULL), KILN_OK);
  assert_int_equal(kiln->options.jit, KILN_OFF);
  assert_null(kiln->options.log);
  kiln_free(kiln);
}

#define TEST(function) cmocka_unit_test_setup(function, set_up)

int
main(void)
{
  const struct CMUnitTest tests[] = {TEST(test_place_of_the_cache), TEST(test_no_home), TEST(test_switches),
      TEST(test_sizes), TEST(test_budget), TEST(test_others), TEST(test_toolkits), TEST(test_size_of_the_options)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
