#include "device/cuda/device.h"

#include <stdio.h>
#include <stdlib.h>

struct question {
  int attribute;
  size_t offset;
};

#define AT(member) offsetof(struct kiln_cuda_device, member)

static const struct question questions[] = {
    {KILN_CU_CAPABILITY_MAJOR, AT(major)},
    {KILN_CU_CAPABILITY_MINOR, AT(minor)},
    {KILN_CU_MULTIPROCESSOR_COUNT, AT(multiprocessors)},
    {KILN_CU_WARP_SIZE, AT(warp)},
    {KILN_CU_MAX_THREADS_PER_BLOCK, AT(threads_per_block)},
    {KILN_CU_MAX_THREADS_PER_MULTIPROCESSOR, AT(threads_per_multiprocessor)},
    {KILN_CU_MAX_SHARED_PER_BLOCK, AT(shared_per_block)},
    {KILN_CU_MAX_SHARED_PER_BLOCK_OPTIN, AT(shared_per_block_most)},
    {KILN_CU_MAX_SHARED_PER_MULTIPROCESSOR, AT(shared_per_multiprocessor)},
    {KILN_CU_L2_CACHE_SIZE, AT(l2_bytes)},
};

static enum kiln_status
ask(const struct kiln_cuda *cuda, struct kiln_cuda_device *device, struct kiln_error *error)
{
  char what[40];
  size_t bytes = 0;
  int value = 0;
  snprintf(what, sizeof what, "device %d", device->ordinal);
  int result = cuda->call.device_get(&device->handle, device->ordinal);
  for (size_t i = 0; i < sizeof questions / sizeof *questions && result == KILN_CU_SUCCESS; i++) {
    result = cuda->call.device_attribute(&value, questions[i].attribute, device->handle);
    *(unsigned *)((char *)device + questions[i].offset) = value > 0 ? (unsigned)value : 0;
  }
  if (result == KILN_CU_SUCCESS)
    result = cuda->call.device_name(device->name, sizeof device->name, device->handle);
  if (result == KILN_CU_SUCCESS)
    result = cuda->call.device_memory(&bytes, device->handle);
  if (result != KILN_CU_SUCCESS)
    return kiln_cuda_fail(cuda, result, "ask", what, error);
  device->name[sizeof device->name - 1] = '\0';
  device->memory = bytes;
  device->clusters = cuda->call.device_attribute(&value, KILN_CU_CLUSTER_LAUNCH, device->handle) == KILN_CU_SUCCESS &&
                     value > 0; /* drivers before the first such device do not know the question */
  return KILN_OK;
}

enum kiln_status
kiln_cuda_count(struct kiln_cuda *cuda, int *count, struct kiln_error *error)
{
  enum kiln_status status = kiln_cuda_ready(cuda, error);
  *count = status == KILN_OK ? cuda->count : 0;
  return status;
}

enum kiln_status
kiln_cuda_device(struct kiln_cuda *cuda, int ordinal, const struct kiln_cuda_device **device, struct kiln_error *error)
{
  *device = NULL;
  enum kiln_status status = kiln_cuda_ready(cuda, error);
  if (status != KILN_OK)
    return status;
  if (ordinal < 0 || ordinal >= cuda->count) {
    kiln_error_set(error, KILN_ERROR_ARGUMENT, "there is no CUDA device %d: %d %s visible", ordinal, cuda->count,
        cuda->count == 1 ? "is" : "are");
    kiln_error_advise(error, "Devices are numbered from 0, after CUDA_VISIBLE_DEVICES.");
    return KILN_ERROR_ARGUMENT;
  }
  struct kiln_cuda_device *known = atomic_load(&cuda->devices[ordinal]);
  if (!known) {
    struct kiln_cuda_device *fresh = calloc(1, sizeof *fresh);
    if (!fresh)
      return kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for a device");
    fresh->ordinal = ordinal;
    status = ask(cuda, fresh, error);
    if (status == KILN_OK && atomic_compare_exchange_strong(&cuda->devices[ordinal], &known, fresh))
      known = fresh;
    else
      free(fresh); /* refused; or another thread was first */
  }
  *device = known;
  return status;
}
