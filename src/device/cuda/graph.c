#include "device/cuda/graph.h"

enum kiln_status
kiln_cuda_graph_prepare(struct kiln_cuda *cuda, void *graph, void **runnable, struct kiln_error *error)
{
  *runnable = NULL;
  enum kiln_status status = kiln_cuda_ready(cuda, error);
  if (status != KILN_OK)
    return status;
  const int result = cuda->call.graph_instantiate(runnable, graph, 0);
  return result == KILN_CU_SUCCESS ? KILN_OK : kiln_cuda_fail(cuda, result, "prepare", "a graph", error);
}

enum kiln_status
kiln_cuda_graph_run(struct kiln_cuda *cuda, void *runnable, void *stream, struct kiln_error *error)
{
  enum kiln_status status = kiln_cuda_ready(cuda, error);
  if (status != KILN_OK)
    return status;
  const int result = cuda->call.graph_launch(runnable, stream);
  return result == KILN_CU_SUCCESS ? KILN_OK : kiln_cuda_fail(cuda, result, "run", "a graph", error);
}

void
kiln_cuda_graph_free(struct kiln_cuda *cuda, void *graph)
{
  if (graph && kiln_cuda_ready(cuda, NULL) == KILN_OK)
    (void)cuda->call.graph_destroy(graph);
}

void
kiln_cuda_graph_runnable_free(struct kiln_cuda *cuda, void *runnable)
{
  if (runnable && kiln_cuda_ready(cuda, NULL) == KILN_OK)
    (void)cuda->call.graph_runnable_destroy(runnable);
}
