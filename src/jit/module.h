/*
 * The inside of a module, for the cache of modules. Public functions: kiln/module.h.
 */
#ifndef KILN_JIT_MODULE_H
#define KILN_JIT_MODULE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "jit/build.h"
#include "kiln/module.h"

/* Files whose change makes a module stale: headers of the caller's own folders. Never changed, only replaced. */
struct kiln_watch {
  struct kiln_watch *before; /* an earlier one that some thread may still look at */
  char **paths;
  size_t count;
  struct kiln_memo_file files[];
};

struct kiln_module {
  atomic_uint references;
  const struct kiln_device_ops *device;
  struct kiln_loaded *loaded;
  struct kiln_digest digest;
  char key[KILN_DIGEST_HEX];
  char *path; /* NULL: not in a store */
  enum kiln_result result;
  double build_ms;
  _Atomic(struct kiln_watch *) watch; /* NULL: nothing can make it stale */
  struct kiln_module *next_retired;   /* of the cache that holds it */
  void *(*reallocate)(void *context, void *block, size_t old_size, size_t new_size); /* as given to its kiln */
  void *allocator_context;
};

/* One more reference; returns module. */
struct kiln_module *kiln_module_retain(struct kiln_module *module);
/* Is what it was built from still as it was? One stat for each watched file. */
bool kiln_module_is_fresh(const struct kiln_module *module);

#endif
