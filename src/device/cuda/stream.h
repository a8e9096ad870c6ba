/*
 * Streams, events and captures. A stream is the driver's handle; NULL is the default stream of the current context.
 *
 * Work is asynchronous unless a name says otherwise. Errors of kernels that ran earlier may show in any call, as
 * KILN_ERROR_DEVICE.
 */
#ifndef KILN_DEVICE_CUDA_STREAM_H
#define KILN_DEVICE_CUDA_STREAM_H

#include "device/cuda/context.h"

/* ---- streams ---- */

/* In the current context, not ordered with the default stream. */
enum kiln_status kiln_cuda_stream_new(struct kiln_cuda *cuda, void **stream, struct kiln_error *error);
/* NULL is allowed. */
void kiln_cuda_stream_free(struct kiln_cuda *cuda, void *stream);
/* Wait until its work is done. KILN_ERROR_CAPTURE while it is captured: nothing is called, the capture stays valid. */
enum kiln_status kiln_cuda_stream_wait(struct kiln_cuda *cuda, void *stream, struct kiln_error *error);

/* ---- captures ---- */

/* Is the stream being captured? Never disturbs a capture; true also for the default stream when a stream that is
 * ordered with it is being captured. */
enum kiln_status kiln_cuda_stream_is_captured(
    struct kiln_cuda *cuda, void *stream, bool *captured, struct kiln_error *error);
/* Begin and end a capture of this thread's work in the stream; the graph is freed with kiln_cuda_graph_free. */
enum kiln_status kiln_cuda_capture_begin(struct kiln_cuda *cuda, void *stream, struct kiln_error *error);
enum kiln_status kiln_cuda_capture_end(struct kiln_cuda *cuda, void *stream, void **graph, struct kiln_error *error);
/* Between these two calls the calling thread may do what would break a capture that another thread has begun (load a
 * module). before: what was so before, for the second call. */
void kiln_cuda_capture_relax(struct kiln_cuda *cuda, int *before);
void kiln_cuda_capture_restore(struct kiln_cuda *cuda, int before);

/* ---- events ---- */

/* timed: its time can be asked. */
enum kiln_status kiln_cuda_event_new(struct kiln_cuda *cuda, bool timed, void **event, struct kiln_error *error);
void kiln_cuda_event_free(struct kiln_cuda *cuda, void *event); /* NULL is allowed */
/* When the stream has come so far. */
enum kiln_status kiln_cuda_event_record(struct kiln_cuda *cuda, void *event, void *stream, struct kiln_error *error);
/* Wait until it has happened. */
enum kiln_status kiln_cuda_event_wait(struct kiln_cuda *cuda, void *event, struct kiln_error *error);
/* Let a stream wait for it, not this thread. */
enum kiln_status kiln_cuda_event_wait_in(struct kiln_cuda *cuda, void *event, void *stream, struct kiln_error *error);
/* Milliseconds between two that have happened and are timed. */
enum kiln_status kiln_cuda_event_elapsed(
    struct kiln_cuda *cuda, void *from, void *to, double *milliseconds, struct kiln_error *error);

#endif
