#include "store/evict.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "os/clock.h"
#include "os/publish.h"
#include "store/files.h"
#include "store/leftover.h"
#include "store/workspace.h"

#define NS_PER_S 1000000000ull
#define YOUNG_NS (2 * 86400 * NS_PER_S)
#define HOUR_NS (3600 * NS_PER_S)
#define STAMP "swept"

struct candidate {
  struct kiln_digest key;
  uint64_t size, used_ns;
};
struct census {
  struct candidate *items;
  size_t count, capacity;
  uint64_t bytes;
  bool failed;
};

static bool
count_entry(void *context, const char *path, const struct kiln_file_info *info)
{
  struct census *census = context;
  struct candidate one = {.size = info->size, .used_ns = info->mtime_ns};
  if (info->kind != KILN_FILE_REGULAR || !kiln_digest_parse(kiln_text_base_name(path), &one.key))
    return true;
  census->bytes += one.size;
  if (KILN_GROW(census->items, census->count, census->capacity))
    census->items[census->count++] = one;
  else
    census->failed = true;
  return true;
}

static int
oldest_first(const void *left, const void *right)
{
  const struct candidate *a = left, *b = right;
  return (a->used_ns > b->used_ns) - (a->used_ns < b->used_ns);
}

/* Looked at once more: a process that loaded it since then has refreshed its time. */
static bool
remove_unused(struct kiln_store *store, const struct candidate *one)
{
  struct kiln_buf relative, path;
  struct kiln_file_info info;
  kiln_buf_init(&relative);
  kiln_buf_init(&path);
  kiln_store_path(store, kiln_store_name(&relative, "entries", &one->key), &path);
  bool removed = !path.failed && !relative.failed && kiln_file_info(path.data, &info, NULL) == KILN_OK &&
                 info.mtime_ns == one->used_ns && kiln_file_remove(path.data, NULL) == KILN_OK;
  kiln_buf_release(&relative);
  kiln_buf_release(&path);
  return removed;
}

static void
shrink(struct kiln_store *store, const struct census *census, uint64_t limit, bool aggressive,
    struct kiln_evicted *evicted)
{
  uint64_t now = kiln_clock_real();
  for (size_t i = 0; i < census->count && evicted->kept_bytes > limit; i++) {
    const struct candidate *one = &census->items[i];
    if (!aggressive && one->used_ns + YOUNG_NS > now)
      break; /* all that follow are younger */
    if (!remove_unused(store, one))
      continue;
    evicted->removed++;
    evicted->freed_bytes += one->size;
    evicted->kept_bytes -= one->size;
  }
}

enum kiln_status
kiln_store_evict(struct kiln_store *store, uint64_t limit_bytes, bool aggressive, struct kiln_evicted *evicted,
    struct kiln_error *error)
{
  *evicted = (struct kiln_evicted){0};
  if (kiln_location_check(store, 0) != KILN_LOCATION_TRUSTED)
    return KILN_OK;
  struct census census = {0};
  struct kiln_buf folder;
  kiln_buf_init(&folder);
  enum kiln_status status =
      kiln_folder_walk(kiln_store_path(store, "entries", &folder), 2, count_entry, &census, error);
  kiln_buf_release(&folder);
  if (census.failed)
    status = kiln_error_set(error, KILN_ERROR_MEMORY, "no memory for a list of the cache's entries");
  if (status == KILN_OK) {
    evicted->kept_bytes = census.bytes;
    if (census.count > 1)
      qsort(census.items, census.count, sizeof *census.items, oldest_first);
    shrink(store, &census, limit_bytes, aggressive, evicted);
    kiln_leftovers_remove(store);
  }
  free(census.items);
  return status;
}

static void
write_stamp(const char *path)
{
  kiln_fd_close(kiln_fd_open(path, KILN_OPEN_WRITE | KILN_OPEN_NEW));
}

/* Take the old stamp away: a rename succeeds for exactly one process. */
static bool
claim(struct kiln_store *store, const char *stamp, uint64_t now)
{
  struct kiln_buf empty, taken;
  struct kiln_file_info info;
  bool claimed = false;
  kiln_buf_init(&empty);
  kiln_buf_init(&taken);
  if (kiln_store_write_temporary(store, &empty, &taken, NULL) == KILN_OK) {
    claimed = kiln_publish_over(stamp, taken.data, NULL) == KILN_OK;
    /* Between the look and the rename another process may have swept and written a new stamp. */
    if (claimed && kiln_file_info(taken.data, &info, NULL) == KILN_OK && info.mtime_ns + HOUR_NS > now)
      claimed = false;
    if (kiln_file_exists(taken.data))
      write_stamp(stamp);
    (void)kiln_file_remove(taken.data, NULL);
  }
  kiln_buf_release(&empty);
  kiln_buf_release(&taken);
  return claimed;
}

bool
kiln_store_evict_claim(struct kiln_store *store)
{
  struct kiln_buf stamp;
  struct kiln_file_info info;
  uint64_t now = kiln_clock_real();
  bool claimed = false;
  if (kiln_location_check(store, 0) != KILN_LOCATION_TRUSTED || atomic_load(&store->unwritable))
    return false;
  kiln_buf_init(&stamp);
  kiln_store_path(store, STAMP, &stamp);
  enum kiln_status status = stamp.failed ? KILN_ERROR_MEMORY : kiln_file_info(stamp.data, &info, NULL);
  if (status == KILN_ERROR_NOT_FOUND)
    write_stamp(stamp.data); /* a new store has nothing to sweep yet */
  else if (status == KILN_OK && info.mtime_ns + HOUR_NS < now)
    claimed = claim(store, stamp.data, now);
  kiln_buf_release(&stamp);
  return claimed;
}

void
kiln_store_evict_sometimes(struct kiln_store *store, uint64_t limit_bytes)
{
  struct kiln_evicted evicted;
  if (!kiln_store_evict_claim(store))
    return;
  (void)kiln_store_evict(store, limit_bytes, false, &evicted, NULL);
  (void)kiln_workspace_reclaim(store);
}
