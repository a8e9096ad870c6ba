#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "os/instance.h"

static void
test_this_process_runs(void **state)
{
  struct kiln_instance self, again;
  (void)state;
  kiln_instance_self(&self);
  kiln_instance_self(&again);
  assert_int_equal(self.pid, getpid());
  assert_int_equal(strlen(self.boot), 36);
  assert_true(self.start > 0);
  assert_int_equal(self.start, again.start);
  assert_int_equal(kiln_instance_state(&self), KILN_INSTANCE_RUNNING);
}

static void
test_a_reused_number_is_another_process(void **state)
{
  struct kiln_instance self;
  (void)state;
  kiln_instance_self(&self);
  self.start++;
  assert_int_equal(kiln_instance_state(&self), KILN_INSTANCE_ENDED);
}

static void
test_another_boot_is_elsewhere(void **state)
{
  struct kiln_instance self;
  (void)state;
  kiln_instance_self(&self);
  self.boot[0] ^= 1;
  assert_int_equal(kiln_instance_state(&self), KILN_INSTANCE_ELSEWHERE);
}

static void
test_a_child_ends(void **state)
{
  struct kiln_instance child;
  int ends[2];
  (void)state;
  assert_int_equal(pipe(ends), 0);
  pid_t pid = fork();
  if (pid == 0) {
    kiln_instance_self(&child);
    _exit(write(ends[1], &child, sizeof child) == sizeof child ? 0 : 1);
  }
  assert_int_equal(read(ends[0], &child, sizeof child), sizeof child);
  assert_int_equal(child.pid, pid);
  int status;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_int_equal(kiln_instance_state(&child), KILN_INSTANCE_ENDED);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_this_process_runs),
      cmocka_unit_test(test_a_reused_number_is_another_process),
      cmocka_unit_test(test_another_boot_is_elsewhere),
      cmocka_unit_test(test_a_child_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
