/*
 * The end of what a command printed, for people.
 */
#ifndef KILN_PROBE_MEASURE_TAIL_H
#define KILN_PROBE_MEASURE_TAIL_H

#include "base/buf.h"

#define KILN_TAIL_LINES 20

/* Append "<heading>:" and the last lines of the file (at most KILN_TAIL_LINES, at most 16 KiB) to out; nothing when the
 * file is empty or not there. Control characters are shown as "?", since the text goes to a terminal. */
void kiln_tail_append(struct kiln_buf *out, const char *heading, const char *path);

#endif
