/*
 * Graphs: what a capture recorded, made runnable.
 */
#ifndef KILN_DEVICE_CUDA_GRAPH_H
#define KILN_DEVICE_CUDA_GRAPH_H

#include "device/cuda/stream.h"

/* A runnable copy of a captured graph, which may be freed afterwards. */
enum kiln_status kiln_cuda_graph_prepare(
    struct kiln_cuda *cuda, void *graph, void **runnable, struct kiln_error *error);
/* Run it once, in the order of the stream. */
enum kiln_status kiln_cuda_graph_run(struct kiln_cuda *cuda, void *runnable, void *stream, struct kiln_error *error);
/* NULL is allowed. */
void kiln_cuda_graph_free(struct kiln_cuda *cuda, void *graph);
void kiln_cuda_graph_runnable_free(struct kiln_cuda *cuda, void *runnable);

#endif
