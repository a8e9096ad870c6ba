#include "jit/cache_item.h"

struct verification {
  struct kiln *kiln;
  uint64_t good, damaged;
  enum kiln_status status; /* the first entry that could not be read */
  struct kiln_error *error;
};

/* A layer is only read, so its damage is only said. */
static void
condemn(struct verification *verification, const char *path, bool in_layer, const char *reason)
{
  struct kiln_error refused = {0};
  verification->damaged++;
  kiln_log(verification->kiln, KILN_LOG_WARNING, "The entry '%s' cannot be used: %s.", path, reason);
  if (!in_layer && kiln_store_quarantine(verification->kiln->store, path, "verify", &refused) != KILN_OK)
    kiln_log(verification->kiln, KILN_LOG_WARNING, "It stays where it is: %s", refused.what);
}

static bool
verify_one(void *context, const char *path, bool in_layer)
{
  struct verification *verification = context;
  struct kiln_cache_item item;
  struct kiln_error error = {0};
  char reason[KILN_CACHE_REASON_SIZE];
  switch (kiln_cache_item_read(path, true, &item, reason, &error)) {
  case KILN_CACHE_ITEM_READ:
    verification->good++;
    kiln_cache_item_release(&item);
    break;
  case KILN_CACHE_ITEM_FOREIGN:
  case KILN_CACHE_ITEM_DAMAGED:
    condemn(verification, path, in_layer, reason);
    break;
  case KILN_CACHE_ITEM_FAILED:
    if (verification->status == KILN_OK) {
      verification->status = error.status;
      if (verification->error)
        *verification->error = error;
    }
    break;
  case KILN_CACHE_ITEM_GONE:
    break;
  }
  return true;
}

enum kiln_status
kiln_cache_verify(struct kiln *kiln, uint64_t *good, uint64_t *damaged, struct kiln_error *error)
{
  struct verification verification = {kiln, 0, 0, KILN_OK, error};
  enum kiln_status status = kiln_cache_walk(kiln, verify_one, &verification, error);
  *good = verification.good;
  *damaged = verification.damaged;
  return status == KILN_OK ? verification.status : status;
}
