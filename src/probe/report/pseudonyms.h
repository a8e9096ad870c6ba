/*
 * A dictionary of names and what stands for them. Used by anonymise.c.
 */
#ifndef KILN_PROBE_REPORT_PSEUDONYMS_H
#define KILN_PROBE_REPORT_PSEUDONYMS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"

enum kiln_name_kind {
  KILN_NAME_MODULE,
  KILN_NAME_KERNEL,
  KILN_NAME_OVERLOAD,
  KILN_NAME_SYMBOL,
  KILN_NAME_HASH, /* at least 7 characters that differ at the front: reports show the first 7 */
  KILN_NAME_FILE, /* keeps the extension of source files */
  KILN_NAME_PATH,
  KILN_NAME_WORD, /* of a command */
  KILN_NAME_ARM,
  KILN_NAME_IMPORT,
  KILN_NAME_USER,
  KILN_NAME_KIND_COUNT
};

struct kiln_pseudonym {
  const char *name, *stands_for_it; /* in the arena */
  size_t len;
};

struct kiln_pseudonyms {
  struct kiln_arena *arena;    /* not owned: pseudonyms live as long as it does */
  struct kiln_pseudonym *rows; /* malloc'd */
  size_t count, capacity;
  size_t *slots; /* hash table: row + 1, 0 free */
  size_t slot_count;
  unsigned next[KILN_NAME_KIND_COUNT];
  bool failed; /* memory was short */
};

void kiln_pseudonyms_init(struct kiln_pseudonyms *names, struct kiln_arena *arena);
void kiln_pseudonyms_release(struct kiln_pseudonyms *names);
/* What stands for a name; made at the first call. The first kind wins. NULL and "" stay; NULL too when memory is
 * short. */
const char *kiln_pseudonym_of(struct kiln_pseudonyms *names, enum kiln_name_kind kind, const char *name);
/* Let `alias` be replaced by what stands for `name`: the short form of a hash, the last part of a path. */
void kiln_pseudonym_alias(struct kiln_pseudonyms *names, const char *alias, const char *stands_for_it);
/* Append a sentence with every known name replaced (the longest one that fits, whole words only) and every absolute
 * path. Numbers, short words and the words that reports are made of ("module") are names only within quotes. Call when
 * all names are known. */
void kiln_pseudonyms_replace(struct kiln_pseudonyms *names, const char *sentence, struct kiln_buf *out);

#endif
