/*
 * Where the text of kernels comes from: the tree in development, copies inside the library when installed.
 *
 * Setting "kernels" (option, KILN_KERNELS): a folder like kernels/ of the tree, or "embedded". Not set: the build
 * folder says where its tree is, in the file kiln-tree beside bin/ and lib/; without one the copies are used. Paths of
 * sources are relative to that folder, "norm/rmsnorm/cpu.c"; what sources include lies beside them or in include/.
 */
#ifndef KILN_OP_SOURCE_H
#define KILN_OP_SOURCE_H

#include <stdbool.h>

#include "base/buf.h"
#include "kiln/context.h"
#include "kiln/spec.h"

/* A text inside the library; made by the build from kernels/. The last has path NULL. */
struct kiln_embedded_source {
  const char *path, *text;
  size_t len;
};
extern const struct kiln_embedded_source kiln_embedded_sources[];

struct kiln_sources {
  char *folder; /* absolute; NULL: the copies inside the library */
  char *origin; /* "KILN_KERNELS", "option", "build folder", "library" */
};
/* KILN_ERROR_NOT_FOUND: the folder of the setting is none. Release in every case. */
enum kiln_status kiln_sources_find(struct kiln *kiln, struct kiln_sources *sources, struct kiln_error *error);
void kiln_sources_release(struct kiln_sources *sources);

/* The text of one file, appended. KILN_ERROR_NOT_FOUND names it. */
enum kiln_status kiln_sources_read(
    const struct kiln_sources *sources, const char *path, struct kiln_buf *text, struct kiln_error *error);
/* Add "<folder>/<file>" and everything it includes with "" to the spec, as texts whose diagnostics name the place in
 * the tree. Only what is included is part of the key. */
enum kiln_status kiln_sources_add(const struct kiln_sources *sources, const char *folder, const char *file,
    struct kiln_spec *spec, struct kiln_error *error);

#endif
