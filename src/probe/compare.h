/*
 * The work verdict of two reports: exact counts, no statistics.
 *
 * Reports are read from JSON (hostile input is refused with a sentence). First the launches must be alike — kernel,
 * total dim, device, block size, direction and count; other module names only warn. Then, in this order, the first that
 * differs of builds, identities, LTO, source bytes, loads decides: cold runs first, then warm runs.
 */
#ifndef KILN_PROBE_COMPARE_H
#define KILN_PROBE_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "kiln/error.h"
#include "probe/report.h"

/* What a report file tells a comparison. */
struct kiln_loaded_report;
enum kiln_status kiln_loaded_report_read(
    const char *path, struct kiln_loaded_report **report, struct kiln_error *error);
/* As above from memory; `name` stands for the path in sentences. Fuzzed. */
enum kiln_status kiln_loaded_report_parse(
    const char *data, size_t len, const char *name, struct kiln_loaded_report **report, struct kiln_error *error);
void kiln_loaded_report_free(struct kiln_loaded_report *report);

enum kiln_work { KILN_WORK_SAME, KILN_WORK_FEWER, KILN_WORK_MORE, KILN_WORK_UNSTABLE, KILN_WORK_UNLIKE };
const char *kiln_work_name(enum kiln_work work); /* "SAME" … */

struct kiln_comparison {
  enum kiln_work work;                                           /* UNLIKE: launches differ, nothing is decided */
  const char *decided_by;                                        /* "builds" …, NULL when SAME or UNLIKE; static */
  bool decided_warm;                                             /* the warm runs decided */
  uint64_t cold[2][KILN_COUNT_COUNT], warm[2][KILN_COUNT_COUNT]; /* [0] first report, [1] second */
  int samples[2];                                                /* valid samples in each; 1 is said to be one */
  double cold_elapsed_s[2], cold_cpu_s[2];                       /* medians, shown without verdict */
  char **notes; /* sentences: unlike launches, other module names, unlike environments, one sample */
  size_t note_count, note_capacity;
};
void kiln_comparison_release(struct kiln_comparison *comparison);
enum kiln_status kiln_compare(const struct kiln_loaded_report *a, const struct kiln_loaded_report *b,
    struct kiln_comparison *comparison, struct kiln_error *error);
/* Exit code of `kiln compare`: 0, 1 (MORE), 3 (UNLIKE, UNSTABLE). */
int kiln_comparison_exit(const struct kiln_comparison *comparison);
/* Render for people (at most `columns` wide, not below 60; color: ANSI colours) and for programs. */
void kiln_comparison_text(const struct kiln_comparison *comparison, int columns, bool color, struct kiln_buf *out);
void kiln_comparison_json(const struct kiln_comparison *comparison, struct kiln_buf *out);

#endif
