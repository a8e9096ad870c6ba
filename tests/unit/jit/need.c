#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "jit/need.h"
#include "registry/jit.h"
#include "tests/unit/jit/fixture.h"

#define MIB ((uint64_t)1 << 20)

static uint64_t
need(struct fixture *fixture, const char **source)
{
  const char *unused;
  return kiln_need_of(fixture->kiln, kiln_toolchain_find("hostcc"), source ? source : &unused);
}

static void
learn(struct fixture *fixture, uint64_t peak)
{
  kiln_need_learn(fixture->kiln, kiln_toolchain_find("hostcc"), peak);
}

static void
test_learning(void **state)
{
  struct fixture *fixture = *state;
  const char *source;
  assert_int_equal(need(fixture, &source), 256 * MIB);
  assert_string_equal(source, "a guess");
  learn(fixture, 0);
  assert_string_equal((need(fixture, &source), source), "a guess");
  learn(fixture, 100 * MIB);
  assert_int_equal(need(fixture, &source), 256 * MIB - 156 * MIB / 8); /* one small build says little */
  assert_string_equal(source, "the peak of earlier builds");
  learn(fixture, 900 * MIB);
  assert_int_equal(need(fixture, NULL), 900 * MIB);
  learn(fixture, 100 * MIB); /* one small build does not make the large ones small */
  assert_int_equal(need(fixture, NULL), 800 * MIB);
  for (int i = 0; i < 100; i++)
    learn(fixture, 100 * MIB);
  assert_true(need(fixture, NULL) < 140 * MIB);
  learn(fixture, UINT64_MAX);
  assert_true(need(fixture, NULL) < 140 * MIB);
  fixture_open(fixture);
  assert_true(need(fixture, NULL) < 140 * MIB);
}

static void
test_a_choice_wins(void **state)
{
  struct fixture *fixture = *state;
  const char *source;
  learn(fixture, 100 * MIB);
  fixture->options.job_memory_bytes = 5 * MIB;
  fixture_open(fixture);
  assert_int_equal(need(fixture, &source), 5 * MIB);
  assert_string_equal(source, "option");
}

static void
test_damage_is_a_guess(void **state)
{
  struct fixture *fixture = *state;
  char path[160];
  learn(fixture, 100 * MIB);
  snprintf(path, sizeof path, "%s/v1/needs/hostcc", fixture->cache);
  assert_true(kiln_file_exists(path));
  fixture_write(fixture->cache, "v1/needs/hostcc", "kiln need 1\nbytes 7\nchecksum 00\n");
  assert_int_equal(need(fixture, NULL), 256 * MIB);
}

/* A build by the real compiler is measured: it needs megabytes, not gigabytes. */
static void
test_builds_are_measured(void **state)
{
  struct fixture *fixture = *state;
  const char *source;
  struct kiln_spec *spec = fixture_spec("int answer(void) { return 5; }\n");
  assert_int_equal(fixture_answer(fixture, spec, NULL), 5);
  assert_in_range(need(fixture, &source), 1 * MIB, 1024 * MIB);
  assert_string_equal(source, "the peak of earlier builds");
  kiln_spec_free(spec);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_learning, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_a_choice_wins, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_damage_is_a_guess, fixture_set_up, fixture_tear_down),
      cmocka_unit_test_setup_teardown(test_builds_are_measured, fixture_set_up, fixture_tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
