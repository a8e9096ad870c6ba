/*
 * The one place that names all ops.
 */
#ifndef KILN_REGISTRY_OP_H
#define KILN_REGISTRY_OP_H

#include "op/op.h"

/* The i-th op; NULL behind the last. */
const struct kiln_op *kiln_op_at(size_t index);
/* By name; NULL when there is none. */
const struct kiln_op *kiln_op_find(const char *name);

#endif
