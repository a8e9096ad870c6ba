/*
 * The live view on stderr: on a terminal one line that is rewritten in place, else one plain line at the begin and at
 * the end of each run.
 */
#ifndef KILN_CLI_PROGRESS_H
#define KILN_CLI_PROGRESS_H

#include <stdbool.h>

#include "base/buf.h"
#include "probe/measure.h"

struct kiln_cli_progress {
  bool live;     /* a terminal that can rewrite a line */
  bool running;  /* a run began and has not ended */
  bool nameless; /* modules are not named */
  int columns;
};

void kiln_cli_progress_init(struct kiln_cli_progress *progress, bool nameless);
/* For kiln_measure_options.progress; context is the struct. */
void kiln_cli_progress_show(void *context, const struct kiln_progress *now);
/* Clear the line. */
void kiln_cli_progress_end(struct kiln_cli_progress *progress);
/* "cold 2/3 · 4.1 s · building xpbd.kernels 3.2 s · 5 built", at most `columns` wide; nameless: "building a
 * module". Appended to out. */
void kiln_cli_progress_line(const struct kiln_progress *now, bool nameless, int columns, struct kiln_buf *out);

#endif
