#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "os/file.h"
#include "os/path.h"
#include "os/program.h"

static void
test_programs_of_this_machine(void **state)
{
  (void)state;
  struct kiln_program program;
  assert_int_equal(kiln_program_read("/proc/self/exe", &program, NULL), KILN_OK);
  assert_true(program.elf && program.dynamic);
  assert_false(program.elevated || program.shared_python);
  assert_int_equal(program.interpreter[0], '/');
  assert_int_equal(kiln_program_read("/bin/sh", &program, NULL), KILN_OK);
  assert_true(program.elf);
}

static void
test_what_is_no_program(void **state)
{
  (void)state;
  struct kiln_program program;
  struct kiln_error error;
  char path[] = "/tmp/kiln-program-XXXXXX";
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  kiln_fd_close(fd);
  static const char *const contents[] = {"", "#!/bin/sh\n", "\177ELF", "\177ELF\2\1\1"};
  for (size_t i = 0; i < sizeof contents / sizeof *contents; i++) {
    assert_int_equal(kiln_file_write(path, contents[i], strlen(contents[i]), NULL), KILN_OK);
    assert_int_equal(kiln_program_read(path, &program, NULL), KILN_OK);
    assert_false(program.elf || program.dynamic || program.musl);
  }
  remove(path);
  assert_int_equal(kiln_program_read(path, &program, &error), KILN_ERROR_NOT_FOUND);
  assert_non_null(strstr(error.what, path));
}

/* Any byte of the head may be wrong: nothing is believed that does not lie in the file. */
static void
test_damaged_heads_do_no_harm(void **state)
{
  (void)state;
  struct kiln_buf whole;
  struct kiln_program program;
  char path[] = "/tmp/kiln-program-XXXXXX";
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  kiln_fd_close(fd);
  kiln_buf_init(&whole);
  assert_int_equal(kiln_file_read("/proc/self/exe", (size_t)1 << 28, &whole, NULL), KILN_OK);
  const size_t len = whole.len < 65536 ? whole.len : 65536;
  for (size_t at = 16; at < 700 && at < len; at += 3) {
    const char before = whole.data[at];
    whole.data[at] = (char)0xff;
    assert_int_equal(kiln_file_write(path, whole.data, len, NULL), KILN_OK);
    assert_int_equal(kiln_program_read(path, &program, NULL), KILN_OK);
    assert_true(memchr(program.interpreter, '\0', sizeof program.interpreter) != NULL);
    whole.data[at] = before;
  }
  remove(path);
  kiln_buf_release(&whole);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_programs_of_this_machine),
      cmocka_unit_test(test_what_is_no_program),
      cmocka_unit_test(test_damaged_heads_do_no_harm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
