/* Taking places and memory, waiting for them, and what becomes of what a dead or stopped process held. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include "jit/budget_rows.h"
#include "os/clock.h"
#include "tests/unit/jit/fixture.h"
#include "tests/unit/os/tree.h"

#define MIB ((uint64_t)1 << 20)

static void
open_with(struct fixture *fixture, unsigned jobs, uint64_t memory)
{
  fixture->options.jobs = jobs;
  fixture->options.memory_bytes = memory;
  fixture_open(fixture);
}

static struct kiln_share
take(struct fixture *fixture, unsigned threads, uint64_t need)
{
  struct kiln_share share;
  const struct kiln_budget_request request = {.name = "k", .threads = threads, .need_bytes = need};
  assert_int_equal(kiln_budget_take(fixture->kiln, &request, &share, &fixture->error), KILN_OK);
  return share;
}

/* ---- would it have to wait? Asked by the lock bytes themselves. ---- */

static uint64_t
free_places(struct fixture *fixture)
{
  struct kiln_budget *budget;
  assert_int_equal(kiln_budget_of(fixture->kiln, &budget, NULL), KILN_OK);
  const struct kiln_slot_row row = {KILN_BUDGET_PLACES, budget->places};
  const int fd = kiln_slots_open(budget->path);
  const uint64_t count = kiln_slots_free(fd, &row);
  close(fd);
  return count;
}

static uint64_t
free_memory(struct fixture *fixture)
{
  struct kiln_budget *budget;
  assert_int_equal(kiln_budget_of(fixture->kiln, &budget, NULL), KILN_OK);
  const struct kiln_slot_row row = {KILN_BUDGET_MEMORY, kiln_budget_units(budget->memory_bytes)};
  const int fd = kiln_slots_open(budget->path);
  const uint64_t count = kiln_slots_free(fd, &row);
  close(fd);
  return count * KILN_BUDGET_UNIT;
}

static void
test_what_is_taken(void **state)
{
  struct fixture *fixture = *state;
  open_with(fixture, 8, 1024 * MIB);
  struct kiln_share one = take(fixture, 1, 100 * MIB);
  assert_int_equal(free_places(fixture), 7);
  assert_int_equal(free_memory(fixture), 1024 * MIB - 112 * MIB); /* whole units of 16 MiB */
  struct kiln_share three = take(fixture, 3, 64 * MIB);
  assert_int_equal(free_places(fixture), 4);
  assert_int_equal(free_memory(fixture), 1024 * MIB - 112 * MIB - 192 * MIB);
  kiln_budget_return(&one);
  kiln_budget_return(&three);
  assert_int_equal(free_places(fixture), 8);
  assert_int_equal(free_memory(fixture), 1024 * MIB);
  kiln_budget_return(&three);
}

static void
test_more_than_there_is_runs_alone(void **state)
{
  struct fixture *fixture = *state;
  open_with(fixture, 4, 256 * MIB);
  struct kiln_share large = take(fixture, 100, UINT64_MAX);
  assert_non_null(large.held);
  assert_int_equal(free_places(fixture), 0);
  assert_int_equal(free_memory(fixture), 0);
  kiln_budget_return(&large);
  open_with(fixture, 4, UINT64_MAX);
  large = take(fixture, 2, UINT64_MAX);
  assert_int_equal(free_places(fixture), 2);
  kiln_budget_return(&large);
}

/* ---- waiting ---- */

struct taker {
  struct fixture *fixture;
  struct kiln_budget_request request;
  atomic_int ticks, done;
  atomic_int *order;
  int place; /* in the order of those that came to their turn */
};

static void
note_tick(void *context)
{
  atomic_fetch_add(&((struct taker *)context)->ticks, 1);
}

static void *
run_taker(void *context)
{
  struct taker *taker = context;
  struct kiln_share share;
  taker->request.tick = note_tick;
  taker->request.context = taker;
  if (kiln_budget_take(taker->fixture->kiln, &taker->request, &share, NULL) != KILN_OK)
    return NULL;
  taker->place = atomic_fetch_add(taker->order, 1);
  atomic_store(&taker->done, 1);
  kiln_budget_return(&share);
  return NULL;
}

static void
until(const atomic_int *value, int least)
{
  const uint64_t end = kiln_clock_now() + UINT64_C(60000000000);
  while (atomic_load(value) < least && kiln_clock_now() < end)
    kiln_clock_sleep(1000000);
  assert_true(atomic_load(value) >= least);
}

static void
test_waits_for_a_place(void **state)
{
  struct fixture *fixture = *state;
  atomic_int order = 0;
  pthread_t thread;
  open_with(fixture, 1, UINT64_MAX);
  struct kiln_share held = take(fixture, 1, MIB);
  struct taker taker = {.fixture = fixture, .request = {.name = "w", .threads = 1, .need_bytes = MIB}, .order = &order};
  assert_int_equal(pthread_create(&thread, NULL, run_taker, &taker), 0);
  until(&taker.ticks, 3);
  assert_int_equal(atomic_load(&taker.done), 0);
  kiln_budget_return(&held);
  pthread_join(thread, NULL);
  assert_int_equal(atomic_load(&taker.done), 1);
  assert_int_equal(free_places(fixture), 1);
}

static void
test_waits_for_memory(void **state)
{
  struct fixture *fixture = *state;
  atomic_int order = 0;
  pthread_t thread;
  open_with(fixture, 8, 256 * MIB);
  struct kiln_share held = take(fixture, 1, 200 * MIB);
  struct taker taker = {
      .fixture = fixture, .request = {.name = "w", .threads = 2, .need_bytes = 64 * MIB}, .order = &order};
  assert_int_equal(pthread_create(&thread, NULL, run_taker, &taker), 0);
  until(&taker.ticks, 3);
  assert_int_equal(atomic_load(&taker.done), 0);
  assert_int_equal(free_places(fixture), 7); /* it keeps no place while it waits for memory */
  kiln_budget_return(&held);
  pthread_join(thread, NULL);
  assert_int_equal(atomic_load(&taker.done), 1);
}

/* A build that needs everything is not passed for ever by small ones that come later. */
static void
test_large_ones_do_not_starve(void **state)
{
  enum { SMALL = 6 };
  struct fixture *fixture = *state;
  atomic_int order = 0;
  pthread_t large_thread, threads[SMALL];
  struct taker small[SMALL];
  open_with(fixture, 2, UINT64_MAX);
  struct kiln_share first = take(fixture, 1, MIB), second = take(fixture, 1, MIB);
  struct taker large = {.fixture = fixture, .request = {.name = "l", .threads = 2, .need_bytes = MIB}, .order = &order};
  assert_int_equal(pthread_create(&large_thread, NULL, run_taker, &large), 0);
  until(&large.ticks, 2);
  for (int i = 0; i < SMALL; i++) {
    small[i] =
        (struct taker){.fixture = fixture, .request = {.name = "s", .threads = 1, .need_bytes = MIB}, .order = &order};
    assert_int_equal(pthread_create(&threads[i], NULL, run_taker, &small[i]), 0);
    until(&small[i].ticks, 1);
  }
  kiln_budget_return(&first); /* enough for a small one */
  for (int i = 0; i < SMALL; i++)
    until(&small[i].ticks, 5);
  assert_int_equal(atomic_load(&order), 0);
  kiln_budget_return(&second);
  pthread_join(large_thread, NULL);
  for (int i = 0; i < SMALL; i++)
    pthread_join(threads[i], NULL);
  assert_int_equal(large.place, 0);
  assert_int_equal(atomic_load(&order), SMALL + 1);
}

/* The machine is full of something else: one goes on, the second waits. */
static void
test_full_memory_brakes(void **state)
{
  struct fixture *fixture = *state;
  atomic_int order = 0;
  pthread_t thread;
  tree_machine(fixture->folder);
  tree_file(fixture->folder, "proc/meminfo", "MemTotal: 16777216 kB\nMemAvailable: 65536 kB\n");
  fixture->options.system_root = fixture->folder;
  open_with(fixture, 8, 0);
  struct kiln_share alone = take(fixture, 1, 512 * MIB);
  assert_non_null(alone.held);
  struct taker taker = {
      .fixture = fixture, .request = {.name = "w", .threads = 1, .need_bytes = 512 * MIB}, .order = &order};
  assert_int_equal(pthread_create(&thread, NULL, run_taker, &taker), 0);
  until(&taker.ticks, 3);
  assert_int_equal(atomic_load(&taker.done), 0);
  tree_file(fixture->folder, "proc/meminfo", "MemTotal: 16777216 kB\nMemAvailable: 1048576 kB\n");
  pthread_join(thread, NULL);
  kiln_budget_return(&alone);
}

/* ---- processes ---- */

/* A child that holds everything until it is ended. */
static pid_t
start_holder(struct fixture *fixture, unsigned places)
{
  int ready[2];
  char byte;
  assert_int_equal(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    const struct kiln_share share = take(fixture, places, MIB);
    if (!share.held || write(ready[1], "x", 1) != 1)
      _exit(1);
    for (;;)
      pause();
  }
  assert_int_equal(read(ready[0], &byte, 1), 1);
  close(ready[0]);
  close(ready[1]);
  return child;
}

static void
test_a_killed_process_gives_back(void **state)
{
  struct fixture *fixture = *state;
  open_with(fixture, 2, UINT64_MAX);
  const pid_t child = start_holder(fixture, 2);
  assert_int_equal(free_places(fixture), 0);
  kill(child, SIGKILL);
  assert_int_equal(waitpid(child, NULL, 0), child);
  struct kiln_share share = take(fixture, 2, MIB);
  assert_non_null(share.held);
  kiln_budget_return(&share);
}

/* Nobody beats for more than ten seconds: what is stopped does not stop others for ever. */
static void
test_a_stopped_process_is_passed(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_budget *budget;
  open_with(fixture, 1, UINT64_MAX);
  const pid_t child = start_holder(fixture, 1);
  kill(child, SIGSTOP);
  assert_int_equal(kiln_budget_of(fixture->kiln, &budget, NULL), KILN_OK);
  const int fd = kiln_slots_open(budget->path);
  const struct timespec old[2] = {{1000, 0}, {1000, 0}};
  assert_int_equal(futimens(fd, old), 0);
  close(fd);
  const uint64_t begin = kiln_clock_now();
  struct kiln_share share = take(fixture, 1, MIB);
  assert_null(share.held);
  assert_true(kiln_clock_now() - begin >= UINT64_C(9000000000));
  assert_non_null(strstr(fixture->messages, "beyond the budget"));
  kiln_budget_return(&share);
  kill(child, SIGKILL);
  assert_int_equal(waitpid(child, NULL, 0), child);
}

/* A forked child lets go of its parent's places as soon as it takes its own, and frees none of them. */
static void
test_forked_children(void **state)
{
  struct fixture *fixture = *state;
  open_with(fixture, 2, UINT64_MAX);
  struct kiln_share parents = take(fixture, 1, MIB);
  const pid_t child = fork();
  if (child == 0) {
    kiln_budget_refresh(&parents);
    struct kiln_share copy = parents;
    kiln_budget_return(&copy);
    if (free_places(fixture) != 1)
      _exit(1);
    struct kiln_share own = take(fixture, 1, MIB);
    const bool closed = fcntl(parents.fd, F_GETFD) < 0;
    if (!own.held || free_places(fixture) != 0)
      _exit(2);
    kiln_budget_return(&own);
    _exit(closed && free_places(fixture) == 1 ? 0 : 3);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  assert_int_equal(free_places(fixture), 1);
  kiln_budget_return(&parents);
  assert_int_equal(free_places(fixture), 2);
}

static void
test_pulse(void **state)
{
  struct fixture *fixture = *state;
  open_with(fixture, 2, UINT64_MAX);
  struct kiln_share share = take(fixture, 1, MIB);
  const struct timespec old[2] = {{1000, 0}, {1000, 0}};
  assert_int_equal(futimens(share.fd, old), 0);
  kiln_budget_refresh(&share);
  assert_true(kiln_slots_quiet(share.fd, KILN_PULSE_HELD) < 100);
  kiln_budget_return(&share);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_what_is_taken, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_more_than_there_is_runs_alone, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_waits_for_a_place, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_waits_for_memory, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_large_ones_do_not_starve, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_full_memory_brakes, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_a_killed_process_gives_back, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_a_stopped_process_is_passed, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_forked_children, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_pulse, fixture_set_up, fixture_tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
