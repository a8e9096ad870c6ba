#include "device/cuda/stream.h"

static enum kiln_status
outcome(struct kiln_cuda *cuda, int result, const char *verb, const char *what, struct kiln_error *error)
{
  return result == KILN_CU_SUCCESS ? KILN_OK : kiln_cuda_fail(cuda, result, verb, what, error);
}

/* ---- streams ---- */

enum kiln_status
kiln_cuda_stream_new(struct kiln_cuda *cuda, void **stream, struct kiln_error *error)
{
  struct kiln_cuda_place place;
  *stream = NULL;
  enum kiln_status status = kiln_cuda_here(cuda, &place, error);
  if (status != KILN_OK)
    return status;
  return outcome(cuda, cuda->call.stream_create(stream, KILN_CU_STREAM_NON_BLOCKING), "make", "a stream", error);
}

void
kiln_cuda_stream_free(struct kiln_cuda *cuda, void *stream)
{
  if (stream && kiln_cuda_ready(cuda, NULL) == KILN_OK)
    (void)cuda->call.stream_destroy(stream);
}

enum kiln_status
kiln_cuda_stream_wait(struct kiln_cuda *cuda, void *stream, struct kiln_error *error)
{
  bool captured;
  enum kiln_status status = kiln_cuda_stream_is_captured(cuda, stream, &captured, error);
  if (status != KILN_OK)
    return status;
  if (captured)
    return kiln_error_set(error, KILN_ERROR_CAPTURE, "a stream that is being captured cannot be waited for");
  return outcome(cuda, cuda->call.stream_synchronize(stream), "wait for", "a stream", error);
}

/* ---- captures ---- */

enum kiln_status
kiln_cuda_stream_is_captured(struct kiln_cuda *cuda, void *stream, bool *captured, struct kiln_error *error)
{
  int state = KILN_CU_NOT_CAPTURING;
  *captured = false;
  enum kiln_status status = kiln_cuda_ready(cuda, error);
  if (status != KILN_OK)
    return status;
  const int result = cuda->call.stream_capturing(stream, &state);
  /* No context yet: then nothing is captured in it. */
  if (!stream && (result == KILN_CU_INVALID_CONTEXT || result == KILN_CU_NOT_INITIALIZED))
    return KILN_OK;
  *captured = result == KILN_CU_CAPTURE_IMPLICIT || state != KILN_CU_NOT_CAPTURING;
  return *captured ? KILN_OK : outcome(cuda, result, "look at", "a stream", error);
}

enum kiln_status
kiln_cuda_capture_begin(struct kiln_cuda *cuda, void *stream, struct kiln_error *error)
{
  enum kiln_status status = kiln_cuda_ready(cuda, error);
  if (status != KILN_OK)
    return status;
  return outcome(cuda, cuda->call.capture_begin(stream, KILN_CU_CAPTURE_THREAD_LOCAL), "begin", "a capture", error);
}

enum kiln_status
kiln_cuda_capture_end(struct kiln_cuda *cuda, void *stream, void **graph, struct kiln_error *error)
{
  *graph = NULL;
  enum kiln_status status = kiln_cuda_ready(cuda, error);
  return status == KILN_OK ? outcome(cuda, cuda->call.capture_end(stream, graph), "end", "a capture", error) : status;
}

void
kiln_cuda_capture_relax(struct kiln_cuda *cuda, int *before)
{
  *before = KILN_CU_CAPTURE_RELAXED;
  if (cuda->call.capture_mode(before) != KILN_CU_SUCCESS)
    *before = KILN_CU_CAPTURE_GLOBAL;
}

void
kiln_cuda_capture_restore(struct kiln_cuda *cuda, int before)
{
  (void)cuda->call.capture_mode(&before);
}

/* ---- events ---- */

enum kiln_status
kiln_cuda_event_new(struct kiln_cuda *cuda, bool timed, void **event, struct kiln_error *error)
{
  struct kiln_cuda_place place;
  *event = NULL;
  enum kiln_status status = kiln_cuda_here(cuda, &place, error);
  if (status != KILN_OK)
    return status;
  return outcome(
      cuda, cuda->call.event_create(event, timed ? 0 : KILN_CU_EVENT_DISABLE_TIMING), "make", "an event", error);
}

void
kiln_cuda_event_free(struct kiln_cuda *cuda, void *event)
{
  if (event && kiln_cuda_ready(cuda, NULL) == KILN_OK)
    (void)cuda->call.event_destroy(event);
}

enum kiln_status
kiln_cuda_event_record(struct kiln_cuda *cuda, void *event, void *stream, struct kiln_error *error)
{
  enum kiln_status status = kiln_cuda_ready(cuda, error);
  return status == KILN_OK ? outcome(cuda, cuda->call.event_record(event, stream), "record", "an event", error)
                           : status;
}

enum kiln_status
kiln_cuda_event_wait(struct kiln_cuda *cuda, void *event, struct kiln_error *error)
{
  enum kiln_status status = kiln_cuda_ready(cuda, error);
  return status == KILN_OK ? outcome(cuda, cuda->call.event_synchronize(event), "wait for", "an event", error) : status;
}

enum kiln_status
kiln_cuda_event_wait_in(struct kiln_cuda *cuda, void *event, void *stream, struct kiln_error *error)
{
  enum kiln_status status = kiln_cuda_ready(cuda, error);
  return status == KILN_OK
             ? outcome(cuda, cuda->call.stream_wait(stream, event, 0), "order a stream after", "an event", error)
             : status;
}

enum kiln_status
kiln_cuda_event_elapsed(struct kiln_cuda *cuda, void *from, void *to, double *milliseconds, struct kiln_error *error)
{
  float between = 0;
  enum kiln_status status = kiln_cuda_ready(cuda, error);
  if (status == KILN_OK)
    status = outcome(cuda, cuda->call.event_elapsed(&between, from, to), "ask", "the time of an event", error);
  *milliseconds = between;
  return status;
}
