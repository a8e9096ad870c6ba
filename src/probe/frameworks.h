/*
 * The table of frameworks that compile while they run: which variable moves their cache, where it lies by default, and
 * which files in it are artefacts. One line a framework; adding one needs no other change.
 */
#ifndef KILN_PROBE_FRAMEWORKS_H
#define KILN_PROBE_FRAMEWORKS_H

#include <stdbool.h>
#include <stddef.h>

struct kiln_framework {
  const char *name;     /* "warp": folder name inside the sandbox, and in reports */
  const char *variable; /* environment variable that moves the cache; NULL when only HOME does */
  const char *home;     /* default place below HOME ("~/.cache/warp" without "~/"); NULL when none */
  const char *artefact; /* suffixes of finished artefacts, separated by spaces: ".o .cubin .ptx"; "*": every file */
};

extern const struct kiln_framework kiln_frameworks[];
extern const size_t kiln_framework_count;

/* Is this file name a finished artefact of the framework? */
bool kiln_framework_is_artefact(const struct kiln_framework *framework, const char *name);

#endif
