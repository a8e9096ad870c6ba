#include "op/kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kiln/launch.h"
#include "op/text.h"

/* ---- the spec ---- */

/* "KILN_HIDDEN_SIZE=4096". */
static enum kiln_status
add_number(struct kiln_spec *spec, const char *name, int64_t value, struct kiln_error *error)
{
  struct kiln_buf define;
  kiln_buf_init(&define);
  kiln_buf_text_append(&define, "KILN_");
  kiln_text_upper(&define, name);
  kiln_buf_printf(&define, "=%lld", (long long)value);
  const enum kiln_status status = kiln_spec_add_define(spec, kiln_buf_text(&define), error);
  kiln_buf_release(&define);
  return status;
}

static enum kiln_status
add_type(struct kiln_spec *spec, const char *name, enum kiln_dtype dtype, struct kiln_error *error)
{
  struct kiln_buf define;
  kiln_buf_init(&define);
  kiln_buf_text_append(&define, "KILN_");
  kiln_text_upper(&define, name);
  kiln_buf_printf(&define, "=%s", kiln_dtype_short_name(dtype));
  const enum kiln_status status = kiln_spec_add_define(spec, kiln_buf_text(&define), error);
  kiln_buf_release(&define);
  return status;
}

static enum kiln_status
add_defines(const struct kiln_checked *checked, const struct kiln_value *values, struct kiln_spec *spec,
    struct kiln_error *error)
{
  const struct kiln_op *op = checked->op;
  enum kiln_status status = KILN_OK;
  for (unsigned i = 0; i < op->ntypes && status == KILN_OK; i++)
    if (checked->type[i])
      status = add_type(spec, op->types[i].name, (enum kiln_dtype)checked->type[i], error);
  for (unsigned i = 1; i < op->naxes && status == KILN_OK; i++)
    if (checked->variant->key_axes & KILN_BIT(i))
      status = add_number(spec, op->axes[i].name, checked->axis[i], error);
  for (unsigned i = 0; i < op->nargs && status == KILN_OK; i++)
    if (op->args[i].flags & KILN_KEYED)
      status = add_number(spec, op->args[i].name, kiln_op_integer(op, values, i), error);
  return status;
}

/* -DKILN_VARIANT_VEC: of a source with several kernels only the one that is asked for. */
static enum kiln_status
add_variant(const struct kiln_variant *variant, struct kiln_spec *spec, struct kiln_error *error)
{
  struct kiln_buf define;
  kiln_buf_init(&define);
  kiln_buf_text_append(&define, "KILN_VARIANT_");
  kiln_text_upper(&define, variant->name);
  const enum kiln_status status = kiln_spec_add_define(spec, kiln_buf_text(&define), error);
  kiln_buf_release(&define);
  return status;
}

static enum kiln_status
add_target(const struct kiln_variant *variant, const struct kiln_target *target, struct kiln_spec *spec,
    struct kiln_error *error)
{
  char name[12], arch[16];
  if (variant->backend == KILN_BACKEND_CPU)
    return kiln_spec_add_link(spec, "-lm", error);
  snprintf(arch, sizeof arch, "sm_%s", kiln_target_name(target, name) + 2);
  const enum kiln_status status = kiln_spec_add_arch(spec, arch, error);
  /* Kernels need no textures and no types of the runtime, and a first call waits 3 ms less. One that does need them is
   * compiled again without. */
  return status == KILN_OK ? kiln_spec_add_flag(spec, "--minimal", error) : status;
}

/* '@' of a URI is no letter of a spec's name. */
static void
spec_name(const struct kiln_checked *checked, const struct kiln_target *target, const struct kiln_value *values,
    struct kiln_buf *name)
{
  kiln_variant_uri(checked, target, values, name);
  for (size_t i = 0; i < name->len; i++)
    if (name->data[i] == '@')
      name->data[i] = '-';
  if (name->len > 200)
    name->data[name->len = 200] = '\0';
}

static enum kiln_status
fill(const struct kiln_sources *sources, const struct kiln_checked *checked, const struct kiln_target *target,
    const struct kiln_value *values, struct kiln_spec *spec, struct kiln_error *error)
{
  struct kiln_buf folder;
  kiln_buf_init(&folder);
  kiln_buf_printf(&folder, "%s/%s", checked->op->family, checked->op->name);
  enum kiln_status status = kiln_sources_add(sources, kiln_buf_text(&folder),
      checked->variant->backend == KILN_BACKEND_CPU ? "cpu.c" : "device.cu", spec, error);
  if (status == KILN_OK)
    status = add_defines(checked, values, spec, error);
  if (status == KILN_OK)
    status = add_variant(checked->variant, spec, error);
  if (status == KILN_OK)
    status = add_target(checked->variant, target, spec, error);
  if (status == KILN_OK)
    status = kiln_spec_add_entry_point(spec, checked->variant->entry, error);
  kiln_buf_release(&folder);
  return status;
}

enum kiln_status
kiln_kernel_spec(const struct kiln_sources *sources, const struct kiln_checked *checked,
    const struct kiln_target *target, const struct kiln_value *values, struct kiln_spec **spec,
    struct kiln_error *error)
{
  const char *toolchain = checked->variant->backend == KILN_BACKEND_CPU ? "hostcc" : "nvrtc";
  struct kiln_buf name;
  *spec = NULL;
  kiln_buf_init(&name);
  spec_name(checked, target, values, &name);
  enum kiln_status status = kiln_spec_new(kiln_buf_text(&name), toolchain, spec, error);
  kiln_buf_release(&name);
  if (status == KILN_OK)
    status = fill(sources, checked, target, values, *spec, error);
  if (status != KILN_OK) {
    kiln_spec_free(*spec);
    *spec = NULL;
  }
  return status;
}

/* ---- loading ---- */

static enum kiln_status
load_module(struct kiln *kiln, const struct kiln_target *target, const struct kiln_spec *spec, void *stream,
    struct kiln_module **module, struct kiln_error *error)
{
  if (target->backend == KILN_BACKEND_CPU)
    return kiln_module_load(kiln, spec, module, error);
  return kiln_module_load_for(kiln, spec, stream, module, error);
}

static struct kiln_kernel *
kernel_new(const struct kiln_checked *checked, const struct kiln_target *target, const struct kiln_value *values)
{
  struct kiln_kernel *kernel = calloc(1, sizeof *kernel);
  struct kiln_buf uri;
  kiln_buf_init(&uri);
  kiln_variant_uri(checked, target, values, &uri);
  if (kernel && !uri.failed) {
    kernel->uri = uri.data; /* taken over */
    kernel->target = *target;
    return kernel;
  }
  kiln_buf_release(&uri);
  free(kernel);
  return NULL;
}

enum kiln_status
kiln_kernel_load(struct kiln *kiln, const struct kiln_sources *sources, const struct kiln_checked *checked,
    const struct kiln_target *target, struct kiln_tensor_device device, const struct kiln_value *values, void *stream,
    struct kiln_kernel **kernel, struct kiln_error *error)
{
  struct kiln_spec *spec;
  enum kiln_status status = kiln_kernel_spec(sources, checked, target, values, &spec, error);
  if (status != KILN_OK)
    return status;
  struct kiln_kernel *fresh = kernel_new(checked, target, values);
  if (!fresh)
    status = kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for a kernel of '%s'", checked->op->name);
  if (status == KILN_OK) {
    fresh->device = device;
    status = load_module(kiln, target, spec, stream, &fresh->module, error);
  }
  if (status == KILN_OK) {
    fresh->function = kiln_module_function(fresh->module, checked->variant->entry, error);
    status = fresh->function ? KILN_OK : KILN_ERROR_NOT_FOUND;
  }
  kiln_spec_free(spec);
  if (status == KILN_OK)
    *kernel = fresh;
  else
    kiln_kernel_free(fresh);
  return status;
}

void
kiln_kernel_free(struct kiln_kernel *kernel)
{
  if (!kernel)
    return;
  kiln_module_release(kernel->module);
  free(kernel->uri);
  free(kernel);
}
