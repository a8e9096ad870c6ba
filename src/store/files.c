#include "store/files.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "os/clock.h"
#include "os/failure.h"
#include "os/filesystem.h"
#include "os/process.h"
#include "os/publish.h"

static enum kiln_read_result
classify_open(struct kiln_store *store, int failure, const char *path, struct kiln_error *error)
{
  if (failure == ENOENT || failure == ENOTDIR)
    return KILN_READ_MISSING;
  if (failure == ELOOP || failure == EACCES || failure == EPERM) {
    kiln_store_warn(store, KILN_WARN_FILE, "'%s' is not used: %s", path,
        failure == ELOOP ? "it is a symbolic link" : "this user may not read it");
    return KILN_READ_REFUSED;
  }
  kiln_failure_set(error, failure, "open", path);
  return KILN_READ_FAILED;
}

static enum kiln_read_result
read_content(int fd, const char *path, size_t size, struct kiln_buf *content, struct kiln_error *error)
{
  if (!kiln_buf_reserve(content, size)) {
    kiln_failure_set(error, ENOMEM, "read", path);
    return KILN_READ_FAILED;
  }
  while (size > 0) {
    long got = kiln_fd_read(fd, content->data + content->len, size);
    if (got < 0) {
      kiln_failure_set(error, errno, "read", path);
      return KILN_READ_FAILED;
    }
    if (got == 0)
      return KILN_READ_DAMAGED;
    content->len += (size_t)got;
    size -= (size_t)got;
  }
  content->data[content->len] = '\0';
  return KILN_READ_DONE;
}

static enum kiln_read_result
read_opened(struct kiln_store *store, const char *path, uint64_t max, struct kiln_buf *content,
    struct kiln_store_file *file, struct kiln_error *error)
{
  char reason[KILN_LOCATION_REFUSAL_SIZE];
  if (!kiln_fd_info(file->fd, &file->info)) {
    kiln_failure_set(error, errno, "look at", path);
    return KILN_READ_FAILED;
  }
  if (!kiln_owner_trusted_info(&file->info, path, reason, sizeof reason)) {
    kiln_store_warn(store, KILN_WARN_FILE, "a file of the cache is not used: %s", reason);
    return KILN_READ_REFUSED;
  }
  if (file->info.kind != KILN_FILE_REGULAR || file->info.size > max)
    return KILN_READ_DAMAGED;
  return read_content(file->fd, path, (size_t)file->info.size, content, error);
}

enum kiln_read_result
kiln_store_read(struct kiln_store *store, const char *path, uint64_t max, struct kiln_buf *content,
    struct kiln_store_file *file, struct kiln_error *error)
{
  struct kiln_store_file own, *opened = file ? file : &own;
  opened->fd = kiln_fd_open(path, KILN_OPEN_READ | KILN_OPEN_PLAIN);
  if (opened->fd < 0)
    return classify_open(store, errno, path, error);
  enum kiln_read_result result = read_opened(store, path, max, content, opened, error);
  if (!file || (result != KILN_READ_DONE && result != KILN_READ_DAMAGED)) {
    kiln_fd_close(opened->fd);
    opened->fd = -1;
  }
  return result;
}

/* A name of its own in build/: other processes by number and time, other threads by serial. */
static int
create_temporary(struct kiln_store *store, struct kiln_buf *path)
{
  const size_t start = path->len;
  struct kiln_buf folder;
  int fd = -1;
  kiln_buf_init(&folder);
  kiln_store_path(store, "build", &folder);
  for (int attempt = 0; attempt < 100 && fd < 0; attempt++) {
    path->len = start;
    kiln_buf_text_append(path, kiln_buf_text(&folder));
    kiln_buf_printf(
        path, "/tmp-%d-%" PRIx64 "-%u", kiln_process_id(), kiln_clock_now(), atomic_fetch_add(&store->serial, 1));
    if (path->failed) {
      errno = ENOMEM;
      break;
    }
    fd = kiln_fd_open(path->data, KILN_OPEN_WRITE | KILN_OPEN_NEW);
    if (fd < 0 && errno != EEXIST)
      break;
  }
  int failure = errno;
  kiln_buf_release(&folder);
  errno = failure;
  return fd;
}

static enum kiln_status
write_temporary(
    struct kiln_store *store, const struct kiln_buf *content, struct kiln_buf *path, struct kiln_error *error)
{
  int fd = create_temporary(store, path);
  if (fd < 0)
    return kiln_failure_set(error, errno, "create", kiln_buf_text(path));
  enum kiln_status status = KILN_OK;
  if (!kiln_fd_write(fd, kiln_buf_text(content), content->len))
    status = kiln_failure_set(error, errno, "write", path->data);
  kiln_fd_close(fd);
  if (status == KILN_OK)
    status = kiln_file_set_mode(path->data, kiln_store_file_mode(store), error);
  if (status != KILN_OK)
    (void)kiln_file_remove(path->data, NULL);
  return status;
}

enum kiln_status
kiln_store_write_temporary(
    struct kiln_store *store, const struct kiln_buf *content, struct kiln_buf *path, struct kiln_error *error)
{
  if (content->failed)
    return kiln_error_set(error, KILN_ERROR_MEMORY, "no memory for a file of the cache");
  enum kiln_status status = kiln_store_prepare(store, error);
  if (status != KILN_OK)
    return status;
  const size_t start = path->len;
  struct kiln_error cause = {0};
  status = write_temporary(store, content, path, &cause);
  if (status == KILN_ERROR_NOT_FOUND && kiln_store_folder(store, "build", NULL) == KILN_OK) {
    path->len = start; /* the folder had been removed meanwhile */
    status = write_temporary(store, content, path, &cause);
  }
  if (status == KILN_OK)
    return KILN_OK;
  if (error)
    *error = cause;
  return kiln_store_refused(store, &cause);
}

static enum kiln_status
move_into_place(struct kiln_store *store, const char *file, const char *relative, struct kiln_error *error)
{
  struct kiln_buf target;
  kiln_buf_init(&target);
  kiln_store_path(store, relative, &target);
  enum kiln_status status = kiln_publish_over(file, kiln_buf_text(&target), error);
  if (status == KILN_ERROR_NOT_FOUND) {
    const char *slash = strrchr(relative, '/');
    struct kiln_buf folder;
    kiln_buf_init(&folder);
    kiln_buf_append(&folder, relative, slash ? (size_t)(slash - relative) : 0);
    if (kiln_store_folder(store, kiln_buf_text(&folder), error) == KILN_OK)
      status = kiln_publish_over(file, kiln_buf_text(&target), error);
    kiln_buf_release(&folder);
  }
  kiln_buf_release(&target);
  return status;
}

enum kiln_status
kiln_store_write(
    struct kiln_store *store, const char *relative, const struct kiln_buf *content, struct kiln_error *error)
{
  struct kiln_buf file;
  struct kiln_error cause = {0};
  kiln_buf_init(&file);
  enum kiln_status status = kiln_store_write_temporary(store, content, &file, error);
  if (status == KILN_OK) {
    status = move_into_place(store, file.data, relative, &cause);
    if (status != KILN_OK) {
      (void)kiln_file_remove(file.data, NULL);
      kiln_store_refused(store, &cause);
      if (error)
        *error = cause;
    }
  }
  kiln_buf_release(&file);
  return status;
}

const char *
kiln_store_name(struct kiln_buf *relative, const char *folder, const struct kiln_digest *digest)
{
  char hex[KILN_DIGEST_HEX];
  kiln_digest_hex(digest, hex);
  kiln_buf_clear(relative);
  kiln_buf_printf(relative, "%s/%.2s/%s", folder, hex, hex);
  return kiln_buf_text(relative);
}
