/*
 * What the toolchains for GPUs have in common: the architectures a spec is compiled for, and what runs where.
 */
#ifndef KILN_JIT_GPU_H
#define KILN_JIT_GPU_H

#include "jit/arch.h"
#include "jit/toolchain_ops.h"

/* The architectures of a spec: those it names ("sm_90a", "9.0+PTX"); where it names none, or "native", that of the
 * device in use, asked without a context, as far as kiln knows its architecture (the nearest older one for a minor
 * version that it does not), or those of KILN_ARCHS where there is no device. Of these, what the spec supports. Errors
 * as kiln_targets_resolve. */
enum kiln_status kiln_gpu_targets(
    struct kiln *kiln, const struct kiln_spec *spec, struct kiln_arch_list *targets, struct kiln_error *error);

/* What a compiler left: a payload for exactly these architectures (NULL: those the spec names), in which every entry
 * point is a kernel. KILN_ERROR_COMMAND says what is not so. */
enum kiln_status kiln_gpu_validate(
    const struct kiln_spec *spec, const char *path, const struct kiln_arch_list *targets, struct kiln_error *error);
/* The same of bytes in memory. */
enum kiln_status kiln_gpu_validate_bytes(const struct kiln_spec *spec, const struct kiln_buf *data,
    const struct kiln_arch_list *targets, struct kiln_error *error);
/* The `validate` and the `runs` of such a toolchain. */
enum kiln_status kiln_gpu_validate_file(const struct kiln_spec *spec, const char *path, struct kiln_error *error);
enum kiln_status kiln_gpu_runs(
    struct kiln *kiln, const struct kiln_spec *spec, const struct kiln_found *found, struct kiln_error *error);

#endif
