#include "device/cuda/context.h"

#include <stdio.h>

/* Two threads may retain at once: the driver counts, and nobody gives back. */
static enum kiln_status
primary_of(struct kiln_cuda *cuda, const struct kiln_cuda_device *device, void **context, struct kiln_error *error)
{
  *context = atomic_load(&cuda->primaries[device->ordinal]);
  if (*context)
    return KILN_OK;
  const int result = cuda->call.primary_retain(context, device->handle);
  if (result != KILN_CU_SUCCESS) {
    char what[40];
    snprintf(what, sizeof what, "a context on device %d", device->ordinal);
    return kiln_cuda_fail(cuda, result, "make", what, error);
  }
  atomic_store(&cuda->primaries[device->ordinal], *context);
  return KILN_OK;
}

enum kiln_status
kiln_cuda_use(struct kiln_cuda *cuda, int ordinal, struct kiln_error *error)
{
  const struct kiln_cuda_device *device;
  void *context = NULL;
  enum kiln_status status = kiln_cuda_device(cuda, ordinal, &device, error);
  if (status == KILN_OK)
    status = primary_of(cuda, device, &context, error);
  if (status != KILN_OK)
    return status;
  const int result = cuda->call.context_set(context);
  return result == KILN_CU_SUCCESS ? KILN_OK : kiln_cuda_fail(cuda, result, "use", "a context", error);
}

/* Device numbers are handles in every driver so far; that is not promised, so it is looked up. */
static enum kiln_status
device_of_handle(struct kiln_cuda *cuda, int handle, const struct kiln_cuda_device **device, struct kiln_error *error)
{
  for (int i = 0; i < cuda->count; i++) {
    enum kiln_status status = kiln_cuda_device(cuda, i, device, error);
    if (status != KILN_OK || (*device)->handle == handle)
      return status;
  }
  return kiln_error_set(
      error, KILN_ERROR_DEVICE, "the current context is on device handle %d, which is none of %d", handle, cuda->count);
}

static enum kiln_status
current_of(struct kiln_cuda *cuda, struct kiln_cuda_place *place, struct kiln_error *error)
{
  int handle = 0;
  *place = (struct kiln_cuda_place){0};
  int result = cuda->call.context_current(&place->context);
  if (result == KILN_CU_SUCCESS && !place->context)
    return KILN_OK;
  if (result == KILN_CU_SUCCESS)
    result = cuda->call.context_device(&handle);
  if (result != KILN_CU_SUCCESS)
    return kiln_cuda_fail(cuda, result, "look at", "the current context", error);
  if (!cuda->call.context_id || cuda->call.context_id(place->context, &place->id) != KILN_CU_SUCCESS)
    place->id = 0;
  return device_of_handle(cuda, handle, &place->device, error);
}

enum kiln_status
kiln_cuda_here(struct kiln_cuda *cuda, struct kiln_cuda_place *place, struct kiln_error *error)
{
  enum kiln_status status = kiln_cuda_ready(cuda, error);
  if (status == KILN_OK)
    status = current_of(cuda, place, error);
  if (status != KILN_OK || place->context)
    return status;
  status = kiln_cuda_use(cuda, 0, error);
  return status == KILN_OK ? current_of(cuda, place, error) : status;
}

enum kiln_status
kiln_cuda_device_here(struct kiln_cuda *cuda, const struct kiln_cuda_device **device, struct kiln_error *error)
{
  struct kiln_cuda_place place;
  enum kiln_status status = kiln_cuda_ready(cuda, error);
  if (status == KILN_OK)
    status = current_of(cuda, &place, error);
  if (status != KILN_OK)
    return status;
  *device = place.device;
  return place.context ? KILN_OK : kiln_cuda_device(cuda, 0, device, error);
}

enum kiln_status
kiln_cuda_synchronize(struct kiln_cuda *cuda, struct kiln_error *error)
{
  struct kiln_cuda_place place;
  enum kiln_status status = kiln_cuda_here(cuda, &place, error);
  if (status != KILN_OK)
    return status;
  const int result = cuda->call.context_synchronize();
  return result == KILN_CU_SUCCESS ? KILN_OK : kiln_cuda_fail(cuda, result, "wait for", "the device", error);
}
