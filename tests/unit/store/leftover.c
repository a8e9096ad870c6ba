#include "made.h"

#include "store/leftover.h"
#include "store/lock.h"
#include "store/negative.h"
#include "store/request.h"

static void
path_in(struct made *made, char path[1024], const char *folder, const char *name, const char *below)
{
  char hex[KILN_DIGEST_HEX], relative[512];
  struct kiln_digest digest = made_key(name);
  kiln_digest_hex(&digest, hex);
  snprintf(relative, sizeof relative, "store/v1/%s/%.2s/%s", folder, hex, hex);
  if (below) {
    digest = made_key(below);
    kiln_digest_hex(&digest, hex);
    snprintf(relative + strlen(relative), sizeof relative - strlen(relative), ".%s", hex);
  }
  snprintf(path, 1024, "%s", made_path(made, relative));
}

static void
record(struct made *made, const char *request, const char *entry, char path[1024])
{
  struct kiln_request_record record = {.entry = made_key(entry)};
  struct kiln_digest key = made_key(request), toolchain = made_key("t");
  assert_int_equal(kiln_request_write(made->store, &key, &toolchain, &record, NULL), KILN_OK);
  path_in(made, path, "requests", request, "t");
}

/* A record in use is never written again: its age says nothing as long as its entry is there. */
static void
test_records_go_with_their_entry(void **state)
{
  struct made *made = *state;
  char used[1024], unused[1024], young[1024], damaged[1024];
  made_publish(made, "entry", "payload");
  record(made, "used", "entry", used);
  record(made, "unused", "gone", unused);
  record(made, "young", "gone", young);
  record(made, "damaged", "entry", damaged);
  assert_int_equal(chmod(damaged, 0600), 0);
  assert_int_equal(truncate(damaged, 60), 0);
  made_age(used, 100 * DAY);
  made_age(unused, 100 * DAY);
  made_age(young, 80 * DAY);
  made_age(damaged, 100 * DAY);
  assert_int_equal(kiln_leftovers_remove(made->store), 2);
  assert_int_equal(access(used, F_OK), 0);
  assert_int_equal(access(young, F_OK), 0);
  assert_int_not_equal(access(unused, F_OK), 0);
  assert_int_not_equal(access(damaged, F_OK), 0);
}

static void
test_failures_notes_and_quarantine(void **state)
{
  struct made *made = *state;
  struct kiln_digest fresh = made_key("fresh"), old = made_key("old");
  struct kiln_key_lock lock;
  char path[1024];
  assert_int_equal(kiln_negative_write(made->store, &fresh, "x", NULL), KILN_OK);
  assert_int_equal(kiln_negative_write(made->store, &old, "x", NULL), KILN_OK);
  path_in(made, path, "failed", "old", NULL);
  made_age(path, 2 * 3600);
  assert_int_equal(kiln_key_lock_try(made->store, &fresh, &lock), KILN_LOCK_TAKEN);
  assert_int_equal(kiln_file_write(made_path(made, "store/v1/locks/dead.owner"), "x", 1, NULL), KILN_OK);
  made_age(made_path(made, "store/v1/locks/dead.owner"), 2 * DAY);
  assert_int_equal(kiln_file_write(made_path(made, "store/v1/locks/00"), "", 0, NULL), KILN_OK);
  made_age(made_path(made, "store/v1/locks/00"), 1000 * DAY);
  assert_int_equal(kiln_file_write(made_path(made, "store/v1/quarantine/a"), "x", 1, NULL), KILN_OK);
  assert_int_equal(kiln_file_write(made_path(made, "store/v1/quarantine/b"), "x", 1, NULL), KILN_OK);
  made_age(made_path(made, "store/v1/quarantine/a"), 40 * DAY);
  assert_int_equal(kiln_leftovers_remove(made->store), 3);
  assert_int_equal(access(lock.note, F_OK), 0);
  assert_int_equal(access(made_path(made, "store/v1/locks/00"), F_OK), 0); /* lock files are never unlinked */
  assert_int_equal(access(made_path(made, "store/v1/quarantine/b"), F_OK), 0);
  kiln_key_lock_release(&lock);
}

static void
test_a_missing_store_has_none(void **state)
{
  struct made *made = *state;
  assert_int_equal(kiln_leftovers_remove(made->store), 0);
  assert_int_not_equal(access(made_path(made, "store"), F_OK), 0);
}

int
main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, made_setup, made_teardown)
  const struct CMUnitTest tests[] = {
      CASE(test_records_go_with_their_entry),
      CASE(test_failures_notes_and_quarantine),
      CASE(test_a_missing_store_has_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
