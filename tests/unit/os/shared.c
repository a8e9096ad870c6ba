#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/shared.h"
#include "unit/os/scratch.h"

#define SIZE ((size_t)300000)

static void
test_create_is_allocated_and_shared(void **state)
{
  const char *path = scratch_path(*state, "count");
  char *memory = kiln_shared_create(path, SIZE, NULL);
  assert_non_null(memory);
  for (size_t i = 0; i < SIZE; i++)
    assert_int_equal(memory[i], 0);
  struct stat status;
  assert_int_equal(stat(path, &status), 0);
  assert_int_equal(status.st_size, SIZE);
  assert_true((size_t)status.st_blocks * 512 >= SIZE);
  memory[SIZE - 1] = 'x';
  size_t size = 0;
  const char *read_only = kiln_shared_open(path, &size);
  assert_non_null(read_only);
  assert_int_equal(size, SIZE);
  assert_int_equal(read_only[SIZE - 1], 'x');
  memory[0] = 'y';
  assert_int_equal(read_only[0], 'y');
  kiln_shared_close(read_only, size);
  assert_null(kiln_shared_create(path, SIZE, NULL)); /* only a new file */
  assert_int_equal(memory[0], 'y');
  kiln_shared_close(memory, SIZE);
  kiln_shared_close(NULL, SIZE);
}

static void
test_fixed_address(void **state)
{
  const char *path = scratch_path(*state, "count");
  char *place = kiln_shared_anonymous(SIZE, NULL);
  assert_non_null(place);
  place[0] = 'a';
  assert_ptr_equal(kiln_shared_create(path, SIZE, place), place);
  assert_int_equal(place[0], 0);
  place[0] = 'b';
  assert_ptr_equal(kiln_shared_anonymous(SIZE, place), place);
  assert_int_equal(place[0], 0);
  kiln_shared_close(place, SIZE);
}

static void
test_failure_leaves_no_file(void **state)
{
  struct scratch *scratch = *state;
  assert_null(kiln_shared_create(scratch_path(scratch, "no/count"), SIZE, NULL));
  assert_null(kiln_shared_create(scratch_path(scratch, "zero"), 0, NULL));
  /* More than any disk has: refused here, and not by a signal at the first write. */
  assert_null(kiln_shared_create(scratch_path(scratch, "huge"), SIZE_MAX / 4, NULL));
  assert_false(kiln_file_exists(scratch_path(scratch, "huge")));
  assert_false(kiln_file_exists(scratch_path(scratch, "zero")));
}

static void
test_open_refuses(void **state)
{
  struct scratch *scratch = *state;
  size_t size = 7;
  assert_null(kiln_shared_open(scratch_path(scratch, "absent"), &size));
  assert_int_equal(kiln_file_write(scratch_path(scratch, "empty"), "", 0, NULL), KILN_OK);
  assert_null(kiln_shared_open(scratch_path(scratch, "empty"), &size));
  assert_null(kiln_shared_open(scratch->folder.data, &size));
  assert_int_equal(mkfifo(scratch_path(scratch, "pipe"), 0600), 0);
  assert_null(kiln_shared_open(scratch_path(scratch, "pipe"), &size));
}

static void
test_wiped_on_fork(void **state)
{
  (void)state;
  volatile char *page = kiln_shared_wiped_on_fork();
  if (!page)
    skip(); /* the kernel is older than 4.14 */
  page[0] = 1;
  pid_t pid = fork();
  if (pid == 0)
    _exit(page[0]);
  int status;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_int_equal(status, 0);
  assert_int_equal(page[0], 1);
}

/* Bytes of memory that this process has now. */
static size_t
resident(void)
{
  unsigned long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  assert_non_null(file);
  assert_int_equal(fscanf(file, "%*u %lu", &pages), 1);
  fclose(file);
  return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void
test_sparse_takes_what_is_touched(void **state)
{
  const size_t size = (size_t)64 << 30, step = (size_t)1 << 30;
  const size_t before = resident();
  char *memory = kiln_shared_sparse(size);
  (void)state;
  if (!memory)
    skip(); /* the system promises no more than it has */
  for (size_t at = 0; at < size; at += step) {
    assert_int_equal(memory[at + 1], 0);
    memory[at] = 'x';
  }
  assert_int_equal(memory[size - step], 'x');
  assert_true(resident() < before + ((size_t)32 << 20)); /* not 64 huge pages */
  kiln_shared_close(memory, size);
  assert_null(kiln_shared_sparse(SIZE_MAX / 4));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_make, scratch_remove)

int
main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_create_is_allocated_and_shared),
      TEST(test_fixed_address),
      TEST(test_failure_leaves_no_file),
      TEST(test_open_refuses),
      TEST(test_wiped_on_fork),
      TEST(test_sparse_takes_what_is_touched),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
