#include "made.h"

#include "base/arena.h"
#include "store/request.h"

static void
add(struct kiln_request_record *record, int root, const char *path, uint64_t size)
{
  assert_true(KILN_GROW(record->dependencies, record->count, record->capacity));
  record->dependencies[record->count++] = (struct kiln_dependency){.root = root,
      .path = strdup(path),
      .size = size,
      .inode = 7,
      .mtime_ns = 1234567890123456789u,
      .content = made_key(path)};
}

static void
write_record(struct kiln_store *store, const char *request, const char *toolchain, const char *entry)
{
  struct kiln_request_record record;
  struct kiln_digest key = made_key(request), identity = made_key(toolchain);
  kiln_request_record_init(&record);
  record.entry = made_key(entry);
  add(&record, KILN_ROOT_SYSTEM, "/usr/include/stdio.h", 10);
  add(&record, 0, "a b\nc\\d.h", 20);
  assert_int_equal(kiln_request_write(store, &key, &identity, &record, NULL), KILN_OK);
  kiln_request_record_release(&record);
}

/* Which entry is recorded; the caller compares. */
static enum kiln_status
read_record(struct kiln_store *store, const char *request, const char *toolchain, struct kiln_digest *entry,
    struct kiln_digest *used)
{
  struct kiln_request_record record;
  struct kiln_digest key = made_key(request), identity = made_key(toolchain ? toolchain : "");
  kiln_request_record_init(&record);
  enum kiln_status status = kiln_request_read(store, &key, toolchain ? &identity : NULL, &record, used, NULL);
  *entry = record.entry;
  kiln_request_record_release(&record);
  return status;
}

static bool
leads_to(struct kiln_store *store, const char *request, const char *toolchain, const char *expected)
{
  struct kiln_digest entry, used, wanted = made_key(expected);
  return read_record(store, request, toolchain, &entry, &used) == KILN_OK && kiln_digest_equal(&entry, &wanted);
}

static void
test_what_is_written_is_read(void **state)
{
  struct made *made = *state;
  struct kiln_request_record record;
  struct kiln_digest request = made_key("r"), toolchain = made_key("t"), content = made_key("/usr/include/stdio.h");
  write_record(made->store, "r", "t", "e");
  kiln_request_record_init(&record);
  assert_int_equal(kiln_request_read(made->store, &request, &toolchain, &record, NULL, NULL), KILN_OK);
  assert_int_equal(record.count, 2);
  assert_int_equal(record.dependencies[0].root, KILN_ROOT_SYSTEM);
  assert_string_equal(record.dependencies[0].path, "/usr/include/stdio.h");
  assert_true(kiln_digest_equal(&record.dependencies[0].content, &content));
  assert_int_equal(record.dependencies[1].root, 0);
  assert_string_equal(record.dependencies[1].path, "a b\nc\\d.h");
  assert_int_equal(record.dependencies[1].size, 20);
  assert_int_equal(record.dependencies[1].inode, 7);
  assert_true(record.dependencies[1].mtime_ns == 1234567890123456789u);
  kiln_request_record_release(&record);
}

static void
test_a_miss_makes_nothing(void **state)
{
  struct made *made = *state;
  struct kiln_digest entry, used;
  assert_int_equal(read_record(made->store, "r", "t", &entry, &used), KILN_ERROR_NOT_FOUND);
  assert_int_equal(read_record(made->store, "r", NULL, &entry, &used), KILN_ERROR_NOT_FOUND);
  assert_int_not_equal(access(made_path(made, "store"), F_OK), 0);
}

static const char *
record_path(struct made *made, const char *store, const char *request, const char *toolchain)
{
  char hex[2][KILN_DIGEST_HEX], relative[512];
  struct kiln_digest key = made_key(request), identity = made_key(toolchain);
  kiln_digest_hex(&key, hex[0]);
  kiln_digest_hex(&identity, hex[1]);
  snprintf(relative, sizeof relative, "%s/v1/requests/%.2s/%s.%s", store, hex[0], hex[0], hex[1]);
  return made_path(made, relative);
}

static void
test_without_a_toolchain_the_newest_good_one(void **state)
{
  struct made *made = *state;
  struct kiln_digest entry, used, wanted = made_key("t2");
  write_record(made->store, "r", "t1", "e1");
  write_record(made->store, "r", "t2", "e2");
  write_record(made->store, "r", "t3", "e3");
  made_age(record_path(made, "store", "r", "t1"), 300);
  made_age(record_path(made, "store", "r", "t2"), 100);
  made_age(record_path(made, "store", "r", "t3"), 200);
  assert_true(leads_to(made->store, "r", NULL, "e2"));
  assert_int_equal(read_record(made->store, "r", NULL, &entry, &used), KILN_OK);
  assert_true(kiln_digest_equal(&used, &wanted));
  assert_true(leads_to(made->store, "r", "t1", "e1"));
  assert_int_equal(chmod(record_path(made, "store", "r", "t2"), 0600), 0);
  assert_int_equal(truncate(record_path(made, "store", "r", "t2"), 50), 0);
  assert_true(leads_to(made->store, "r", NULL, "e3"));
}

static void
test_layers_come_after_the_store(void **state)
{
  struct made *made = *state;
  char folder[1024];
  snprintf(folder, sizeof folder, "%s", made_path(made, "store"));
  const char *layers[] = {folder, NULL};
  struct kiln_store *above = made_open(made, "above", layers);
  write_record(made->store, "r", "t", "of layer");
  assert_true(leads_to(above, "r", "t", "of layer"));
  assert_true(leads_to(above, "r", NULL, "of layer"));
  write_record(above, "r", "t", "of store");
  assert_true(leads_to(above, "r", "t", "of store"));
  kiln_store_close(above);
}

static void
test_a_record_under_another_name_is_a_miss(void **state)
{
  struct made *made = *state;
  struct kiln_digest entry, used;
  char from[1024];
  write_record(made->store, "r", "t1", "e1");
  write_record(made->store, "r", "t2", "e2");
  snprintf(from, sizeof from, "%s", record_path(made, "store", "r", "t1"));
  assert_int_equal(rename(from, record_path(made, "store", "r", "t2")), 0);
  assert_int_equal(read_record(made->store, "r", "t2", &entry, &used), KILN_ERROR_NOT_FOUND);
  write_record(made->store, "r", "t", "e");
  write_record(made->store, "s", "t", "e");
  snprintf(from, sizeof from, "%s", record_path(made, "store", "r", "t"));
  assert_int_equal(rename(from, record_path(made, "store", "s", "t")), 0);
  assert_int_equal(read_record(made->store, "s", "t", &entry, &used), KILN_ERROR_NOT_FOUND);
}

static void
test_a_record_others_can_write_is_a_miss(void **state)
{
  struct made *made = *state;
  struct kiln_digest entry, used;
  write_record(made->store, "r", "t", "e");
  assert_int_equal(chmod(record_path(made, "store", "r", "t"), 0606), 0);
  assert_int_equal(read_record(made->store, "r", "t", &entry, &used), KILN_ERROR_NOT_FOUND);
  assert_int_equal(made->warnings, 1);
}

int
main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, made_setup, made_teardown)
  const struct CMUnitTest tests[] = {
      CASE(test_what_is_written_is_read),
      CASE(test_a_miss_makes_nothing),
      CASE(test_without_a_toolchain_the_newest_good_one),
      CASE(test_layers_come_after_the_store),
      CASE(test_a_record_under_another_name_is_a_miss),
      CASE(test_a_record_others_can_write_is_a_miss),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
