/*
 * The in-process cache of modules, single flight per key: the first thread that asks loads, the others wait for its
 * result; a hit takes no lock that a load holds. A failed load is not kept.
 */
#ifndef KILN_JIT_FLIGHT_H
#define KILN_JIT_FLIGHT_H

#include "kiln/module.h"
#include "store/digest.h"

struct kiln_module_cache;

struct kiln_module_cache *kiln_module_cache_new(void);
void kiln_module_cache_free(struct kiln_module_cache *cache); /* releases the modules it holds */

/* Load function: runs in one thread per key. */
typedef enum kiln_status kiln_flight_load(void *context, struct kiln_module **module, struct kiln_error *error);
/* The module of `key`, with a new reference. After a fork a child does not wait for flights of its parent: it flies
 * itself. */
enum kiln_status kiln_module_cache_get(struct kiln_module_cache *cache, const struct kiln_digest *key,
    kiln_flight_load *load, void *context, struct kiln_module **module, struct kiln_error *error);

#endif
