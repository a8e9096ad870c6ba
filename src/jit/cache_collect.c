#include "jit/cache_item.h"
#include "store/evict.h"
#include "store/workspace.h"

static enum kiln_status
evict(struct kiln *kiln, uint64_t limit_bytes, bool aggressive, struct kiln_evicted *evicted, struct kiln_error *error)
{
  return kiln->store ? kiln_store_evict(kiln->store, limit_bytes, aggressive, evicted, error) : KILN_OK;
}

enum kiln_status
kiln_cache_collect(struct kiln *kiln, uint64_t limit_bytes, bool aggressive, uint64_t *removed, uint64_t *freed_bytes,
    struct kiln_error *error)
{
  struct kiln_evicted evicted = {0};
  enum kiln_status status;
  if (kiln->store)
    kiln_workspace_reclaim(kiln->store);
  status = evict(kiln, limit_bytes ? limit_bytes : kiln->options.cache_limit_bytes, aggressive, &evicted, error);
  *removed = evicted.removed;
  *freed_bytes = evicted.freed_bytes;
  return status;
}

/* Remembered failures go too: who clears wants to see the compiler run. */
static bool
forget(void *context, const char *path, const struct kiln_file_info *info)
{
  (void)context;
  if (info->kind == KILN_FILE_REGULAR)
    kiln_folder_remove(path, NULL);
  return true;
}

enum kiln_status
kiln_cache_clear(struct kiln *kiln, uint64_t *removed, struct kiln_error *error)
{
  struct kiln_evicted evicted = {0};
  struct kiln_buf path;
  enum kiln_status status = evict(kiln, 0, true, &evicted, error);
  if (kiln->store) {
    kiln_buf_init(&path);
    kiln_folder_walk(kiln_store_path(kiln->store, "failed", &path), 0, forget, NULL, NULL);
    kiln_buf_release(&path);
  }
  *removed = evicted.removed;
  return status;
}
