/*
 * Every toolchain this library was built with. A new one adds its line to jit.c.
 */
#ifndef KILN_REGISTRY_JIT_H
#define KILN_REGISTRY_JIT_H

#include "jit/toolchain_ops.h"

/* By name; NULL when there is none. */
const struct kiln_toolchain_ops *kiln_toolchain_find(const char *name);
/* The i-th; NULL behind the last. */
const struct kiln_toolchain_ops *kiln_toolchain_at(size_t index);

#endif
