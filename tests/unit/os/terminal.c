#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "os/terminal.h"

/* Slave side of a new pseudo terminal, -1 where there are none. */
static int
open_terminal(int *master)
{
  *master = posix_openpt(O_RDWR | O_NOCTTY);
  if (*master < 0 || grantpt(*master) != 0 || unlockpt(*master) != 0)
    return -1;
  return open(ptsname(*master), O_RDWR | O_NOCTTY);
}

static void
test_no_terminal(void **state)
{
  (void)state;
  int fd = open("/dev/null", O_RDWR);
  unsetenv("COLUMNS");
  assert_false(kiln_terminal_is(fd));
  assert_false(kiln_terminal_color(fd));
  assert_int_equal(kiln_terminal_columns(fd), 80);
  assert_int_equal(kiln_terminal_columns(-1), 80);
  close(fd);
}

static void
test_columns_variable(void **state)
{
  (void)state;
  static const char *const refused[] = {"", "0", "-5", "abc", "99999999999"};
  setenv("COLUMNS", "123", 1);
  assert_int_equal(kiln_terminal_columns(-1), 123);
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    setenv("COLUMNS", refused[i], 1);
    assert_int_equal(kiln_terminal_columns(-1), 80);
  }
  unsetenv("COLUMNS");
}

static void
test_terminal(void **state)
{
  (void)state;
  int master, fd = open_terminal(&master);
  if (fd < 0)
    skip();
  struct winsize size = {.ws_row = 10, .ws_col = 47};
  assert_int_equal(ioctl(fd, TIOCSWINSZ, &size), 0);
  assert_true(kiln_terminal_is(fd));
  assert_int_equal(kiln_terminal_columns(fd), 47);
  unsetenv("NO_COLOR");
  setenv("TERM", "xterm", 1);
  assert_true(kiln_terminal_color(fd));
  setenv("NO_COLOR", "", 1);
  assert_true(kiln_terminal_color(fd));
  setenv("NO_COLOR", "1", 1);
  assert_false(kiln_terminal_color(fd));
  unsetenv("NO_COLOR");
  setenv("TERM", "dumb", 1);
  assert_false(kiln_terminal_color(fd));
  unsetenv("TERM");
  assert_false(kiln_terminal_color(fd));
  close(fd);
  close(master);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_no_terminal),
      cmocka_unit_test(test_columns_variable),
      cmocka_unit_test(test_terminal),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
