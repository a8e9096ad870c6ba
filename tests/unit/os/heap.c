#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "os/heap.h"
#include "tests/unit/sanitizer.h"

/* Larger than what glibc puts aside by size, as that would hold the end of the heap. */
enum { BLOCKS = 4096, BLOCK = 2000 };

static long
faults(void)
{
  struct rusage usage;
  assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
  return usage.ru_minflt;
}

/* Page faults of work that takes 8 MB in smalland frees them. */
static long
faults_of_work(void)
{
  static char *blocks[BLOCKS];
  const long before = faults();
  for (size_t i = 0; i < BLOCKS; i++) {
    blocks[i] = malloc(BLOCK);
    assert_non_null(blocks[i]);
    memset(blocks[i], 1, BLOCK);
  }
  for (size_t i = BLOCKS; i > 0; i--)
    free(blocks[i - 1]);
  return faults() - before;
}

static void
test_memory_is_kept(void **state)
{
  (void)state;
  if (is_sanitized())
    skip();
  (void)faults_of_work();
  const long given_back = faults_of_work();
  if (given_back < 1000) {
    print_message("an allocator that keeps its memory anyway: %ld faults\n", given_back);
    skip();
  }
  kiln_heap_keep((size_t)16 << 20);
  (void)faults_of_work();
  const long kept = faults_of_work();
  if (kept >= 100)
    fail_msg("%ld page faults, %ld before", kept, given_back);
  kiln_heap_keep(0);
  kiln_heap_keep(SIZE_MAX / 2); /* more than there is */
  assert_true(faults_of_work() < 100);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory_is_kept)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
