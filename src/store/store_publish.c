#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "os/clock.h"
#include "os/failure.h"
#include "os/publish.h"
#include "store/files.h"
#include "store/store_entry.h"

#define MAX_QUARANTINED 32
#define MAX_REASON 40

const char *
kiln_entry_fault_word(enum kiln_entry_fault fault)
{
  static const char *const words[] = {
      "good", "short", "magic", "version", "lengths", "footer", "checksum", "key", "digest", "manifest"};
  size_t i = (size_t)fault;
  return i < sizeof words / sizeof *words ? words[i] : "unknown";
}

static enum kiln_status
link_into_place(struct kiln_store *store, const struct kiln_digest *key, const char *file, const char *target,
    bool *lost, struct kiln_error *error)
{
  enum kiln_status status = kiln_publish(file, target, lost, error);
  if (status != KILN_ERROR_NOT_FOUND || !kiln_file_exists(file))
    return status;
  char folder[16];
  snprintf(folder, sizeof folder, "entries/%02x", key->bytes[0]);
  status = kiln_store_folder(store, folder, error);
  return status == KILN_OK ? kiln_publish(file, target, lost, error) : status;
}

/* The content behind fd (whose name is gone) as a new file over the target. */
static enum kiln_status
replace_bad(struct kiln_store *store, int fd, const char *target, struct kiln_error *error)
{
  struct kiln_file_info info;
  struct kiln_buf content, path;
  enum kiln_status status = KILN_OK;
  kiln_buf_init(&content);
  kiln_buf_init(&path);
  if (!kiln_fd_info(fd, &info) || !kiln_buf_reserve(&content, (size_t)info.size))
    status = kiln_failure_set(error, ENOMEM, "replace", target);
  while (status == KILN_OK && content.len < info.size) {
    long got = kiln_fd_read(fd, content.data + content.len, (size_t)info.size - content.len);
    if (got <= 0)
      status = kiln_failure_set(error, got < 0 ? errno : EIO, "read the new content of", target);
    else
      content.len += (size_t)got;
  }
  if (status == KILN_OK)
    status = kiln_store_write_temporary(store, &content, &path, error);
  if (status == KILN_OK) {
    status = kiln_publish_over(path.data, target, error);
    if (status != KILN_OK)
      (void)kiln_file_remove(path.data, NULL);
  }
  kiln_buf_release(&content);
  kiln_buf_release(&path);
  return status;
}

/* Another entry has the name. Good: it stays. One that cannot be read now is not judged. */
static enum kiln_status
judge_winner(struct kiln_store *store, const struct kiln_digest *key, int fd, const char *target, bool *lost,
    struct kiln_error *error)
{
  struct kiln_found winner;
  enum kiln_entry_fault fault = KILN_ENTRY_GOOD;
  enum kiln_store_outcome outcome = kiln_store_read_entry(store, 0, key, &winner, &fault, NULL);
  if (outcome == KILN_STORE_FOUND || outcome == KILN_STORE_DAMAGED)
    kiln_found_release(&winner);
  if (outcome == KILN_STORE_FOUND || outcome == KILN_STORE_FAILED)
    return KILN_OK;
  /* MISSING: it was removed meanwhile, or a network file system does not show it yet. */
  *lost = false;
  return replace_bad(store, fd, target, error);
}

static enum kiln_status
publish_opened(struct kiln_store *store, const struct kiln_digest *key, const char *file, int fd, bool *lost,
    struct kiln_error *error)
{
  struct kiln_buf relative, target;
  kiln_buf_init(&relative);
  kiln_buf_init(&target);
  kiln_store_path(store, kiln_store_name(&relative, "entries", key), &target);
  enum kiln_status status = KILN_OK;
  if (relative.failed || target.failed)
    status = kiln_failure_set(error, ENOMEM, "publish", file);
  if (status == KILN_OK)
    status = kiln_file_set_mode(file, kiln_store_file_mode(store), error);
  if (status == KILN_OK && store->sync)
    status = kiln_publish_sync(file, error);
  if (status == KILN_OK)
    status = link_into_place(store, key, file, target.data, lost, error);
  if (status == KILN_OK && *lost)
    status = judge_winner(store, key, fd, target.data, lost, error);
  if (status == KILN_OK && !*lost && store->sync)
    status = kiln_publish_sync(target.data, error);
  kiln_buf_release(&relative);
  kiln_buf_release(&target);
  return status;
}

enum kiln_status
kiln_store_publish(
    struct kiln_store *store, const struct kiln_digest *key, const char *file, bool *lost, struct kiln_error *error)
{
  *lost = false;
  enum kiln_status status = kiln_store_prepare(store, error);
  if (status != KILN_OK)
    return status;
  int fd = kiln_fd_open(file, KILN_OPEN_READ);
  if (fd < 0)
    return kiln_failure_set(error, errno, "publish", file);
  struct kiln_error cause = {0};
  status = publish_opened(store, key, file, fd, lost, &cause);
  kiln_fd_close(fd);
  if (status != KILN_OK) {
    kiln_store_refused(store, &cause);
    if (error)
      *error = cause;
  }
  return status;
}

struct quarantine {
  struct file {
    char *path;
    uint64_t mtime_ns;
  } * files;
  size_t count, capacity;
};

static bool
collect(void *context, const char *path, const struct kiln_file_info *info)
{
  struct quarantine *all = context;
  size_t size = strlen(path) + 1;
  char *copy = info->kind == KILN_FILE_REGULAR ? malloc(size) : NULL;
  if (copy && KILN_GROW(all->files, all->count, all->capacity))
    all->files[all->count++] = (struct file){memcpy(copy, path, size), info->mtime_ns};
  else
    free(copy);
  return true;
}

static int
newest_first(const void *left, const void *right)
{
  const struct file *a = left, *b = right;
  return (a->mtime_ns < b->mtime_ns) - (a->mtime_ns > b->mtime_ns);
}

static void
limit_quarantine(struct kiln_store *store)
{
  struct quarantine all = {0};
  struct kiln_buf folder;
  kiln_buf_init(&folder);
  (void)kiln_folder_walk(kiln_store_path(store, "quarantine", &folder), 1, collect, &all, NULL);
  if (all.count > 1)
    qsort(all.files, all.count, sizeof *all.files, newest_first);
  for (size_t i = 0; i < all.count; i++) {
    if (i >= MAX_QUARANTINED)
      (void)kiln_file_remove(all.files[i].path, NULL);
    free(all.files[i].path);
  }
  free(all.files);
  kiln_buf_release(&folder);
}

static void
append_reason(struct kiln_buf *name, const char *reason)
{
  for (size_t i = 0; reason[i] && i < MAX_REASON; i++)
    kiln_buf_append(name, isalnum((unsigned char)reason[i]) ? reason + i : "-", 1);
}

static enum kiln_status
move_to_quarantine(struct kiln_store *store, const char *path, const char *reason, struct kiln_error *error)
{
  struct kiln_buf relative, target;
  kiln_buf_init(&relative);
  kiln_buf_init(&target);
  kiln_buf_printf(&relative, "quarantine/%s.", kiln_text_base_name(path));
  append_reason(&relative, reason);
  kiln_buf_printf(&relative, ".%" PRIu64, kiln_clock_real());
  kiln_store_path(store, kiln_buf_text(&relative), &target);
  enum kiln_status status = KILN_OK;
  if (relative.failed || target.failed)
    status = kiln_failure_set(error, ENOMEM, "set aside", path);
  /* The time of the move is what it is kept by. */
  if (status == KILN_OK)
    status = kiln_publish_over(path, target.data, error);
  if (status == KILN_OK)
    (void)kiln_file_touch(target.data);
  kiln_buf_release(&relative);
  kiln_buf_release(&target);
  return status;
}

enum kiln_status
kiln_store_quarantine(struct kiln_store *store, const char *path, const char *reason, struct kiln_error *error)
{
  if (!kiln_text_path_within(path, kiln_location_folder(store, 0))) {
    kiln_error_set(
        error, KILN_ERROR_ARGUMENT, "'%s' is not in the cache folder '%s'", path, kiln_location_folder(store, 0));
    kiln_error_advise(error, "Only files of the store can be set aside; a layer is never changed.");
    return KILN_ERROR_ARGUMENT;
  }
  enum kiln_status status = kiln_store_prepare(store, error);
  if (status != KILN_OK)
    return status;
  struct kiln_error cause = {0};
  status = move_to_quarantine(store, path, reason, &cause);
  if (status == KILN_ERROR_NOT_FOUND && !kiln_file_exists(path))
    return KILN_OK; /* somebody else was faster */
  if (status != KILN_OK) {
    if (error)
      *error = cause;
    return kiln_store_refused(store, &cause);
  }
  limit_quarantine(store);
  return KILN_OK;
}
