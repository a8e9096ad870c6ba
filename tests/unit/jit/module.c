/* From a text to a call: built once, found again, shared by threads, and never loaded wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "jit/module.h"
#include "os/thread.h"
#include "tests/unit/jit/fixture.h"

static void
test_built_then_found(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_spec *spec = fixture_spec("int answer(void) { return 42; }\n");
  enum kiln_result result;
  assert_int_equal(fixture_answer(fixture, spec, &result), 42);
  assert_int_equal(result, KILN_RESULT_BUILT);
  assert_int_equal(fixture_answer(fixture, spec, &result), 42);
  fixture_open(fixture);
  assert_int_equal(fixture_answer(fixture, spec, &result), 42);
  assert_int_equal(result, KILN_RESULT_HIT);
  assert_int_equal(fixture_compiles(fixture), 1);
  kiln_spec_free(spec);
}

static void
test_found_without_compiler(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_spec *spec = fixture_spec("int answer(void) { return 7; }\n");
  struct kiln_spec *other = fixture_spec("int answer(void) { return 8; }\n");
  enum kiln_result result;
  assert_int_equal(fixture_answer(fixture, spec, NULL), 7);
  assert_int_equal(unlink(fixture->compiler), 0);
  fixture_open(fixture);
  assert_int_equal(fixture_answer(fixture, spec, &result), 7);
  assert_int_equal(result, KILN_RESULT_HIT);
  assert_int_equal(fixture_answer(fixture, other, NULL), -1);
  assert_int_equal(fixture->error.status, KILN_ERROR_NOT_FOUND);
  assert_non_null(strstr(fixture->error.what, fixture->compiler));
  kiln_spec_free(spec);
  kiln_spec_free(other);
}

static void
test_jit_off(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_spec *spec = fixture_spec("int answer(void) { return 9; }\n");
  enum kiln_result result;
  fixture->options.jit = KILN_OFF;
  fixture_open(fixture);
  assert_int_equal(fixture_answer(fixture, spec, NULL), -1);
  assert_int_equal(fixture->error.status, KILN_ERROR_NOT_FOUND);
  assert_non_null(strstr(fixture->error.what, "KILN_JIT=off"));
  fixture->options.jit = KILN_ON;
  fixture_open(fixture);
  assert_int_equal(fixture_answer(fixture, spec, NULL), 9);
  fixture->options.jit = KILN_OFF;
  fixture_open(fixture);
  assert_int_equal(fixture_answer(fixture, spec, &result), 9);
  assert_int_equal(result, KILN_RESULT_HIT);
  kiln_spec_free(spec);
}

static void
test_reuse_off_builds_again(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_spec *spec = fixture_spec("int answer(void) { return 3; }\n");
  enum kiln_result result;
  assert_int_equal(fixture_answer(fixture, spec, NULL), 3);
  fixture->options.reuse = KILN_OFF;
  fixture_open(fixture);
  assert_int_equal(fixture_answer(fixture, spec, &result), 3);
  assert_int_equal(result, KILN_RESULT_BUILT);
  assert_int_equal(fixture_compiles(fixture), 2);
  kiln_spec_free(spec);
}

static void
test_first_error(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_spec *spec = fixture_spec("int answer(void) { return nothing; }\n");
  assert_int_equal(fixture_answer(fixture, spec, NULL), -1);
  assert_int_equal(fixture->error.status, KILN_ERROR_COMMAND);
  assert_non_null(strstr(fixture->error.what, "answer.c:1:"));
  assert_non_null(strstr(fixture->error.what, "nothing"));
  /* Remembered: a herd sees one compiler run. */
  fixture_open(fixture);
  assert_int_equal(fixture_answer(fixture, spec, NULL), -1);
  assert_non_null(strstr(fixture->error.what, "answer.c:1:"));
  assert_int_equal(fixture_compiles(fixture), 1);
  kiln_spec_free(spec);
}

static void
test_wrong_output_is_refused(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_spec *spec = fixture_spec("int answer(void) { return 3; }\n");
  fixture_stub(fixture, "exit 0");
  assert_int_equal(fixture_answer(fixture, spec, NULL), -1);
  assert_int_equal(fixture->error.status, KILN_ERROR_COMMAND);
  assert_non_null(strstr(fixture->error.what, "left no file"));
  kiln_spec_free(spec);
  spec = fixture_spec("int answers(void) { return 3; }\n");
  fixture_stub(fixture, ":");
  fixture_open(fixture);
  assert_int_equal(fixture_answer(fixture, spec, NULL), -1);
  assert_non_null(strstr(fixture->error.what, "'answer'"));
  kiln_spec_free(spec);
}

/* A header that only a header includes, found through an include folder. */
static void
test_header_changes_are_seen(void **state)
{
  struct fixture *fixture = *state;
  char folder[128], moved[128];
  enum kiln_result result;
  snprintf(folder, sizeof folder, "%s/include", fixture->folder);
  snprintf(moved, sizeof moved, "%s/elsewhere", fixture->folder);
  assert_int_equal(mkdir(folder, 0700), 0);
  fixture_write(folder, "outer.h", "#include <inner.h>\n");
  fixture_write(folder, "inner.h", "#define VALUE 5\n");
  fixture_write(folder, "unrelated.h", "#define OTHER 5\n");
  struct kiln_spec *spec = fixture_spec("#include \"outer.h\"\nint answer(void) { return VALUE; }\n");
  assert_int_equal(kiln_spec_add_include(spec, folder, NULL), KILN_OK);
  assert_int_equal(fixture_answer(fixture, spec, NULL), 5);
  fixture_write(folder, "unrelated.h", "#define OTHER 6\n");
  fixture_write(folder, "inner.h", "#define VALUE 6\n");
  assert_int_equal(fixture_answer(fixture, spec, NULL), 6); /* in the same process */
  assert_int_equal(fixture_compiles(fixture), 2);
  fixture_write(folder, "inner.h", "#define VALUE 5\n");
  fixture_open(fixture);
  assert_int_equal(fixture_answer(fixture, spec, &result), 5);
  assert_int_equal(result, KILN_RESULT_HIT);
  /* The tree may move, the store too. */
  kiln_spec_free(spec);
  assert_int_equal(rename(folder, moved), 0);
  spec = fixture_spec("#include \"outer.h\"\nint answer(void) { return VALUE; }\n");
  assert_int_equal(kiln_spec_add_include(spec, moved, NULL), KILN_OK);
  assert_int_equal(fixture_answer(fixture, spec, &result), 5);
  assert_int_equal(result, KILN_RESULT_HIT);
  assert_int_equal(fixture_compiles(fixture), 2);
  kiln_spec_free(spec);
}

static void
test_source_files_and_several(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_spec *spec;
  char path[128];
  snprintf(path, sizeof path, "%s/one.c", fixture->folder);
  fixture_write(
      fixture->folder, "one.c", "#include \"near.h\"\nint two(void);\nint answer(void) { return NEAR + two(); }\n");
  fixture_write(fixture->folder, "near.h", "#define NEAR 10\n");
  assert_int_equal(kiln_spec_new("several", "hostcc", &spec, NULL), KILN_OK);
  assert_int_equal(kiln_spec_add_source_file(spec, path, NULL), KILN_OK);
  const char *two = "int two(void);\nint two(void) { return 2; }\n";
  assert_int_equal(kiln_spec_add_source(spec, "sub/two.c", two, strlen(two), NULL), KILN_OK);
  assert_int_equal(kiln_spec_add_entry_point(spec, "answer", NULL), KILN_OK);
  assert_int_equal(kiln_spec_add_link(spec, "-lm", NULL), KILN_OK);
  assert_int_equal(fixture_answer(fixture, spec, NULL), 12);
  assert_int_equal(fixture_compiles(fixture), 3);
  fixture_write(fixture->folder, "near.h", "#define NEAR 20\n");
  assert_int_equal(fixture_answer(fixture, spec, NULL), 22);
  fixture_write(fixture->folder, "one.c", "int answer(void) { return 1; }\n");
  assert_int_equal(fixture_answer(fixture, spec, NULL), 1);
  kiln_spec_free(spec);
}

/* An entry that is whole but does not load: set aside, built once more, said once. */
static void
test_entry_that_does_not_load(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_spec *spec = fixture_spec("int answer(void) { return 4; }\n");
  struct kiln_module *module;
  struct kiln_module_info info;
  struct kiln_buf data;
  struct kiln_digest key;
  enum kiln_result result;
  char manifest[128];
  assert_int_equal(kiln_module_load(fixture->kiln, spec, &module, NULL), KILN_OK);
  kiln_module_info(module, &info);
  assert_true(kiln_digest_parse(info.key, &key));
  kiln_buf_init(&data);
  kiln_buf_text_append(&data, "this is no shared object at all");
  snprintf(manifest, sizeof manifest, "{\"key\":\"%s\"}", info.key);
  assert_int_equal(kiln_entry_seal(&data, &key, manifest, strlen(manifest), NULL), KILN_OK);
  assert_int_equal(unlink(info.path), 0);
  assert_int_equal(kiln_file_write(info.path, data.data, data.len, NULL), KILN_OK);
  assert_int_equal(chmod(info.path, 0400), 0);
  kiln_buf_release(&data);
  kiln_module_release(module);
  fixture_open(fixture);
  assert_int_equal(fixture_answer(fixture, spec, &result), 4);
  assert_int_equal(result, KILN_RESULT_BUILT);
  assert_non_null(strstr(fixture->messages, "does not load"));
  fixture_open(fixture);
  assert_int_equal(fixture_answer(fixture, spec, &result), 4);
  assert_int_equal(result, KILN_RESULT_HIT);
  assert_int_equal(fixture_compiles(fixture), 2);
  kiln_spec_free(spec);
}

static void
test_no_home(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_spec *spec = fixture_spec("int answer(void) { return 11; }\n");
  struct kiln_module *module;
  struct kiln_module_info info;
  char *home = getenv("HOME") ? strdup(getenv("HOME")) : NULL;
  unsetenv("HOME");
  unsetenv("XDG_CACHE_HOME");
  unsetenv("KILN_CACHE_DIR");
  fixture->options.cache_folder = NULL;
  fixture_open(fixture);
  assert_null(fixture->kiln->store);
  assert_int_equal(kiln_module_load(fixture->kiln, spec, &module, NULL), KILN_OK);
  kiln_module_info(module, &info);
  assert_null(info.path);
  assert_int_equal(info.result, KILN_RESULT_BUILT);
  kiln_module_release(module);
  assert_int_equal(fixture_answer(fixture, spec, NULL), 11);
  assert_int_equal(fixture_compiles(fixture), 1);
  assert_non_null(strstr(fixture->messages, "KILN_CACHE_DIR"));
  if (home)
    setenv("HOME", home, 1);
  free(home);
  kiln_spec_free(spec);
}

struct crowd {
  struct fixture *fixture;
  struct kiln_spec *spec;
  struct kiln_thread thread;
  struct kiln_module *module;
};

static void *
load_in_thread(void *context)
{
  struct crowd *one = context;
  if (kiln_module_load(one->fixture->kiln, one->spec, &one->module, NULL) != KILN_OK)
    one->module = NULL;
  return NULL;
}

static void
test_threads_share_one_build(void **state)
{
  enum { COUNT = 16 };
  struct crowd crowd[COUNT];
  struct fixture *fixture = *state;
  struct kiln_spec *spec = fixture_spec("int answer(void) { return 5; }\n");
  for (int i = 0; i < COUNT; i++) {
    crowd[i] = (struct crowd){.fixture = fixture, .spec = spec};
    assert_true(kiln_thread_start(&crowd[i].thread, load_in_thread, &crowd[i]));
  }
  for (int i = 0; i < COUNT; i++)
    kiln_thread_join(&crowd[i].thread);
  for (int i = 0; i < COUNT; i++) {
    assert_non_null(crowd[i].module);
    assert_ptr_equal(crowd[i].module, crowd[0].module);
    kiln_module_release(crowd[i].module);
  }
  assert_int_equal(fixture_compiles(fixture), 1);
  kiln_spec_free(spec);
}

/* The child of a process that is compiling compiles for itself or waits for the lock; it never hangs on a mutex. */
static void
test_fork_while_a_thread_builds(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_spec *slow = fixture_spec("int answer(void) { return 21; }\n");
  struct kiln_spec *other = fixture_spec("int answer(void) { return 22; }\n");
  struct crowd one = {.fixture = fixture, .spec = slow};
  fixture_stub(fixture, "sleep 1");
  assert_true(kiln_thread_start(&one.thread, load_in_thread, &one));
  while (fixture_compiles(fixture) == 0)
    usleep(10000);
  const pid_t child = fork();
  if (child == 0)
    _exit(fixture_answer(fixture, other, NULL) == 22 && fixture_answer(fixture, slow, NULL) == 21 ? 0 : 1);
  kiln_thread_join(&one.thread);
  assert_non_null(one.module);
  kiln_module_release(one.module);
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
  assert_int_equal(fixture_compiles(fixture), 2);
  kiln_spec_free(slow);
  kiln_spec_free(other);
}

static void
test_modules_outlive_their_kiln(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_spec *spec = fixture_spec("int answer(void) { return 6; }\n");
  struct kiln_module *module;
  int (*answer)(void);
  assert_int_equal(kiln_module_load(fixture->kiln, spec, &module, NULL), KILN_OK);
  void *address = kiln_module_function(module, "answer", NULL);
  memcpy(&answer, &address, sizeof answer);
  kiln_free(fixture->kiln);
  fixture->kiln = NULL;
  assert_int_equal(answer(), 6);
  assert_null(kiln_module_function(module, "question", &fixture->error));
  assert_int_equal(fixture->error.status, KILN_ERROR_NOT_FOUND);
  kiln_module_release(module);
  kiln_spec_free(spec);
}

static size_t allocated;

static void *
counting(void *context, void *block, size_t old_size, size_t new_size)
{
  (void)context;
  allocated += new_size - old_size;
  if (new_size > 0)
    return realloc(block, new_size);
  free(block);
  return NULL;
}

static void
test_allocator(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_spec *spec = fixture_spec("int answer(void) { return 6; }\n");
  fixture->options.reallocate = counting;
  fixture_open(fixture);
  assert_true(allocated > 0);
  assert_int_equal(fixture_answer(fixture, spec, NULL), 6);
  kiln_free(fixture->kiln);
  fixture->kiln = NULL;
  assert_int_equal(allocated, 0);
  kiln_spec_free(spec);
}

static void
test_debug_and_keep(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_spec *spec = fixture_spec("int answer(void) { return 1; }\n");
  char place[256];
  assert_int_equal(fixture_answer(fixture, spec, NULL), 1);
  fixture->options.debug = KILN_ON;
  fixture->options.keep = KILN_ON;
  fixture_open(fixture);
  assert_int_equal(fixture_answer(fixture, spec, NULL), 1);
  assert_int_equal(fixture_compiles(fixture), 2);
  const char *at = strstr(fixture->messages, "are kept in '");
  assert_non_null(at);
  snprintf(place, sizeof place, "%s", at + strlen("are kept in '"));
  *strchr(place, '\'') = '\0';
  strcat(place, "/src/answer.c");
  assert_true(kiln_file_exists(place));
  kiln_spec_free(spec);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, fixture_set_up, fixture_tear_down)

int
main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_built_then_found),
      TEST(test_found_without_compiler),
      TEST(test_jit_off),
      TEST(test_reuse_off_builds_again),
      TEST(test_first_error),
      TEST(test_wrong_output_is_refused),
      TEST(test_header_changes_are_seen),
      TEST(test_source_files_and_several),
      TEST(test_entry_that_does_not_load),
      TEST(test_no_home),
      TEST(test_threads_share_one_build),
      TEST(test_fork_while_a_thread_builds),
      TEST(test_modules_outlive_their_kiln),
      TEST(test_allocator),
      TEST(test_debug_and_keep),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
