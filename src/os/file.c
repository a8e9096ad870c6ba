#include "os/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "os/clock.h"
#include "os/failure.h"
#include "os/stat.h"

#define READ_CHUNK ((size_t)64 * 1024)

void
kiln_stat_convert(const struct stat *status, struct kiln_file_info *info)
{
  enum kiln_file_kind kind = KILN_FILE_OTHER;
  if (S_ISREG(status->st_mode))
    kind = KILN_FILE_REGULAR;
  else if (S_ISDIR(status->st_mode))
    kind = KILN_FILE_FOLDER;
  else if (S_ISLNK(status->st_mode))
    kind = KILN_FILE_LINK;
  *info = (struct kiln_file_info){
      .kind = kind,
      .size = (uint64_t)status->st_size,
      .device = status->st_dev,
      .inode = status->st_ino,
      .mtime_ns = (uint64_t)status->st_mtim.tv_sec * 1000000000U + (uint64_t)status->st_mtim.tv_nsec,
      .uid = status->st_uid,
      .mode = status->st_mode & 07777U,
  };
}

enum kiln_status
kiln_file_info(const char *path, struct kiln_file_info *info, struct kiln_error *error)
{
  struct stat status;
  if (lstat(path, &status) != 0)
    return kiln_failure_set(error, errno, "look at", path);
  kiln_stat_convert(&status, info);
  return KILN_OK;
}

enum kiln_status
kiln_file_target_info(const char *path, struct kiln_file_info *info, struct kiln_error *error)
{
  struct stat status;
  if (stat(path, &status) != 0)
    return kiln_failure_set(error, errno, "look at", path);
  kiln_stat_convert(&status, info);
  return KILN_OK;
}

bool
kiln_file_exists(const char *path)
{
  struct stat status;
  return lstat(path, &status) == 0;
}

bool
kiln_file_executable(const char *path)
{
  struct stat status;
  return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

static enum kiln_status
refuse_size(const char *path, size_t max_bytes, struct kiln_error *error)
{
  kiln_error_set(error, KILN_ERROR_FORMAT, "'%s' is larger than %zu bytes", path, max_bytes);
  kiln_error_advise(error, "Check that this is the file you mean.");
  return KILN_ERROR_FORMAT;
}

static enum kiln_status
read_all(int fd, const char *path, size_t max_bytes, struct kiln_buf *buf, struct kiln_error *error)
{
  size_t start = buf->len;
  for (;;) {
    size_t room = max_bytes - (buf->len - start);
    size_t wanted = room < READ_CHUNK ? room + 1 : READ_CHUNK; /* one more tells a full file from a larger one */
    if (!kiln_buf_reserve(buf, wanted))
      return kiln_failure_set(error, ENOMEM, "read", path);
    long got = kiln_fd_read(fd, buf->data + buf->len, wanted);
    if (got < 0)
      return kiln_failure_set(error, errno, "read", path);
    if (got == 0)
      return KILN_OK;
    if ((size_t)got > room)
      return refuse_size(path, max_bytes, error);
    buf->len += (size_t)got;
    buf->data[buf->len] = '\0';
  }
}

enum kiln_status
kiln_file_read(const char *path, size_t max_bytes, struct kiln_buf *buf, struct kiln_error *error)
{
  int fd = kiln_fd_open(path, KILN_OPEN_READ);
  if (fd < 0)
    return kiln_failure_set(error, errno, "read", path);
  struct stat file;
  enum kiln_status status = KILN_OK;
  bool regular = fstat(fd, &file) == 0 && S_ISREG(file.st_mode);
  if (regular && (uint64_t)file.st_size > max_bytes)
    status = refuse_size(path, max_bytes, error);
  else if (regular && !kiln_buf_reserve(buf, (size_t)file.st_size + 1))
    status = kiln_failure_set(error, ENOMEM, "read", path);
  size_t start = buf->len;
  if (status == KILN_OK)
    status = read_all(fd, path, max_bytes, buf, error);
  if (status != KILN_OK && buf->len > start) {
    buf->len = start;
    buf->data[start] = '\0';
  }
  kiln_fd_close(fd);
  return status;
}

/* Where a new content for `path` goes. */
struct target {
  char *real;   /* the path behind links when the file exists, else the path; malloc'd */
  bool special; /* exists and is no regular file (a terminal, a pipe, /dev/null): written in place, never replaced */
  bool exists;
  mode_t mode;
};

static int
target_find(const char *path, struct target *target)
{
  struct stat status;
  *target = (struct target){0};
  if (!*path)
    return ENOENT;
  if (stat(path, &status) == 0) {
    if (S_ISDIR(status.st_mode))
      return EISDIR;
    target->exists = true;
    target->special = !S_ISREG(status.st_mode);
    target->mode = status.st_mode & 0777;
    target->real = target->special ? strdup(path) : realpath(path, NULL);
    return target->real ? 0 : errno;
  }
  if (errno != ENOENT)
    return errno;
  if (kiln_text_ends(path, "/"))
    return EISDIR;
  target->real = strdup(path);
  return target->real ? 0 : ENOMEM;
}

/* A new file beside `path`; its name goes to `name`. Descriptor, or -1 with errno. The name has a length of its own, so
 * that a long file name still has a neighbour. */
static int
neighbour_create(const char *path, struct kiln_buf *name)
{
  int fd = -1;
  for (int attempt = 0; attempt < 100 && fd < 0; attempt++) {
    kiln_buf_clear(name);
    kiln_buf_append(name, path, (size_t)(kiln_text_base_name(path) - path));
    kiln_buf_printf(name, ".kiln-%ld-%llx", (long)getpid(), (unsigned long long)kiln_clock_now());
    if (name->failed) {
      errno = ENOMEM;
      return -1;
    }
    fd = open(name->data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0666);
    if (fd < 0 && errno != EEXIST)
      return -1;
  }
  return fd;
}

/* Write and close; 0 or errno. */
static int
write_and_close(int fd, const void *data, size_t len)
{
  int failed = kiln_fd_write(fd, data, len) ? 0 : errno;
  if (close(fd) != 0 && !failed && errno != EINTR)
    failed = errno;
  return failed;
}

static int
replace(const struct target *target, const void *data, size_t len)
{
  struct kiln_buf name;
  kiln_buf_init(&name);
  int failed = 0;
  int fd = neighbour_create(target->real, &name);
  if (fd < 0) {
    failed = errno;
  } else {
    if (target->exists)
      (void)!fchmod(fd, target->mode); /* best effort: the content counts */
    failed = write_and_close(fd, data, len);
    if (!failed && rename(name.data, target->real) != 0)
      failed = errno;
    if (failed)
      unlink(name.data);
  }
  kiln_buf_release(&name);
  return failed;
}

enum kiln_status
kiln_file_write(const char *path, const void *data, size_t len, struct kiln_error *error)
{
  struct target target;
  int failed = target_find(path, &target);
  if (!failed && target.special) {
    int fd = kiln_fd_open(target.real, KILN_OPEN_WRITE);
    failed = fd < 0 ? errno : write_and_close(fd, data, len);
  } else if (!failed) {
    failed = replace(&target, data, len);
  }
  free(target.real);
  return failed ? kiln_failure_set(error, failed, "write", path) : KILN_OK;
}

enum kiln_status
kiln_file_check_writable(const char *path, struct kiln_error *error)
{
  struct target target;
  struct kiln_buf name;
  kiln_buf_init(&name);
  int failed = target_find(path, &target);
  if (!failed && target.special) {
    if (access(target.real, W_OK) != 0)
      failed = errno;
  } else if (!failed) {
    int fd = neighbour_create(target.real, &name);
    if (fd < 0) {
      failed = errno;
    } else {
      close(fd);
      unlink(name.data);
    }
    if (!failed && strlen(kiln_text_base_name(target.real)) > NAME_MAX)
      failed = ENAMETOOLONG;
  }
  kiln_buf_release(&name);
  free(target.real);
  return failed ? kiln_failure_set(error, failed, "write", path) : KILN_OK;
}
