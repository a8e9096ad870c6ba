/*
 * `kiln measure`: samples of cold and warm runs of one command, in private caches.
 *
 * Ctrl-C, a failed command or an invalid sample stop the measurement; what was measured until then is in the report,
 * whose state says so. Nothing is left behind: no process, no folder.
 */
#ifndef KILN_PROBE_MEASURE_H
#define KILN_PROBE_MEASURE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "kiln/error.h"
#include "probe/report.h"

/* What is happening now; strings are valid during the call. */
struct kiln_progress {
  const char *run;     /* "warm-up", "cold", "warm" */
  int sample, samples; /* 1-based; 0 of n for the warm-up. Of arms: the pair, and the pairs of the next look */
  bool pairs;          /* samples are pairs of arms */
  double run_elapsed_s;
  const char *building; /* module in flight, NULL when none */
  double building_s;    /* for how long */
  unsigned builds_done; /* in this run */
  bool run_ended;       /* last call for this run */
};

/* What a run has beside its command: levers (probe/lever.h). All zero: none. */
struct kiln_measure_change {
  const char *levers;       /* lever file; NULL: none */
  const char *levers_first; /* of unmeasured runs, which may fill what the others find; NULL: `levers` */
  const char *folder;       /* cache of the lever, outside the sandbox and kept from run to run; NULL: none */
  bool elapsed_decides;     /* of arms: work is moved in time, so CPU time cannot show the gain */
};

/* One of several commands that are compared in one measurement. */
struct kiln_measure_arm {
  const char *name;     /* distinct */
  char *const *command; /* argv, NULL-terminated */
  struct kiln_measure_change change;
};

/* A run that has just ended, while its files are still there. Strings are valid during the call. */
struct kiln_measure_seen {
  const char *arm, *run; /* "base"; "cold" or "warm" */
  int sample;            /* 0: unmeasured */
  bool failed;           /* it stopped the measurement, or voided its pair */
  const char *stdout_path, *stderr_path;
  const char *place; /* private folder of the sample, which may stand in what was printed */
};

struct kiln_measure_options {
  char *const *command;                /* argv, NULL-terminated; not looked at when there are arms */
  struct kiln_measure_change change;   /* of the command; arms have their own */
  const struct kiln_measure_arm *arms; /* the first is the baseline; at least two, or none */
  size_t arm_count;
  bool serial;       /* pairs one after the other; false: side by side where two processors are usable */
  int max_pairs;     /* of arms, for each candidate; 1 … KILN_SEQUENTIAL_MAX */
  double max_time_s; /* of arms: no pair begins later; 0: none */
  double resolution; /* of arms: SAME excludes such a change; a fraction above 0, at most 1 */
  int samples;       /* ≥ 1, not of arms */
  int warmup;        /* unmeasured samples first: 0 or 1 */
  double timeout_s;  /* per run; 0: none; with one of `until` the limit for getting ready */
  /* For programs that do not end: the run ends when one of these holds, and the time until then is its elapsed time. */
  struct kiln_measure_until {
    const char *output; /* POSIX extended expression for a line of stdout or stderr; NULL: not asked */
    int port;           /* something listens on this TCP port; 0: not asked */
    uint64_t launches;  /* so many kernels were entered, in all processes together; 0: not asked */
  } until;
  bool ignore_failure; /* a non-zero exit is no failure */
  bool terminal_input;
  const char *temporary;                                                 /* parent of the sandbox; NULL: the system's */
  const char *preload;                                                   /* path of libkiln-preload.so */
  const char *supervisor;                                                /* path of kiln-spawn */
  void (*progress)(void *context, const struct kiln_progress *progress); /* may be NULL */
  void *context;
  void (*seen)(void *context, const struct kiln_measure_seen *seen); /* after each run, one at a time; may be NULL */
  void *seen_context;
};

/* With arms, pairs are made until each candidate's time is decided or the budget ends; the report holds the
 * verdicts. KILN_OK and *report set also when the command failed or the sample is invalid (see report->state). On an
 * error (KILN_ERROR_ARGUMENT, _MEMORY, _ENVIRONMENT, _IO) *report is NULL before the first run, and the partial report
 * after it. output_tail receives the end of the command's output when it failed (may be NULL). The caller has called
 * kiln_interrupt_watch when it wants Ctrl-C to end in a report. */
enum kiln_status kiln_measure(const struct kiln_measure_options *options, struct kiln_report **report,
    struct kiln_buf *output_tail, struct kiln_error *error);
/* Exit code that a report asks for: 0, 3 invalid, 4 command failed, 130 interrupted. */
int kiln_report_exit(const struct kiln_report *report);

#endif
