#include "jit/content.h"

#include <stdlib.h>
#include <string.h>

#include "jit/guard.h"
#include "os/clock.h"

/* A build reads some fifty files, the same ones each time. With one place for each of them two would often take turns
 * in it and be read in every build; a set of four makes that rare. A file whose set is full is read again. */
#define SETS 128 /* a power of two: SET_SHIFT leaves its bits */
#define SET_SHIFT 57
#define WAYS 4
#define SLOTS ((size_t)SETS * WAYS)
/* A file may change twice within one tick of its file system's clock. */
#define RACY_NS UINT64_C(2000000000)

struct kiln_content_cache {
  struct kiln_guard guard; /* state: SLOTS slots of this process */
};

struct slot {
  uint64_t device, inode, size, mtime_ns;
  struct kiln_digest digest;
};

struct kiln_content_cache *
kiln_content_cache_new(void)
{
  struct kiln_content_cache *cache = calloc(1, sizeof *cache);
  if (!cache || kiln_guard_init(&cache->guard))
    return cache;
  kiln_content_cache_free(cache);
  return NULL;
}

void
kiln_content_cache_free(struct kiln_content_cache *cache)
{
  if (!cache)
    return;
  kiln_guard_release(&cache->guard);
  free(cache);
}

/* The slots of one set, used last first. */
static struct slot *
set_of(struct slot *slots, const struct kiln_file_info *info)
{
  uint64_t mixed = (info->inode ^ info->device << 32) * UINT64_C(0x9e3779b97f4a7c15);
  return &slots[(mixed >> SET_SHIFT) * WAYS];
}

/* Make `slot` the first of the set; what stood at `place` goes. */
static void
put_first(struct slot *set, size_t place, struct slot slot)
{
  memmove(set + 1, set, place * sizeof *set);
  set[0] = slot;
}

static bool
is_of(const struct slot *slot, const struct kiln_file_info *info)
{
  return slot->inode == info->inode && slot->device == info->device && slot->size == info->size &&
         slot->mtime_ns == info->mtime_ns && slot->mtime_ns != 0;
}

static bool
recall(struct kiln_content_cache *cache, const struct kiln_file_info *info, struct kiln_digest *digest)
{
  struct kiln_guard_own *own = kiln_guard_lock(&cache->guard);
  struct slot *set = own && own->state ? set_of(own->state, info) : NULL;
  bool known = false;
  for (size_t i = 0; set && i < WAYS && !known; i++) {
    known = is_of(&set[i], info);
    if (known) {
      *digest = set[i].digest;
      put_first(set, i, set[i]);
    }
  }
  kiln_guard_unlock(own);
  return known;
}

static void
remember(struct kiln_content_cache *cache, const struct kiln_file_info *info, const struct kiln_digest *digest)
{
  struct kiln_guard_own *own = kiln_guard_lock(&cache->guard);
  if (own && !own->state)
    own->state = calloc(SLOTS, sizeof(struct slot));
  if (own && own->state)
    put_first(set_of(own->state, info), WAYS - 1,
        (struct slot){info->device, info->inode, info->size, info->mtime_ns, *digest});
  kiln_guard_unlock(own);
}

enum kiln_status
kiln_content_digest(struct kiln_content_cache *cache, const char *path, const struct kiln_file_info *info,
    struct kiln_digest *digest, struct kiln_error *error)
{
  struct kiln_file_info after;
  const bool settled = info->mtime_ns + RACY_NS < kiln_clock_real();
  if (settled && recall(cache, info, digest))
    return KILN_OK;
  enum kiln_status status = kiln_digest_file(path, digest, error);
  if (status == KILN_OK && settled && kiln_file_target_info(path, &after, NULL) == KILN_OK &&
      after.inode == info->inode && after.device == info->device && after.size == info->size &&
      after.mtime_ns == info->mtime_ns)
    remember(cache, info, digest);
  return status;
}
