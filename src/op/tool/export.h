/*
 * What is made from a table as text: the public header of an op, and the C file with the entry points of all.
 */
#ifndef KILN_OP_TOOL_EXPORT_H
#define KILN_OP_TOOL_EXPORT_H

#include "base/buf.h"
#include "op/op.h"

/* include/kiln/ops/<op>.h, whole; appended. */
void kiln_export_header(const struct kiln_op *op, struct kiln_buf *out);
/* generated/op_exports.c: `kiln_<op>`, `__tvm_ffi_<op>`, `__tvm_ffi__metadata_<op>`, `__tvm_ffi__doc_<op>` of every op
 * of the registry; appended. */
void kiln_export_entries(struct kiln_buf *out);

#endif
