#include "os/limits.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>

#include "os/file.h"

static uint64_t
soft(int resource)
{
  struct rlimit limit;
  if (getrlimit((__rlimit_resource_t)resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return KILN_UNLIMITED;
  return (uint64_t)limit.rlim_cur;
}

void
kiln_rlimits_read(struct kiln_rlimits *limits)
{
  *limits = (struct kiln_rlimits){.open_files = soft(RLIMIT_NOFILE),
      .processes = soft(RLIMIT_NPROC),
      .file_bytes = soft(RLIMIT_FSIZE),
      .address_space_bytes = soft(RLIMIT_AS),
      .core_bytes = soft(RLIMIT_CORE),
      .locked_bytes = soft(RLIMIT_MEMLOCK)};
}

bool
kiln_kernel_setting(const char *path, char *text, unsigned long size)
{
  const int fd = kiln_fd_open(path, KILN_OPEN_READ);
  if (fd < 0)
    return false;
  const long got = kiln_fd_read(fd, text, size - 1);
  kiln_fd_close(fd);
  text[got > 0 ? got : 0] = '\0';
  text[strcspn(text, "\n")] = '\0';
  return got > 0;
}

bool
kiln_process_is_elevated(void)
{
  return getauxval(AT_SECURE) != 0;
}

bool
kiln_cuda_driver(char *version, unsigned long size)
{
  int (*ask)(int *) = NULL;
  int number = 0;
  version[0] = '\0';
  void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (!library)
    return false;
  void *symbol = dlsym(library, "cuDriverGetVersion");
  memcpy(&ask, &symbol, sizeof symbol);
  if (ask && ask(&number) == 0)
    snprintf(version, size, "%d.%d", number / 1000, number % 1000 / 10);
  return true; /* stays open: it has threads of its own */
}
