#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/proc.h"

static void
test_own_process(void **state)
{
  (void)state;
  struct kiln_proc proc;
  /* A name that looks like the end of the field and a state. */
  assert_int_equal(prctl(PR_SET_NAME, "a) Z 1 (b)", 0, 0, 0), 0);
  assert_true(kiln_proc_read(getpid(), &proc));
  assert_int_equal(proc.pid, getpid());
  assert_int_equal(proc.parent, getppid());
  assert_int_equal(proc.state, 'R');
  assert_false(kiln_proc_ended(&proc));
}

static void
test_zombie_has_ended(void **state)
{
  (void)state;
  struct kiln_proc proc;
  siginfo_t info;
  pid_t pid = fork();
  if (pid == 0)
    _exit(0);
  assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
  assert_true(kiln_proc_read(pid, &proc));
  assert_true(kiln_proc_ended(&proc));
  assert_int_equal(waitpid(pid, NULL, 0), pid);
  assert_false(kiln_proc_read(pid, &proc));
}

struct search {
  int wanted, found;
};

static void
visit(void *context, int pid)
{
  struct search *search = context;
  search->found += pid == search->wanted;
}

static void
test_each_finds_this_process_once(void **state)
{
  (void)state;
  struct search search = {.wanted = getpid()};
  assert_true(kiln_proc_each(visit, &search));
  assert_int_equal(search.found, 1);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_own_process),
      cmocka_unit_test(test_zombie_has_ended),
      cmocka_unit_test(test_each_finds_this_process_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
