#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>

#include "os/clock.h"
#include "os/thread.h"

#define THREADS 8
#define ROUNDS 20000

struct shared {
  struct kiln_mutex mutex;
  struct kiln_condition condition;
  long count;
  bool open;
  int arrived;
};

static void
shared_init(struct shared *shared)
{
  *shared = (struct shared){0};
  kiln_mutex_init(&shared->mutex);
  kiln_condition_init(&shared->condition);
}

static void
shared_release(struct shared *shared)
{
  kiln_condition_release(&shared->condition);
  kiln_mutex_release(&shared->mutex);
}

static void *
count_up(void *context)
{
  struct shared *shared = context;
  for (int i = 0; i < ROUNDS; i++) {
    kiln_mutex_lock(&shared->mutex);
    shared->count++;
    kiln_mutex_unlock(&shared->mutex);
  }
  return NULL;
}

static void
test_mutex_excludes(void **state)
{
  (void)state;
  struct shared shared;
  struct kiln_thread threads[THREADS];
  shared_init(&shared);
  for (int i = 0; i < THREADS; i++)
    assert_true(kiln_thread_start(&threads[i], count_up, &shared));
  for (int i = 0; i < THREADS; i++)
    kiln_thread_join(&threads[i]);
  assert_int_equal(shared.count, THREADS * ROUNDS);
  shared_release(&shared);
}

static void *
pass_gate(void *context)
{
  struct shared *shared = context;
  kiln_mutex_lock(&shared->mutex);
  shared->arrived++;
  kiln_condition_wake_all(&shared->condition);
  while (!shared->open)
    kiln_condition_wait(&shared->condition, &shared->mutex, -1);
  shared->count++;
  kiln_mutex_unlock(&shared->mutex);
  return NULL;
}

static void
test_wake_all_wakes_all(void **state)
{
  (void)state;
  struct shared shared;
  struct kiln_thread threads[THREADS];
  shared_init(&shared);
  for (int i = 0; i < THREADS; i++)
    assert_true(kiln_thread_start(&threads[i], pass_gate, &shared));
  kiln_mutex_lock(&shared.mutex);
  while (shared.arrived < THREADS)
    kiln_condition_wait(&shared.condition, &shared.mutex, -1);
  assert_int_equal(shared.count, 0);
  shared.open = true;
  kiln_condition_wake_all(&shared.condition);
  kiln_mutex_unlock(&shared.mutex);
  for (int i = 0; i < THREADS; i++)
    kiln_thread_join(&threads[i]);
  assert_int_equal(shared.count, THREADS);
  shared_release(&shared);
}

/* Only the lower bound: a busy machine may always be late. */
static void
test_wait_times_out(void **state)
{
  (void)state;
  struct shared shared;
  shared_init(&shared);
  kiln_mutex_lock(&shared.mutex);
  uint64_t start = kiln_clock_now();
  while (kiln_condition_wait(&shared.condition, &shared.mutex, 30))
    start = kiln_clock_now(); /* woken for no reason: the next wait is the one that counts */
  assert_true(kiln_clock_now() - start >= 30000000);
  assert_false(kiln_condition_wait(&shared.condition, &shared.mutex, 0));
  kiln_mutex_unlock(&shared.mutex);
  shared_release(&shared);
}

static void *
read_mask(void *context)
{
  pthread_sigmask(SIG_SETMASK, NULL, context);
  return NULL;
}

static void
test_signals_are_blocked_there_and_not_here(void **state)
{
  (void)state;
  struct kiln_thread thread;
  sigset_t before, after, inside;
  sigemptyset(&before);
  sigaddset(&before, SIGUSR1);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  assert_true(kiln_thread_start(&thread, read_mask, &inside));
  kiln_thread_join(&thread);
  pthread_sigmask(SIG_SETMASK, NULL, &after);
  const int signals[] = {SIGINT, SIGTERM, SIGCHLD, SIGUSR1, SIGALRM};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
    assert_int_equal(sigismember(&inside, signals[i]), 1);
    assert_int_equal(sigismember(&after, signals[i]), sigismember(&before, signals[i]));
  }
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_mutex_excludes), cmocka_unit_test(test_wake_all_wakes_all),
      cmocka_unit_test(test_wait_times_out), cmocka_unit_test(test_signals_are_blocked_there_and_not_here)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
