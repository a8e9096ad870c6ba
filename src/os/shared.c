#include "os/shared.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void *
map(void *at, size_t size, int protection, int flags, int fd)
{
  void *address = mmap(at, size, protection, flags | (at ? MAP_FIXED : 0), fd, 0);
  return address == MAP_FAILED ? NULL : address;
}

static int
allocate(int fd, size_t size)
{
  int result;
  do
    result = posix_fallocate(fd, 0, (off_t)size);
  while (result == EINTR);
  return result;
}

void *
kiln_shared_create(const char *path, size_t size, void *at)
{
  if (size == 0 || size > SIZE_MAX / 2)
    return NULL;
  int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0)
    return NULL;
  void *address = NULL;
  if (allocate(fd, size) == 0)
    address = map(at, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
  close(fd);
  if (!address)
    unlink(path);
  return address;
}

void *
kiln_shared_anonymous(size_t size, void *at)
{
  return map(at, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
}

void *
kiln_shared_sparse(size_t size)
{
  void *address = map(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
  if (address)
    (void)madvise(address, size, MADV_NOHUGEPAGE); /* a kernel without huge pages refuses: as wanted */
  return address;
}

void *
kiln_shared_wiped_on_fork(void)
{
  size_t size = (size_t)sysconf(_SC_PAGESIZE);
  void *page = kiln_shared_anonymous(size, NULL);
  if (page && madvise(page, size, MADV_WIPEONFORK) != 0) {
    munmap(page, size);
    return NULL;
  }
  return page;
}

const void *
kiln_shared_open(const char *path, size_t *size)
{
  /* Not blocking: a pipe that has the name of a file must not stop the reader. */
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0)
    return NULL;
  struct stat status;
  const void *address = NULL;
  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0 &&
      (uintmax_t)status.st_size <= SIZE_MAX / 2) {
    *size = (size_t)status.st_size;
    address = map(NULL, *size, PROT_READ, MAP_SHARED, fd);
  }
  close(fd);
  return address;
}

void
kiln_shared_close(const void *address, size_t size)
{
  if (address)
    munmap((void *)address, size);
}
