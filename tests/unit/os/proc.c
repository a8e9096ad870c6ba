#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
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

static void
count_descendant(void *context, const struct kiln_proc *proc)
{
  struct search *search = context;
  search->found += proc->pid == search->wanted;
  assert_int_not_equal(proc->pid, getpid());
}

/* A child that waits, and its child. */
static void
test_descendants(void **state)
{
  (void)state;
  int ends[2], grandchild;
  assert_int_equal(pipe(ends), 0);
  pid_t pid = fork();
  if (pid == 0) {
    int own = fork();
    if (own == 0) {
      pause();
      _exit(0);
    }
    if (write(ends[1], &own, sizeof own) == (long)sizeof own)
      pause();
    _exit(0);
  }
  assert_int_equal(read(ends[0], &grandchild, sizeof grandchild), sizeof grandchild);
  struct search child = {.wanted = pid}, inner = {.wanted = grandchild}, other = {.wanted = getppid()};
  kiln_proc_descendants(getpid(), count_descendant, &child);
  kiln_proc_descendants(getpid(), count_descendant, &inner);
  kiln_proc_descendants(getpid(), count_descendant, &other);
  kill(grandchild, SIGKILL);
  kill(pid, SIGKILL);
  assert_int_equal(waitpid(pid, NULL, 0), pid);
  assert_int_equal(child.found, 1);
  assert_int_equal(inner.found, 1);
  assert_int_equal(other.found, 0);
  close(ends[0]);
  close(ends[1]);
}

/* Work of a child counts while it lives and after it was waited for; own work does not. */
static void
test_cpu_of_the_tree(void **state)
{
  (void)state;
  const uint64_t before = kiln_proc_tree_cpu(getpid());
  struct rusage usage;
  pid_t pid = fork();
  if (pid == 0) {
    do
      getrusage(RUSAGE_SELF, &usage);
    while (usage.ru_utime.tv_sec == 0 && usage.ru_utime.tv_usec + usage.ru_stime.tv_usec < 200000);
    pause();
    _exit(0);
  }
  uint64_t living;
  do
    living = kiln_proc_tree_cpu(getpid()) - before;
  while (living < 100000000U);
  kill(pid, SIGKILL);
  assert_int_equal(waitpid(pid, NULL, 0), pid);
  assert_true(kiln_proc_tree_cpu(getpid()) - before >= living);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_own_process),
      cmocka_unit_test(test_zombie_has_ended),
      cmocka_unit_test(test_each_finds_this_process_once),
      cmocka_unit_test(test_descendants),
      cmocka_unit_test(test_cpu_of_the_tree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
