/* Words of a command, running it, and how it is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "jit/compile.h"
#include "unit/jit/fixture.h"

static void
test_words(void **state)
{
  struct kiln_words words = {0};
  (void)state;
  kiln_words_add(&words, "%s-%d", "a", 1);
  kiln_words_split(&words, "  -O2 -g\t-Wall ");
  kiln_words_split(&words, "");
  assert_int_equal(words.count, 4);
  assert_string_equal(words.items[0], "a-1");
  assert_string_equal(words.items[1], "-O2");
  assert_string_equal(words.items[3], "-Wall");
  assert_null(words.items[4]);
  assert_false(words.failed);
  kiln_words_release(&words);
  assert_int_equal(words.count, 0);
}

/* ---- a compile of the shell's ---- */

struct trial {
  struct kiln_spec *spec;
  struct kiln *kiln;
  struct kiln_build_input input;
  struct kiln_build_output output;
  struct kiln_compile compile;
  char folder[64], source[96];
  const char *paths[2], *roots[1];
};

static void
diagnose(const char *log, int exit_code, int signal, struct kiln_buf *first_error, const char **hint)
{
  (void)signal;
  kiln_buf_printf(first_error, "%zu bytes and status %d", strlen(log), exit_code);
  *hint = exit_code == 4 ? "Do otherwise." : "";
}

static bool
is_passing(const char *log, int exit_code, int signal)
{
  (void)log;
  (void)signal;
  return exit_code == 4;
}

static int
set_up(void **state)
{
  static struct trial trial;
  struct kiln_options options;
  trial = (struct trial){.folder = "/tmp/kiln-compile-XXXXXX"};
  kiln_options_init(&options);
  options.cache_folder = "/nowhere/cache";
  assert_non_null(mkdtemp(trial.folder));
  assert_int_equal(kiln_new(&options, &trial.kiln, NULL), KILN_OK);
  assert_int_equal(kiln_spec_new("scale", "hostcc", &trial.spec, NULL), KILN_OK);
  assert_int_equal(kiln_spec_add_source_file(trial.spec, "/home/u/scale.c", NULL), KILN_OK);
  snprintf(trial.source, sizeof trial.source, "%s/src/scale.c", trial.folder);
  trial.paths[0] = trial.source;
  trial.roots[0] = "/home/u";
  trial.input = (struct kiln_build_input){
      .spec = trial.spec, .folder = trial.folder, .source_paths = trial.paths, .roots = trial.roots, .root_count = 1};
  kiln_build_output_init(&trial.output);
  trial.compile = (struct kiln_compile){.kiln = trial.kiln,
      .input = &trial.input,
      .output = &trial.output,
      .diagnose = diagnose,
      .is_passing = is_passing};
  kiln_environment_init(&trial.compile.environment);
  kiln_environment_set(&trial.compile.environment, "ONLY", "this");
  *state = &trial;
  return 0;
}

static int
tear_down(void **state)
{
  struct trial *trial = *state;
  kiln_environment_release(&trial->compile.environment);
  kiln_build_output_release(&trial->output);
  kiln_spec_free(trial->spec);
  kiln_free(trial->kiln);
  kiln_folder_remove(trial->folder, NULL);
  return 0;
}

static enum kiln_status
run(struct trial *trial, const char *script, struct kiln_error *error)
{
  struct kiln_words words = {0};
  kiln_words_add(&words, "/bin/sh");
  kiln_words_add(&words, "-c");
  kiln_words_add(&words, "%s", script);
  kiln_words_add(&words, "%s", trial->source);
  const enum kiln_status status = kiln_compile_run(&trial->compile, &words, error);
  kiln_compile_show(&trial->compile, &words, "/bin/", " -instead");
  kiln_words_release(&words);
  return status;
}

static void
test_passes(void **state)
{
  struct trial *trial = *state;
  assert_int_equal(run(trial, "echo \"$0:1: warning in $ONLY$HOME\"", NULL), KILN_OK);
  /* The source as the user knows it, and nothing of this process's environment. */
  assert_string_equal(kiln_buf_text(&trial->output.log), "/home/u/scale.c:1: warning in this\n");
  assert_string_equal(kiln_buf_text(&trial->output.first_error), "");
  assert_non_null(strstr(kiln_buf_text(&trial->output.command), "src/scale.c -instead"));
  assert_null(strstr(kiln_buf_text(&trial->output.command), trial->folder));
  assert_null(strstr(kiln_buf_text(&trial->output.command), "/bin/"));
  assert_int_equal(run(trial, "true", NULL), KILN_OK);
  assert_non_null(strstr(kiln_buf_text(&trial->output.command), " -instead && -c true"));
}

static void
test_fails(void **state)
{
  struct trial *trial = *state;
  struct kiln_error error = {0};
  assert_int_equal(run(trial, "echo wrong; exit 3", &error), KILN_ERROR_COMMAND);
  assert_string_equal(error.what, "compiling 'scale' failed: 6 bytes and status 3");
  assert_non_null(strstr(error.remedy, "KILN_KEEP=1"));
  assert_int_equal(trial->output.exit_code, 3);
  assert_false(trial->output.passing);
  kiln_buf_clear(&trial->output.first_error);
  assert_int_equal(run(trial, "exit 4", &error), KILN_ERROR_COMMAND);
  assert_string_equal(error.remedy, "Do otherwise.");
  assert_true(trial->output.passing);
}

static void
test_incomplete_words(void **state)
{
  struct trial *trial = *state;
  struct kiln_words words = {.failed = true};
  assert_int_equal(kiln_compile_run(&trial->compile, &words, NULL), KILN_ERROR_MEMORY);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_words), TEST(test_passes), TEST(test_fails), TEST(test_incomplete_words)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
