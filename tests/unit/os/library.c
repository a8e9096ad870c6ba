#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "os/clock.h"
#include "os/file.h"
#include "os/library.h"
#include "unit/os/native.h"
#include "unit/os/scratch.h"

static void
test_by_path(void **state)
{
  struct kiln_library *library;
  struct kiln_buf path;
  const char *file = scratch_path(*state, "answer.so");
  assert_true(native_make(file, 7));
  assert_int_equal(kiln_library_open(file, &library, NULL), KILN_OK);
  assert_int_equal(native_call(kiln_library_symbol(library, "answer")), 7);
  assert_null(kiln_library_symbol(library, "nobody"));
  kiln_buf_init(&path);
  assert_true(kiln_library_path(library, &path));
  assert_non_null(strstr(kiln_buf_text(&path), "/answer.so"));
  kiln_buf_release(&path);
  kiln_library_close(library);
  kiln_library_close(NULL);
}

static void
test_missing(void **state)
{
  struct kiln_library *library;
  struct kiln_error error;
  (void)state;
  assert_int_equal(kiln_library_open("libkiln-nobody.so.9", &library, &error), KILN_ERROR_NOT_FOUND);
  assert_null(library);
  assert_non_null(strstr(error.what, "'libkiln-nobody.so.9'"));
}

static void
test_no_library(void **state)
{
  struct kiln_library *library;
  struct kiln_error error;
  const char *file = scratch_path(*state, "text.so");
  assert_int_equal(kiln_file_write(file, "no library", 10, NULL), KILN_OK);
  assert_int_equal(kiln_library_open(file, &library, &error), KILN_ERROR_ENVIRONMENT);
  assert_non_null(strstr(error.what, file));
}

/* ---- expected ---- */

#define PATIENCE_NS UINT64_C(60000000000)
enum { LARGE = 4 << 20 };

/* Pages of it that are in memory. */
static size_t
count_pages(const char *path)
{
  static unsigned char states[LARGE / 4096];
  const int fd = kiln_fd_open(path, KILN_OPEN_READ);
  char *map = mmap(NULL, LARGE, PROT_READ, MAP_SHARED, fd, 0);
  size_t count = 0;
  kiln_fd_close(fd);
  assert_true(map != MAP_FAILED && mincore(map, LARGE, states) == 0);
  for (size_t i = 0; i < LARGE / (size_t)sysconf(_SC_PAGESIZE); i++)
    count += states[i] & 1;
  munmap(map, LARGE);
  return count;
}

static void
forget_pages(const char *path)
{
  const int fd = kiln_fd_open(path, KILN_OPEN_READ);
  assert_int_equal(fsync(fd), 0);
  (void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  kiln_fd_close(fd);
}

/* The system reads in its own time. */
static void
test_expected(void **state)
{
  const size_t all = LARGE / (size_t)sysconf(_SC_PAGESIZE);
  const char *file = scratch_path(*state, "large");
  char *content = calloc(1, LARGE);
  assert_non_null(content);
  memset(content, 7, LARGE);
  assert_int_equal(kiln_file_write(file, content, LARGE, NULL), KILN_OK);
  free(content);
  forget_pages(file);
  if (count_pages(file) > 0)
    skip(); /* a file system that keeps everything in memory */
  kiln_library_expect(file);
  const uint64_t begin = kiln_clock_now();
  while (count_pages(file) < all && kiln_clock_now() - begin < PATIENCE_NS)
    sched_yield();
  assert_int_equal(count_pages(file), all);
}

static void
test_expected_in_vain(void **state)
{
  const char *file = scratch_path(*state, "empty");
  assert_int_equal(kiln_file_write(file, "", 0, NULL), KILN_OK);
  kiln_library_expect(file);
  kiln_library_expect(scratch_path(*state, "nobody"));
  kiln_library_expect(scratch_path(*state, "."));
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_by_path, scratch_make, scratch_remove),
      cmocka_unit_test(test_missing),
      cmocka_unit_test_setup_teardown(test_no_library, scratch_make, scratch_remove),
      cmocka_unit_test_setup_teardown(test_expected, scratch_make, scratch_remove),
      cmocka_unit_test_setup_teardown(test_expected_in_vain, scratch_make, scratch_remove),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
