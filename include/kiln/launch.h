/*
 * kiln/launch.h: running a function of a CUDA module.
 *
 * Order: kiln_module_load, kiln_module_function (its address is the driver's function handle in the context that is
 * current), kiln_launch as often as wanted. Launching is asynchronous; an error of the kernel itself shows in a later
 * call, as KILN_ERROR_DEVICE.
 *
 * Captures: a launch may be captured into a graph. Loading may not; kiln_module_load_for asks first, so a kernel that
 * this process has not loaded is refused with KILN_ERROR_CAPTURE and the capture stays valid. Load before capturing.
 *
 * Thread safety: every function from any thread. Errors as in kiln/device.h, and those named here.
 */
#ifndef KILN_LAUNCH_H
#define KILN_LAUNCH_H

#include <stdbool.h>

#include "kiln/module.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a function is started. Zeros are allowed everywhere but in grid and block. */
struct kiln_launch {
  unsigned grid[3], block[3]; /* blocks of the grid, threads of a block */
  unsigned shared_bytes; /* dynamic shared memory of a block; more than is free to everybody is asked for by kiln */
  unsigned cluster[3];   /* blocks of a cluster; {0, 0, 0}: no clusters */
  bool programmatic;     /* may begin before the kernel in front of it in the stream has ended (programmatic
                            dependent launch); the kernel itself waits where it must */
  bool cooperative;      /* all blocks run at once, and may wait for each other */
  void *stream;          /* CUstream or cudaStream_t of the current context; NULL: its default stream */
};

/* Start `function` with the addresses of its arguments, one for each parameter (the driver copies them during the
 * call). KILN_ERROR_ARGUMENT: a size of 0, too large a block or too much shared memory. */
KILN_API enum kiln_status kiln_launch(
    struct kiln *kiln, void *function, const struct kiln_launch *launch, void **arguments, struct kiln_error *error);

/* Is this stream being captured into a graph? Asking never disturbs a capture. */
KILN_API enum kiln_status kiln_stream_captured(
    struct kiln *kiln, void *stream, bool *captured, struct kiln_error *error);

/* As kiln_module_load, for use in `stream`: KILN_ERROR_CAPTURE when the stream is being captured and this process has
 * not loaded the module yet. Nothing is built then, and nothing is called that a capture forbids. */
KILN_API enum kiln_status kiln_module_load_for(struct kiln *kiln, const struct kiln_spec *spec, void *stream,
    struct kiln_module **module, struct kiln_error *error);

#ifdef __cplusplus
}
#endif
#endif
