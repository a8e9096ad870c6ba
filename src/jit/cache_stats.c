#include <string.h>

#include "jit/cache_item.h"

static bool
count_entry(void *context, const char *path, bool in_layer)
{
  struct kiln_cache_stats *stats = context;
  struct kiln_file_info info;
  if (kiln_file_info(path, &info, NULL) != KILN_OK)
    return true; /* removed meanwhile */
  stats->layer_entries += in_layer;
  stats->entries += !in_layer;
  stats->bytes += in_layer ? 0 : info.size;
  return true;
}

static bool
count_file(void *context, const char *path, const struct kiln_file_info *info)
{
  (void)path;
  *(uint64_t *)context += info->kind == KILN_FILE_REGULAR;
  return true;
}

static bool
count_folder(void *context, const char *path, const struct kiln_file_info *info)
{
  (void)path;
  *(uint64_t *)context += info->kind == KILN_FILE_FOLDER;
  return true;
}

/* A folder that is not there yet holds nothing; one that cannot be read is counted as far as it could be. */
static void
count_below(struct kiln_store *store, const char *relative, int depth, kiln_folder_visit *visit, uint64_t *count)
{
  struct kiln_buf path;
  kiln_buf_init(&path);
  kiln_folder_walk(kiln_store_path(store, relative, &path), depth, visit, count, NULL);
  kiln_buf_release(&path);
}

enum kiln_status
kiln_cache_stats(struct kiln *kiln, struct kiln_cache_stats *stats, struct kiln_error *error)
{
  struct kiln_cache_stats counted = {0};
  struct kiln_store_place place;
  enum kiln_status status;
  if (kiln->store) {
    status = kiln_store_walk(kiln->store, count_entry, &counted, error);
    if (status != KILN_OK)
      return status;
    count_below(kiln->store, "failed", 0, count_file, &counted.failed);
    count_below(kiln->store, "quarantine", 0, count_file, &counted.quarantined);
    count_below(kiln->store, "toolchains", 0, count_file, &counted.toolchains);
    count_below(kiln->store, "build", 1, count_folder, &counted.building);
    memset(&place, 0, sizeof place);
    kiln_store_place(kiln->store, &place);
    counted.writable = place.writable;
    counted.network = place.network;
    counted.noexec = place.noexec;
  }
  *stats = counted;
  return KILN_OK;
}
