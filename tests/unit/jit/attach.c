/* What is attached to a kiln is made once, whoever asks, and released with it, the last first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "jit/attach.h"
#include "os/thread.h"
#include "unit/jit/fixture.h"

static const char first_key, second_key, failing_key;
static int made, released;
static char order[8];

static void *
make(struct kiln *kiln)
{
  made++;
  return kiln;
}

static void
release_first(void *object)
{
  (void)object;
  order[released++] = '1';
}

static void
release_second(void *object)
{
  (void)object;
  order[released++] = '2';
}

static void *
make_none(struct kiln *kiln)
{
  (void)kiln;
  return NULL;
}

static void
test_made_once(void **state)
{
  struct fixture *fixture = *state;
  void *object = NULL;
  made = 0;
  for (int i = 0; i < 3; i++) {
    assert_int_equal(kiln_attach(fixture->kiln, &first_key, make, release_first, &object, NULL), KILN_OK);
    assert_ptr_equal(object, fixture->kiln);
  }
  assert_int_equal(made, 1);
  assert_int_equal(kiln_attach(fixture->kiln, &second_key, make, release_second, &object, NULL), KILN_OK);
  assert_int_equal(made, 2);
}

static void
test_released_with_the_kiln(void **state)
{
  struct fixture *fixture = *state;
  void *object;
  kiln_attach(fixture->kiln, &first_key, make, release_first, &object, NULL);
  kiln_attach(fixture->kiln, &second_key, make, release_second, &object, NULL);
  released = 0;
  kiln_free(fixture->kiln);
  fixture->kiln = NULL;
  assert_string_equal(order, "21");
}

static void
test_short_memory(void **state)
{
  struct fixture *fixture = *state;
  void *object;
  assert_int_equal(
      kiln_attach(fixture->kiln, &failing_key, make_none, release_first, &object, &fixture->error), KILN_ERROR_MEMORY);
  assert_non_null(strstr(fixture->error.what, "attached"));
}

/* ---- threads ---- */

struct counted {
  struct kiln *kiln;
  void *seen;
};

static void *
make_block(struct kiln *kiln)
{
  (void)kiln;
  return malloc(16);
}

static void *
ask(void *context)
{
  struct counted *counted = context;
  kiln_attach(counted->kiln, &second_key, make_block, free, &counted->seen, NULL);
  return NULL;
}

static void
test_threads_see_one(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_thread threads[8];
  struct counted counted[8];
  for (int i = 0; i < 8; i++) {
    counted[i] = (struct counted){fixture->kiln, NULL};
    assert_true(kiln_thread_start(&threads[i], ask, &counted[i]));
  }
  for (int i = 0; i < 8; i++)
    kiln_thread_join(&threads[i]);
  for (int i = 0; i < 8; i++) {
    assert_non_null(counted[i].seen);
    assert_ptr_equal(counted[i].seen, counted[0].seen);
  }
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_made_once, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_released_with_the_kiln, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_short_memory, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_threads_see_one, fixture_set_up, fixture_tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
