#include "base/text.h"
#include "jit/cache_item.h"

struct listing {
  bool (*visit)(void *context, const struct kiln_cache_entry *entry);
  void *context;
};

/* Only the end of each file is read. What is foreign, gone, or no entry by its end is not listed; kiln_cache_verify
 * says what is wrong with it. */
static bool
list_one(void *context, const char *path, bool in_layer)
{
  struct listing *listing = context;
  struct kiln_cache_item item;
  struct kiln_cache_entry entry;
  char reason[KILN_CACHE_REASON_SIZE];
  bool more;
  if (kiln_cache_item_peek(path, true, &item, reason, NULL) != KILN_CACHE_ITEM_READ)
    return true;
  entry.key = item.key;
  entry.name = kiln_json_get_string(item.manifest, "name", "?");
  entry.toolchain = kiln_json_get_string(item.manifest, "toolchain", "?");
  entry.path = path;
  entry.size = item.info.size;
  entry.built_s = (uint64_t)kiln_json_get_int(item.manifest, "built", 0);
  entry.used_s = item.info.mtime_ns / 1000000000u;
  entry.writable = !in_layer;
  more = listing->visit(listing->context, &entry);
  kiln_cache_item_release(&item);
  return more;
}

enum kiln_status
kiln_cache_list(struct kiln *kiln, bool (*visit)(void *context, const struct kiln_cache_entry *entry), void *context,
    struct kiln_error *error)
{
  struct listing listing = {visit, context};
  return kiln_cache_walk(kiln, list_one, &listing, error);
}
