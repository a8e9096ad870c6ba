/* A mutex of its own for each process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "jit/guard.h"

static void
test_locks_and_unlocks(void **state)
{
  struct kiln_guard guard;
  (void)state;
  assert_true(kiln_guard_init(&guard));
  struct kiln_guard_own *own = kiln_guard_lock(&guard);
  assert_non_null(own);
  assert_int_equal(own->pid, getpid());
  kiln_guard_unlock(own);
  assert_ptr_equal(kiln_guard_lock(&guard), own);
  kiln_guard_unlock(own);
  kiln_guard_unlock(NULL);
  kiln_guard_release(&guard);
}

/* The parent holds it: the child must not wait, and begins without the parent's state. */
static void
test_a_child_does_not_wait_for_its_parent(void **state)
{
  struct kiln_guard guard;
  int status;
  (void)state;
  assert_true(kiln_guard_init(&guard));
  struct kiln_guard_own *own = kiln_guard_lock(&guard);
  own->state = malloc(1);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    struct kiln_guard_own *mine = kiln_guard_lock(&guard);
    const bool good = mine && mine != own && mine->pid == getpid() && !mine->state;
    kiln_guard_unlock(mine);
    const bool same = kiln_guard_lock(&guard) == mine;
    kiln_guard_unlock(mine);
    kiln_guard_release(&guard);
    _exit(good && same ? 0 : 1);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
  kiln_guard_unlock(own);
  kiln_guard_release(&guard);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_locks_and_unlocks), cmocka_unit_test(test_a_child_does_not_wait_for_its_parent)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
