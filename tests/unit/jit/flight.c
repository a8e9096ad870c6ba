/* The cache of modules alone, with modules that hold no code: one flight per key, results shared, failures not kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "jit/flight.h"
#include "jit/module.h"
#include "os/clock.h"
#include "os/thread.h"

struct loader {
  atomic_int calls;
  atomic_bool *gate; /* the load waits for it */
  bool fails;
  struct kiln_module *last;
  struct kiln_module *stale; /* as it was told */
};

static enum kiln_status
load(void *context, struct kiln_module *stale, struct kiln_module **module, struct kiln_error *error)
{
  struct loader *loader = context;
  atomic_fetch_add(&loader->calls, 1);
  loader->stale = stale;
  while (loader->gate && !atomic_load(loader->gate))
    kiln_clock_sleep(1000000);
  if (loader->fails)
    return kiln_error_set(error, KILN_ERROR_COMMAND, "it fails");
  *module = calloc(1, sizeof **module);
  atomic_init(&(*module)->references, 1);
  loader->last = *module;
  return KILN_OK;
}

static struct kiln_digest
key_of(uint32_t number)
{
  struct kiln_digest key = {{0}};
  memcpy(key.bytes, &number, sizeof number);
  return key;
}

static void
test_many_keys(void **state)
{
  enum { COUNT = 1000 };
  struct kiln_module *modules[COUNT], *again;
  struct kiln_module_cache *cache = kiln_module_cache_new();
  struct loader loader = {.calls = 0};
  (void)state;
  for (uint32_t i = 0; i < COUNT; i++) {
    const struct kiln_digest key = key_of(i * 64); /* collide in a table of 64 */
    assert_int_equal(kiln_module_cache_get(cache, &key, load, &loader, &modules[i], NULL), KILN_OK);
    assert_null(loader.stale);
  }
  for (uint32_t i = 0; i < COUNT; i++) {
    const struct kiln_digest key = key_of(i * 64);
    assert_int_equal(kiln_module_cache_get(cache, &key, load, &loader, &again, NULL), KILN_OK);
    assert_ptr_equal(again, modules[i]);
    assert_int_equal(atomic_load(&again->references), 3);
    kiln_module_release(again);
    kiln_module_release(modules[i]);
  }
  assert_int_equal(atomic_load(&loader.calls), COUNT);
  kiln_module_cache_free(cache);
}

static void
test_failures_are_not_kept(void **state)
{
  struct kiln_module_cache *cache = kiln_module_cache_new();
  struct loader loader = {.calls = 0, .fails = true};
  struct kiln_error error;
  struct kiln_module *module;
  const struct kiln_digest key = key_of(1);
  (void)state;
  assert_int_equal(kiln_module_cache_get(cache, &key, load, &loader, &module, &error), KILN_ERROR_COMMAND);
  assert_string_equal(error.what, "it fails");
  assert_null(module);
  loader.fails = false;
  assert_int_equal(kiln_module_cache_get(cache, &key, load, &loader, &module, &error), KILN_OK);
  assert_int_equal(atomic_load(&loader.calls), 2);
  kiln_module_release(module);
  kiln_module_cache_free(cache);
  kiln_module_cache_free(NULL);
}

/* A watched file that is gone makes it stale: loaded anew, and the old one still lives. */
static void
test_a_stale_module_is_replaced(void **state)
{
  struct kiln_module_cache *cache = kiln_module_cache_new();
  struct loader loader = {.calls = 0};
  struct kiln_module *first, *second;
  const struct kiln_digest key = key_of(1);
  (void)state;
  assert_int_equal(kiln_module_cache_get(cache, &key, load, &loader, &first, NULL), KILN_OK);
  struct kiln_watch *watch = calloc(1, sizeof *watch + sizeof watch->files[0]);
  watch->paths = calloc(1, sizeof *watch->paths);
  watch->paths[0] = strdup("/nowhere/at/all");
  watch->files[0] = (struct kiln_memo_file){watch->paths[0], 1, 1, 1};
  watch->count = 1;
  atomic_store(&first->watch, watch);
  assert_int_equal(kiln_module_cache_get(cache, &key, load, &loader, &second, NULL), KILN_OK);
  assert_ptr_not_equal(first, second);
  assert_ptr_equal(loader.stale, first);
  assert_int_equal(atomic_load(&first->references), 2);
  kiln_module_release(first);
  kiln_module_release(second);
  kiln_module_cache_free(cache);
}

struct passenger {
  struct kiln_module_cache *cache;
  struct loader *loader;
  uint32_t key;
  struct kiln_thread thread;
  struct kiln_module *module;
  enum kiln_status status;
};

static void *
board(void *context)
{
  struct passenger *passenger = context;
  const struct kiln_digest key = key_of(passenger->key);
  passenger->status = kiln_module_cache_get(passenger->cache, &key, load, passenger->loader, &passenger->module, NULL);
  return NULL;
}

static void
fly_together(bool fails)
{
  enum { COUNT = 12 };
  struct passenger passengers[COUNT];
  struct kiln_module_cache *cache = kiln_module_cache_new();
  atomic_bool gate = false;
  struct loader slow = {.calls = 0, .gate = &gate, .fails = fails}, quick = {.calls = 0};
  struct kiln_module *other;
  const struct kiln_digest other_key = key_of(2);
  for (int i = 0; i < COUNT; i++) {
    passengers[i] = (struct passenger){.cache = cache, .loader = &slow, .key = 1};
    assert_true(kiln_thread_start(&passengers[i].thread, board, &passengers[i]));
  }
  while (atomic_load(&slow.calls) == 0)
    kiln_clock_sleep(1000000);
  /* Another key is not held up. */
  assert_int_equal(kiln_module_cache_get(cache, &other_key, load, &quick, &other, NULL), KILN_OK);
  kiln_module_release(other);
  if (!fails)
    kiln_clock_sleep(50000000); /* so that most of them wait */
  atomic_store(&gate, true);
  for (int i = 0; i < COUNT; i++) {
    kiln_thread_join(&passengers[i].thread);
    assert_int_equal(passengers[i].status, fails ? KILN_ERROR_COMMAND : KILN_OK);
    if (!fails)
      assert_ptr_equal(passengers[i].module, slow.last);
    kiln_module_release(passengers[i].module);
  }
  if (!fails)
    assert_int_equal(atomic_load(&slow.calls), 1);
  kiln_module_cache_free(cache);
}

static void
test_one_flight_for_all(void **state)
{
  (void)state;
  fly_together(false);
}

static void
test_a_failure_is_shared(void **state)
{
  (void)state;
  fly_together(true);
}

static void
test_a_child_flies_itself(void **state)
{
  struct kiln_module_cache *cache = kiln_module_cache_new();
  atomic_bool gate = false;
  struct loader slow = {.calls = 0, .gate = &gate}, own = {.calls = 0};
  struct passenger passenger = {.cache = cache, .loader = &slow, .key = 1};
  int status;
  (void)state;
  assert_true(kiln_thread_start(&passenger.thread, board, &passenger));
  while (atomic_load(&slow.calls) == 0)
    kiln_clock_sleep(1000000);
  const pid_t child = fork();
  if (child == 0) {
    struct kiln_module *module;
    const struct kiln_digest key = key_of(1);
    alarm(20);
    _exit(kiln_module_cache_get(cache, &key, load, &own, &module, NULL) == KILN_OK && module ? 0 : 1);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  atomic_store(&gate, true);
  kiln_thread_join(&passenger.thread);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
  kiln_module_release(passenger.module);
  kiln_module_cache_free(cache);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_many_keys), cmocka_unit_test(test_failures_are_not_kept),
      cmocka_unit_test(test_a_stale_module_is_replaced), cmocka_unit_test(test_one_flight_for_all),
      cmocka_unit_test(test_a_failure_is_shared), cmocka_unit_test(test_a_child_flies_itself)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
