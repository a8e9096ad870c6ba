/* The instruction set as text: stable, and in agreement with what the compiler's own runtime finds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "os/cpu.h"
#include "os/file.h"

static bool
has_word(const char *text, const char *word)
{
  size_t len = strlen(word);
  for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
    if ((at == text || at[-1] == ' ') && (at[len] == ' ' || at[len] == '\0'))
      return true;
  return false;
}

static void
test_stable(void **state)
{
  struct kiln_buf first, second;
  (void)state;
  kiln_buf_init(&first);
  kiln_buf_init(&second);
  kiln_cpu_features(&first);
  kiln_cpu_features(&second);
  assert_true(first.len > 6);
  assert_string_equal(kiln_buf_text(&first), kiln_buf_text(&second));
  kiln_buf_release(&first);
  kiln_buf_release(&second);
}

#if defined(__x86_64__)
static void
test_agrees_with_the_compiler(void **state)
{
  struct kiln_buf text;
  (void)state;
  kiln_buf_init(&text);
  kiln_cpu_features(&text);
  __builtin_cpu_init();
  assert_int_equal(has_word(kiln_buf_text(&text), "avx"), __builtin_cpu_supports("avx") != 0);
  assert_int_equal(has_word(kiln_buf_text(&text), "avx2"), __builtin_cpu_supports("avx2") != 0);
  assert_int_equal(has_word(kiln_buf_text(&text), "avx512f"), __builtin_cpu_supports("avx512f") != 0);
  assert_int_equal(has_word(kiln_buf_text(&text), "bmi2"), __builtin_cpu_supports("bmi2") != 0);
  assert_int_equal(has_word(kiln_buf_text(&text), "fma"), __builtin_cpu_supports("fma") != 0);
  assert_int_equal(has_word(kiln_buf_text(&text), "popcnt"), __builtin_cpu_supports("popcnt") != 0);
  assert_int_equal(has_word(kiln_buf_text(&text), "sse4.2"), __builtin_cpu_supports("sse4.2") != 0);
  kiln_buf_release(&text);
}
#endif

static void
test_machine_is_that_of_this_program(void **state)
{
  struct kiln_buf self;
  unsigned char head[20];
  (void)state;
  kiln_buf_init(&self);
  int fd = kiln_fd_open("/proc/self/exe", KILN_OPEN_READ);
  assert_true(fd >= 0);
  assert_int_equal(kiln_fd_read(fd, head, sizeof head), (long)sizeof head);
  kiln_fd_close(fd);
  assert_int_equal(kiln_cpu_elf_machine(), head[18] | head[19] << 8);
  kiln_buf_release(&self);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_stable),
#if defined(__x86_64__)
    cmocka_unit_test(test_agrees_with_the_compiler),
#endif
    cmocka_unit_test(test_machine_is_that_of_this_program),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
