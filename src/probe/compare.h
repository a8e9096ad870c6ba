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

/* How the two sides were recorded, and so what can be said of their times. */
enum kiln_recorded {
  KILN_RECORDED_APART,    /* no verdict on time */
  KILN_RECORDED_TOGETHER, /* arms of one report */
  KILN_RECORDED_ANCHORED  /* each in a report of its own, paired with the same baseline */
};

struct kiln_why;

struct kiln_comparison {
  enum kiln_work work;                                           /* UNLIKE: launches differ, nothing is decided */
  const char *decided_by;                                        /* "builds" …, NULL when SAME or UNLIKE; static */
  bool decided_warm;                                             /* the warm runs decided */
  uint64_t cold[2][KILN_COUNT_COUNT], warm[2][KILN_COUNT_COUNT]; /* [0] first report, [1] second */
  int samples[2];                                                /* valid samples in each; 1 is said to be one */
  double cold_elapsed_s[2], cold_cpu_s[2];                       /* medians, shown without verdict */
  size_t arms[2];                                                /* which arm of each report, or of the report */
  const struct kiln_why *why; /* set by who renders: what differs in identities; NULL: not shown */
  char names[2][128];         /* of reports, or of arms */
  char commands[2][512];      /* as for a shell, "" when not known */
  bool unlike_environment;    /* refused for this, work is UNLIKE */
  enum kiln_recorded recorded;
  enum kiln_verdict verdict; /* on time, unless APART */
  enum kiln_metric metric;   /* that decided */
  struct kiln_look change;   /* TOGETHER: the last look; ANCHORED: low and high of the difference */
  struct kiln_time time;     /* TOGETHER */
  bool serial;               /* TOGETHER */
  uint64_t seed;             /* TOGETHER */
  char **notes;              /* sentences: unlike launches, other module names, unlike environments, one sample */
  size_t note_count, note_capacity;
};
void kiln_comparison_release(struct kiln_comparison *comparison);
enum kiln_status kiln_compare(const struct kiln_loaded_report *a, const struct kiln_loaded_report *b,
    struct kiln_comparison *comparison, struct kiln_error *error);

/* All arms of a report file, with their pairs. */
struct kiln_loaded_file;
enum kiln_status kiln_loaded_file_read(const char *path, struct kiln_loaded_file **file, struct kiln_error *error);
/* As above from memory. Fuzzed. */
enum kiln_status kiln_loaded_file_parse(
    const char *data, size_t len, const char *name, struct kiln_loaded_file **file, struct kiln_error *error);
void kiln_loaded_file_free(struct kiln_loaded_file *file);
/* Candidates of the file, arms[1] …; 0: one arm. */
size_t kiln_loaded_file_candidates(const struct kiln_loaded_file *file);
/* Index of an arm by name; KILN_ERROR_NOT_FOUND lists the names. */
enum kiln_status kiln_loaded_file_arm(
    const struct kiln_loaded_file *file, const char *name, size_t *arm, struct kiln_error *error);

/* Candidate (arm index, ≥ 1) against baseline, work and time. */
enum kiln_status kiln_compare_arms(const struct kiln_loaded_file *file, size_t candidate,
    struct kiln_comparison *comparison, struct kiln_error *error);
/* Two files: with the same baseline in both, candidate against candidate relative to it; else arm against arm, which
 * have no verdict on time and are refused as UNLIKE when their environments differ, unless that is allowed. Arm NULL:
 * the first candidate with a common baseline, else the first arm. */
enum kiln_status kiln_compare_files(const struct kiln_loaded_file *a, const struct kiln_loaded_file *b, const char *arm,
    bool allow_environment, struct kiln_comparison *comparison, struct kiln_error *error);
/* Exit code of `kiln compare`: 0, 1 (MORE, REGRESSED), 3 (UNLIKE, UNSTABLE, INCONCLUSIVE). */
int kiln_comparison_exit(const struct kiln_comparison *comparison);
/* Render for people (at most `columns` wide, not below 60; color: ANSI colours) and for programs. */
void kiln_comparison_text(const struct kiln_comparison *comparison, int columns, bool color, struct kiln_buf *out);
void kiln_comparison_json(const struct kiln_comparison *comparison, struct kiln_buf *out);

#endif
