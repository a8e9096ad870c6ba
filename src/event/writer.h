/*
 * Writing events: one write() per event, from any thread, with no lock and no buffer that outlives the call.
 *
 * Order: kiln_event_writer_open once per process image; then for each event begin, add fields with kiln_json_*, end.
 * A forked child is noticed at its next event: the writer opens the child's own file and writes its `process` `fork`
 * event first. Nothing here prints, raises or changes errno as seen by the caller.
 *
 *   struct kiln_event_line line;
 *   if (kiln_event_begin(&writer, &line, KILN_EVENT_CACHE, kiln_clock_now(), kiln_clock_thread_cpu())) {
 *     kiln_json_key(&line.json, "what");
 *     kiln_json_string(&line.json, "clear");
 *     kiln_event_end(&writer, &line);
 *   }
 */
#ifndef KILN_EVENT_WRITER_H
#define KILN_EVENT_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/json_write.h"
#include "event/event.h"

struct kiln_event_writer {
  char folder[2048];      /* "" : closed, every call is a cheap no-op */
  int fd;                 /* of process `pid`; -1 before its first event */
  uint64_t device, inode; /* of the file behind fd: a program may close every number and use it again */
  int pid;                /* process the descriptor belongs to; negative while one of its threads opens it */
  uint64_t start_ns;      /* of this image's file name */
  uint64_t next_span_id;  /* atomic */
  uint64_t lost;          /* events that could not be written (atomic) */
};

struct kiln_event_line {
  struct kiln_buf buf;
  struct kiln_json json;
};

/* Folder from KILN_EVENTS when folder is NULL; a relative one is taken from the working directory of this moment.
 * false (and the writer closed) when there is none or it is too long. */
bool kiln_event_writer_open(struct kiln_event_writer *writer, const char *folder);
void kiln_event_writer_close(struct kiln_event_writer *writer);
/* start_ns of the present process's files; opens them when this process has none yet. Async-signal-safe in a forked
 * child. 0 when closed. */
uint64_t kiln_event_writer_start(struct kiln_event_writer *writer);
/* Does the open file belong to this process (and not to the parent it was forked from)? */
bool kiln_event_writer_is_own(const struct kiln_event_writer *writer);
/* Begin a line with the common fields. false when closed or memory is short: then there is no end. */
bool kiln_event_begin(struct kiln_event_writer *writer, struct kiln_event_line *line, enum kiln_event_kind kind,
    uint64_t t, uint64_t cpu);
/* Add the span fields: a new id, dur and dcpu, from the given begin until now (this thread). */
void kiln_event_span(struct kiln_event_writer *writer, struct kiln_event_line *line, uint64_t t, uint64_t cpu);
/* As above with a known length. */
void kiln_event_span_of(struct kiln_event_writer *writer, struct kiln_event_line *line, uint64_t dur, uint64_t dcpu);
/* Close the object, write the line with one write(), free the buffer. */
void kiln_event_end(struct kiln_event_writer *writer, struct kiln_event_line *line);

#endif
