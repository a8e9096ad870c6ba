/*
 * What the functions of kiln/cache.h share. An item is one entry, read for people: listed, shown, compared, verified;
 * never for loading.
 */
#ifndef KILN_JIT_CACHE_ITEM_H
#define KILN_JIT_CACHE_ITEM_H

#include "base/json_read.h"
#include "jit/context.h"
#include "kiln/cache.h"
#include "os/file.h"

struct kiln_cache_item {
  struct kiln_entry entry;
  struct cJSON *manifest;
  struct kiln_file_info info;
  char key[KILN_DIGEST_HEX];
};

enum kiln_cache_item_result {
  KILN_CACHE_ITEM_READ,    /* release the item */
  KILN_CACHE_ITEM_GONE,    /* removed meanwhile */
  KILN_CACHE_ITEM_FOREIGN, /* its name is no key, or somebody else could have written it; reason says so */
  KILN_CACHE_ITEM_DAMAGED, /* reason says how */
  KILN_CACHE_ITEM_FAILED   /* the system could not read it: nothing may be concluded; *error says why */
};

#define KILN_CACHE_REASON_SIZE 300

/* Read the entry at path, whose name is its key. cryptographic: as in kiln_entry_check. */
enum kiln_cache_item_result kiln_cache_item_read(const char *path, bool cryptographic, struct kiln_cache_item *item,
    char reason[KILN_CACHE_REASON_SIZE], struct kiln_error *error);
/* The same from the end of the file alone: its manifest, however large its payload is. Damage of the content goes
 * unnoticed; item->entry stays empty. head: only what stands first in it is needed, up to "built". */
enum kiln_cache_item_result kiln_cache_item_peek(const char *path, bool head, struct kiln_cache_item *item,
    char reason[KILN_CACHE_REASON_SIZE], struct kiln_error *error);
void kiln_cache_item_release(struct kiln_cache_item *item);

struct kiln_plan;
/* kiln_plan_init, in which a file or folder of the spec that is not there is KILN_ERROR_ARGUMENT. */
enum kiln_status kiln_cache_plan(
    struct kiln *kiln, const struct kiln_spec *spec, struct kiln_plan *plan, struct kiln_error *error);
/* Walk over a store; without a store (no home, none configured) there is nothing to visit. */
enum kiln_status kiln_cache_walk(struct kiln *kiln, kiln_store_visit *visit, void *context, struct kiln_error *error);
/* A malloc'd copy of a buffer for kiln_cache_text_free; releases the buffer. KILN_ERROR_MEMORY leaves *text alone. */
enum kiln_status kiln_cache_text_take(struct kiln_buf *buf, char **text, struct kiln_error *error);

#endif
