/*
 * One output stream of the command: a pipe that is always read, and a file that keeps its head and its tail.
 *
 * The program must never wait for its reader and never see the disk: bytes beyond the limit and bytes that the disk
 * refuses are counted and dropped. The head is written as it comes; the tail lives in a ring that grows only as far as
 * it is needed and is written by kiln_stream_finish. Order: init, pump or take…, drain, finish. Not thread safe.
 */
#ifndef KILN_LIBEXEC_STREAM_H
#define KILN_LIBEXEC_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libexec/line_watch.h"

struct kiln_stream {
  int pipe;           /* read end, owned; -1 once it has ended */
  int file;           /* owned; -1 once it is finished, and before it is there */
  const char *late;   /* path at which the file is made when there is something to keep; not owned, NULL: it is there */
  uint64_t head_left; /* bytes that may still go to the head */
  uint64_t total;     /* bytes that the command printed */
  uint64_t tail_total;
  char *ring; /* the last ring_len bytes after the head; oldest at ring_start */
  size_t ring_limit, ring_capacity, ring_start, ring_len;
  char last;                     /* last byte of the head: the notice begins on a line of its own */
  struct kiln_line_watch *watch; /* sees every byte; not owned, NULL: nobody does */
  bool lost;                     /* the disk refused a write; nothing was written after it */
};

/* Keep at most `limit` bytes (≥ 2) of what comes out of `pipe` in `file`; both descriptors are owned from now on. */
void kiln_stream_init(struct kiln_stream *stream, int pipe, int file, uint64_t limit);
/* The same for a file that is made at `path` (must outlive the stream) with the first byte: most commands say nothing.
 * One that cannot be made is a write that was refused. */
void kiln_stream_init_late(struct kiln_stream *stream, int pipe, const char *path, uint64_t limit);
/* Account for bytes of the command: head to the file, the rest to the ring. Never fails; memory shortage only makes the
 * kept tail shorter. */
void kiln_stream_take(struct kiln_stream *stream, const char *data, size_t len);
/* One read of a pipe that is readable; closes it at its end. Waits when nothing is there. */
void kiln_stream_pump(struct kiln_stream *stream);
/* Take what lies in the pipe now, without waiting and with a bound: a writer that never stops does not hold it. */
void kiln_stream_drain(struct kiln_stream *stream);
/* Were bytes left out because of the limit? */
bool kiln_stream_is_cut(const struct kiln_stream *stream);
/* Write the tail, after "[kiln: N bytes left out]" when some were, and release everything but the counters. */
void kiln_stream_finish(struct kiln_stream *stream);

#endif
