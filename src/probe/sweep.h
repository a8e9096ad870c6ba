/*
 * Ground truth: what artefacts lie in a sample's caches, found by looking, not by asking the program.
 */
#ifndef KILN_PROBE_SWEEP_H
#define KILN_PROBE_SWEEP_H

#include <stddef.h>
#include <stdint.h>

#include "kiln/error.h"

struct kiln_sweep_entry {
  const char *framework; /* static, from kiln_frameworks */
  char *path;            /* of the artefact */
  uint64_t mtime_ns, size;
};

struct kiln_sweep {
  struct kiln_sweep_entry *entries; /* sorted by path */
  size_t count, capacity;
};

void kiln_sweep_init(struct kiln_sweep *sweep);
void kiln_sweep_release(struct kiln_sweep *sweep);
/* All artefacts below <cache_folder>/<framework>/ of every known framework. */
enum kiln_status kiln_sweep_caches(struct kiln_sweep *sweep, const char *cache_folder, struct kiln_error *error);
/* Artefacts of `after` that are new or replaced against `before` (NULL: empty), for one framework (NULL: all). */
size_t kiln_sweep_new(const struct kiln_sweep *before, const struct kiln_sweep *after, const char *framework);

#endif
