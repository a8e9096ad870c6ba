#include "jit/gpu.h"

#include <stdio.h>
#include <string.h>

#include "device/cuda/context.h"
#include "jit/cubin.h"
#include "jit/targets.h"
#include "os/file.h"

/* ---- architectures ---- */

static enum kiln_status
add_native(struct kiln *kiln, struct kiln_arch_list *targets, struct kiln_error *error)
{
  const struct kiln_cuda_device *device;
  struct kiln_arch arch;
  enum kiln_arch_fit fit;
  enum kiln_status status = kiln_cuda_device_here(kiln->cuda, &device, error);
  if (status == KILN_ERROR_ENVIRONMENT && kiln->options.archs)
    return kiln_arch_list_parse(targets, kiln->options.archs, error);
  if (status == KILN_ERROR_ENVIRONMENT)
    kiln_error_advise(error, "Name the architecture (archs, or KILN_ARCHS; such as 9.0a) to build without a device.");
  if (status != KILN_OK)
    return status;
  if (!kiln_targets_of_device(device->major, device->minor, &arch, &fit)) {
    kiln_error_set(error, KILN_ERROR_ARCHITECTURE,
        "device %d, %s, is of architecture %u.%u, for which nothing compiles", device->ordinal, device->name,
        device->major, device->minor);
    kiln_error_advise(error, "Name an architecture that runs on it, or install a newer kiln.");
    return KILN_ERROR_ARCHITECTURE;
  }
  kiln_arch_list_add(targets, arch);
  return KILN_OK;
}

enum kiln_status
kiln_gpu_targets(
    struct kiln *kiln, const struct kiln_spec *spec, struct kiln_arch_list *targets, struct kiln_error *error)
{
  bool native;
  enum kiln_status status = kiln_targets_named(spec, targets, &native, error);
  if (status == KILN_OK && native)
    status = add_native(kiln, targets, error);
  return status == KILN_OK ? kiln_targets_limit(spec, targets, error) : status;
}

/* ---- what a compiler left ---- */

static bool
same(const struct kiln_arch_list *one, const struct kiln_arch_list *other)
{
  bool equal = one->count == other->count;
  for (size_t i = 0; i < one->count && equal; i++)
    equal = kiln_arch_compare(one->items[i], other->items[i]) == 0;
  return equal;
}

enum kiln_status
kiln_gpu_validate_bytes(const struct kiln_spec *spec, const struct kiln_buf *data, const struct kiln_arch_list *targets,
    struct kiln_error *error)
{
  struct kiln_gpu_binary binary;
  char has[200], wants[200];
  if (!kiln_gpu_read(data->data, data->len, &binary))
    return kiln_error_set(error, KILN_ERROR_COMMAND,
        "the compiler left %zu bytes for '%s' that are no cubin, no fatbin and no PTX", data->len, spec->name);
  if (targets && !same(&binary.archs, targets))
    return kiln_error_set(error, KILN_ERROR_COMMAND, "the compiler made code for %s for '%s', which wants %s",
        kiln_arch_list_text(&binary.archs, has, sizeof has), spec->name,
        kiln_arch_list_text(targets, wants, sizeof wants));
  for (size_t i = 0; i < spec->entry_points.count; i++)
    if (!kiln_gpu_defines(data->data, data->len, spec->entry_points.items[i])) {
      kiln_error_set(error, KILN_ERROR_COMMAND, "the code of '%s' does not define its entry point '%s'", spec->name,
          spec->entry_points.items[i]);
      kiln_error_advise(error, "Define it as an extern \"C\" __global__ function.");
      return KILN_ERROR_COMMAND;
    }
  return KILN_OK;
}

enum kiln_status
kiln_gpu_validate(
    const struct kiln_spec *spec, const char *path, const struct kiln_arch_list *targets, struct kiln_error *error)
{
  struct kiln_buf data;
  struct kiln_arch_list own;
  bool native;
  kiln_buf_init(&data);
  enum kiln_status status = kiln_file_read(path, KILN_ENTRY_MAX_PAYLOAD, &data, error);
  if (status == KILN_ERROR_NOT_FOUND)
    kiln_error_set(error, status = KILN_ERROR_COMMAND, "the compiler left no file for '%s'", spec->name);
  if (status == KILN_OK && !targets && kiln_targets_named(spec, &own, &native, error) == KILN_OK && !native)
    targets = &own;
  if (status == KILN_OK)
    status = kiln_gpu_validate_bytes(spec, &data, targets, error);
  kiln_buf_release(&data);
  return status;
}

enum kiln_status
kiln_gpu_validate_file(const struct kiln_spec *spec, const char *path, struct kiln_error *error)
{
  return kiln_gpu_validate(spec, path, NULL, error);
}

/* ---- what runs where ---- */

enum kiln_status
kiln_gpu_runs(struct kiln *kiln, const struct kiln_spec *spec, const struct kiln_found *found, struct kiln_error *error)
{
  const struct kiln_cuda_device *device;
  struct kiln_gpu_binary binary;
  struct kiln_arch best;
  char has[200];
  enum kiln_status status = kiln_cuda_device_here(kiln->cuda, &device, error);
  if (status != KILN_OK)
    return status;
  if (!kiln_gpu_read(found->entry.data.data, found->entry.payload_len, &binary))
    return kiln_error_set(error, KILN_ERROR_FORMAT, "the entry of '%s' is no cubin, no fatbin and no PTX", spec->name);
  if (kiln_arch_best(&binary.archs, device->major, device->minor, &best))
    return KILN_OK;
  kiln_error_set(error, KILN_ERROR_ARCHITECTURE, "'%s' is compiled for %s, and device %d, %s, is sm_%u%u", spec->name,
      kiln_arch_list_text(&binary.archs, has, sizeof has), device->ordinal, device->name, device->major, device->minor);
  kiln_error_advise(error, "Add sm_%u%u to the architectures of the spec, or leave them to the device.", device->major,
      device->minor);
  return KILN_ERROR_ARCHITECTURE;
}
