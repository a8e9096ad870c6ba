#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "event/event.h"

static void
test_every_kind_is_read_as_it_is_written(void **state)
{
  (void)state;
  for (int kind = 0; kind < KILN_EVENT_UNKNOWN; kind++) {
    const char *name = kiln_event_kind_name((enum kiln_event_kind)kind);
    assert_non_null(name);
    assert_int_equal(kiln_event_kind_parse(name), kind);
  }
}

static void
test_names_are_those_of_the_specification(void **state)
{
  (void)state;
  assert_string_equal(kiln_event_kind_name(KILN_EVENT_PROCESS), "process");
  assert_string_equal(kiln_event_kind_name(KILN_EVENT_PCH), "pch");
  assert_string_equal(kiln_event_kind_name(KILN_EVENT_SIGNATURE), "signature");
  assert_string_equal(kiln_event_kind_name(KILN_EVENT_ERROR), "error");
}

static void
test_others_are_unknown(void **state)
{
  (void)state;
  assert_int_equal(kiln_event_kind_parse("compile "), KILN_EVENT_UNKNOWN);
  assert_int_equal(kiln_event_kind_parse("Compile"), KILN_EVENT_UNKNOWN);
  assert_int_equal(kiln_event_kind_parse(""), KILN_EVENT_UNKNOWN);
  assert_int_equal(kiln_event_kind_parse(NULL), KILN_EVENT_UNKNOWN);
  assert_null(kiln_event_kind_name(KILN_EVENT_UNKNOWN));
  assert_null(kiln_event_kind_name((enum kiln_event_kind)1000));
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_kind_is_read_as_it_is_written),
      cmocka_unit_test(test_names_are_those_of_the_specification),
      cmocka_unit_test(test_others_are_unknown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
