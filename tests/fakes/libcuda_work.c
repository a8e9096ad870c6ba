/* The work of the stand-in: memory, which is that of the host, streams and captures, events, graphs. */
#include "fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- memory: that of the host ---- */

#define GIB ((size_t)1 << 30)
#define MOST_LARGE 64

/* Blocks of more than a gibibyte take room of the host only where they are touched. */
static struct {
  void *at;
  size_t bytes;
} large[MOST_LARGE];

static size_t
all_memory(void)
{
  const char *set = getenv("KILN_FAKE_MEMORY");
  return set ? (size_t)strtoull(set, NULL, 10) : GIB;
}

static size_t
taken(void)
{
  size_t bytes = 0;
  for (int i = 0; i < MOST_LARGE; i++)
    bytes += large[i].bytes;
  return bytes;
}

static void *
take_large(size_t bytes)
{
  for (int i = 0; i < MOST_LARGE; i++) {
    if (large[i].at)
      continue;
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
      return NULL;
    large[i].at = at;
    large[i].bytes = bytes;
    return at;
  }
  return NULL;
}

static void
give_back(void *at)
{
  for (int i = 0; i < MOST_LARGE; i++)
    if (at && large[i].at == at) {
      munmap(at, large[i].bytes);
      large[i].at = NULL;
      large[i].bytes = 0;
      return;
    }
  free(at);
}

int
fake_memory_alloc(uint64_t *address, size_t bytes)
{
  BEGIN("cuMemAlloc", " %zu", bytes);
  NEED_CONTEXT;
  NOT_WHILE_CAPTURING;
  pthread_mutex_lock(&driver.mutex);
  const bool there = bytes <= all_memory() && taken() <= all_memory() - bytes;
  *address = !there ? 0 : (uint64_t)(uintptr_t)(bytes > GIB ? take_large(bytes) : malloc(bytes));
  pthread_mutex_unlock(&driver.mutex);
  return *address ? KILN_CU_SUCCESS : KILN_CU_OUT_OF_MEMORY;
}

int
fake_memory_free(uint64_t address)
{
  BEGIN("cuMemFree", "");
  NOT_WHILE_CAPTURING;
  pthread_mutex_lock(&driver.mutex);
  give_back((void *)(uintptr_t)address);
  pthread_mutex_unlock(&driver.mutex);
  return KILN_CU_SUCCESS;
}

int
fake_memory_to_device(uint64_t to, const void *from, size_t bytes, void *stream)
{
  BEGIN("cuMemcpyHtoDAsync", " %zu", bytes);
  (void)stream;
  memcpy((void *)(uintptr_t)to, from, bytes);
  return KILN_CU_SUCCESS;
}

int
fake_memory_to_host(void *to, uint64_t from, size_t bytes, void *stream)
{
  BEGIN("cuMemcpyDtoHAsync", " %zu", bytes);
  (void)stream;
  memcpy(to, (const void *)(uintptr_t)from, bytes);
  return KILN_CU_SUCCESS;
}

int
fake_memory_copy(uint64_t to, uint64_t from, size_t bytes, void *stream)
{
  BEGIN("cuMemcpyDtoDAsync", " %zu", bytes);
  (void)stream;
  memcpy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes);
  return KILN_CU_SUCCESS;
}

int
fake_memory_set(uint64_t to, unsigned char value, size_t bytes, void *stream)
{
  BEGIN("cuMemsetD8Async", " %u %zu", value, bytes);
  (void)stream;
  memset((void *)(uintptr_t)to, value, bytes);
  return KILN_CU_SUCCESS;
}

int
fake_memory_info(size_t *left, size_t *total)
{
  BEGIN("cuMemGetInfo", "");
  NEED_CONTEXT;
  *left = all_memory() / 2;
  *total = all_memory();
  return KILN_CU_SUCCESS;
}

/* ---- streams and captures ---- */

int
fake_stream_create(void **stream, unsigned flags)
{
  BEGIN("cuStreamCreate", " %u", flags);
  NEED_CONTEXT;
  struct stream *fresh = calloc(1, sizeof *fresh);
  pthread_mutex_lock(&driver.mutex);
  fresh->next = driver.streams;
  driver.streams = fresh;
  pthread_mutex_unlock(&driver.mutex);
  *stream = fresh;
  return KILN_CU_SUCCESS;
}

int
fake_stream_destroy(void *stream)
{
  BEGIN("cuStreamDestroy", "");
  pthread_mutex_lock(&driver.mutex);
  struct stream **at = &driver.streams;
  while (*at && *at != stream)
    at = &(*at)->next;
  if (*at)
    *at = (*at)->next;
  pthread_mutex_unlock(&driver.mutex);
  free(stream);
  return KILN_CU_SUCCESS;
}

int
fake_stream_synchronize(void *stream)
{
  BEGIN("cuStreamSynchronize", "");
  struct stream *in = stream;
  if (in && in->capture == KILN_CU_CAPTURING) {
    in->capture = KILN_CU_CAPTURE_BROKEN;
    return KILN_CU_CAPTURE_UNSUPPORTED;
  }
  return KILN_CU_SUCCESS;
}

int
fake_stream_wait(void *stream, void *event, unsigned flags)
{
  BEGIN("cuStreamWaitEvent", " %u", flags);
  (void)stream;
  return event ? KILN_CU_SUCCESS : KILN_CU_INVALID_HANDLE;
}

int
kiln_fake_capture_state(void *stream)
{
  return ((struct stream *)stream)->capture;
}

int
fake_stream_capturing(void *stream, int *status)
{
  BEGIN("cuStreamIsCapturing", "");
  NEED_CONTEXT;
  *status = stream ? ((struct stream *)stream)->capture : KILN_CU_NOT_CAPTURING;
  return KILN_CU_SUCCESS;
}

int
fake_capture_begin(void *stream, int mode)
{
  BEGIN("cuStreamBeginCapture", " %d", mode);
  struct stream *in = stream;
  if (!in)
    return KILN_CU_CAPTURE_UNSUPPORTED;
  in->capture = KILN_CU_CAPTURING;
  in->mode = mode;
  in->nodes = 0;
  in->thread = pthread_self();
  return KILN_CU_SUCCESS;
}

int
fake_capture_end(void *stream, void **graph)
{
  BEGIN("cuStreamEndCapture", "");
  struct stream *in = stream;
  const bool broken = in->capture == KILN_CU_CAPTURE_BROKEN;
  in->capture = KILN_CU_NOT_CAPTURING;
  if (broken)
    return KILN_CU_CAPTURE_INVALIDATED;
  int *nodes = malloc(sizeof *nodes);
  *nodes = in->nodes;
  *graph = nodes;
  return KILN_CU_SUCCESS;
}

int
fake_capture_mode(int *mode)
{
  kiln_fake_count("cuThreadExchangeStreamCaptureMode");
  const int before = thread_mode;
  thread_mode = *mode;
  *mode = before;
  return KILN_CU_SUCCESS;
}

/* ---- events and graphs ---- */

int
fake_event_create(void **event, unsigned flags)
{
  BEGIN("cuEventCreate", " %u", flags);
  NEED_CONTEXT;
  *event = calloc(1, sizeof(struct event));
  return KILN_CU_SUCCESS;
}

int
fake_event_destroy(void *event)
{
  BEGIN("cuEventDestroy", "");
  free(event);
  return KILN_CU_SUCCESS;
}

int
fake_event_record(void *event, void *stream)
{
  static _Thread_local double clock_ms;
  BEGIN("cuEventRecord", "");
  (void)stream;
  ((struct event *)event)->ms = clock_ms += 0.5;
  return KILN_CU_SUCCESS;
}

int
fake_event_synchronize(void *event)
{
  BEGIN("cuEventSynchronize", "");
  return event ? KILN_CU_SUCCESS : KILN_CU_INVALID_HANDLE;
}

int
fake_event_elapsed(float *milliseconds, void *from, void *to)
{
  BEGIN("cuEventElapsedTime", "");
  *milliseconds = (float)(((struct event *)to)->ms - ((struct event *)from)->ms);
  return KILN_CU_SUCCESS;
}

int
fake_graph_instantiate(void **runnable, void *graph, uint64_t flags)
{
  BEGIN("cuGraphInstantiate", " %d nodes %u", *(const int *)graph, (unsigned)flags);
  int *copy = malloc(sizeof *copy);
  *copy = *(const int *)graph;
  *runnable = copy;
  return KILN_CU_SUCCESS;
}

int
fake_graph_launch(void *runnable, void *stream)
{
  BEGIN("cuGraphLaunch", " %d nodes", *(const int *)runnable);
  (void)stream;
  return KILN_CU_SUCCESS;
}

int
fake_graph_runnable_destroy(void *runnable)
{
  BEGIN("cuGraphExecDestroy", "");
  free(runnable);
  return KILN_CU_SUCCESS;
}

int
fake_graph_destroy(void *graph)
{
  BEGIN("cuGraphDestroy", "");
  free(graph);
  return KILN_CU_SUCCESS;
}

/* ---- words ---- */

int
fake_error_name(int result, const char **name)
{
  *name = result == KILN_CU_NO_BINARY_FOR_GPU ? "CUDA_ERROR_NO_BINARY_FOR_GPU" : NULL;
  return *name ? KILN_CU_SUCCESS : KILN_CU_INVALID_VALUE;
}

int
fake_error_text(int result, const char **text)
{
  *text = result == KILN_CU_NO_BINARY_FOR_GPU ? "no kernel image is available for execution on the device" : NULL;
  return *text ? KILN_CU_SUCCESS : KILN_CU_INVALID_VALUE;
}
