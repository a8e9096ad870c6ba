#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "kiln/version.h"

/* The file VERSION is the only place where the number is written. */
static void
test_version_is_that_of_the_file(void **state)
{
  (void)state;
  char text[32] = "";
  FILE *file = fopen(KILN_SOURCE_DIR "/VERSION", "r");
  assert_non_null(file);
  assert_int_equal(fscanf(file, "%31s", text), 1);
  fclose(file);
  assert_string_equal(kiln_version(), text);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_version_is_that_of_the_file)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
