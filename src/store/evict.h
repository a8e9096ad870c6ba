/*
 * Size limit: the oldest (by last use) goes first, never what is younger than two days, never a layer's.
 * Safe while others load: an entry is unlinked, never changed; who has it open keeps it.
 */
#ifndef KILN_STORE_EVICT_H
#define KILN_STORE_EVICT_H

#include "store/store.h"

struct kiln_evicted {
  uint64_t removed, freed_bytes, kept_bytes;
};
/* Down to limit_bytes (0: everything). Also removes what is of no use any more (store/leftover.h). aggressive: the
 * young too. A store that does not exist is empty. */
enum kiln_status kiln_store_evict(struct kiln_store *store, uint64_t limit_bytes, bool aggressive,
    struct kiln_evicted *evicted, struct kiln_error *error);
/* Is this process to sweep now? true for exactly one process per store and hour. */
bool kiln_store_evict_claim(struct kiln_store *store);
/* Evict at most once an hour per store: claims a stamp file so that exactly one process sweeps. Called after a publish.
 */
void kiln_store_evict_sometimes(struct kiln_store *store, uint64_t limit_bytes);

#endif
