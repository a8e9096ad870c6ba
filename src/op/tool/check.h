/*
 * `kiln op check`: does every layer of an op say the same? Table, registry, files, entry points, kernels against the
 * reference, header, page, definition.
 */
#ifndef KILN_OP_TOOL_CHECK_H
#define KILN_OP_TOOL_CHECK_H

#include "base/buf.h"
#include "kiln/context.h"
#include "op/op.h"

struct kiln_op_checking {
  struct kiln *kiln;
  bool update;             /* write header, page and definition anew instead of complaining */
  struct kiln_buf *out;    /* one line for everything that disagrees, "<op>: <layer>: <sentence>" */
  unsigned found, written; /* disagreements; files written */
  struct kiln_buf notes;   /* what was not checked, and why; released by the caller */
};

/* Everything about one op. KILN_OK also when something disagrees (found). */
enum kiln_status kiln_op_check_layers(
    struct kiln_op_checking *checking, const struct kiln_op *op, struct kiln_error *error);
/* Folders of ops that the registry does not name. Only in a source tree. */
enum kiln_status kiln_op_check_registry(struct kiln_op_checking *checking, struct kiln_error *error);

#endif
