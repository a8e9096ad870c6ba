#include "made.h"

#include <signal.h>

#include "store/place.h"
#include "store/workspace.h"
#include "store/workspace_owner.h"

#define BUILD "store/v1/build"

/* A child that builds and is killed in the middle. */
static void
crash(struct made *made)
{
  pid_t child = fork();
  if (child == 0) {
    struct kiln_workspace workspace;
    char path[1200];
    if (kiln_workspace_new(made_open(made, "store", NULL), &workspace, NULL) != KILN_OK)
      _exit(1);
    snprintf(path, sizeof path, "%s/half.o", workspace.folder);
    (void)kiln_file_write(path, "x", 1, NULL);
    raise(SIGKILL);
  }
  assert_int_equal(made_wait(child), 128 + SIGKILL);
}

static void
test_what_the_dead_left_is_removed_at_once(void **state)
{
  struct made *made = *state;
  struct kiln_workspace mine;
  assert_int_equal(kiln_workspace_new(made->store, &mine, NULL), KILN_OK);
  crash(made);
  crash(made); /* reclaims the first: the first workspace of a store looks for leftovers */
  assert_int_equal(made_count_in(made_path(made, BUILD)), 2);
  assert_int_equal(kiln_workspace_reclaim(made->store), 1);
  assert_int_equal(made_count_in(made_path(made, BUILD)), 1);
  assert_int_equal(access(mine.folder, F_OK), 0);
  kiln_workspace_release(&mine, NULL);
}

static void
test_a_stopped_builder_keeps_its_folder(void **state)
{
  struct made *made = *state;
  int ready[2];
  char byte;
  assert_int_equal(pipe(ready), 0);
  pid_t child = fork();
  if (child == 0) {
    struct kiln_workspace workspace;
    if (kiln_workspace_new(made_open(made, "store", NULL), &workspace, NULL) != KILN_OK)
      _exit(1);
    char owner[1200];
    snprintf(owner, sizeof owner, "%s/owner", workspace.folder);
    made_age(owner, 10 * DAY);
    made_age(workspace.folder, 10 * DAY);
    if (write(ready[1], "x", 1) != 1)
      _exit(1);
    for (;;)
      pause();
  }
  assert_int_equal(read(ready[0], &byte, 1), 1);
  kill(child, SIGSTOP);
  assert_int_equal(kiln_workspace_reclaim(made->store), 0);
  assert_int_equal(made_count_in(made_path(made, BUILD)), 1);
  kill(child, SIGKILL);
  made_wait(child);
  assert_int_equal(kiln_workspace_reclaim(made->store), 1);
}

/* A folder as another host, boot or process would have left it. */
static const char *
plant(struct made *made, const char *boot, int pid, long age)
{
  struct kiln_instance instance;
  struct kiln_buf text;
  static char folder[1024];
  char owner[1100];
  kiln_instance_self(&instance);
  snprintf(instance.host, sizeof instance.host, "elsewhere");
  if (boot)
    snprintf(instance.boot, sizeof instance.boot, "%s", boot);
  instance.pid = pid;
  snprintf(folder, sizeof folder, "%s", made_path(made, BUILD "/elsewhere-1-abcdef"));
  snprintf(owner, sizeof owner, "%s/owner", folder);
  assert_int_equal(mkdir(folder, 0700), 0);
  kiln_buf_init(&text);
  kiln_owner_format(&instance, &text);
  assert_int_equal(kiln_file_write(owner, text.data, text.len, NULL), KILN_OK);
  kiln_buf_release(&text);
  made_age(owner, age);
  made_age(folder, age);
  return folder;
}

static void
test_another_host_has_a_day(void **state)
{
  struct made *made = *state;
  assert_int_equal(kiln_store_prepare(made->store, NULL), KILN_OK);
  const char *folder = plant(made, "another boot", 1, DAY - 600);
  assert_int_equal(kiln_workspace_reclaim(made->store), 0);
  made_age(folder, DAY + 600);
  assert_int_equal(kiln_workspace_reclaim(made->store), 0); /* its owner file is younger */
  assert_int_equal(kiln_folder_remove(folder, NULL), KILN_OK);
  plant(made, "another boot", 1, DAY + 600);
  assert_int_equal(kiln_workspace_reclaim(made->store), 1);
}

/* A process that runs and holds no lock has the number of the dead one, or is just about to lock. */
static void
test_a_young_folder_without_a_lock_is_left(void **state)
{
  struct made *made = *state;
  assert_int_equal(kiln_store_prepare(made->store, NULL), KILN_OK);
  const char *folder = plant(made, NULL, (int)getpid(), 5);
  struct kiln_instance gone;
  assert_int_equal(kiln_workspace_reclaim(made->store), 0);
  assert_int_equal(kiln_folder_remove(folder, NULL), KILN_OK);
  plant(made, NULL, (int)getpid(), 120);
  assert_int_equal(kiln_workspace_reclaim(made->store), 1);
  kiln_instance_self(&gone);
  assert_int_equal(kiln_instance_state(&gone), KILN_INSTANCE_RUNNING);
}

static void
test_folders_without_an_owner_and_old_files(void **state)
{
  struct made *made = *state;
  assert_int_equal(kiln_store_prepare(made->store, NULL), KILN_OK);
  assert_int_equal(mkdir(made_path(made, BUILD "/young"), 0700), 0);
  assert_int_equal(mkdir(made_path(made, BUILD "/old"), 0700), 0);
  made_age(made_path(made, BUILD "/old"), 120);
  assert_int_equal(kiln_file_write(made_path(made, BUILD "/tmp-1-a-0"), "x", 1, NULL), KILN_OK);
  assert_int_equal(kiln_file_write(made_path(made, BUILD "/tmp-1-b-0"), "x", 1, NULL), KILN_OK);
  made_age(made_path(made, BUILD "/tmp-1-a-0"), 2 * 3600);
  assert_int_equal(kiln_workspace_reclaim(made->store), 1);
  assert_int_equal(access(made_path(made, BUILD "/young"), F_OK), 0);
  assert_int_equal(access(made_path(made, BUILD "/tmp-1-b-0"), F_OK), 0);
  assert_int_equal(made_count_in(made_path(made, BUILD)), 2);
}

static void
test_in_the_temporary_folder_only_our_own(void **state)
{
  struct made *made = *state;
  char folder[1024];
  assert_int_equal(kiln_file_write(made_path(made, "store"), "x", 1, NULL), KILN_OK);
  snprintf(folder, sizeof folder, "%s", made_path(made, "tmp"));
  assert_int_equal(mkdir(folder, 0700), 0);
  assert_int_equal(mkdir(made_path(made, "tmp/kiln-build-h-1-abc"), 0700), 0);
  assert_int_equal(mkdir(made_path(made, "tmp/other"), 0700), 0);
  made_age(made_path(made, "tmp/kiln-build-h-1-abc"), 300);
  made_age(made_path(made, "tmp/other"), 300);
  assert_int_equal(setenv("TMPDIR", folder, 1), 0);
  assert_int_equal(kiln_workspace_reclaim(made->store), 1);
  unsetenv("TMPDIR");
  assert_int_equal(access(made_path(made, "tmp/other"), F_OK), 0);
}

static void
test_owner_files_are_read_back(void **state)
{
  struct kiln_instance self, read;
  struct kiln_buf text;
  (void)state;
  kiln_buf_init(&text);
  kiln_instance_self(&self);
  kiln_owner_format(&self, &text);
  assert_true(kiln_owner_parse(&text, &read));
  assert_string_equal(read.host, self.host);
  assert_string_equal(read.boot, self.boot);
  assert_int_equal(read.pid, self.pid);
  assert_int_equal(read.start, self.start);
  text.data[text.len / 2] ^= 1;
  assert_false(kiln_owner_parse(&text, &read));
  kiln_buf_release(&text);
}

int
main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, made_setup, made_teardown)
  const struct CMUnitTest tests[] = {
      CASE(test_what_the_dead_left_is_removed_at_once),
      CASE(test_a_stopped_builder_keeps_its_folder),
      CASE(test_another_host_has_a_day),
      CASE(test_a_young_folder_without_a_lock_is_left),
      CASE(test_folders_without_an_owner_and_old_files),
      CASE(test_in_the_temporary_folder_only_our_own),
      cmocka_unit_test(test_owner_files_are_read_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
