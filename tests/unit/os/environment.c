#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "os/process.h"

static void
test_set_get_unset(void **state)
{
  (void)state;
  struct kiln_environment env;
  kiln_environment_init(&env);
  assert_null(kiln_environment_get(&env, "A"));
  kiln_environment_unset(&env, "A");
  kiln_environment_set(&env, "A", "1");
  kiln_environment_set(&env, "AB", "2");
  kiln_environment_set(&env, "EMPTY", "");
  assert_int_equal(env.count, 3);
  assert_null(env.entries[3]);
  assert_string_equal(kiln_environment_get(&env, "A"), "1");
  assert_string_equal(kiln_environment_get(&env, "AB"), "2");
  assert_string_equal(kiln_environment_get(&env, "EMPTY"), "");
  kiln_environment_set(&env, "A", "=x=");
  assert_int_equal(env.count, 3);
  assert_string_equal(kiln_environment_get(&env, "A"), "=x=");
  kiln_environment_unset(&env, "A");
  assert_null(kiln_environment_get(&env, "A"));
  assert_string_equal(kiln_environment_get(&env, "AB"), "2");
  assert_int_equal(env.count, 2);
  assert_null(env.entries[2]);
  assert_false(env.failed);
  kiln_environment_release(&env);
  assert_null(env.entries);
}

static void
test_copy_is_complete_and_apart(void **state)
{
  (void)state;
  struct kiln_environment env;
  kiln_environment_init(&env);
  setenv("KILN_TEST_COPY", "before", 1);
  kiln_environment_copy_current(&env);
  setenv("KILN_TEST_COPY", "after", 1);
  assert_string_equal(kiln_environment_get(&env, "KILN_TEST_COPY"), "before");
  assert_string_equal(kiln_environment_current("KILN_TEST_COPY"), "after");
  assert_string_equal(kiln_environment_get(&env, "PATH"), getenv("PATH"));
  unsetenv("KILN_TEST_COPY");
  assert_null(kiln_environment_current("KILN_TEST_COPY"));
  kiln_environment_release(&env);
}

static void
test_many(void **state)
{
  (void)state;
  struct kiln_environment env;
  char name[32];
  kiln_environment_init(&env);
  for (int i = 0; i < 500; i++) {
    snprintf(name, sizeof name, "N%d", i);
    kiln_environment_set(&env, name, name);
    assert_null(env.entries[env.count]);
  }
  for (int i = 0; i < 500; i += 2) {
    snprintf(name, sizeof name, "N%d", i);
    kiln_environment_unset(&env, name);
  }
  assert_int_equal(env.count, 250);
  assert_string_equal(kiln_environment_get(&env, "N499"), "N499");
  assert_null(kiln_environment_get(&env, "N498"));
  kiln_environment_release(&env);
}

/* Two entries of one name come from careless programs; after unset none may stay. */
static void
test_unset_removes_duplicates(void **state)
{
  (void)state;
  struct kiln_environment env;
  kiln_environment_init(&env);
  kiln_environment_set(&env, "D", "1");
  kiln_environment_set(&env, "E", "2");
  kiln_environment_set(&env, "F", "3");
  memcpy(env.entries[1], "D=2", 4);
  kiln_environment_unset(&env, "D");
  assert_null(kiln_environment_get(&env, "D"));
  assert_int_equal(env.count, 1);
  kiln_environment_release(&env);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_set_get_unset),
      cmocka_unit_test(test_copy_is_complete_and_apart),
      cmocka_unit_test(test_many),
      cmocka_unit_test(test_unset_removes_duplicates),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
