/*
 * Launching, as thin as it can be: one call of the driver, with attributes only where a launch has some.
 */
#ifndef KILN_DEVICE_CUDA_LAUNCH_H
#define KILN_DEVICE_CUDA_LAUNCH_H

#include "device/cuda/context.h"
#include "kiln/launch.h"

/* As kiln_launch. A context must be current in this thread, which it is once a function was looked up in it. */
enum kiln_status kiln_cuda_launch(struct kiln_cuda *cuda, void *function, const struct kiln_launch *launch,
    void **arguments, struct kiln_error *error);

#endif
