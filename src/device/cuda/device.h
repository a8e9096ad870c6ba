/*
 * What the driver tells of a device without a context: architecture, sizes, name. Asked once a process and device.
 */
#ifndef KILN_DEVICE_CUDA_DEVICE_H
#define KILN_DEVICE_CUDA_DEVICE_H

#include "device/cuda/driver.h"

struct kiln_cuda_device {
  int ordinal, handle;
  char name[128];
  unsigned major, minor; /* compute capability */
  uint64_t memory;       /* bytes */
  unsigned multiprocessors, warp, threads_per_block, threads_per_multiprocessor;
  unsigned shared_per_block, shared_per_block_most, shared_per_multiprocessor, l2_bytes; /* bytes; most: on request */
  bool clusters;
};

/* Number of visible devices, at least 1 on success. Errors as kiln_cuda_ready. */
enum kiln_status kiln_cuda_count(struct kiln_cuda *cuda, int *count, struct kiln_error *error);
/* The device of this number, among the visible ones; valid as long as `cuda`. KILN_ERROR_ARGUMENT: there is none. */
enum kiln_status kiln_cuda_device(
    struct kiln_cuda *cuda, int ordinal, const struct kiln_cuda_device **device, struct kiln_error *error);

#endif
