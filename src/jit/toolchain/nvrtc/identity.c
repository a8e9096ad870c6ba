/* NVRTC is two libraries: the compiler, and the headers and functions it knows by heart. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "jit/identity.h"
#include "jit/toolchain/nvrtc/nvrtc.h"
#include "os/file.h"
#include "os/path.h"

struct discovery {
  char **paths;
  size_t count, capacity;
  bool failed;
};

/* One file under several names is one part. */
static void
add_path(struct discovery *discovery, const char *path)
{
  struct kiln_buf resolved;
  kiln_buf_init(&resolved);
  if (kiln_path_resolve(path, &resolved)) {
    bool known = false;
    for (size_t i = 0; i < discovery->count; i++)
      known = known || strcmp(discovery->paths[i], kiln_buf_text(&resolved)) == 0;
    char *copy = known || resolved.failed ? NULL : malloc(resolved.len + 1);
    if (copy && KILN_GROW(discovery->paths, discovery->count, discovery->capacity)) {
      memcpy(copy, resolved.data, resolved.len + 1);
      discovery->paths[discovery->count++] = copy;
    } else if (!known) {
      free(copy);
      discovery->failed = true;
    }
  }
  kiln_buf_release(&resolved);
}

static bool
visit(void *context, const char *path, const struct kiln_file_info *info)
{
  (void)info;
  if (kiln_text_starts(kiln_text_base_name(path), KILN_NVRTC_BUILTINS))
    add_path(context, path);
  return true;
}

static int
by_name(const void *one, const void *other)
{
  return strcmp(*(char *const *)one, *(char *const *)other);
}

static enum kiln_status
discover(void *context, const char *driver, char ***paths, size_t *count, struct kiln_error *error)
{
  struct discovery discovery = {.failed = false};
  struct kiln_buf folder;
  (void)context;
  kiln_buf_init(&folder);
  kiln_buf_append(&folder, driver, (size_t)(kiln_text_base_name(driver) - driver));
  enum kiln_status status = kiln_folder_walk(kiln_buf_text(&folder), 1, visit, &discovery, error);
  kiln_buf_release(&folder);
  /* A folder is listed in no particular order. */
  if (discovery.count > 1)
    qsort(discovery.paths, discovery.count, sizeof *discovery.paths, by_name);
  add_path(&discovery, driver);
  if (status == KILN_OK && discovery.failed)
    status = kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for the parts of '%s'", driver);
  *paths = discovery.paths;
  *count = discovery.count;
  return status;
}

enum kiln_status
kiln_nvrtc_identity(struct kiln *kiln, const struct kiln_spec *spec, struct kiln_digest *identity,
    struct kiln_buf *description, struct kiln_error *error)
{
  struct kiln_arch_list targets;
  struct kiln_toolkit toolkit;
  struct kiln_buf tag;
  enum kiln_status status = kiln_gpu_targets(kiln, spec, &targets, error);
  if (status != KILN_OK)
    return status;
  kiln_buf_init(&tag);
  kiln_nvrtc_question(kiln, &targets, &tag);
  if (!kiln_identity_recall(kiln, kiln_buf_text(&tag), identity, description)) {
    kiln_toolkit_init(&toolkit);
    kiln_buf_clear(description);
    status = kiln_nvrtc_find(kiln, &targets, &toolkit, error);
    if (status == KILN_OK)
      status = kiln_identity_of(
          kiln, kiln_buf_text(&toolkit.nvrtc), kiln_buf_text(&tag), discover, NULL, identity, description, error);
    kiln_toolkit_release(&toolkit);
  }
  kiln_buf_release(&tag);
  return status;
}
