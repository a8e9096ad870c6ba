#include "os/publish.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "os/failure.h"
#include "os/file.h"

enum outcome { WON, LOST, UNSUPPORTED, FAILED };

/* A network file system may repeat a request whose answer was lost, and then report that the name is taken: by us. */
static bool
is_same_file(const char *file, const char *target)
{
  struct stat a, b;
  return lstat(file, &a) == 0 && lstat(target, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static enum outcome
publish_by_link(const char *file, const char *target)
{
  if (link(file, target) == 0)
    return WON;
  switch (errno) {
  case EEXIST:
    return is_same_file(file, target) ? WON : LOST;
  case EPERM: /* also: the file system has no hard links */
  case EOPNOTSUPP:
  case ENOSYS:
  case EMLINK:
    return UNSUPPORTED;
  default:
    return FAILED;
  }
}

static enum outcome
publish_by_rename(const char *file, const char *target)
{
  if (renameat2(AT_FDCWD, file, AT_FDCWD, target, RENAME_NOREPLACE) == 0)
    return WON;
  if (errno == EEXIST)
    return LOST;
  if (errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP)
    return FAILED;
  /* Neither links nor an exclusive rename: two publishers may replace each other. Both contents are good, and a reader
   * still sees one whole file. */
  if (kiln_file_exists(target))
    return LOST;
  return rename(file, target) == 0 ? WON : FAILED;
}

enum kiln_status
kiln_publish(const char *file, const char *target, bool *lost, struct kiln_error *error)
{
  *lost = false;
  enum outcome outcome = publish_by_link(file, target);
  if (outcome == UNSUPPORTED)
    outcome = publish_by_rename(file, target);
  if (outcome == FAILED)
    return kiln_failure_set(error, errno, "publish", target);
  *lost = outcome == LOST;
  (void)unlink(file); /* gone already after a rename */
  return KILN_OK;
}

enum kiln_status
kiln_publish_over(const char *file, const char *target, struct kiln_error *error)
{
  if (rename(file, target) != 0)
    return kiln_failure_set(error, errno, "replace", target);
  return KILN_OK;
}

static enum kiln_status
sync_one(const char *path, int flags, struct kiln_error *error)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | flags);
  if (fd < 0)
    return kiln_failure_set(error, errno, "open", path);
  int result;
  do
    result = fsync(fd);
  while (result != 0 && errno == EINTR);
  int failure = errno;
  close(fd);
  if (result != 0 && failure != EINVAL) /* EINVAL: this kind of file has nothing to flush */
    return kiln_failure_set(error, failure, "flush", path);
  return KILN_OK;
}

enum kiln_status
kiln_publish_sync(const char *path, struct kiln_error *error)
{
  enum kiln_status status = sync_one(path, 0, error);
  if (status != KILN_OK)
    return status;
  struct kiln_buf folder;
  kiln_buf_init(&folder);
  kiln_buf_text_append(&folder, path);
  while (folder.len > 1 && folder.data[folder.len - 1] != '/')
    folder.len--;
  if (folder.failed)
    status = kiln_failure_set(error, ENOMEM, "flush", path);
  else if (folder.len == 0 || folder.data[folder.len - 1] != '/')
    status = sync_one(".", O_DIRECTORY, error);
  else {
    folder.data[folder.len] = '\0';
    status = sync_one(folder.data, O_DIRECTORY, error);
  }
  kiln_buf_release(&folder);
  return status;
}

enum kiln_status
kiln_file_remove(const char *path, struct kiln_error *error)
{
  if (unlink(path) != 0 && errno != ENOENT && errno != ENOTDIR)
    return kiln_failure_set(error, errno, "remove", path);
  return KILN_OK;
}

enum kiln_status
kiln_file_set_mode(const char *path, unsigned mode, struct kiln_error *error)
{
  if (chmod(path, (mode_t)mode) != 0)
    return kiln_failure_set(error, errno, "change the permissions of", path);
  return KILN_OK;
}

bool
kiln_file_touch(const char *path)
{
  const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_nsec = UTIME_NOW}};
  return utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW) == 0;
}
