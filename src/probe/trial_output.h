/*
 * Does a program do the same with a lever? Its output with it against its output without: standard output line by line,
 * or files that it writes, or the answer of a check command.
 *
 * Lines that differ between runs without levers (times, dates) are no ground to stand on and are left out; so are the
 * lines that the framework itself prints about its start and its builds. Order: init, baseline and candidate in any
 * order as runs end, release.
 */
#ifndef KILN_PROBE_TRIAL_OUTPUT_H
#define KILN_PROBE_TRIAL_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "probe/measure.h"

enum kiln_output {
  KILN_OUTPUT_NONE,     /* nothing was compared yet */
  KILN_OUTPUT_SAME,     /* everything steady is equal */
  KILN_OUTPUT_EMPTY,    /* the program prints nothing: there was nothing to compare */
  KILN_OUTPUT_UNSTEADY, /* it differs from run to run without any lever */
  KILN_OUTPUT_DIFFERS
};
const char *kiln_output_name(enum kiln_output output); /* "same" … as in the ledger */

struct kiln_output_line {
  size_t at, len; /* in text */
  bool steady;
};

struct kiln_output_file {
  const char *path;
  uint64_t digest, mtime_ns, inode;
  bool steady, known;
};

struct kiln_outputs {
  const char *check;      /* shell command; NULL: none */
  const char *supervisor; /* for it */
  struct kiln_output_file *files;
  size_t file_count;
  struct kiln_buf text; /* of the first run without levers, normalised */
  struct kiln_output_line *lines;
  size_t line_count, line_capacity;
  size_t runs;           /* without levers, seen so far */
  bool whole_unsteady;   /* even the number of lines differs */
  struct kiln_buf wrong; /* sentence: the baseline cannot be used (a file is missing, the check fails); empty: it can */
};

/* files and check are borrowed. false: memory is short. */
bool kiln_outputs_init(struct kiln_outputs *outputs, const char *const *files, size_t file_count, const char *check,
    const char *supervisor);
void kiln_outputs_release(struct kiln_outputs *outputs);
/* A run without levers has ended. paired: measured in pairs, where files and check are not looked at. */
void kiln_outputs_baseline(struct kiln_outputs *outputs, const struct kiln_measure_seen *seen, bool paired);
/* A run with levers has ended. *so_far takes the worse of what it was and what this run shows; the sentence is for
 * DIFFERS, appended once. */
void kiln_outputs_candidate(struct kiln_outputs *outputs, const struct kiln_measure_seen *seen, bool paired,
    enum kiln_output *so_far, struct kiln_buf *sentence);
/* How it is compared, for people: "standard output (2 of 40 lines vary by themselves)", "the files 'a'", "the check".
 */
void kiln_outputs_describe(const struct kiln_outputs *outputs, struct kiln_buf *text);
/* What a program printed without the lines of the framework and without the place of its sandbox. Appended. */
void kiln_output_normalise(const char *text, size_t len, const char *place, struct kiln_buf *out);

#endif
