/*
 * Which kernel: what a device can run, the variant that fits, its name.
 *
 * The name of a kernel (its URI) is made from op, variant, target, dtypes and key axes, always in this order:
 * "rmsnorm.vec@sm90a_T.bfloat16_h4096". Equal names are equal kernels of one version of the sources.
 */
#ifndef KILN_OP_VARIANT_H
#define KILN_OP_VARIANT_H

#include "base/buf.h"
#include "op/op.h"

/* What code runs on a device: the CPU, or a GPU by its compute capability. */
struct kiln_target {
  uint8_t backend; /* enum kiln_backend */
  uint16_t cc;     /* CUDA: 90 for 9.0 */
};
/* "cpu", "sm90a" (9.0 and later with what only that generation has), "sm89"; into at least 12 bytes. */
const char *kiln_target_name(const struct kiln_target *target, char *name);
/* From "cpu", "sm_90a", "90a", "sm89" …; false when it is none. */
bool kiln_target_parse(const char *text, struct kiln_target *target);

/* May code of this variant be compiled for that target? */
bool kiln_variant_runs_on(const struct kiln_variant *variant, const struct kiln_target *target);
/* The first variant that fits what was checked; `typed`: tensors whose alignment counts, address of each argument.
 * NULL: none. *any_arch: some variant runs on the target. */
const struct kiln_variant *kiln_variant_pick(const struct kiln_checked *checked, const struct kiln_target *target,
    uint32_t typed, const uintptr_t *address, bool *any_arch);
/* The URI; appended. values gives KEYED numbers. */
void kiln_variant_uri(const struct kiln_checked *checked, const struct kiln_target *target,
    const struct kiln_value *values, struct kiln_buf *out);

#endif
