/*
 * The context that work runs in: the one that is current in the calling thread (of PyTorch, Warp, …), else the primary
 * context of a device, retained once and never given back: modules may be in use until the process ends.
 */
#ifndef KILN_DEVICE_CUDA_CONTEXT_H
#define KILN_DEVICE_CUDA_CONTEXT_H

#include "device/cuda/device.h"

/* Where a piece of work goes. */
struct kiln_cuda_place {
  void *context;
  unsigned long long id; /* differs for a later context at the same address, where the driver tells */
  const struct kiln_cuda_device *device;
};

/* The current context; with none, the primary context of device 0 becomes current in this thread. Errors as
 * kiln_cuda_ready and kiln_cuda_fail. */
enum kiln_status kiln_cuda_here(struct kiln_cuda *cuda, struct kiln_cuda_place *place, struct kiln_error *error);
/* Make the primary context of this device current in the calling thread. */
enum kiln_status kiln_cuda_use(struct kiln_cuda *cuda, int ordinal, struct kiln_error *error);
/* The device that kiln_cuda_here would use, without making a context: that of the current one, else 0. */
enum kiln_status kiln_cuda_device_here(
    struct kiln_cuda *cuda, const struct kiln_cuda_device **device, struct kiln_error *error);
/* Wait for everything that runs in the current context. */
enum kiln_status kiln_cuda_synchronize(struct kiln_cuda *cuda, struct kiln_error *error);

#endif
