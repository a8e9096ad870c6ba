/*
 * Where code runs: a table of functions per device kind; the toolchains name the one they compile for.
 */
#ifndef KILN_DEVICE_DEVICE_OPS_H
#define KILN_DEVICE_DEVICE_OPS_H

#include <stdbool.h>

#include "store/store.h"

/* A loaded module of a device; only its device looks inside. */
struct kiln_loaded;
struct kiln_cuda; /* device/cuda/driver.h */

/* A checked entry that is to be loaded. */
struct kiln_load {
  const struct kiln_found *found;
  /* cpu: the file system refuses to map code, or the file may go away, so a private copy in memory is used. */
  bool noexec;
  /* cuda: the driver of this kiln; outlives the module. */
  struct kiln_cuda *cuda;
  /* Looked up at once, so that nothing is loaded later in the middle of a capture. */
  const char *const *entry_points;
  size_t entry_point_count;
};

struct kiln_device_ops {
  const char *name; /* "cpu" */
  /* Load the entry. cpu: through its open descriptor (fd shows exactly the bytes that were checked); cuda: from the
   * checked bytes, into the current context. KILN_ERROR_FORMAT: the loader refuses what the entry holds, or it does not
   * define an entry point. Any thread. */
  enum kiln_status (*load)(const struct kiln_load *load, struct kiln_loaded **loaded, struct kiln_error *error);
  /* A symbol's address, on cuda its function in the context that is current: a context that has not seen the module
   * yet loads it then. NULL when there is none, and the error says why. Any thread. */
  void *(*function)(struct kiln_loaded *loaded, const char *symbol, struct kiln_error *error);
  /* Would `function` find everything loaded, in the context that is current? Calls nothing that a capture forbids. */
  bool (*is_here)(struct kiln_loaded *loaded);
  /* Unmap. No thread may be inside the code, and no launch of it may be under way. */
  void (*unload)(struct kiln_loaded *loaded);
};

extern const struct kiln_device_ops kiln_device_cpu;
extern const struct kiln_device_ops kiln_device_cuda;

#endif
