/*
 * Looking for one line in what a command prints, as it arrives.
 *
 * Whole lines only: "listening$" must not match a "listening on …" whose rest has not arrived. A line ends in a newline
 * or a carriage return, or with the stream. Of a line beyond KILN_WATCHED_LINE bytes the beginning is looked at; a NUL
 * is looked at as '?'. Not thread safe.
 */
#ifndef KILN_LIBEXEC_LINE_WATCH_H
#define KILN_LIBEXEC_LINE_WATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "os/pattern.h"

#define KILN_WATCHED_LINE 8191

struct kiln_line_watch {
  const struct kiln_pattern *pattern; /* not owned; NULL: nothing is looked for */
  bool found;
  size_t len; /* of the line that is not complete yet */
  char line[KILN_WATCHED_LINE + 1];
};

void kiln_line_watch_init(struct kiln_line_watch *watch, const struct kiln_pattern *pattern);
/* Bytes of the stream in order; does nothing more once a line was found. */
void kiln_line_watch_take(struct kiln_line_watch *watch, const char *data, size_t len);
/* The stream has ended: what came behind the last newline is a line too. */
void kiln_line_watch_end(struct kiln_line_watch *watch);

#endif
