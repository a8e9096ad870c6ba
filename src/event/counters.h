/*
 * Launch counters shared through a file: layout, and the reader (the agent's hot path is the writer).
 * Specification: docs/events.md, "The counter file".
 */
#ifndef KILN_EVENT_COUNTERS_H
#define KILN_EVENT_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

#include "kiln/error.h"

#define KILN_COUNTERS_MAGIC "KILNCNT1"
#define KILN_COUNTERS_SLOTS 4096
#define KILN_COUNTERS_NAMES 262144
#define KILN_COUNTERS_OTHER_DIM UINT64_MAX

struct kiln_counter_slot {
  uint64_t count; /* atomic */
  uint64_t key;   /* valid once not zero; atomic */
  uint64_t dim;
  uint32_t signature;
  uint32_t reserved;
  uint64_t first_ns;
  uint64_t unused[3];
};

struct kiln_counters {
  char magic[8];
  uint32_t pid, slots;
  uint32_t names_used; /* atomic */
  uint32_t overflow;   /* atomic */
  uint64_t start_ns;
  char page[4096 - 32];
  struct kiln_counter_slot slot[KILN_COUNTERS_SLOTS];
  char names[KILN_COUNTERS_NAMES];
};

/* A name record in the name area, at an 8-byte boundary. */
struct kiln_counter_name {
  uint32_t id, length; /* then `length` bytes of JSON */
};

/* One used slot with its signature's JSON (len bytes, not NUL-terminated, "" when the name is missing). */
typedef void kiln_counters_visit(void *context, const struct kiln_counter_slot *slot, const char *name, uint32_t len);
/* Read a counter file that may be hostile, torn or still growing. *overflow receives the launches without a slot,
 * *pid the process (both may be NULL). KILN_ERROR_FORMAT when it is not a counter file. */
enum kiln_status kiln_counters_read(const char *path, kiln_counters_visit *visit, void *context, uint32_t *overflow,
    int *pid, struct kiln_error *error);
/* As above from memory; a file that is cut short counts as zeros behind its end. `name` stands for the path in
 * sentences. Fuzzed. */
enum kiln_status kiln_counters_parse(const void *data, size_t len, const char *name, kiln_counters_visit *visit,
    void *context, uint32_t *overflow, int *pid, struct kiln_error *error);

/* Launches of one process so far, with those that found no slot: cheap enough to be asked while it runs. 0 for what is
 * no counter file. */
uint64_t kiln_counters_total(const char *path);

#endif
