/* Private, complete, and removed: also when its kiln was killed. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/text.h"
#include "os/file.h"
#include "probe/frameworks.h"
#include "probe/sandbox.h"

struct fixture {
  struct kiln_buf parent;
};

static int
setup(void **state)
{
  struct fixture *fixture = calloc(1, sizeof *fixture);
  kiln_buf_init(&fixture->parent);
  if (kiln_folder_make_private(kiln_folder_temporary(), "kiln-unit-", &fixture->parent, NULL) != KILN_OK) {
    return -1;
  }
  *state = fixture;
  return 0;
}

static int
teardown(void **state)
{
  struct fixture *fixture = *state;
  kiln_folder_remove(kiln_buf_text(&fixture->parent), NULL);
  kiln_buf_release(&fixture->parent);
  free(fixture);
  return 0;
}

static const char *
parent_of(void **state)
{
  return kiln_buf_text(&((struct fixture *)*state)->parent);
}

static struct kiln_sandbox *
make(void **state)
{
  struct kiln_sandbox *sandbox = NULL;
  struct kiln_error error = {0};
  assert_int_equal(kiln_sandbox_new(parent_of(state), &sandbox, &error), KILN_OK);
  assert_non_null(sandbox);
  return sandbox;
}

static bool
exists_below(const char *folder, const char *relative)
{
  struct kiln_buf path;
  bool exists;
  kiln_buf_init(&path);
  exists = kiln_file_exists(kiln_text_join(&path, folder, relative));
  kiln_buf_release(&path);
  return exists;
}

static void
private_and_removed(void **state)
{
  struct kiln_sandbox *sandbox = make(state);
  struct kiln_file_info info;
  char *folder = strdup(sandbox->folder);
  assert_true(kiln_text_path_within(folder, parent_of(state)));
  assert_int_equal(kiln_file_info(folder, &info, NULL), KILN_OK);
  assert_int_equal(info.mode & 0777, 0700);
  assert_true(exists_below(folder, "owner"));
  assert_false(sandbox->bytecode);
  kiln_sandbox_free(sandbox);
  assert_false(kiln_file_exists(folder));
  free(folder);
}

static void
sample_folders(void **state)
{
  struct kiln_sandbox *sandbox = make(state);
  struct kiln_buf path;
  kiln_buf_init(&path);
  assert_int_equal(kiln_sandbox_sample(sandbox, 2, "cold", NULL), KILN_OK);
  assert_true(exists_below(sandbox->folder, "s2/cache"));
  assert_true(exists_below(sandbox->folder, "s2/tmp"));
  assert_true(exists_below(sandbox->folder, "s2/cold/events"));
  assert_false(exists_below(sandbox->folder, "s2/warm"));
  assert_int_equal(kiln_sandbox_sample(sandbox, 2, "warm", NULL), KILN_OK);
  assert_true(exists_below(sandbox->folder, "s2/warm/events"));
  assert_true(kiln_text_ends(kiln_sandbox_path(sandbox, 2, "cold/stdout", &path), "/s2/cold/stdout"));
  kiln_sandbox_sample_remove(sandbox, 2);
  assert_false(exists_below(sandbox->folder, "s2"));
  assert_true(exists_below(sandbox->folder, "owner"));
  kiln_buf_release(&path);
  kiln_sandbox_free(sandbox);
}

static void
environment_moves_every_cache(void **state)
{
  struct kiln_sandbox *sandbox = make(state);
  struct kiln_environment env;
  size_t i, moved = 0;
  setenv("WARP_CACHE_PATH", "/a/cache/of/the/user", 1);
  setenv("HOME", "/a/home", 1);
  kiln_environment_init(&env);
  assert_int_equal(kiln_sandbox_environment(sandbox, 1, "cold", "/lib/x.so", &env, NULL), KILN_OK);
  for (i = 0; i < kiln_framework_count; i++) {
    if (kiln_frameworks[i].variable) {
      const char *value = kiln_environment_get(&env, kiln_frameworks[i].variable);
      assert_true(kiln_text_path_within(value, sandbox->folder));
      assert_string_equal(kiln_text_base_name(value), kiln_frameworks[i].name);
      moved++;
    }
  }
  assert_true(moved >= 10);
  assert_true(kiln_text_path_within(kiln_environment_get(&env, "TMPDIR"), sandbox->folder));
  assert_true(kiln_text_ends(kiln_environment_get(&env, "KILN_EVENTS"), "/s1/cold/events"));
  assert_string_equal(kiln_environment_get(&env, "KILN_SANDBOX"), sandbox->folder);
  assert_string_equal(kiln_environment_get(&env, "HOME"), "/a/home");
  assert_string_equal(getenv("WARP_CACHE_PATH"), "/a/cache/of/the/user");
  kiln_environment_release(&env);
  kiln_sandbox_free(sandbox);
}

static void
preload_goes_first(void **state)
{
  struct kiln_sandbox *sandbox = make(state);
  struct kiln_environment env;
  kiln_environment_init(&env);
  unsetenv("LD_PRELOAD");
  assert_int_equal(kiln_sandbox_environment(sandbox, 1, "cold", "/lib/x.so", &env, NULL), KILN_OK);
  assert_string_equal(kiln_environment_get(&env, "LD_PRELOAD"), "/lib/x.so");
  kiln_environment_release(&env);
  setenv("LD_PRELOAD", "liby.so", 1);
  kiln_environment_init(&env);
  assert_int_equal(kiln_sandbox_environment(sandbox, 1, "cold", "/lib/x.so", &env, NULL), KILN_OK);
  assert_string_equal(kiln_environment_get(&env, "LD_PRELOAD"), "/lib/x.so:liby.so");
  unsetenv("LD_PRELOAD");
  kiln_environment_release(&env);
  kiln_sandbox_free(sandbox);
}

static void
preload_that_cannot_be_carried(void **state)
{
  struct kiln_sandbox *sandbox = make(state);
  struct kiln_environment env;
  struct kiln_error error = {0};
  kiln_environment_init(&env);
  assert_int_equal(kiln_sandbox_environment(sandbox, 1, "cold", "/my lib/x.so", &env, &error), KILN_ERROR_ENVIRONMENT);
  assert_non_null(strstr(error.what, "'/my lib/x.so'"));
  kiln_environment_release(&env);
  kiln_sandbox_free(sandbox);
}

static void
bytecode_only_when_asked(void **state)
{
  struct kiln_sandbox *sandbox = make(state);
  struct kiln_environment env;
  setenv("PYTHONDONTWRITEBYTECODE", "1", 1);
  unsetenv("PYTHONPYCACHEPREFIX");
  kiln_environment_init(&env);
  assert_int_equal(kiln_sandbox_environment(sandbox, 1, "cold", "/lib/x.so", &env, NULL), KILN_OK);
  assert_null(kiln_environment_get(&env, "PYTHONPYCACHEPREFIX"));
  assert_string_equal(kiln_environment_get(&env, "PYTHONDONTWRITEBYTECODE"), "1");
  kiln_environment_release(&env);
  sandbox->bytecode = true;
  kiln_environment_init(&env);
  assert_int_equal(kiln_sandbox_environment(sandbox, 1, "cold", "/lib/x.so", &env, NULL), KILN_OK);
  assert_true(kiln_text_path_within(kiln_environment_get(&env, "PYTHONPYCACHEPREFIX"), sandbox->folder));
  assert_null(kiln_environment_get(&env, "PYTHONDONTWRITEBYTECODE"));
  kiln_environment_release(&env);
  kiln_sandbox_free(sandbox);
}

/* A kiln that was killed: its sandbox is there, unlocked, and a process with its mark is running. */
static pid_t
leave_a_dead_kiln(void **state, char folder[512])
{
  int ends[2];
  pid_t kiln, orphan = 0;
  assert_int_equal(pipe(ends), 0);
  kiln = fork();
  if (kiln == 0) {
    struct kiln_sandbox *sandbox = NULL;
    if (kiln_sandbox_new(parent_of(state), &sandbox, NULL) != KILN_OK ||
        kiln_sandbox_sample(sandbox, 1, "cold", NULL) != KILN_OK) {
      _exit(1);
    }
    orphan = fork();
    if (orphan == 0) {
      kiln_fd_close(sandbox->lock);
      close(ends[0]);
      close(ends[1]);
      setenv("KILN_SANDBOX", sandbox->folder, 1);
      execlp("sleep", "sleep", "600", (char *)NULL);
      _exit(1);
    }
    if (write(ends[1], &orphan, sizeof orphan) < 0 ||
        write(ends[1], sandbox->folder, strlen(sandbox->folder) + 1) < 0) {
      _exit(1);
    }
    _exit(0);
  }
  close(ends[1]);
  assert_int_equal(read(ends[0], &orphan, sizeof orphan), sizeof orphan);
  assert_true(read(ends[0], folder, 512) > 0);
  close(ends[0]);
  waitpid(kiln, NULL, 0);
  return orphan;
}

/* The mark is in the environment only after exec. */
static void
wait_for_mark(pid_t pid, const char *folder)
{
  struct kiln_buf text;
  char path[64];
  int tries;
  bool seen = false;
  snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
  kiln_buf_init(&text);
  for (tries = 0; tries < 2000 && !seen; tries++) {
    size_t at;
    kiln_buf_clear(&text);
    kiln_file_read(path, 1 << 20, &text, NULL);
    for (at = 0; at < text.len && !seen; at += strlen(text.data + at) + 1) {
      seen = kiln_text_starts(text.data + at, "KILN_SANDBOX=") && kiln_text_equal(text.data + at + 13, folder);
    }
    usleep(5000);
  }
  kiln_buf_release(&text);
  assert_true(seen);
}

static void
dead_kiln_is_swept(void **state)
{
  char folder[512] = "";
  struct kiln_sandbox *sandbox;
  pid_t orphan = leave_a_dead_kiln(state, folder);
  int tries;
  assert_true(kiln_file_exists(folder));
  wait_for_mark(orphan, folder);
  sandbox = make(state);
  assert_int_equal(sandbox->swept.folders, 1);
  assert_int_equal(sandbox->swept.processes, 1);
  assert_false(kiln_file_exists(folder));
  for (tries = 0; tries < 2000 && kill(orphan, 0) == 0 && waitpid(orphan, NULL, WNOHANG) <= 0; tries++) {
    struct kiln_buf status;
    char path[64];
    bool zombie;
    /* Nobody here is its parent: a zombie is as dead as this test can see. */
    snprintf(path, sizeof path, "/proc/%d/stat", (int)orphan);
    kiln_buf_init(&status);
    kiln_file_read(path, 4096, &status, NULL);
    zombie = strstr(kiln_buf_text(&status), ") Z ") != NULL;
    kiln_buf_release(&status);
    if (zombie) {
      break;
    }
    usleep(5000);
  }
  assert_true(tries < 2000);
  kiln_sandbox_free(sandbox);
}

static void
living_kiln_is_left_alone(void **state)
{
  struct kiln_sandbox *first = make(state), *second = make(state);
  assert_int_equal(second->swept.folders, 0);
  assert_true(kiln_file_exists(first->folder));
  assert_string_not_equal(first->folder, second->folder);
  kiln_sandbox_free(second);
  assert_true(kiln_file_exists(first->folder));
  kiln_sandbox_free(first);
}

static void
missing_parent_is_named(void **state)
{
  struct kiln_sandbox *sandbox = NULL;
  struct kiln_error error = {0};
  (void)state;
  assert_int_equal(kiln_sandbox_new("/nowhere/at/all", &sandbox, &error), KILN_ERROR_ENVIRONMENT);
  assert_null(sandbox);
  assert_non_null(strstr(error.what, "'/nowhere/at/all'"));
  assert_true(strlen(error.remedy) > 0);
}

static void
relative_parent_becomes_absolute(void **state)
{
  struct kiln_sandbox *sandbox = NULL;
  char before[1024];
  assert_non_null(getcwd(before, sizeof before));
  assert_int_equal(chdir(parent_of(state)), 0);
  assert_int_equal(kiln_sandbox_new(".", &sandbox, NULL), KILN_OK);
  assert_int_equal(sandbox->folder[0], '/');
  assert_int_equal(chdir(before), 0);
  assert_true(kiln_file_exists(sandbox->folder));
  kiln_sandbox_free(sandbox);
}

/* Sandboxes come and go while others sweep: nobody loses one that is in use. */
static void
many_at_once(void **state)
{
  enum { PROCESSES = 8, ROUNDS = 25 };
  int i, round, status;
  for (i = 0; i < PROCESSES; i++) {
    if (fork() == 0) {
      for (round = 0; round < ROUNDS; round++) {
        struct kiln_sandbox *sandbox = NULL;
        if (kiln_sandbox_new(parent_of(state), &sandbox, NULL) != KILN_OK || !exists_below(sandbox->folder, "owner") ||
            kiln_sandbox_sample(sandbox, 1, "cold", NULL) != KILN_OK ||
            !exists_below(sandbox->folder, "s1/cold/events")) {
          _exit(1);
        }
        kiln_sandbox_free(sandbox);
      }
      _exit(0);
    }
  }
  for (i = 0; i < PROCESSES; i++) {
    assert_true(wait(&status) > 0);
    assert_int_equal(status, 0);
  }
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(private_and_removed, setup, teardown),
      cmocka_unit_test_setup_teardown(sample_folders, setup, teardown),
      cmocka_unit_test_setup_teardown(environment_moves_every_cache, setup, teardown),
      cmocka_unit_test_setup_teardown(preload_goes_first, setup, teardown),
      cmocka_unit_test_setup_teardown(preload_that_cannot_be_carried, setup, teardown),
      cmocka_unit_test_setup_teardown(bytecode_only_when_asked, setup, teardown),
      cmocka_unit_test_setup_teardown(dead_kiln_is_swept, setup, teardown),
      cmocka_unit_test_setup_teardown(living_kiln_is_left_alone, setup, teardown),
      cmocka_unit_test_setup_teardown(missing_parent_is_named, setup, teardown),
      cmocka_unit_test_setup_teardown(relative_parent_becomes_absolute, setup, teardown),
      cmocka_unit_test_setup_teardown(many_at_once, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
