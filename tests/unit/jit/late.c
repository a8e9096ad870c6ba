#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kiln/cache.h"
#include "kiln/prefetch.h"
#include "tests/unit/jit/fixture.h"

struct told {
  int calls;
  char name[64], key[80];
};

static void
note_late(void *context, const char *name, const char *key)
{
  struct told *told = context;
  told->calls++;
  snprintf(told->name, sizeof told->name, "%s", name);
  snprintf(told->key, sizeof told->key, "%s", key);
}

static void
test_counted_told_refused(void **state)
{
  struct fixture *fixture = *state;
  struct told told = {.calls = 0};
  struct kiln_late_options options;
  struct kiln_spec *early = fixture_spec("int answer(void) { return 1; }\n");
  struct kiln_spec *late = fixture_spec("int answer(void) { return 2; }\n");
  struct kiln_spec *later = fixture_spec("int answer(void) { return 3; }\n");
  enum kiln_result result;
  char key[65];
  double ms;
  assert_int_equal(fixture_answer(fixture, early, NULL), 1);
  assert_int_equal(kiln_late_count(fixture->kiln), 0);
  kiln_late_options_init(&options);
  assert_int_equal(kiln_late_watch(fixture->kiln, &options, NULL), KILN_OK);
  assert_int_equal(fixture_answer(fixture, early, NULL), 1);
  assert_int_equal(kiln_late_count(fixture->kiln), 0); /* a hit is never late */
  assert_int_equal(fixture_answer(fixture, late, NULL), 2);
  assert_int_equal(kiln_late_count(fixture->kiln), 1);
  options.refuse = true;
  options.late = note_late;
  options.context = &told;
  assert_int_equal(kiln_late_watch(fixture->kiln, &options, NULL), KILN_OK);
  assert_int_equal(fixture_answer(fixture, later, NULL), -1);
  assert_int_equal(fixture->error.status, KILN_ERROR_LATE);
  assert_non_null(strstr(fixture->error.what, "'answer'"));
  assert_non_null(strstr(fixture->error.remedy, "kiln cache prewarm"));
  assert_int_equal(told.calls, 1);
  assert_string_equal(told.name, "answer");
  assert_int_equal(strlen(told.key), 64);
  assert_int_equal(kiln_cache_build(fixture->kiln, later, &result, key, NULL, &ms, NULL), KILN_ERROR_LATE);
  assert_int_equal(kiln_late_count(fixture->kiln), 3);
  assert_int_equal(fixture_answer(fixture, late, NULL), 2);
  assert_int_equal(fixture_compiles(fixture), 2);
  assert_int_equal(kiln_late_watch(fixture->kiln, NULL, NULL), KILN_OK);
  assert_int_equal(fixture_answer(fixture, later, NULL), 3);
  assert_int_equal(kiln_late_count(fixture->kiln), 3);
  assert_int_equal(told.calls, 2);
  kiln_spec_free(early);
  kiln_spec_free(late);
  kiln_spec_free(later);
}

static void
test_wrong_options(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_late_options options = {.size = 3};
  assert_int_equal(kiln_late_watch(fixture->kiln, &options, &fixture->error), KILN_ERROR_ARGUMENT);
  assert_non_null(strstr(fixture->error.what, "3 bytes"));
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_counted_told_refused, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_wrong_options, fixture_set_up, fixture_tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
