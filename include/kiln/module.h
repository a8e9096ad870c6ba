/*
 * kiln/module.h: compiled code, loaded and callable.
 *
 * Order: kiln_module_load, kiln_module_function (as often as wanted), kiln_module_release.
 * Loading is single-flight: threads that ask for one key at once get one build and one module. A process that asks
 * again gets the same module from memory. Modules are reference counted; the code stays mapped until kiln_free. Thread
 * safety: every function from any thread.
 */
#ifndef KILN_MODULE_H
#define KILN_MODULE_H

#include "kiln/context.h"
#include "kiln/spec.h"

#ifdef __cplusplus
extern "C" {
#endif

struct kiln_module;

enum kiln_result { KILN_RESULT_HIT = 0, KILN_RESULT_BUILT = 1, KILN_RESULT_FAILED = 2 };

/* Find the entry of this spec, build it if needed, verify and load it.
 * KILN_ERROR_COMMAND: the compiler refused (error: its first real message). KILN_ERROR_NOT_FOUND: KILN_JIT=off and no
 * entry, or no compiler. KILN_ERROR_ARCHITECTURE: not for the GPU in use. KILN_ERROR_INVALID: another process did not
 * finish the build within wait_limit_s. Others as in kiln/error.h. A damaged entry is a miss, never a failure. */
KILN_API enum kiln_status kiln_module_load(
    struct kiln *kiln, const struct kiln_spec *spec, struct kiln_module **module, struct kiln_error *error);
/* Give the module back; its addresses must not be used afterwards. NULL is allowed. */
KILN_API void kiln_module_release(struct kiln_module *module);

/* Address of an entry point; for a GPU the driver's function handle in the context that is current, where the module is
 * loaded first if it is not (kiln/launch.h). NULL and KILN_ERROR_NOT_FOUND in *error when the module does not define
 * it, or what the device answered. */
KILN_API void *kiln_module_function(struct kiln_module *module, const char *symbol, struct kiln_error *error);

/* How this module came to be. Strings live as long as the module. */
struct kiln_module_info {
  const char *key;  /* 64 hex digits */
  const char *path; /* of the entry; NULL when only memory holds it (store not writable) */
  enum kiln_result result;
  double build_ms; /* 0 for a hit */
};
/* Fill *info; never fails. */
KILN_API void kiln_module_info(const struct kiln_module *module, struct kiln_module_info *info);

#ifdef __cplusplus
}
#endif
#endif
