/*
 * A module keeps its descriptor open as long as it is mapped. Its spelling is that of the descriptor's number with a
 * moment of time woven in as slashes and dots: even a library that the loader never unmaps (one that is marked so, or
 * that has unique symbols) cannot be taken for a later one behind the same number.
 */
#include "os/module.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "os/failure.h"
#include "os/file.h"
#include "os/path.h"

#define SPELLING_SIZE 192
#define LARGEST_MEMFD_NAME 200
#define MEMFD_NOEXEC_SEAL 8U /* Linux 6.3; it takes the file's x bits, which mapping does not need */

struct kiln_native {
  void *handle;
  int fd;
};

static void
spell(int fd, char text[SPELLING_SIZE])
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  uint64_t moment = (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
  size_t at = (size_t)snprintf(text, SPELLING_SIZE, "/proc/self/fd");
  for (; moment > 0; moment >>= 1) {
    text[at++] = '/';
    if (moment & 1)
      text[at++] = '.';
  }
  snprintf(text + at, SPELLING_SIZE - at, "/%d", fd);
}

/* The loader's sentence is translated in some programs, so the kernel is asked too. */
static bool
is_map_refused(int fd, const char *sentence)
{
  if (strstr(sentence, "failed to map segment"))
    return true;
  void *page = mmap(NULL, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
  if (page == MAP_FAILED)
    return errno == EPERM || errno == EACCES;
  munmap(page, 1);
  return false;
}

/* Which of the three is at fault: the way to the file, the place, or the content. */
static enum kiln_status
refuse(int fd, const char *spelling, const char *name, bool *noexec, struct kiln_error *error)
{
  const char *sentence = dlerror();
  if (!sentence)
    sentence = "the loader gives no reason";
  int again = open(spelling, O_RDONLY | O_CLOEXEC);
  if (again < 0) {
    *noexec = errno == EACCES || errno == EPERM;
    kiln_error_system(error, KILN_ERROR_ENVIRONMENT, errno, "cannot open %s again as '%s'", name, spelling);
    kiln_error_advise(error, "Check that /proc is mounted and that this user may read the file.");
    return KILN_ERROR_ENVIRONMENT;
  }
  close(again);
  if (!is_map_refused(fd, sentence))
    return kiln_error_set(error, KILN_ERROR_FORMAT, "cannot load %s: %s", name, sentence);
  *noexec = true;
  kiln_error_set(error, KILN_ERROR_ENVIRONMENT, "cannot map the code of %s: %s", name, sentence);
  kiln_error_advise(error, "Choose a place that is not mounted noexec (KILN_CACHE_DIR), and check the memory limits.");
  return KILN_ERROR_ENVIRONMENT;
}

/* Takes fd over. */
static enum kiln_status
open_owned(int fd, const char *name, struct kiln_native **module, bool *noexec, struct kiln_error *error)
{
  struct kiln_native *opened = malloc(sizeof *opened);
  if (!opened) {
    close(fd);
    return kiln_failure_set(error, ENOMEM, "load", name);
  }
  char spelling[SPELLING_SIZE];
  spell(fd, spelling);
  *opened = (struct kiln_native){.handle = dlopen(spelling, RTLD_NOW | RTLD_LOCAL), .fd = fd};
  if (!opened->handle) {
    enum kiln_status status = refuse(fd, spelling, name, noexec, error);
    close(fd);
    free(opened);
    return status;
  }
  *module = opened;
  return KILN_OK;
}

enum kiln_status
kiln_native_open_fd(int fd, struct kiln_native **module, bool *noexec, struct kiln_error *error)
{
  *module = NULL;
  *noexec = false;
  int own = fcntl(fd, F_DUPFD_CLOEXEC, 3);
  if (own < 0) {
    int failure = errno;
    char name[32];
    snprintf(name, sizeof name, "descriptor %d", fd);
    return kiln_failure_set(error, failure, "load", name);
  }
  return open_owned(own, "the module", module, noexec, error);
}

static int
memory_file(const char *name)
{
  char cut[LARGEST_MEMFD_NAME];
  snprintf(cut, sizeof cut, "%s", name);
  int fd = memfd_create(cut, MFD_CLOEXEC | MFD_ALLOW_SEALING | MEMFD_NOEXEC_SEAL);
  if (fd < 0 && errno == EINVAL)
    fd = memfd_create(cut, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  return fd;
}

enum kiln_status
kiln_native_open_memory(
    const void *data, size_t len, const char *name, struct kiln_native **module, struct kiln_error *error)
{
  *module = NULL;
  int fd = memory_file(name);
  if (fd < 0)
    return kiln_failure_set(error, errno, "make a file in memory for", name);
  if (!kiln_fd_write(fd, data, len)) {
    int failure = errno;
    close(fd);
    return kiln_failure_set(error, failure, "copy into memory", name);
  }
  (void)fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE); /* as immutable as an entry */
  bool noexec;
  return open_owned(fd, name, module, &noexec, error);
}

void *
kiln_native_symbol(struct kiln_native *module, const char *name)
{
  void *address = dlsym(module->handle, name);
  if (!address)
    return NULL;
  struct link_map *own = NULL;
  void *definer = NULL;
  Dl_info ignored;
  if (dlinfo(module->handle, RTLD_DI_LINKMAP, &own) != 0 || !dladdr1(address, &ignored, &definer, RTLD_DL_LINKMAP))
    return NULL;
  return definer == own ? address : NULL;
}

void
kiln_native_close(struct kiln_native *module)
{
  if (!module)
    return;
  dlclose(module->handle);
  close(module->fd);
  free(module);
}

bool
kiln_native_own_folder(struct kiln_buf *path)
{
  static const char inside = 0; /* any address of this library or program */
  Dl_info info;
  void *definer = NULL;
  if (!dladdr1(&inside, &info, &definer, RTLD_DL_LINKMAP) || !definer)
    return false;
  /* The program itself has no name there, and its dli_fname is whatever argv[0] says. */
  const struct link_map *own = definer;
  const char *file = own->l_name && own->l_name[0] ? own->l_name : "/proc/self/exe";
  size_t start = path->len;
  if (!kiln_path_resolve(file, path))
    return false;
  char *slash = strrchr(path->data + start, '/');
  path->len = slash > path->data + start ? (size_t)(slash - path->data) : start + 1;
  path->data[path->len] = '\0';
  return true;
}
