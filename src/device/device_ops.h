/*
 * Where code runs: a table of functions per device kind; registry/jit.c names them all.
 */
#ifndef KILN_DEVICE_DEVICE_OPS_H
#define KILN_DEVICE_DEVICE_OPS_H

#include "store/store.h"

/* A loaded module of a device; only its device looks inside. */
struct kiln_loaded;

struct kiln_device_ops {
  const char *name; /* "cpu" */
  /* Load a checked entry through its open descriptor (fd shows exactly the bytes that were checked); `noexec`: the file
   * system refuses to map code, so a private copy in memory is used. Any thread. */
  enum kiln_status (*load)(
      const struct kiln_found *found, bool noexec, struct kiln_loaded **loaded, struct kiln_error *error);
  /* Address of a symbol, NULL when absent. Any thread. */
  void *(*function)(struct kiln_loaded *loaded, const char *symbol);
  /* Unmap. No thread may be inside the code. */
  void (*unload)(struct kiln_loaded *loaded);
};

extern const struct kiln_device_ops kiln_device_cpu;

#endif
