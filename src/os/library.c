#include "os/library.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "os/path.h"

struct kiln_library {
  void *handle;
};

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
