/*
 * How much memory one compiler needs: the largest resident set of earlier builds by the same toolchain, remembered in
 * the store (v1/needs/<toolchain>).
 */
#ifndef KILN_JIT_NEED_H
#define KILN_JIT_NEED_H

#include "jit/toolchain_ops.h"

#define KILN_NEED_DEFAULT ((uint64_t)512 << 20) /* of a toolchain that does not say */

/* Bytes of one compiler of this toolchain. *source: "KILN_JOB_MEMORY", "option", "the peak of earlier builds", "a
 * guess". */
uint64_t kiln_need_of(struct kiln *kiln, const struct kiln_toolchain_ops *toolchain, const char **source);
/* A build had this peak (0: not known). A larger one is believed at once, a smaller one
 * little by little, from the guess on: a small kernel says nothing about the large one that comes next. */
void kiln_need_learn(struct kiln *kiln, const struct kiln_toolchain_ops *toolchain, uint64_t peak_bytes);

#endif
