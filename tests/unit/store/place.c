#include "made.h"

#include <pthread.h>
#include <sched.h>
#include <sys/mount.h>

#include "store/files.h"
#include "store/lock.h"
#include "store/place.h"
#include "store/workspace.h"

static void
test_prepare_makes_the_folders(void **state)
{
  struct made *made = *state;
  struct kiln_store_place place;
  assert_int_equal(kiln_store_prepare(made->store, NULL), KILN_OK);
  assert_int_equal(kiln_store_prepare(made->store, NULL), KILN_OK);
  assert_int_equal(made_count_in(made_path(made, "store/v1")), 8);
  kiln_store_place(made->store, &place);
  assert_true(place.exists && place.writable);
}

/* A network's files are read into a private copy, and so are those that the file system does not let run. */
static void
test_code_is_mapped_from_local_disks_only(void **state)
{
  struct made *made = *state;
  bool lost;
  char other[] = "/elsewhere/entry";
  struct kiln_found entry, elsewhere = {.fd = -1, .path = other};
  const struct kiln_digest key = made_key("a");
  assert_int_equal(made_publish_in(made->store, "a", "payload", &lost), KILN_OK);
  assert_int_equal(kiln_store_find(made->store, &key, &entry, NULL), KILN_OK);
  assert_true(kiln_store_maps_code(made->store, &entry));
  made->store->locations[0].network = true;
  assert_false(kiln_store_maps_code(made->store, &entry));
  assert_true(kiln_store_maps_code(made->store, &elsewhere));
  made->store->locations[0].network = false;
  made->store->locations[0].noexec = true;
  assert_false(kiln_store_maps_code(made->store, &entry));
  kiln_found_release(&entry);
}

static void
check_refused(struct made *made, const char *because)
{
  struct kiln_store_place place;
  struct kiln_error error = {0};
  kiln_store_place(made->store, &place);
  assert_non_null(strstr(place.refusal, because));
  assert_false(place.writable);
  assert_int_equal(kiln_store_prepare(made->store, &error), KILN_ERROR_ENVIRONMENT);
  assert_non_null(strstr(error.what, because));
  assert_non_null(strstr(error.remedy, "KILN_CACHE_DIR"));
  assert_false(made_finds(made->store, "a", "payload"));
  assert_int_equal(made->warnings, 1);
  assert_non_null(strstr(made->warning, because));
}

/* The entry in it is good; it is the place that is not. */
static void
make_open_to_others(struct made *made, const char *folder, mode_t mode)
{
  struct kiln_store *maker = made_open(made, "store", NULL);
  bool lost;
  assert_int_equal(made_publish_in(maker, "a", "payload", &lost), KILN_OK);
  assert_true(made_finds(maker, "a", "payload"));
  kiln_store_close(maker);
  assert_int_equal(chmod(made_path(made, folder), mode), 0);
}

static void
test_a_world_writable_folder_is_refused(void **state)
{
  make_open_to_others(*state, "store", 0777);
  check_refused(*state, "can be written by everybody");
}

static void
test_a_group_writable_folder_below_is_refused(void **state)
{
  make_open_to_others(*state, "store/v1/entries", 0770);
  check_refused(*state, "can be written by its group");
}

static void
test_a_file_in_place_of_the_folder_is_refused(void **state)
{
  struct made *made = *state;
  assert_int_equal(kiln_file_write(made_path(made, "store"), "x", 1, NULL), KILN_OK);
  check_refused(made, "is not a folder");
}

static void
test_a_foreign_folder_is_refused(void **state)
{
  struct made *made = *state;
  if (geteuid() != 0)
    skip();
  assert_int_equal(mkdir(made_path(made, "store"), 0700), 0);
  assert_int_equal(chown(made_path(made, "store"), 65534, (gid_t)-1), 0);
  check_refused(made, "belongs to user 65534");
}

static void
test_a_foreign_entry_is_refused(void **state)
{
  struct made *made = *state;
  if (geteuid() != 0)
    skip();
  made_publish(made, "a", "payload");
  assert_int_equal(chown(made_entry_path(made, "store", "a"), 65534, (gid_t)-1), 0);
  assert_false(made_finds(made->store, "a", "payload"));
  assert_non_null(strstr(made->warning, "belongs to user 65534"));
}

static void
test_a_linked_folder_is_resolved_and_checked(void **state)
{
  struct made *made = *state;
  struct kiln_buf path;
  char target[1024];
  kiln_buf_init(&path);
  snprintf(target, sizeof target, "%s", made_path(made, "real"));
  assert_int_equal(mkdir(target, 0700), 0);
  assert_int_equal(symlink("real", made_path(made, "store")), 0);
  made_publish(made, "a", "payload");
  assert_true(made_finds(made->store, "a", "payload"));
  assert_true(kiln_text_path_within(kiln_store_path(made->store, "entries", &path), target));
  kiln_buf_release(&path);
  /* The link is looked at once; where it points afterwards changes nothing. */
  assert_int_equal(unlink(made_path(made, "store")), 0);
  assert_int_equal(symlink("/nonexistent", made_path(made, "store")), 0);
  assert_true(made_finds(made->store, "a", "payload"));
}

static void
test_a_link_to_an_open_folder_is_refused(void **state)
{
  struct made *made = *state;
  assert_int_equal(mkdir(made_path(made, "real"), 0700), 0);
  assert_int_equal(chmod(made_path(made, "real"), 0777), 0);
  assert_int_equal(symlink("real", made_path(made, "store")), 0);
  check_refused(made, "can be written by everybody");
}

/* Runs in a child that is not root, on a store that root owns: it can be read and not written. */
static int
use_read_only(struct made *made)
{
  struct kiln_store *store = made_open(made, "store", NULL);
  struct kiln_store_place place;
  struct kiln_workspace workspace;
  if (!made_finds(store, "a", "payload"))
    return 1;
  kiln_store_place(store, &place);
  if (!place.exists || place.writable || place.refusal[0])
    return 2;
  if (kiln_store_prepare(store, NULL) != KILN_ERROR_ENVIRONMENT || made->warnings != 0)
    return 3;
  if (kiln_workspace_new(store, &workspace, NULL) != KILN_OK)
    return 4;
  if (!kiln_text_path_within(workspace.folder, kiln_folder_temporary()) || made->warnings != 1 ||
      !strstr(made->warning, "temporary folder"))
    return 5;
  kiln_workspace_release(&workspace, NULL);
  if (kiln_workspace_new(store, &workspace, NULL) != KILN_OK || made->warnings != 1)
    return 6;
  char folder[1024];
  snprintf(folder, sizeof folder, "%s", workspace.folder);
  kiln_workspace_release(&workspace, NULL);
  if (access(folder, F_OK) == 0)
    return 7;
  return made_finds(store, "a", "payload") ? 0 : 8;
}

static void
test_a_store_that_cannot_be_written(void **state)
{
  struct made *made = *state;
  if (geteuid() != 0)
    skip();
  assert_int_equal(mkdir(made_path(made, "store"), 0755), 0);
  assert_int_equal(chmod(made_path(made, "store"), 0755), 0);
  assert_int_equal(chmod(made->folder.data, 0755), 0);
  made_publish(made, "a", "payload");
  pid_t child = fork();
  if (child == 0) {
    if (setresuid(65534, 65534, 65534) != 0)
      _exit(100);
    _exit(use_read_only(made));
  }
  assert_int_equal(made_wait(child), 0);
}

static void
test_a_warning_is_said_once_per_cause(void **state)
{
  struct made *made = *state;
  for (int i = 0; i < 3; i++) {
    kiln_store_warn(made->store, KILN_WARN_NETWORK, "one %d", i);
    kiln_store_warn(made->store, KILN_WARN_DAMAGE, "two %d", i);
  }
  assert_int_equal(made->warnings, 2);
  assert_string_equal(made->warning, "two 0");
}

/* Runs `body` with the store's folder on a disk of its own; skipped where that is not permitted. */
static void
on_a_disk(struct made *made, const char *options, unsigned long flags, int (*body)(struct made *made, const char *disk))
{
  char disk[1024];
  snprintf(disk, sizeof disk, "%s", made_path(made, "store"));
  assert_int_equal(mkdir(disk, 0700), 0);
  pid_t child = fork();
  if (child == 0) {
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", disk, "tmpfs", flags, options) != 0)
      _exit(77);
    _exit(body(made, disk));
  }
  int code = made_wait(child);
  if (code == 77)
    skip();
  assert_int_equal(code, 0);
}

static int
fill_the_disk(struct made *made, const char *disk)
{
  struct kiln_buf entry;
  struct kiln_workspace workspace;
  char path[1200], block[4096] = {0};
  bool lost;
  made_publish(made, "a", "payload");
  snprintf(path, sizeof path, "%s/ballast", disk);
  int fd = open(path, O_CREAT | O_WRONLY, 0600);
  while (write(fd, block, sizeof block) > 0)
    ;
  close(fd);
  if (!made_finds(made->store, "a", "payload"))
    return 1;
  /* The new content cannot be written, and must not become visible in part. */
  kiln_buf_init(&entry);
  kiln_buf_append(&entry, block, sizeof block);
  struct kiln_error error = {0};
  if (kiln_store_write(made->store, "failed/aa/x", &entry, &error) != KILN_ERROR_ENVIRONMENT)
    return 2;
  snprintf(path, sizeof path, "%s/v1/failed/aa/x", disk);
  if (access(path, F_OK) == 0)
    return 3;
  snprintf(path, sizeof path, "%s/v1/build", disk);
  if (made_count_in(path) != 0)
    return 4;
  /* The owner file does not fit either: the build goes elsewhere. */
  if (kiln_workspace_new(made->store, &workspace, NULL) != KILN_OK)
    return 5;
  if (kiln_text_path_within(workspace.folder, disk))
    return 6;
  kiln_workspace_release(&workspace, NULL);
  /* There is room again: the same process stores again. */
  snprintf(path, sizeof path, "%s/ballast", disk);
  unlink(path);
  return made_publish_in(made->store, "b", "payload", &lost) == KILN_OK ? 0 : 7;
}

static void
test_a_full_disk(void **state)
{
  on_a_disk(*state, "size=128k,mode=700", 0, fill_the_disk);
}

static int
run_out_of_files(struct made *made, const char *disk)
{
  struct kiln_workspace workspace;
  struct kiln_error error = {0};
  (void)disk;
  if (kiln_store_prepare(made->store, &error) != KILN_ERROR_ENVIRONMENT || !error.what[0])
    return 1;
  if (kiln_workspace_new(made->store, &workspace, NULL) != KILN_OK)
    return 2;
  kiln_workspace_release(&workspace, NULL);
  return made_finds(made->store, "a", "payload") ? 3 : 0;
}

static void
test_a_disk_without_inodes(void **state)
{
  on_a_disk(*state, "nr_inodes=4,mode=700", 0, run_out_of_files);
}

static int
turn_read_only(struct made *made, const char *disk)
{
  struct kiln_store_place place;
  made_publish(made, "a", "payload");
  if (mount("none", disk, "tmpfs", MS_REMOUNT | MS_RDONLY, NULL) != 0)
    return 77;
  struct kiln_store *later = made_open(made, "store", NULL);
  if (!made_finds(later, "a", "payload") || made_finds(later, "b", "payload"))
    return 1;
  kiln_store_place(later, &place);
  if (place.writable || !place.exists || place.refusal[0])
    return 2;
  if (kiln_store_prepare(later, NULL) != KILN_ERROR_ENVIRONMENT || made->warnings != 0)
    return 3;
  /* Who could write before is told, once. */
  struct kiln_buf text;
  kiln_buf_init(&text);
  kiln_buf_text_append(&text, "x");
  for (int i = 0; i < 2; i++)
    if (kiln_store_write(made->store, "failed/aa/x", &text, NULL) != KILN_ERROR_ENVIRONMENT || made->warnings != 1)
      return 4;
  if (kiln_store_prepare(made->store, NULL) != KILN_ERROR_ENVIRONMENT)
    return 5;
  return strstr(made->warning, "Read-only") ? 0 : 6;
}

static void
test_a_read_only_disk(void **state)
{
  on_a_disk(*state, "mode=700", 0, turn_read_only);
}

static int
see_noexec(struct made *made, const char *disk)
{
  struct kiln_store_place place;
  (void)disk;
  kiln_store_place(made->store, &place);
  return place.exists && place.noexec && place.writable && !place.network ? 0 : 1;
}

static void
test_a_disk_without_code(void **state)
{
  on_a_disk(*state, "mode=700", MS_NOEXEC, see_noexec);
}

struct crowd {
  struct made *made;
  atomic_int found, failed;
};

static void *
use(void *context)
{
  struct crowd *crowd = context;
  struct kiln_store *store = crowd->made->store;
  struct kiln_digest key = made_key("a");
  struct kiln_store_place place;
  struct kiln_key_lock lock;
  struct kiln_found found;
  for (int round = 0; round < 50; round++) {
    if (kiln_store_find(store, &key, &found, NULL) == KILN_OK) {
      atomic_fetch_add(&crowd->found, 1);
      kiln_store_touch(store, &found);
      kiln_found_release(&found);
    }
    kiln_store_place(store, &place);
    if (!place.writable || kiln_store_prepare(store, NULL) != KILN_OK)
      atomic_fetch_add(&crowd->failed, 1);
    if (kiln_key_lock_try(store, &key, &lock) == KILN_LOCK_UNAVAILABLE)
      atomic_fetch_add(&crowd->failed, 1);
    kiln_key_lock_release(&lock);
  }
  return NULL;
}

/* Eight threads use a store object that nobody has used before. */
static void
test_threads_share_a_store(void **state)
{
  struct made *made = *state;
  struct crowd crowd = {.made = made};
  pthread_t threads[8];
  struct kiln_store *maker = made_open(made, "store", NULL);
  bool lost;
  assert_int_equal(made_publish_in(maker, "a", "payload", &lost), KILN_OK);
  kiln_store_close(maker);
  for (int i = 0; i < 8; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, use, &crowd), 0);
  for (int i = 0; i < 8; i++)
    pthread_join(threads[i], NULL);
  assert_int_equal(atomic_load(&crowd.found), 400);
  assert_int_equal(atomic_load(&crowd.failed), 0);
  assert_int_equal(made->store->held_count, 0);
  assert_int_equal(made->warnings, 0);
}

int
main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, made_setup, made_teardown)
  const struct CMUnitTest tests[] = {
      CASE(test_prepare_makes_the_folders),
      CASE(test_code_is_mapped_from_local_disks_only),
      CASE(test_a_world_writable_folder_is_refused),
      CASE(test_a_group_writable_folder_below_is_refused),
      CASE(test_a_file_in_place_of_the_folder_is_refused),
      CASE(test_a_foreign_folder_is_refused),
      CASE(test_a_foreign_entry_is_refused),
      CASE(test_a_linked_folder_is_resolved_and_checked),
      CASE(test_a_link_to_an_open_folder_is_refused),
      CASE(test_a_store_that_cannot_be_written),
      CASE(test_a_warning_is_said_once_per_cause),
      CASE(test_a_full_disk),
      CASE(test_a_disk_without_inodes),
      CASE(test_a_read_only_disk),
      CASE(test_a_disk_without_code),
      CASE(test_threads_share_a_store),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
