/* The public face of device/cuda. */
#include "kiln/device.h"

#include <stdio.h>

#include "device/cuda/context.h"
#include "jit/context.h"

enum kiln_status
kiln_device_count(struct kiln *kiln, int *count, struct kiln_error *error)
{
  return kiln_cuda_count(kiln->cuda, count, error);
}

enum kiln_status
kiln_driver_version(struct kiln *kiln, int *version, struct kiln_error *error)
{
  enum kiln_status status = kiln_cuda_ready(kiln->cuda, error);
  *version = status == KILN_OK ? kiln->cuda->version : 0;
  return status;
}

enum kiln_status
kiln_device_info(struct kiln *kiln, int device, struct kiln_device_info *info, struct kiln_error *error)
{
  const struct kiln_cuda_device *known;
  enum kiln_status status = kiln_cuda_device(kiln->cuda, device, &known, error);
  if (status != KILN_OK)
    return status;
  *info = (struct kiln_device_info){
      .major = known->major,
      .minor = known->minor,
      .memory_bytes = known->memory,
      .multiprocessors = known->multiprocessors,
      .warp_size = known->warp,
      .threads_per_block = known->threads_per_block,
      .threads_per_multiprocessor = known->threads_per_multiprocessor,
      .shared_bytes_per_block = known->shared_per_block,
      .shared_bytes_per_block_most = known->shared_per_block_most,
      .shared_bytes_per_multiprocessor = known->shared_per_multiprocessor,
      .l2_bytes = known->l2_bytes,
      .clusters = known->clusters,
  };
  snprintf(info->name, sizeof info->name, "%s", known->name);
  snprintf(info->arch, sizeof info->arch, "sm_%u%u", known->major, known->minor);
  return KILN_OK;
}

enum kiln_status
kiln_device_use(struct kiln *kiln, int device, struct kiln_error *error)
{
  return kiln_cuda_use(kiln->cuda, device, error);
}

enum kiln_status
kiln_device_current(struct kiln *kiln, int *device, struct kiln_error *error)
{
  const struct kiln_cuda_device *here;
  const enum kiln_status status = kiln_cuda_device_here(kiln->cuda, &here, error);
  if (status == KILN_OK)
    *device = here->ordinal;
  return status;
}
