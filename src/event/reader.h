/*
 * Reading event files, line by line, in memory that does not grow with the file.
 *
 * Events of one file come in file order. The event and its fields are valid during the callback only.
 * Lines that are no JSON object, have no `ev`, or are longer than KILN_EVENT_MAX_LINE are counted and skipped; they are
 * never an error, because a full disk or a killed writer leaves one.
 */
#ifndef KILN_EVENT_READER_H
#define KILN_EVENT_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/event.h"
#include "kiln/error.h"

struct cJSON;

struct kiln_event {
  enum kiln_event_kind kind;
  uint64_t t, cpu;    /* ns; 0 when absent or not a non-negative number */
  bool is_span;       /* `dur` is there */
  uint64_t dur, dcpu; /* ns */
  int pid, tid;
  const struct cJSON *fields; /* the whole object, for base/json_read.h */
};

struct kiln_event_stats {
  uint64_t events, bad_lines, bytes;
};

/* Return false to stop reading. */
typedef bool kiln_event_visit(void *context, const struct kiln_event *event);

/* Parse one line (without newline); false when it is no event. The tree is freed by the callee after visit. */
bool kiln_event_parse_line(const char *line, size_t len, kiln_event_visit *visit, void *context);
/* One file. */
enum kiln_status kiln_event_read_file(
    const char *path, kiln_event_visit *visit, void *context, struct kiln_event_stats *stats, struct kiln_error *error);

/* Follow a folder that is still being written to, for the live view: each call gives what is new since the last one
 * (whole lines only). Order: init, poll…, release. */
struct kiln_event_follower;
/* NULL: memory is short. At most 256 files are open at once; those beyond wait until a process ends. */
struct kiln_event_follower *kiln_event_follower_new(const char *folder);
void kiln_event_follower_free(struct kiln_event_follower *follower);
/* A missing folder has no events. */
void kiln_event_follower_poll(struct kiln_event_follower *follower, kiln_event_visit *visit, void *context);

#endif
