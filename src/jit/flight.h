/*
 * The in-process cache of modules, single flight per key: the first thread that asks loads, the others wait for its
 * result; a hit takes no lock that a load holds (it takes none at all). A failed load is not kept.
 */
#ifndef KILN_JIT_FLIGHT_H
#define KILN_JIT_FLIGHT_H

#include "kiln/module.h"
#include "store/digest.h"

struct kiln_module_cache;

/* NULL when memory is short. */
struct kiln_module_cache *kiln_module_cache_new(void);
/* Releases the modules it holds; NULL is allowed. */
void kiln_module_cache_free(struct kiln_module_cache *cache);

/* Load function: runs in one thread per key. stale: the module that the key had and that is no longer fresh, or NULL;
 * it may be the answer again, with a new reference like every answer. */
typedef enum kiln_status kiln_flight_load(
    void *context, struct kiln_module *stale, struct kiln_module **module, struct kiln_error *error);
/* The module of `key`, with a new reference. A module that is not fresh any more (kiln_module_is_fresh) is loaded anew;
 * the old one stays mapped until the cache is freed. After a fork a child does not wait for flights of its parent: it
 * flies itself. */
enum kiln_status kiln_module_cache_get(struct kiln_module_cache *cache, const struct kiln_digest *key,
    kiln_flight_load *load, void *context, struct kiln_module **module, struct kiln_error *error);
/* The module of `key` if this process has it and it is fresh, with a new reference; NULL otherwise. Loads nothing and
 * waits for nothing. */
struct kiln_module *kiln_module_cache_peek(struct kiln_module_cache *cache, const struct kiln_digest *key);

#endif
