/* Another module at once, the right one as soon as it is there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <sys/wait.h>

#include "kiln/prefetch.h"
#include "os/clock.h"
#include "tests/unit/jit/fixture.h"

struct ready {
  atomic_int calls;
  enum kiln_status status;
  char what[600];
};

static void
note_ready(void *context, enum kiln_status status, const struct kiln_error *error)
{
  struct ready *ready = context;
  ready->status = status;
  snprintf(ready->what, sizeof ready->what, "%s", error->what);
  atomic_fetch_add(&ready->calls, 1);
}

static void
until_called(const struct ready *ready, int times)
{
  const uint64_t end = kiln_clock_now() + UINT64_C(60000000000);
  while (atomic_load(&ready->calls) < times && kiln_clock_now() < end)
    kiln_clock_sleep(1000000);
  assert_int_equal(atomic_load(&ready->calls), times);
}

/* The answer of the module that was given, and whether it is the fallback's. */
static int
answer(struct fixture *fixture, const struct kiln_spec *spec, const struct kiln_spec *fallback, struct ready *ready,
    bool *fell_back)
{
  struct kiln_load_options options;
  struct kiln_module *module;
  kiln_load_options_init(&options);
  options.ready = ready ? note_ready : NULL;
  options.context = ready;
  if (kiln_module_load_or(fixture->kiln, spec, fallback, &options, &module, fell_back, &fixture->error) != KILN_OK)
    return -1;
  int (*call)(void);
  void *address = kiln_module_function(module, "answer", NULL);
  memcpy(&call, &address, sizeof call);
  const int value = call();
  kiln_module_release(module);
  return value;
}

/* A compiler that waits for <folder>/gate when the source holds the word "slow". */
static void
gate_slow_ones(struct fixture *fixture)
{
  char body[512];
  snprintf(body, sizeof body,
      "for w in \"$@\"; do case $w in *.c) if grep -q slow \"$w\"; then while [ ! -e '%s/gate' ]; do sleep 0.01; done; "
      "fi ;; esac; done",
      fixture->folder);
  fixture_stub(fixture, body);
}

static void
test_in_the_meantime(void **state)
{
  struct fixture *fixture = *state;
  struct ready ready = {.calls = 0};
  bool fell_back;
  struct kiln_spec *spec = fixture_spec("/* slow */ int answer(void) { return 1; }\n");
  struct kiln_spec *fallback = fixture_spec("int answer(void) { return 2; }\n");
  gate_slow_ones(fixture);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(answer(fixture, spec, fallback, &ready, &fell_back), 2);
    assert_true(fell_back);
  }
  assert_int_equal(atomic_load(&ready.calls), 0);
  fixture_write(fixture->folder, "gate", "");
  until_called(&ready, 1);
  assert_int_equal(ready.status, KILN_OK);
  assert_int_equal(answer(fixture, spec, fallback, &ready, &fell_back), 1);
  assert_false(fell_back);
  assert_int_equal(fixture_compiles(fixture), 2);
  assert_int_equal(atomic_load(&ready.calls), 1);
  /* Another process finds it in the store, and does not touch the fallback. */
  fixture_open(fixture);
  kiln_spec_free(fallback);
  fallback = fixture_spec("int answer(void) { return 3; }\n");
  assert_int_equal(answer(fixture, spec, fallback, &ready, &fell_back), 1);
  assert_false(fell_back);
  assert_int_equal(fixture_compiles(fixture), 2);
  kiln_spec_free(spec);
  kiln_spec_free(fallback);
}

static void
test_the_right_one_fails(void **state)
{
  struct fixture *fixture = *state;
  struct ready ready = {.calls = 0};
  bool fell_back;
  struct kiln_spec *spec = fixture_spec("int answer(void) { return broken; }\n");
  struct kiln_spec *fallback = fixture_spec("int answer(void) { return 2; }\n");
  assert_int_equal(answer(fixture, spec, fallback, &ready, &fell_back), 2);
  until_called(&ready, 1);
  assert_int_equal(ready.status, KILN_ERROR_COMMAND);
  assert_non_null(strstr(ready.what, "broken"));
  for (int i = 0; i < 3; i++) {
    assert_int_equal(answer(fixture, spec, fallback, &ready, &fell_back), 2);
    assert_true(fell_back);
  }
  assert_int_equal(fixture_compiles(fixture), 2);
  assert_int_equal(atomic_load(&ready.calls), 1);
  kiln_spec_free(spec);
  kiln_spec_free(fallback);
}

static void
test_the_fallback_fails(void **state)
{
  struct fixture *fixture = *state;
  bool fell_back = true;
  struct kiln_spec *spec = fixture_spec("int answer(void) { return 1; }\n");
  struct kiln_spec *fallback = fixture_spec("int answer(void) { return broken; }\n");
  assert_int_equal(answer(fixture, spec, fallback, NULL, &fell_back), 1);
  assert_false(fell_back);
  assert_non_null(strstr(fixture->messages, "is waited for"));
  kiln_spec_free(spec);
  kiln_spec_free(fallback);
}

/* Freeing a kiln does not wait for a compiler that nobody waits for. */
static void
test_freed_while_building(void **state)
{
  struct fixture *fixture = *state;
  struct ready ready = {.calls = 0};
  bool fell_back;
  struct kiln_spec *spec = fixture_spec("/* slow */ int answer(void) { return 1; }\n");
  struct kiln_spec *fallback = fixture_spec("int answer(void) { return 2; }\n");
  gate_slow_ones(fixture); /* the gate never opens */
  assert_int_equal(answer(fixture, spec, fallback, &ready, &fell_back), 2);
  const uint64_t end = kiln_clock_now() + UINT64_C(60000000000);
  while (fixture_compiles(fixture) < 2 && kiln_clock_now() < end)
    kiln_clock_sleep(1000000);
  kiln_free(fixture->kiln);
  fixture->kiln = NULL;
  assert_int_equal(atomic_load(&ready.calls), 1);
  assert_int_equal(ready.status, KILN_ERROR_INTERRUPTED);
  kiln_spec_free(spec);
  kiln_spec_free(fallback);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_in_the_meantime, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_the_right_one_fails, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_the_fallback_fails, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_freed_while_building, fixture_set_up, fixture_tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
