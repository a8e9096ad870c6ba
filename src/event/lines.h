/*
 * Cutting a stream of bytes into lines, with memory that does not grow with the stream.
 *
 * Order: init, feed…, finish, release. A line that is longer than KILN_EVENT_MAX_LINE is dropped whole and counted.
 * Not thread safe.
 */
#ifndef KILN_EVENT_LINES_H
#define KILN_EVENT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct kiln_lines {
  struct kiln_buf pending; /* begin of a line whose end has not come yet */
  bool skipping;           /* inside a line that is too long */
  uint64_t dropped;        /* lines that were too long or did not fit into memory */
};

/* One line without its newline; it is not NUL-terminated. Return false to stop. */
typedef bool kiln_lines_visit(void *context, const char *line, size_t len);

/* An empty stream; release frees what is pending. */
void kiln_lines_init(struct kiln_lines *lines);
void kiln_lines_release(struct kiln_lines *lines);
/* Give every line that ends within these bytes to `visit`. false when it stopped; then the rest of the bytes is lost.
 */
bool kiln_lines_feed(struct kiln_lines *lines, const char *data, size_t len, kiln_lines_visit *visit, void *context);
/* The stream is over: what stands behind the last newline is a line too. */
bool kiln_lines_finish(struct kiln_lines *lines, kiln_lines_visit *visit, void *context);

#endif
