/*
 * What a place in the budget costs a build that does not have to wait for it, beside the floor: one byte of a file
 * locked and freed again by hand.
 *
 * usage: bench.budget [HOLDERS]    so many other builds hold places meanwhile; default 0
 *
 * CPU time of this thread, the first question (which reads limits) apart. Prints medians of batches. Never fails on
 * time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "jit/budget.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/range_lock.h"

#define BATCHES 51
#define BATCH 100
#define MOST_HOLDERS 64

static int
compare(const void *left, const void *right)
{
  const double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static double
median(double *values)
{
  qsort(values, BATCHES, sizeof *values, compare);
  return values[BATCHES / 2];
}

static bool
take_and_return(struct kiln *kiln)
{
  struct kiln_share share;
  const struct kiln_budget_request request = {.name = "bench", .threads = 1, .need_bytes = (uint64_t)256 << 20};
  const bool taken = kiln_budget_take(kiln, &request, &share, NULL) == KILN_OK && share.held;
  kiln_budget_return(&share);
  return taken;
}

static double
budget_us(struct kiln *kiln)
{
  static double batches[BATCHES];
  for (int i = 0; i < BATCHES; i++) {
    const uint64_t begin = kiln_clock_thread_cpu();
    for (int k = 0; k < BATCH; k++)
      if (!take_and_return(kiln))
        return -1;
    batches[i] = (double)(kiln_clock_thread_cpu() - begin) / 1e3 / BATCH;
  }
  return median(batches);
}

static double
floor_us(const char *path)
{
  static double batches[BATCHES];
  for (int i = 0; i < BATCHES; i++) {
    const uint64_t begin = kiln_clock_thread_cpu();
    for (int k = 0; k < BATCH; k++) {
      int fd;
      if (kiln_range_lock_try(path, 0600, 0, &fd) != KILN_RANGE_TAKEN)
        return -1;
      kiln_range_lock_release(fd);
    }
    batches[i] = (double)(kiln_clock_thread_cpu() - begin) / 1e3 / BATCH;
  }
  return median(batches);
}

static void
measure(struct kiln *kiln, const char *folder, unsigned holders)
{
  struct kiln_share held[MOST_HOLDERS];
  struct kiln_buf path;
  const struct kiln_budget_request request = {.name = "holder", .threads = 1, .need_bytes = (uint64_t)16 << 20};
  kiln_buf_init(&path);
  const uint64_t begin = kiln_clock_thread_cpu();
  take_and_return(kiln);
  const double first = (double)(kiln_clock_thread_cpu() - begin) / 1e3;
  for (unsigned i = 0; i < holders; i++)
    (void)kiln_budget_take(kiln, &request, &held[i], NULL);
  const double floor = floor_us(kiln_text_join(&path, folder, "floor"));
  const double cost = budget_us(kiln);
  printf("first place of a kiln   %8.2f us CPU (limits are read)\n", first);
  printf("one byte by hand        %8.2f us CPU\n", floor);
  printf("a place, %2u others      %8.2f us CPU, %.1f times the byte\n", holders, cost, cost / floor);
  for (unsigned i = 0; i < holders; i++)
    kiln_budget_return(&held[i]);
  kiln_buf_release(&path);
}

int
main(int argc, char **argv)
{
  const unsigned wanted = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
  struct kiln_buf folder;
  struct kiln_options options;
  struct kiln *kiln;
  kiln_buf_init(&folder);
  if (kiln_folder_make_private(kiln_folder_temporary(), "kiln-bench-", &folder, NULL) != KILN_OK)
    return 1;
  kiln_options_init(&options);
  options.budget_folder = kiln_buf_text(&folder);
  options.cache_folder = kiln_buf_text(&folder);
  options.jobs = MOST_HOLDERS + 1;
  if (kiln_new(&options, &kiln, NULL) != KILN_OK)
    return 1;
  measure(kiln, kiln_buf_text(&folder), wanted < MOST_HOLDERS ? wanted : MOST_HOLDERS);
  kiln_free(kiln);
  kiln_folder_remove(kiln_buf_text(&folder), NULL);
  kiln_buf_release(&folder);
  return 0;
}
