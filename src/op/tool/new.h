/*
 * `kiln op new <family>/<op>`: a folder with a working op, its line in the registry, and what is made from its table.
 * The files are those of src/op/template with other names; the template is a compiled op itself, so it cannot rot.
 */
#ifndef KILN_OP_TOOL_NEW_H
#define KILN_OP_TOOL_NEW_H

#include "op/source.h"

/* The texts of src/op/template; made by the build. */
extern const struct kiln_embedded_source kiln_embedded_template[];
/* Its table. */
struct kiln_op;
extern const struct kiln_op kiln_op_new_op;

/* name: "<family>/<op>". Appends one line for each file written to `out`, relative to the tree.
 * KILN_ERROR_ARGUMENT: no good name, or there is one already; KILN_ERROR_ENVIRONMENT: there is no source tree. Nothing
 * is written then. */
enum kiln_status kiln_op_new(
    const struct kiln_sources *sources, const char *name, struct kiln_buf *out, struct kiln_error *error);

#endif
