#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "os/process.h"

static int
start(char *const *environment)
{
  char *argv[] = {"sleep", "300", NULL};
  struct kiln_spawn_options options = {
      .program = "/bin/sleep", .argv = argv, .environment = environment, .stdin_fd = -1};
  int pid = 0;
  assert_int_equal(kiln_process_spawn(&options, &pid, NULL), KILN_OK);
  return pid;
}

/* Near misses live on: a longer or shorter value, a longer name, the text inside another value. */
static void
test_only_exact_marks_are_killed(void **state)
{
  (void)state;
  char value[64], exact[128], longer[160], prefixed[160], inside[160], shorter[160];
  snprintf(value, sizeof value, "run-%d", (int)getpid());
  snprintf(exact, sizeof exact, "KILN_TEST_MARK=%s", value);
  snprintf(longer, sizeof longer, "%s0", exact);
  snprintf(prefixed, sizeof prefixed, "X%s", exact);
  snprintf(inside, sizeof inside, "OTHER=%s", exact);
  snprintf(shorter, sizeof shorter, "%.*s", (int)strlen(exact) - 1, exact);
  char *const marked[] = {"A=1", exact, NULL};
  char *const spared[] = {longer, prefixed, inside, shorter, NULL};
  int first = start(marked), second = start(marked), third = start(spared);
  assert_int_equal(kiln_process_kill_marked("KILN_TEST_MARK", value), 2);
  struct kiln_exit result;
  assert_true(kiln_process_wait(first, -1, &result));
  assert_int_equal(result.signal, SIGKILL);
  assert_true(kiln_process_wait(second, -1, &result));
  assert_int_equal(result.signal, SIGKILL);
  assert_true(kiln_process_alive(third));
  assert_int_equal(kiln_process_kill_marked("KILN_TEST_MARK", value), 0);
  kiln_process_kill(third, SIGKILL);
  assert_true(kiln_process_wait(third, -1, NULL));
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_only_exact_marks_are_killed)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
