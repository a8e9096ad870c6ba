#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "os/dl.h"

static int interposed_calls;

/* Stands for the agent, which interposes this name. Hidden, so that only this program's own calls would land here. */
__attribute__((visibility("hidden"))) void *dlsym(void *handle, const char *name);

void *
dlsym(void *handle, const char *name)
{
  (void)handle;
  (void)name;
  interposed_calls++;
  return NULL;
}

static void
test_found_behind_an_interposed_dlsym(void **state)
{
  (void)state;
  assert_non_null(kiln_dl_symbol("getppid"));
  assert_null(kiln_dl_symbol("kiln_no_such_symbol"));
  assert_non_null(kiln_dl_next("getppid"));
  assert_null(kiln_dl_next("main"));
  assert_non_null(kiln_dl_symbol_in(NULL, "getppid")); /* the default handle */
  assert_int_equal(interposed_calls, 0);
}

static void
test_the_function_works(void **state)
{
  (void)state;
  void *address = kiln_dl_next("atoi");
  int (*function)(const char *);
  memcpy(&function, &address, sizeof function);
  assert_int_equal(function("42"), 42);
}

static void
test_special_handles(void **state)
{
  (void)state;
  assert_true(kiln_dl_handle_is_special(NULL));
  assert_true(kiln_dl_handle_is_special((void *)-1));
  assert_false(kiln_dl_handle_is_special(&interposed_calls));
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_found_behind_an_interposed_dlsym),
      cmocka_unit_test(test_the_function_works),
      cmocka_unit_test(test_special_handles),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
