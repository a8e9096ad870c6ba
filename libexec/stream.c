#include "libexec/stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "os/file.h"
#include "os/process.h"

#define CHUNK 65536u
/* Pipes are at most 1 MiB unless their writer is privileged; what a living writer adds after that is not waited for. */
#define DRAIN_LIMIT (4u * 1024u * 1024u)

void
kiln_stream_init(struct kiln_stream *stream, int pipe, int file, uint64_t limit)
{
  const uint64_t tail = limit - limit / 2;
  memset(stream, 0, sizeof *stream);
  stream->pipe = pipe;
  stream->file = file;
  stream->head_left = limit / 2;
  stream->ring_limit = tail > SIZE_MAX / 4 ? SIZE_MAX / 4 : (size_t)tail;
  stream->last = '\n';
}

void
kiln_stream_init_late(struct kiln_stream *stream, int pipe, const char *path, uint64_t limit)
{
  kiln_stream_init(stream, pipe, -1, limit);
  stream->late = path;
}

static void
file_write(struct kiln_stream *stream, const char *data, size_t len)
{
  if (len > 0 && stream->late != NULL) {
    stream->file = kiln_fd_open(stream->late, KILN_OPEN_WRITE | KILN_OPEN_CREATE | KILN_OPEN_TRUNCATE);
    stream->late = NULL;
  }
  if (!stream->lost && len > 0 && !kiln_fd_write(stream->file, data, len))
    stream->lost = true; /* a file with a hole would mislead: nothing more is written */
}

/* Make room for `extra` more bytes as far as the limit allows. The ring has never wrapped while it can still grow, so
 * its content is contiguous and realloc keeps it in order. */
static void
ring_grow(struct kiln_stream *stream, size_t extra)
{
  size_t wanted = stream->ring_len + extra;
  if (wanted <= stream->ring_capacity || stream->ring_capacity == stream->ring_limit)
    return;
  if (wanted < 2 * stream->ring_capacity)
    wanted = 2 * stream->ring_capacity;
  if (wanted > stream->ring_limit)
    wanted = stream->ring_limit;
  char *grown = realloc(stream->ring, wanted);
  if (grown == NULL) {
    stream->ring_limit = stream->ring_capacity;
    return;
  }
  stream->ring = grown;
  stream->ring_capacity = wanted;
}

static void
ring_put(struct kiln_stream *stream, const char *data, size_t len)
{
  const size_t capacity = stream->ring_capacity;
  const size_t end = (stream->ring_start + stream->ring_len) % capacity;
  const size_t first = len < capacity - end ? len : capacity - end;
  memcpy(stream->ring + end, data, first);
  memcpy(stream->ring, data + first, len - first);
  stream->ring_len += len;
  if (stream->ring_len > capacity) {
    stream->ring_start = (stream->ring_start + stream->ring_len - capacity) % capacity;
    stream->ring_len = capacity;
  }
}

static void
tail_take(struct kiln_stream *stream, const char *data, size_t len)
{
  stream->tail_total += len;
  ring_grow(stream, len < stream->ring_limit ? len : stream->ring_limit);
  if (stream->ring_capacity == 0)
    return;
  if (len > stream->ring_capacity) {
    data += len - stream->ring_capacity;
    len = stream->ring_capacity;
  }
  ring_put(stream, data, len);
}

void
kiln_stream_take(struct kiln_stream *stream, const char *data, size_t len)
{
  const size_t head = stream->head_left < len ? (size_t)stream->head_left : len;
  stream->total += len;
  if (stream->watch != NULL)
    kiln_line_watch_take(stream->watch, data, len);
  if (head > 0) {
    file_write(stream, data, head);
    stream->head_left -= head;
    stream->last = data[head - 1];
  }
  if (len > head)
    tail_take(stream, data + head, len - head);
}

static void
pipe_close(struct kiln_stream *stream)
{
  kiln_fd_close(stream->pipe);
  stream->pipe = -1;
}

void
kiln_stream_pump(struct kiln_stream *stream)
{
  char chunk[CHUNK];
  if (stream->pipe < 0)
    return;
  const long got = kiln_fd_read(stream->pipe, chunk, sizeof chunk);
  if (got <= 0)
    pipe_close(stream);
  else
    kiln_stream_take(stream, chunk, (size_t)got);
}

void
kiln_stream_drain(struct kiln_stream *stream)
{
  const uint64_t stop = stream->total + DRAIN_LIMIT;
  while (stream->pipe >= 0 && stream->total < stop && kiln_poll(&stream->pipe, 1, 0) > 0)
    kiln_stream_pump(stream);
}

bool
kiln_stream_is_cut(const struct kiln_stream *stream)
{
  return stream->tail_total > stream->ring_len;
}

void
kiln_stream_finish(struct kiln_stream *stream)
{
  const size_t to_end = stream->ring_capacity - stream->ring_start;
  const size_t first = stream->ring_len < to_end ? stream->ring_len : to_end;
  if (kiln_stream_is_cut(stream)) {
    char notice[80];
    const int len = snprintf(notice, sizeof notice, "%s[kiln: %" PRIu64 " bytes left out]\n",
        stream->last == '\n' ? "" : "\n", stream->tail_total - stream->ring_len);
    file_write(stream, notice, (size_t)len);
  }
  if (stream->ring_len > 0) {
    file_write(stream, stream->ring + stream->ring_start, first);
    file_write(stream, stream->ring, stream->ring_len - first);
  }
  free(stream->ring);
  stream->ring = NULL;
  stream->ring_capacity = 0;
  if (stream->pipe >= 0)
    pipe_close(stream);
  if (stream->file >= 0)
    kiln_fd_close(stream->file);
  stream->file = -1;
}
