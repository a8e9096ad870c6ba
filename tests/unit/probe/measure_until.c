#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "event/counters.h"
#include "os/file.h"
#include "os/shared.h"
#include "probe/measure_until.h"

/* A counter file of one process: `count` launches of one kernel, `overflow` without a slot. */
static void
make_counters(const char *folder, const char *name, uint64_t count, uint32_t overflow)
{
  char path[160];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  struct kiln_counters *counters = kiln_shared_create(path, sizeof *counters, NULL);
  assert_non_null(counters);
  memcpy(counters->magic, KILN_COUNTERS_MAGIC, 8);
  counters->pid = 1;
  counters->slots = KILN_COUNTERS_SLOTS;
  counters->overflow = overflow;
  counters->slot[7] = (struct kiln_counter_slot){.count = count, .key = 1};
  kiln_shared_close(counters, sizeof *counters);
}

static int
make_folder(void **state)
{
  static struct kiln_buf folder;
  kiln_buf_init(&folder);
  assert_int_equal(kiln_folder_make_private("/tmp", "kiln-until-", &folder, NULL), KILN_OK);
  *state = folder.data;
  return 0;
}

static int
remove_folder(void **state)
{
  kiln_folder_remove(*state, NULL);
  free(*state);
  return 0;
}

static void
test_launches_of_all_processes(void **state)
{
  const char *folder = *state;
  assert_int_equal(kiln_until_count_launches(folder), 0);
  make_counters(folder, "1.1.count", 30, 0);
  make_counters(folder, "2.1.count", 11, 1);
  assert_int_equal(kiln_until_count_launches(folder), 42);
  char path[160];
  snprintf(path, sizeof path, "%s/3.1.count", folder);
  assert_int_equal(kiln_file_write(path, "no counters", 11, NULL), KILN_OK);
  assert_int_equal(kiln_until_count_launches(folder), 42);
  assert_int_equal(kiln_until_count_launches("/nonexistent"), 0);
}

static void
test_launches_are_asked_for(void **state)
{
  const struct kiln_measure_until wanted = {.launches = 5};
  struct kiln_until until;
  kiln_until_init(&until, &wanted, *state);
  const struct kiln_run_ready *ready = kiln_until_ready(&until);
  assert_non_null(ready);
  assert_false(ready->reached(ready->context));
  make_counters(*state, "1.1.count", 4, 0);
  assert_false(ready->reached(ready->context));
  make_counters(*state, "2.1.count", 1, 0);
  assert_true(ready->reached(ready->context));
}

static void
test_nothing_and_the_others(void **state)
{
  struct kiln_measure_until wanted = {.output = NULL};
  struct kiln_until until;
  struct kiln_buf text;
  kiln_until_init(&until, &wanted, *state);
  assert_null(kiln_until_ready(&until));
  assert_false(kiln_measure_until_asked(&wanted));
  wanted.port = 80;
  kiln_until_init(&until, &wanted, *state);
  assert_int_equal(kiln_until_ready(&until)->port, 80);
  kiln_buf_init(&text);
  kiln_measure_until_name(&wanted, &text);
  assert_non_null(strstr(kiln_buf_text(&text), "port 80"));
  kiln_buf_clear(&text);
  wanted = (struct kiln_measure_until){.output = "^x$"};
  kiln_until_init(&until, &wanted, *state);
  assert_string_equal(kiln_until_ready(&until)->output, "^x$");
  kiln_measure_until_name(&wanted, &text);
  assert_non_null(strstr(kiln_buf_text(&text), "'^x$'"));
  kiln_buf_release(&text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int
main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_launches_of_all_processes),
      TEST(test_launches_are_asked_for),
      TEST(test_nothing_and_the_others),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
