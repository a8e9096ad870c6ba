/*
 * A hash table from two numbers to one: which row of a table belongs to (file, pid), (process, thread), … while a
 * model is being read. Pointers to interned text serve as numbers.
 *
 * Zeroed memory is an empty index. Nothing is ever removed. Not thread safe.
 */
#ifndef KILN_PROBE_MODEL_INDEX_H
#define KILN_PROBE_MODEL_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kiln_index_slot {
  uint64_t a, b, value;
  bool used;
};

struct kiln_index {
  struct kiln_index_slot *slots;
  size_t used, capacity; /* capacity is a power of two, or 0 */
};

/* Free the table; it is empty again and may be used. */
void kiln_index_release(struct kiln_index *index);
/* The value kept for (a, b), as a place that may be written to; a new pair starts with `fresh`. The place is valid
 * until the next call. NULL when memory is short. */
uint64_t *kiln_index_at(struct kiln_index *index, uint64_t a, uint64_t b, uint64_t fresh);

#endif
