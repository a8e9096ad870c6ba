#include "probe/sweep.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "os/file.h"
#include "probe/frameworks.h"

void
kiln_sweep_init(struct kiln_sweep *sweep)
{
  *sweep = (struct kiln_sweep){0};
}

void
kiln_sweep_release(struct kiln_sweep *sweep)
{
  for (size_t i = 0; i < sweep->count; i++)
    free(sweep->entries[i].path);
  free(sweep->entries);
  kiln_sweep_init(sweep);
}

struct sweeping {
  struct kiln_sweep *sweep;
  const struct kiln_framework *framework;
  bool failed;
};

static bool
take(void *context, const char *path, const struct kiln_file_info *info)
{
  struct sweeping *sweeping = context;
  struct kiln_sweep *sweep = sweeping->sweep;
  if (info->kind == KILN_FILE_FOLDER)
    return true;
  if (info->kind != KILN_FILE_REGULAR || !kiln_framework_is_artefact(sweeping->framework, kiln_text_base_name(path)))
    return false;
  size_t size = strlen(path) + 1;
  char *copy = malloc(size);
  if (!copy || !KILN_GROW(sweep->entries, sweep->count, sweep->capacity)) {
    free(copy);
    sweeping->failed = true;
    return false;
  }
  sweep->entries[sweep->count++] =
      (struct kiln_sweep_entry){sweeping->framework->name, memcpy(copy, path, size), info->mtime_ns, info->size};
  return false;
}

static int
compare_entries(const void *left, const void *right)
{
  const struct kiln_sweep_entry *a = left, *b = right;
  return strcmp(a->path, b->path);
}

enum kiln_status
kiln_sweep_caches(struct kiln_sweep *sweep, const char *cache_folder, struct kiln_error *error)
{
  struct sweeping sweeping = {.sweep = sweep};
  struct kiln_buf path;
  enum kiln_status status = KILN_OK;
  kiln_buf_init(&path);
  for (size_t i = 0; i < kiln_framework_count && status == KILN_OK && !sweeping.failed; i++) {
    sweeping.framework = &kiln_frameworks[i];
    kiln_text_join(&path, cache_folder, kiln_frameworks[i].name);
    sweeping.failed = path.failed;
    if (!path.failed)
      status = kiln_folder_walk(path.data, 0, take, &sweeping, error);
  }
  kiln_buf_release(&path);
  if (sweep->count > 0)
    qsort(sweep->entries, sweep->count, sizeof *sweep->entries, compare_entries);
  if (status == KILN_OK && sweeping.failed)
    return kiln_error_set(error, KILN_ERROR_MEMORY, "no memory to list the artefacts below '%s'", cache_folder);
  return status;
}

size_t
kiln_sweep_new(const struct kiln_sweep *before, const struct kiln_sweep *after, const char *framework)
{
  size_t found = 0, at = 0, known = before ? before->count : 0;
  for (size_t i = 0; i < after->count; i++) {
    const struct kiln_sweep_entry *entry = &after->entries[i];
    if (framework && strcmp(entry->framework, framework) != 0)
      continue;
    while (at < known && strcmp(before->entries[at].path, entry->path) < 0)
      at++;
    bool same = at < known && strcmp(before->entries[at].path, entry->path) == 0 &&
                before->entries[at].mtime_ns == entry->mtime_ns && before->entries[at].size == entry->size;
    found += !same;
  }
  return found;
}
