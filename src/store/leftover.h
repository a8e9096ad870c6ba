/*
 * What is of no use any more beside the entries: records of requests whose entry is gone, remembered failures past
 * their life, owner notes of builds that ended long ago, old files in quarantine.
 */
#ifndef KILN_STORE_LEFTOVER_H
#define KILN_STORE_LEFTOVER_H

#include "store/store.h"

/* Best effort, safe while others build and load; number of files removed. */
uint64_t kiln_leftovers_remove(struct kiln_store *store);

#endif
