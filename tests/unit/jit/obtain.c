/* Locks, waiting, taking over, remembered failures: by processes that are told what to do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <signal.h>
#include <sys/wait.h>

#include "jit/failed.h"
#include "os/clock.h"
#include "store/lock.h"
#include "tests/unit/jit/fixture.h"

static double progress_s;
static int progress_owner;

static void
note_progress(void *context, const struct kiln_build_progress *progress)
{
  (void)context;
  if (strcmp(progress->phase, "wait") == 0) {
    progress_s = progress->elapsed_s;
    progress_owner = progress->owner_pid;
  }
}

static struct kiln_digest
build_key(struct fixture *fixture, const struct kiln_spec *spec)
{
  struct kiln_plan plan;
  assert_int_equal(kiln_plan_init(fixture->kiln, spec, &plan, NULL), KILN_OK);
  const struct kiln_digest key = kiln_plan_build_key(&plan);
  kiln_plan_release(&plan);
  return key;
}

/* A child that loads and leaves with the answer. */
static pid_t
start_loader(struct fixture *fixture, const struct kiln_spec *spec)
{
  const pid_t child = fork();
  if (child == 0)
    _exit(fixture_answer(fixture, spec, NULL) & 0xff);
  return child;
}

static int
end_of(pid_t child)
{
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void
test_processes_share_one_build(void **state)
{
  enum { COUNT = 6 };
  pid_t children[COUNT];
  struct fixture *fixture = *state;
  struct kiln_spec *spec = fixture_spec("int answer(void) { return 33; }\n");
  fixture_stub(fixture, "sleep 0.3");
  for (int i = 0; i < COUNT; i++)
    children[i] = start_loader(fixture, spec);
  for (int i = 0; i < COUNT; i++)
    assert_int_equal(end_of(children[i]), 33);
  assert_int_equal(fixture_compiles(fixture), 1);
  kiln_spec_free(spec);
}

static void
test_waiters_tell_who_builds(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_spec *spec = fixture_spec("int answer(void) { return 34; }\n");
  fixture_stub(fixture, "sleep 1");
  fixture->options.progress = note_progress;
  fixture_open(fixture);
  const pid_t child = start_loader(fixture, spec);
  while (fixture_compiles(fixture) == 0)
    kiln_clock_sleep(10000000);
  assert_int_equal(fixture_answer(fixture, spec, NULL), 34);
  assert_int_equal(progress_owner, child);
  assert_int_equal(end_of(child), 34);
  assert_int_equal(fixture_compiles(fixture), 1);
  kiln_spec_free(spec);
}

static void
test_a_dead_owner_is_replaced(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_spec *spec = fixture_spec("int answer(void) { return 35; }\n");
  fixture_stub(fixture, "test $(wc -l <\"${0%/*}/log\") -gt 1 || sleep 60");
  const pid_t child = start_loader(fixture, spec);
  while (fixture_compiles(fixture) == 0)
    kiln_clock_sleep(10000000);
  kill(child, SIGKILL);
  assert_int_equal(end_of(child), -1);
  const uint64_t begin = kiln_clock_now();
  assert_int_equal(fixture_answer(fixture, spec, NULL), 35);
  assert_true(kiln_clock_now() - begin < 30000000000u); /* not the owner's 60 s */
  assert_int_equal(fixture_compiles(fixture), 2);
  kiln_spec_free(spec);
}

static void
test_waiting_has_a_limit(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_spec *spec = fixture_spec("int answer(void) { return 36; }\n");
  struct kiln_key_lock lock;
  fixture->options.wait_limit_s = 0.2;
  fixture_open(fixture);
  const struct kiln_digest key = build_key(fixture, spec);
  assert_int_equal(kiln_key_lock_try(fixture->kiln->store, &key, &lock), KILN_LOCK_TAKEN);
  assert_int_equal(fixture_answer(fixture, spec, NULL), -1);
  assert_int_equal(fixture->error.status, KILN_ERROR_INVALID);
  char pid[32];
  snprintf(pid, sizeof pid, "process %d", (int)getpid());
  assert_non_null(strstr(fixture->error.what, pid));
  kiln_key_lock_release(&lock);
  assert_int_equal(fixture_answer(fixture, spec, NULL), 36);
  kiln_spec_free(spec);
}

static void
test_failures_are_forgotten_when_a_header_is_corrected(void **state)
{
  struct fixture *fixture = *state;
  char folder[128];
  snprintf(folder, sizeof folder, "%s/include", fixture->folder);
  assert_int_equal(mkdir(folder, 0700), 0);
  fixture_write(folder, "a.h", "#define A nothing\n");
  kiln_clock_sleep(50000000); /* older than the build, by the file system's clock */
  struct kiln_spec *spec = fixture_spec("#include <a.h>\nint answer(void) { return A; }\n");
  assert_int_equal(kiln_spec_add_include(spec, folder, NULL), KILN_OK);
  assert_int_equal(fixture_answer(fixture, spec, NULL), -1);
  assert_int_equal(fixture_answer(fixture, spec, NULL), -1);
  assert_int_equal(fixture_compiles(fixture), 1);
  fixture_write(folder, "a.h", "#define A 37\n");
  assert_int_equal(fixture_answer(fixture, spec, NULL), 37);
  assert_int_equal(fixture_compiles(fixture), 2);
  kiln_spec_free(spec);
}

static void
test_passing_failures_are_not_remembered(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_spec *spec = fixture_spec("int answer(void) { return 38; }\n");
  fixture_stub(fixture, "kill -9 $$");
  assert_int_equal(fixture_answer(fixture, spec, NULL), -1);
  assert_non_null(strstr(fixture->error.what, "signal 9"));
  assert_non_null(strstr(fixture->error.remedy, "memory"));
  fixture_stub(fixture, ":");
  fixture_open(fixture);
  assert_int_equal(fixture_answer(fixture, spec, NULL), 38);
  kiln_spec_free(spec);
}

/* A store that cannot be written gives what it has, and builds in memory. */
static void
test_read_only_store(void **state)
{
  struct fixture *fixture = *state;
  enum kiln_result result;
  if (geteuid() == 0)
    skip(); /* nothing is read-only to root */
  struct kiln_spec *spec = fixture_spec("int answer(void) { return 39; }\n");
  assert_int_equal(mkdir(fixture->cache, 0500), 0);
  assert_int_equal(fixture_answer(fixture, spec, &result), 39);
  assert_int_equal(result, KILN_RESULT_BUILT);
  kiln_spec_free(spec);
}

/* Without the supervisor compilers are started directly. */
static void
test_without_supervisor(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_spec *good = fixture_spec("int answer(void) { return 40; }\n");
  struct kiln_spec *bad = fixture_spec("int answer(void) { return none; }\n");
  fixture->options.libexec = fixture->folder;
  fixture_open(fixture);
  assert_int_equal(fixture_answer(fixture, good, NULL), 40);
  assert_int_equal(fixture_answer(fixture, bad, NULL), -1);
  assert_non_null(strstr(fixture->error.what, "none"));
  kiln_spec_free(good);
  kiln_spec_free(bad);
}

/* The environment of a compiler is its own. */
static void
test_scrubbed_environment(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_spec *spec = fixture_spec("int answer(void) { return 41; }\n");
  struct kiln_buf text;
  char path[128];
  snprintf(path, sizeof path, "%s/environment", fixture->folder);
  fixture_stub(fixture, "env >\"${0%/*}/environment\"");
  setenv("CPATH", "/nowhere", 1);
  setenv("GCC_EXEC_PREFIX", "/nowhere", 1);
  assert_int_equal(fixture_answer(fixture, spec, NULL), 41);
  unsetenv("CPATH");
  unsetenv("GCC_EXEC_PREFIX");
  kiln_buf_init(&text);
  assert_int_equal(kiln_file_read(path, 65536, &text, NULL), KILN_OK);
  assert_null(strstr(text.data, "/nowhere"));
  assert_null(strstr(text.data, "HOME="));
  assert_non_null(strstr(text.data, "LC_ALL=C\n"));
  assert_non_null(strstr(text.data, "SOURCE_DATE_EPOCH=0\n"));
  assert_non_null(strstr(text.data, "TMPDIR="));
  kiln_buf_release(&text);
  kiln_spec_free(spec);
}

static void
test_launcher(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_spec *spec = fixture_spec("int answer(void) { return 42; }\n");
  fixture->options.launcher = "env";
  fixture_open(fixture);
  assert_int_equal(fixture_answer(fixture, spec, NULL), 42);
  fixture->options.launcher = "no-such-launcher";
  fixture->options.libexec = fixture->folder;
  fixture_open(fixture);
  assert_int_equal(fixture_answer(fixture, spec, NULL), -1);
  assert_non_null(strstr(fixture->error.what, "no-such-launcher"));
  kiln_spec_free(spec);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, fixture_set_up, fixture_tear_down)

int
main(void)
{
  const struct CMUnitTest tests[] = {TEST(test_processes_share_one_build), TEST(test_waiters_tell_who_builds),
      TEST(test_a_dead_owner_is_replaced), TEST(test_waiting_has_a_limit),
      TEST(test_failures_are_forgotten_when_a_header_is_corrected), TEST(test_passing_failures_are_not_remembered),
      TEST(test_read_only_store), TEST(test_without_supervisor), TEST(test_scrubbed_environment), TEST(test_launcher)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
