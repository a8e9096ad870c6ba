/*
 * kiln/device.h: the GPUs of this machine, as the CUDA driver shows them.
 *
 * Nothing here makes a context: asking is safe in a launcher, a parent of workers, a build machine. The driver is
 * opened at the first question and never before (KILN_DRIVER or option driver names another library than libcuda.so.1).
 * Devices are numbered from 0 as CUDA_VISIBLE_DEVICES leaves them.
 *
 * Errors of every function: KILN_ERROR_ENVIRONMENT — no driver, one that is too old, only a toolkit's stub, no device,
 * no visible device; the sentence says which. KILN_ERROR_FORKED — the driver was started before this process was forked
 * from another. Thread safety: every function from any thread.
 */
#ifndef KILN_DEVICE_H
#define KILN_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "kiln/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How many CUDA devices this process sees; at least 1 on success. */
KILN_API enum kiln_status kiln_device_count(struct kiln *kiln, int *count, struct kiln_error *error);

/* Version of CUDA that the driver speaks, as 1000 × major + 10 × minor: 12080 is 12.8. */
KILN_API enum kiln_status kiln_driver_version(struct kiln *kiln, int *version, struct kiln_error *error);

struct kiln_device_info {
  char name[128];
  unsigned major, minor; /* compute capability: 9, 0 */
  char arch[16];         /* of it, as specs name it: "sm_90" */
  uint64_t memory_bytes;
  unsigned multiprocessors, warp_size, threads_per_block, threads_per_multiprocessor;
  unsigned shared_bytes_per_block;      /* without asking */
  unsigned shared_bytes_per_block_most; /* of a kernel that asks for it */
  unsigned shared_bytes_per_multiprocessor, l2_bytes;
  bool clusters; /* launches with clusters of blocks */
};
/* Fill *info for one device. KILN_ERROR_ARGUMENT: there is no device of this number. */
KILN_API enum kiln_status kiln_device_info(
    struct kiln *kiln, int device, struct kiln_device_info *info, struct kiln_error *error);

/* Make the primary context of this device current in the calling thread: what a program does that has no context of
 * another framework. Modules loaded and kernels launched by this thread then go there. Without it kiln takes the
 * context that is current, and with none the primary context of device 0. */
KILN_API enum kiln_status kiln_device_use(struct kiln *kiln, int device, struct kiln_error *error);

/* The device of the context that is current in the calling thread; without one 0, where kiln would make its own. */
KILN_API enum kiln_status kiln_device_current(struct kiln *kiln, int *device, struct kiln_error *error);

#ifdef __cplusplus
}
#endif
#endif
