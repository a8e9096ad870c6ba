/*
 * Is a table consistent in itself? What a compiler cannot see: ids out of range, an axis that nothing binds, rules on
 * axes that only optional arguments bind, names used twice.
 */
#ifndef KILN_OP_TOOL_LINT_H
#define KILN_OP_TOOL_LINT_H

#include "base/buf.h"
#include "op/op.h"

/* One sentence a line for everything that is wrong, appended; true when there is nothing. */
bool kiln_op_lint(const struct kiln_op *op, struct kiln_buf *out);

#endif
