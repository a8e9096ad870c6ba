/*
 * Memory that lives and dies together, and strings stored once.
 *
 * An arena hands out blocks that are all released at once. An intern table stores each distinct string once in an
 * arena, so that equal strings have equal addresses: a million events name the same few modules.
 * Not thread safe. Allocation failure returns NULL and is remembered in `failed`.
 */
#ifndef KILN_BASE_ARENA_H
#define KILN_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kiln_arena_chunk;

struct kiln_arena {
  struct kiln_arena_chunk *chunks;
  bool failed;
};

void kiln_arena_init(struct kiln_arena *arena);
void kiln_arena_release(struct kiln_arena *arena);
/* Zeroed block of `size` bytes, aligned for any type; NULL when memory is short. */
void *kiln_arena_alloc(struct kiln_arena *arena, size_t size);
/* Copy of len bytes with a NUL behind; NULL when memory is short. */
char *kiln_arena_copy(struct kiln_arena *arena, const char *text, size_t len);
/* Copy of a string; NULL stays NULL. */
char *kiln_arena_strdup(struct kiln_arena *arena, const char *text);

struct kiln_intern {
  struct kiln_arena *arena; /* not owned */
  const char **slots;
  uint32_t *hashes;
  size_t used, capacity;
};

void kiln_intern_init(struct kiln_intern *intern, struct kiln_arena *arena);
void kiln_intern_release(struct kiln_intern *intern);
/* The one stored copy of this text. NULL for NULL, and when memory is short (arena->failed is set). */
const char *kiln_intern_text(struct kiln_intern *intern, const char *text);

/* Growing arrays: make room for one more element of `size` bytes in *items (malloc'd; free with free()).
 * KILN_GROW(items, count, capacity) is true when items[count] may be written. */
bool kiln_array_grow(void **items, size_t count, size_t *capacity, size_t size);
#define KILN_GROW(items, count, capacity) kiln_array_grow((void **)&(items), (count), &(capacity), sizeof *(items))

#endif
