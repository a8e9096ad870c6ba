#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/file.h"
#include "os/stat.h"

int
kiln_fd_open(const char *path, int flags)
{
  bool writes = (flags & (KILN_OPEN_WRITE | KILN_OPEN_APPEND)) != 0;
  int mode = O_CLOEXEC | O_NOCTTY;
  if (writes)
    mode |= (flags & KILN_OPEN_READ) != 0 ? O_RDWR : O_WRONLY;
  else
    mode |= O_RDONLY;
  if ((flags & KILN_OPEN_APPEND) != 0)
    mode |= O_APPEND;
  if ((flags & (KILN_OPEN_CREATE | KILN_OPEN_NEW)) != 0)
    mode |= O_CREAT;
  if ((flags & KILN_OPEN_NEW) != 0)
    mode |= O_EXCL;
  if ((flags & KILN_OPEN_TRUNCATE) != 0)
    mode |= O_TRUNC;
  if ((flags & KILN_OPEN_PLAIN) != 0)
    mode |= O_NOFOLLOW | O_NONBLOCK;
  int fd;
  do
    fd = open(path, mode, 0600);
  while (fd < 0 && errno == EINTR);
  return fd;
}

void
kiln_fd_close(int fd)
{
  if (fd >= 0)
    close(fd);
}

bool
kiln_fd_close_on_exec(int fd)
{
  int flags = fcntl(fd, F_GETFD);
  return flags >= 0 && fcntl(fd, F_SETFD, flags | FD_CLOEXEC) == 0;
}

long
kiln_fd_read(int fd, void *data, size_t len)
{
  ssize_t got;
  do
    got = read(fd, data, len);
  while (got < 0 && errno == EINTR);
  return got;
}

long
kiln_fd_read_at(int fd, void *data, size_t len, uint64_t offset)
{
  ssize_t got;
  do
    got = pread(fd, data, len, (off_t)offset);
  while (got < 0 && errno == EINTR);
  return got;
}

bool
kiln_fd_write(int fd, const void *data, size_t len)
{
  const char *at = data;
  while (len > 0) {
    ssize_t put = write(fd, at, len);
    if (put < 0 && errno == EINTR)
      continue;
    if (put <= 0) {
      if (put == 0)
        errno = EIO; /* a device that takes nothing must not loop for ever */
      return false;
    }
    at += put;
    len -= (size_t)put;
  }
  return true;
}

long
kiln_fd_write_once(int fd, const void *data, size_t len)
{
  return write(fd, data, len);
}

int
kiln_fd_raise(int fd, int least)
{
  int raised = fcntl(fd, F_DUPFD_CLOEXEC, least);
  if (raised >= 0)
    close(fd);
  return raised;
}

bool
kiln_fd_identity(int fd, uint64_t *device, uint64_t *inode)
{
  struct stat status;
  if (fstat(fd, &status) != 0)
    return false;
  *device = (uint64_t)status.st_dev;
  *inode = (uint64_t)status.st_ino;
  return true;
}

bool
kiln_fd_info(int fd, struct kiln_file_info *info)
{
  struct stat status;
  if (fstat(fd, &status) != 0)
    return false;
  kiln_stat_convert(&status, info);
  return true;
}
