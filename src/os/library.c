#include "os/library.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/file.h"
#include "os/path.h"

enum {
  PIECE = 128 << 10, /* more at once is cut off: Linux reads ahead what the disk is set to, and this is the least */
  SAMPLES = 64
};

struct kiln_library {
  void *handle;
};

/* ---- before it is opened ---- */

/* mincore says of files that this user could not change that all of them is in memory. */
static bool
may_know(const char *path, const struct stat *info)
{
  const uid_t self = geteuid();
  return self == 0 || info->st_uid == self || access(path, W_OK) == 0;
}

/* By pages from all over the file. */
static bool
is_mostly_in_memory(int fd, size_t size)
{
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  unsigned char state;
  unsigned there = 0;
  char *map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
  if (map == MAP_FAILED)
    return false;
  for (size_t i = 0; i < SAMPLES; i++)
    there += mincore(map + size / SAMPLES * i / page * page, 1, &state) == 0 && (state & 1);
  munmap(map, size);
  return there >= SAMPLES / 2;
}

void
kiln_library_expect(const char *path)
{
  struct stat info;
  const int fd = kiln_fd_open(path, KILN_OPEN_READ);
  if (fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0 &&
      !(may_know(path, &info) && is_mostly_in_memory(fd, (size_t)info.st_size)))
    for (off_t at = 0; at < info.st_size && posix_fadvise(fd, at, PIECE, POSIX_FADV_WILLNEED) == 0; at += PIECE)
      ;
  kiln_fd_close(fd);
}

/* ---- open ---- */

/* The loader tells what is missing in words only. */
static bool
is_missing(const char *sentence)
{
  return strstr(sentence, "No such file") || strstr(sentence, "cannot open shared object file");
}

enum kiln_status
kiln_library_open(const char *name, struct kiln_library **library, struct kiln_error *error)
{
  *library = NULL;
  struct kiln_library *opened = malloc(sizeof *opened);
  if (!opened)
    return kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for the library '%s'", name);
  opened->handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (opened->handle) {
    *library = opened;
    return KILN_OK;
  }
  free(opened);
  const char *sentence = dlerror();
  sentence = sentence ? sentence : "the loader gives no reason";
  return kiln_error_set(error, is_missing(sentence) ? KILN_ERROR_NOT_FOUND : KILN_ERROR_ENVIRONMENT,
      "cannot open the library '%s': %s", name, sentence);
}

void *
kiln_library_symbol(struct kiln_library *library, const char *name)
{
  return dlsym(library->handle, name);
}

bool
kiln_library_path(struct kiln_library *library, struct kiln_buf *path)
{
  struct link_map *map = NULL;
  return dlinfo(library->handle, RTLD_DI_LINKMAP, &map) == 0 && map->l_name && map->l_name[0] &&
         kiln_path_resolve(map->l_name, path);
}

void
kiln_library_close(struct kiln_library *library)
{
  if (!library)
    return;
  dlclose(library->handle);
  free(library);
}

void
kiln_library_leave(struct kiln_library *library)
{
  free(library);
}
