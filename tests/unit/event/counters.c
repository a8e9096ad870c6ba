#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "event/counters.h"
#include "os/file.h"

struct seen {
  int slots, named;
  uint64_t count;
  char last_name[64];
};

static void
take(void *context, const struct kiln_counter_slot *slot, const char *name, uint32_t len)
{
  struct seen *seen = context;
  seen->slots++;
  seen->count += slot->count;
  seen->named += len > 0;
  memset(seen->last_name, 0, sizeof seen->last_name);
  memcpy(seen->last_name, name, len < 63 ? len : 63);
}

static int
setup(void **state)
{
  struct kiln_counters *counters = calloc(1, sizeof *counters);
  *state = counters;
  if (!counters)
    return -1;
  memcpy(counters->magic, KILN_COUNTERS_MAGIC, 8);
  counters->pid = 42;
  counters->slots = KILN_COUNTERS_SLOTS;
  return 0;
}

static int
teardown(void **state)
{
  free(*state);
  return 0;
}

static void
add_name(struct kiln_counters *counters, uint32_t id, const char *text)
{
  struct kiln_counter_name record = {id, (uint32_t)strlen(text)};
  memcpy(counters->names + counters->names_used, &record, sizeof record);
  memcpy(counters->names + counters->names_used + sizeof record, text, record.length);
  counters->names_used += (uint32_t)(sizeof record + record.length + 7) & ~7u;
}

static void
add_slot(struct kiln_counters *counters, size_t at, uint32_t signature, uint64_t count)
{
  counters->slot[at] = (struct kiln_counter_slot){.count = count, .key = 1 + at, .dim = 64, .signature = signature};
}

static enum kiln_status
parse(const struct kiln_counters *counters, size_t len, struct seen *seen, struct kiln_error *error)
{
  *seen = (struct seen){0};
  return kiln_counters_parse(counters, len, "5.1.count", take, seen, NULL, NULL, error);
}

static void
layout_is_the_specification(void **state)
{
  (void)state;
  assert_int_equal(sizeof(struct kiln_counters), 4096 + 4096 * 64 + 262144);
  assert_int_equal(offsetof(struct kiln_counters, names_used), 16);
  assert_int_equal(offsetof(struct kiln_counters, overflow), 20);
  assert_int_equal(offsetof(struct kiln_counters, start_ns), 24);
  assert_int_equal(offsetof(struct kiln_counters, slot), 4096);
  assert_int_equal(offsetof(struct kiln_counter_slot, signature), 24);
  assert_int_equal(offsetof(struct kiln_counter_slot, first_ns), 32);
}

static void
slots_come_with_their_names(void **state)
{
  struct kiln_counters *counters = *state;
  struct seen seen;
  add_name(counters, 0, "zero");
  add_name(counters, 7, "seven!");
  add_name(counters, 7, "again");
  add_slot(counters, 3, 7, 10);
  assert_int_equal(parse(counters, sizeof *counters, &seen, NULL), KILN_OK);
  assert_int_equal(seen.slots, 1);
  assert_string_equal(seen.last_name, "seven!");
  add_slot(counters, KILN_COUNTERS_SLOTS - 1, 0, 5);
  assert_int_equal(parse(counters, sizeof *counters, &seen, NULL), KILN_OK);
  assert_int_equal(seen.count, 15);
  assert_string_equal(seen.last_name, "zero");
}

static void
slots_without_key_are_not_used(void **state)
{
  struct kiln_counters *counters = *state;
  struct seen seen;
  add_slot(counters, 0, 0, 99);
  counters->slot[0].key = 0;
  assert_int_equal(parse(counters, sizeof *counters, &seen, NULL), KILN_OK);
  assert_int_equal(seen.slots, 0);
}

static void
name_being_written_hides_no_other(void **state)
{
  struct kiln_counters *counters = *state;
  struct seen seen;
  counters->names_used = 40; /* reserved, still zeros */
  add_name(counters, 0, "whole");
  add_slot(counters, 0, 0, 1);
  assert_int_equal(parse(counters, sizeof *counters, &seen, NULL), KILN_OK);
  assert_string_equal(seen.last_name, "whole");
}

static void
bad_offsets_and_lengths_are_not_believed(void **state)
{
  struct kiln_counters *counters = *state;
  struct seen seen;
  add_slot(counters, 0, 1, 1);
  add_slot(counters, 1, UINT32_MAX, 1);
  static const uint32_t lengths[] = {KILN_COUNTERS_NAMES, UINT32_MAX, UINT32_MAX - 7, KILN_COUNTERS_NAMES - 7};
  for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
    struct kiln_counter_name record = {1, lengths[i]};
    memcpy(counters->names, &record, sizeof record);
    counters->names_used = UINT32_MAX;
    assert_int_equal(parse(counters, sizeof *counters, &seen, NULL), KILN_OK);
    assert_int_equal(seen.slots, 2);
    assert_int_equal(seen.named, 0);
  }
  struct kiln_counter_name record = {1, KILN_COUNTERS_NAMES - 8};
  memcpy(counters->names, &record, sizeof record);
  assert_int_equal(parse(counters, sizeof *counters, &seen, NULL), KILN_OK);
  assert_int_equal(seen.named, 1);
  counters->names_used = 7; /* not even a record */
  assert_int_equal(parse(counters, sizeof *counters, &seen, NULL), KILN_OK);
  assert_int_equal(seen.named, 0);
}

static void
cut_file_keeps_what_it_has(void **state)
{
  struct kiln_counters *counters = *state;
  struct seen seen;
  add_name(counters, 0, "lost");
  add_slot(counters, 0, 0, 4);
  add_slot(counters, 1, 0, 8);
  assert_int_equal(parse(counters, offsetof(struct kiln_counters, slot[1]), &seen, NULL), KILN_OK);
  assert_int_equal(seen.count, 4);
  assert_int_equal(seen.named, 0);
  assert_int_equal(parse(counters, 32, &seen, NULL), KILN_OK);
  assert_int_equal(seen.slots, 0);
}

static void
what_is_no_counter_file_is_refused(void **state)
{
  struct kiln_counters *counters = *state;
  struct kiln_error error = {0};
  struct seen seen;
  assert_int_equal(parse(counters, 31, &seen, &error), KILN_ERROR_FORMAT);
  assert_non_null(strstr(error.what, "5.1.count"));
  assert_int_equal(parse(NULL, 0, &seen, NULL), KILN_ERROR_FORMAT);
  counters->slots = 8192;
  assert_int_equal(parse(counters, sizeof *counters, &seen, NULL), KILN_ERROR_FORMAT);
  counters->slots = KILN_COUNTERS_SLOTS;
  counters->magic[7] = '2';
  assert_int_equal(parse(counters, sizeof *counters, &seen, NULL), KILN_ERROR_FORMAT);
}

static void
file_on_disk(void **state)
{
  struct kiln_counters *counters = *state;
  struct kiln_buf folder, path;
  struct seen seen = {0};
  uint32_t overflow = 0;
  int pid = 0;
  kiln_buf_init(&folder);
  kiln_buf_init(&path);
  assert_int_equal(kiln_folder_make_private(kiln_folder_temporary(), "kiln-test-", &folder, NULL), KILN_OK);
  kiln_buf_printf(&path, "%s/42.1.count", folder.data);
  assert_int_equal(kiln_counters_read(path.data, take, &seen, NULL, NULL, NULL), KILN_ERROR_NOT_FOUND);
  add_slot(counters, 9, 0, 3);
  counters->overflow = 6;
  assert_int_equal(kiln_file_write(path.data, counters, sizeof *counters, NULL), KILN_OK);
  assert_int_equal(kiln_counters_read(path.data, take, &seen, &overflow, &pid, NULL), KILN_OK);
  assert_int_equal(seen.count, 3);
  assert_int_equal(overflow, 6);
  assert_int_equal(pid, 42);
  kiln_folder_remove(folder.data, NULL);
  kiln_buf_release(&folder);
  kiln_buf_release(&path);
}

/* The quick sum looks at slots alone: whole, cut inside a slot, cut inside the header, of another kind, not there. */
static void
total_of_a_file(void **state)
{
  struct kiln_counters *counters = *state;
  struct kiln_buf folder, path;
  kiln_buf_init(&folder);
  kiln_buf_init(&path);
  assert_int_equal(kiln_folder_make_private(kiln_folder_temporary(), "kiln-test-", &folder, NULL), KILN_OK);
  kiln_buf_printf(&path, "%s/42.1.count", folder.data);
  assert_int_equal(kiln_counters_total(path.data), 0);
  add_slot(counters, 0, 0, 3);
  add_slot(counters, 1, 0, 40);
  add_slot(counters, KILN_COUNTERS_SLOTS - 1, 0, 500);
  counters->slot[2].count = 6000; /* without a key: not in use */
  counters->overflow = 7;
  assert_int_equal(kiln_file_write(path.data, counters, sizeof *counters, NULL), KILN_OK);
  assert_int_equal(kiln_counters_total(path.data), 550);
  assert_int_equal(
      kiln_file_write(path.data, counters, offsetof(struct kiln_counters, slot[KILN_COUNTERS_SLOTS - 1]), NULL),
      KILN_OK);
  assert_int_equal(kiln_counters_total(path.data), 50);
  assert_int_equal(kiln_file_write(path.data, counters, offsetof(struct kiln_counters, slot[1]) + 8, NULL), KILN_OK);
  assert_int_equal(kiln_counters_total(path.data), 10);
  assert_int_equal(kiln_file_write(path.data, counters, offsetof(struct kiln_counters, slot), NULL), KILN_OK);
  assert_int_equal(kiln_counters_total(path.data), 7);
  assert_int_equal(kiln_file_write(path.data, counters, 31, NULL), KILN_OK);
  assert_int_equal(kiln_counters_total(path.data), 0);
  counters->magic[0] = 'X';
  assert_int_equal(kiln_file_write(path.data, counters, sizeof *counters, NULL), KILN_OK);
  assert_int_equal(kiln_counters_total(path.data), 0);
  kiln_folder_remove(folder.data, NULL);
  kiln_buf_release(&folder);
  kiln_buf_release(&path);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int
main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(layout_is_the_specification),
      TEST(slots_come_with_their_names),
      TEST(slots_without_key_are_not_used),
      TEST(name_being_written_hides_no_other),
      TEST(bad_offsets_and_lengths_are_not_believed),
      TEST(cut_file_keeps_what_it_has),
      TEST(what_is_no_counter_file_is_refused),
      TEST(file_on_disk),
      TEST(total_of_a_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
