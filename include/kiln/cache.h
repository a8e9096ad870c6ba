/*
 * kiln/cache.h: the store behind the modules: build ahead, look inside, clean up.
 *
 * All functions are thread safe and may run while other processes load and build. Names and texts in results are owned
 * by the caller-visible result and released with its function. Visitors return false to stop.
 */
#ifndef KILN_CACHE_H
#define KILN_CACHE_H

#include <stdbool.h>

#include "kiln/module.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Build without loading (a hit is left as it is). result, key and path as in kiln_module_info; key must hold 65 bytes.
 * path (may be NULL) receives a malloc'd string, or NULL; free with kiln_cache_text_free. */
KILN_API enum kiln_status kiln_cache_build(struct kiln *kiln, const struct kiln_spec *spec, enum kiln_result *result,
    char *key, char **path, double *ms, struct kiln_error *error);

/* One entry of the store or of a read-only layer. Strings are valid during the visit. */
struct kiln_cache_entry {
  const char *key, *name, *toolchain, *path;
  uint64_t size, built_s, used_s; /* bytes; seconds since 1970 */
  bool writable;                  /* in the store, not in a layer */
};
/* Call visit for each entry, in no particular order; it returns false to stop early, which is no error. */
KILN_API enum kiln_status kiln_cache_list(struct kiln *kiln,
    bool (*visit)(void *context, const struct kiln_cache_entry *entry), void *context, struct kiln_error *error);

/* Everything about one entry as text for people (json false) or JSON: manifest, sources, flags, the exact compile
 * command, log. key: at least 6 hex digits, unambiguous. *text is released with kiln_cache_text_free. */
KILN_API enum kiln_status kiln_cache_show(
    struct kiln *kiln, const char *key, bool json, char **text, struct kiln_error *error);
/* Why would this spec hit or miss: every key field, and for a miss the nearest entry with exactly the fields that
 * differ. */
KILN_API enum kiln_status kiln_cache_explain(
    struct kiln *kiln, const struct kiln_spec *spec, bool json, bool *hit, char **text, struct kiln_error *error);
/* Release a text of kiln_cache_show or kiln_cache_explain. NULL is allowed. */
KILN_API void kiln_cache_text_free(char *text);

/* Check every entry with the cryptographic digest; damaged ones go to quarantine. */
KILN_API enum kiln_status kiln_cache_verify(
    struct kiln *kiln, uint64_t *good, uint64_t *damaged, struct kiln_error *error);
/* Evict oldest first down to `limit_bytes` (0: the configured limit), reclaim what crashed builds left. Never an entry
 * younger than two days unless `aggressive`. */
KILN_API enum kiln_status kiln_cache_collect(struct kiln *kiln, uint64_t limit_bytes, bool aggressive,
    uint64_t *removed, uint64_t *freed_bytes, struct kiln_error *error);
/* Remove every entry of the store (not of layers). */
KILN_API enum kiln_status kiln_cache_clear(struct kiln *kiln, uint64_t *removed, struct kiln_error *error);

struct kiln_cache_stats {
  uint64_t entries, bytes, failed, quarantined, toolchains, building;
  uint64_t layer_entries;
  bool writable, network, noexec;
};
/* Count what is in the store and its layers now; *stats is set on success only. */
KILN_API enum kiln_status kiln_cache_stats(struct kiln *kiln, struct kiln_cache_stats *stats, struct kiln_error *error);

#ifdef __cplusplus
}
#endif
#endif
