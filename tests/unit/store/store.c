#include "made.h"

#include "store/place.h"

static void
test_nothing_is_made_by_looking(void **state)
{
  struct made *made = *state;
  struct kiln_store_place place;
  assert_false(made_finds(made->store, "a", "x"));
  kiln_store_place(made->store, &place);
  assert_false(place.exists);
  assert_true(place.writable);
  assert_string_equal(place.refusal, "");
  assert_int_not_equal(access(made_path(made, "store"), F_OK), 0);
}

static void
test_what_is_published_is_found(void **state)
{
  struct made *made = *state;
  struct kiln_found found;
  struct kiln_digest key = made_key("a");
  made_publish(made, "a", "payload");
  assert_int_equal(kiln_store_find(made->store, &key, &found, NULL), KILN_OK);
  assert_false(found.in_layer);
  assert_true(found.fd >= 0);
  assert_string_equal(found.path, made_entry_path(made, "store", "a"));
  assert_memory_equal(found.entry.data.data, "payload", 7);
  char byte;
  assert_int_equal(pread(found.fd, &byte, 1, 0), 1);
  assert_int_equal(byte, 'p');
  assert_true(fcntl(found.fd, F_GETFD) & FD_CLOEXEC);
  kiln_found_release(&found);
  assert_false(made_finds(made->store, "b", "payload"));
  assert_int_equal(made->warnings, 0);
}

static void
test_a_layer_comes_after_the_store(void **state)
{
  struct made *made = *state;
  char folder[1024];
  snprintf(folder, sizeof folder, "%s", made_path(made, "store"));
  const char *layers[] = {folder, NULL};
  struct kiln_store *above = made_open(made, "above", layers);
  struct kiln_found found;
  struct kiln_digest key = made_key("a");
  bool lost;
  made_publish(made, "a", "of layer");
  made_publish(made, "b", "only layer");
  assert_int_equal(made_publish_in(above, "a", "of store", &lost), KILN_OK);
  assert_false(lost);
  assert_true(made_finds(above, "a", "of store"));
  assert_true(made_finds(above, "b", "only layer"));
  assert_int_equal(unlink(made_entry_path(made, "above", "a")), 0);
  assert_int_equal(kiln_store_find(above, &key, &found, NULL), KILN_OK);
  assert_true(found.in_layer);
  kiln_found_release(&found);
  kiln_store_close(above);
}

static void
damage(const char *path)
{
  assert_int_equal(chmod(path, 0600), 0);
  int fd = open(path, O_WRONLY);
  assert_int_equal(pwrite(fd, "X", 1, 1), 1);
  close(fd);
}

static void
test_damage_is_a_miss_and_set_aside(void **state)
{
  struct made *made = *state;
  made_publish(made, "a", "payload");
  damage(made_entry_path(made, "store", "a"));
  assert_false(made_finds(made->store, "a", "payload"));
  assert_int_not_equal(access(made_entry_path(made, "store", "a"), F_OK), 0);
  assert_int_equal(made_count_in(made_path(made, "store/v1/quarantine")), 1);
  assert_non_null(strstr(made->warning, "its content is damaged"));
  made_publish(made, "a", "payload");
  assert_true(made_finds(made->store, "a", "payload"));
}

static void
test_damage_in_a_layer_is_left_there(void **state)
{
  struct made *made = *state;
  char folder[1024];
  snprintf(folder, sizeof folder, "%s", made_path(made, "store"));
  const char *layers[] = {folder, NULL};
  struct kiln_store *above = made_open(made, "above", layers);
  made_publish(made, "a", "payload");
  damage(made_entry_path(made, "store", "a"));
  assert_false(made_finds(above, "a", "payload"));
  assert_int_equal(access(made_entry_path(made, "store", "a"), F_OK), 0);
  assert_int_not_equal(access(made_path(made, "above"), F_OK), 0);
  kiln_store_close(above);
}

static void
test_every_truncation_is_a_miss(void **state)
{
  struct made *made = *state;
  struct kiln_buf entry;
  made_publish(made, "a", "payload");
  made_seal(&entry, "a", "payload");
  for (size_t len = 0; len < entry.len; len += 3) {
    unlink(made_entry_path(made, "store", "a"));
    assert_int_equal(kiln_file_write(made_entry_path(made, "store", "a"), entry.data, len, NULL), KILN_OK);
    assert_int_equal(chmod(made_entry_path(made, "store", "a"), 0400), 0);
    assert_false(made_finds(made->store, "a", "payload"));
  }
  kiln_buf_release(&entry);
  assert_int_equal(made->warnings, 1);
  assert_int_equal(made_count_in(made_path(made, "store/v1/quarantine")), 32);
}

static void
test_an_entry_of_another_key_is_refused(void **state)
{
  struct made *made = *state;
  char from[1024];
  made_publish(made, "a", "payload a");
  made_publish(made, "b", "payload b");
  snprintf(from, sizeof from, "%s", made_entry_path(made, "store", "b"));
  assert_int_equal(rename(from, made_entry_path(made, "store", "a")), 0);
  assert_false(made_finds(made->store, "a", "payload b"));
  assert_non_null(strstr(made->warning, "another key"));
}

static void
test_an_entry_others_can_write_is_refused(void **state)
{
  struct made *made = *state;
  made_publish(made, "a", "payload");
  assert_int_equal(chmod(made_entry_path(made, "store", "a"), 0622), 0);
  assert_false(made_finds(made->store, "a", "payload"));
  assert_non_null(strstr(made->warning, "can be written by"));
  assert_false(made_finds(made->store, "a", "payload"));
  assert_int_equal(made->warnings, 1);
  /* It is in the way of a good one, and is replaced. */
  made_publish(made, "a", "payload");
  assert_true(made_finds(made->store, "a", "payload"));
}

static void
test_a_link_in_place_of_an_entry_is_refused(void **state)
{
  struct made *made = *state;
  char real[1024];
  made_publish(made, "a", "payload");
  snprintf(real, sizeof real, "%s", made_path(made, "elsewhere"));
  assert_int_equal(rename(made_entry_path(made, "store", "a"), real), 0);
  assert_int_equal(symlink(real, made_entry_path(made, "store", "a")), 0);
  assert_false(made_finds(made->store, "a", "payload"));
  assert_non_null(strstr(made->warning, "symbolic link"));
}

static void
test_a_pipe_in_place_of_an_entry_does_not_block(void **state)
{
  struct made *made = *state;
  made_publish(made, "a", "payload");
  assert_int_equal(unlink(made_entry_path(made, "store", "a")), 0);
  assert_int_equal(mkfifo(made_entry_path(made, "store", "a"), 0600), 0);
  assert_false(made_finds(made->store, "a", "payload"));
}

static void
test_touch_is_once_a_day(void **state)
{
  struct made *made = *state;
  struct kiln_found found;
  struct kiln_digest key = made_key("a");
  struct stat before, after;
  made_publish(made, "a", "payload");
  for (int young = 0; young < 2; young++) {
    made_age(made_entry_path(made, "store", "a"), young ? DAY / 2 : 2 * DAY);
    stat(made_entry_path(made, "store", "a"), &before);
    assert_int_equal(kiln_store_find(made->store, &key, &found, NULL), KILN_OK);
    kiln_store_touch(made->store, &found);
    kiln_found_release(&found);
    stat(made_entry_path(made, "store", "a"), &after);
    assert_int_equal(after.st_mtime == before.st_mtime, young);
  }
}

static bool
count_entry(void *context, const char *path, bool in_layer)
{
  int *seen = context;
  (void)path;
  seen[in_layer]++;
  return seen[2] == 0 || seen[0] + seen[1] < seen[2];
}

static void
test_walk_sees_entries_only(void **state)
{
  struct made *made = *state;
  char folder[1024];
  snprintf(folder, sizeof folder, "%s", made_path(made, "store"));
  const char *layers[] = {folder, NULL};
  struct kiln_store *above = made_open(made, "above", layers);
  bool lost;
  int seen[3] = {0}, first[3] = {0, 0, 1};
  made_publish(made, "a", "1");
  made_publish(made, "b", "2");
  assert_int_equal(made_publish_in(above, "a", "3", &lost), KILN_OK);
  assert_int_equal(kiln_file_write(made_path(made, "store/v1/entries/README"), "x", 1, NULL), KILN_OK);
  assert_int_equal(kiln_store_walk(above, count_entry, seen, NULL), KILN_OK);
  assert_int_equal(seen[0], 1);
  assert_int_equal(seen[1], 2);
  assert_int_equal(kiln_store_walk(above, count_entry, first, NULL), KILN_OK);
  assert_int_equal(first[0] + first[1], 1);
  kiln_store_close(above);
}

static void
test_a_relative_folder_is_quoted(void **state)
{
  struct kiln_store_options options = {.folder = "some/where"};
  struct kiln_store *store;
  struct kiln_error error = {0};
  (void)state;
  assert_int_equal(kiln_store_open(&options, &store, &error), KILN_ERROR_ARGUMENT);
  assert_null(store);
  assert_non_null(strstr(error.what, "'some/where'"));
  options.folder = "";
  assert_int_equal(kiln_store_open(&options, &store, &error), KILN_ERROR_ARGUMENT);
}

/* What another user wrote is checked with the cryptographic digest, not only for accidents. */
static void
test_what_another_user_wrote_is_checked_for_forgery(void **state)
{
  struct made *made = *state;
  struct kiln_buf entry;
  if (geteuid() != 0)
    skip();
  made_publish(made, "a", "payload");
  made_seal(&entry, "a", "payload");
  /* A digest that does not fit, under a footer that does. */
  size_t footer = entry.len - KILN_ENTRY_FOOTER_SIZE;
  entry.data[footer + 80] ^= 1;
  struct kiln_checksum seal = kiln_checksum_of(entry.data + footer, 112);
  memcpy(entry.data + footer + 112, seal.bytes, 8);
  assert_int_equal(chmod(made->folder.data, 0755), 0);
  assert_int_equal(unlink(made_entry_path(made, "store", "a")), 0);
  assert_int_equal(kiln_file_write(made_entry_path(made, "store", "a"), entry.data, entry.len, NULL), KILN_OK);
  kiln_buf_release(&entry);
  assert_int_equal(chmod(made_entry_path(made, "store", "a"), 0444), 0);
  assert_int_equal(chmod(made_path(made, "store"), 0755), 0);
  assert_int_equal(chmod(made_path(made, "store/v1"), 0755), 0);
  assert_int_equal(chmod(made_path(made, "store/v1/entries"), 0755), 0);
  char *folder = strdup(made_entry_path(made, "store", "a"));
  *strrchr(folder, '/') = '\0';
  assert_int_equal(chmod(folder, 0755), 0);
  free(folder);
  assert_true(made_finds(made->store, "a", "payload")); /* one's own is not suspected */
  pid_t child = fork();
  if (child == 0) {
    if (setresuid(65534, 65534, 65534) != 0)
      _exit(2);
    _exit(made_finds(made_open(made, "store", NULL), "a", "payload"));
  }
  assert_int_equal(made_wait(child), 0);
}

int
main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, made_setup, made_teardown)
  const struct CMUnitTest tests[] = {
      CASE(test_nothing_is_made_by_looking),
      CASE(test_what_is_published_is_found),
      CASE(test_a_layer_comes_after_the_store),
      CASE(test_damage_is_a_miss_and_set_aside),
      CASE(test_damage_in_a_layer_is_left_there),
      CASE(test_every_truncation_is_a_miss),
      CASE(test_an_entry_of_another_key_is_refused),
      CASE(test_an_entry_others_can_write_is_refused),
      CASE(test_a_link_in_place_of_an_entry_is_refused),
      CASE(test_a_pipe_in_place_of_an_entry_does_not_block),
      CASE(test_touch_is_once_a_day),
      CASE(test_walk_sees_entries_only),
      CASE(test_a_relative_folder_is_quoted),
      CASE(test_what_another_user_wrote_is_checked_for_forgery),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
