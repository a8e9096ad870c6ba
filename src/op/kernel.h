/*
 * From a checked call to something that can be started: the spec of a variant, compiled, loaded, found again.
 */
#ifndef KILN_OP_KERNEL_H
#define KILN_OP_KERNEL_H

#include "kiln/module.h"
#include "op/source.h"
#include "op/variant.h"

/* One kernel on one device. Never changed once it is in a list. */
struct kiln_kernel {
  char *uri;
  struct kiln_tensor_device device;
  struct kiln_target target;
  struct kiln_module *module;
  void *function; /* CPU: its address; CUDA: the driver's handle in the device's context */
  struct kiln_kernel *next;
};

/* The spec that makes a variant for a target: sources, -D of dtypes, key axes and keyed numbers, architecture, entry
 * point. The caller frees it with kiln_spec_free. */
enum kiln_status kiln_kernel_spec(const struct kiln_sources *sources, const struct kiln_checked *checked,
    const struct kiln_target *target, const struct kiln_value *values, struct kiln_spec **spec,
    struct kiln_error *error);

/* Compile or find, and load. stream: of a GPU; asked whether it is being captured before anything is loaded. *kernel is
 * freed with kiln_kernel_free. */
enum kiln_status kiln_kernel_load(struct kiln *kiln, const struct kiln_sources *sources,
    const struct kiln_checked *checked, const struct kiln_target *target, struct kiln_tensor_device device,
    const struct kiln_value *values, void *stream, struct kiln_kernel **kernel, struct kiln_error *error);
/* NULL is allowed. No work of it may be under way. */
void kiln_kernel_free(struct kiln_kernel *kernel);

#endif
