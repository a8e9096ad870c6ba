/*
 * The one place that names all ops: kiln_op_at, kiln_op_find of kiln/op.h.
 */
#ifndef KILN_REGISTRY_OP_H
#define KILN_REGISTRY_OP_H

#include "kiln/op.h"
#include "op/op.h"

#endif
