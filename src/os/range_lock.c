#include "os/range_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(sizeof(off_t) == sizeof(int64_t), "offsets have 64 bits");

#define OPEN_FLAGS (O_RDWR | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW)

/* An existing file is opened as it is; a new one gets exactly `mode`, whatever the umask, so that a group can share it.
 */
static int
open_or_create(const char *path, unsigned mode)
{
  for (int attempt = 0; attempt < 8; attempt++) {
    int fd = open(path, OPEN_FLAGS);
    if (fd >= 0 || errno != ENOENT)
      return fd;
    fd = open(path, OPEN_FLAGS | O_CREAT | O_EXCL, (mode_t)mode);
    if (fd >= 0) {
      (void)fchmod(fd, (mode_t)mode); /* best effort: without it the file is only less shared */
      return fd;
    }
    if (errno != EEXIST)
      return -1;
  }
  return -1;
}

enum kiln_range_lock
kiln_range_lock_try(const char *path, unsigned mode, uint64_t offset, int *fd)
{
  *fd = -1;
  if (offset >= INT64_MAX)
    return KILN_RANGE_UNAVAILABLE;
  int opened = open_or_create(path, mode);
  if (opened < 0)
    return KILN_RANGE_UNAVAILABLE;
  struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)offset, .l_len = 1};
  int result;
  do
    result = fcntl(opened, F_OFD_SETLK, &range);
  while (result != 0 && errno == EINTR);
  if (result == 0) {
    *fd = opened;
    return KILN_RANGE_TAKEN;
  }
  int failure = errno;
  close(opened);
  return failure == EAGAIN || failure == EACCES ? KILN_RANGE_BUSY : KILN_RANGE_UNAVAILABLE;
}

void
kiln_range_lock_release(int fd)
{
  if (fd < 0)
    return;
  struct flock whole = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
  (void)fcntl(fd, F_OFD_SETLK, &whole);
  close(fd);
}
