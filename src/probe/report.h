/*
 * The report of one `kiln measure`: everything that was seen, before any rendering. Owned tree; kiln_report_free frees
 * all.
 */
#ifndef KILN_PROBE_REPORT_H
#define KILN_PROBE_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "os/conditions.h"
#include "os/host.h"
#include "os/runner.h"
#include "probe/model.h"
#include "probe/stats.h"
#include "probe/verdict.h"

struct kiln_ledger;
struct kiln_why;

#define KILN_REPORT_SCHEMA "kiln-report-1"

/* One run of the command. */
struct kiln_report_run {
  bool present; /* was made (a stopped measurement lacks some) */
  struct kiln_run_result result;
  struct kiln_model *model; /* owned; NULL when not present */
  struct kiln_span_time phase[KILN_PHASE_COUNT];
  double elapsed_s, cpu_s; /* until the end, or until it was ready (result.ready) */
  bool from_file;          /* read from a report: these two stand for what its tables no longer tell */
  double native_s, module_work_s;
  uint64_t artefacts_new; /* ground truth of the cache sweep: artefacts new or replaced in this run */
};

struct kiln_report_sample {
  int index; /* 1 … */
  bool valid;
  const char *invalid_because; /* sentence, NULL when valid */
  struct kiln_report_run cold, warm;
};

/* Counts in the order of the JSON; names by kiln_count_name. */
enum kiln_count {
  KILN_COUNT_BUILDS,
  KILN_COUNT_LOADS,
  KILN_COUNT_MODULES,
  KILN_COUNT_IDENTITIES,
  KILN_COUNT_LAUNCHES,
  KILN_COUNT_PROCESSES,
  KILN_COUNT_LTO,
  KILN_COUNT_SOURCE_BYTES,
  KILN_COUNT_COUNT
};
const char *kiln_count_name(enum kiln_count count);
uint64_t kiln_count_of(const struct kiln_counts *counts, enum kiln_count count);

struct kiln_report_summary {
  struct kiln_interval count[KILN_COUNT_COUNT];
  struct kiln_interval elapsed_s, cpu_s, overlap, native_s,
      module_work_s; /* module work: union of build and load spans */
  struct kiln_interval phase_wall_s[KILN_PHASE_COUNT], phase_cpu_s[KILN_PHASE_COUNT];
};

/* fired: it is there. ruled_out: a signal in the record says that it is not. not_reached: the record cannot tell. */
enum kiln_finding_state { KILN_FINDING_FIRED, KILN_FINDING_RULED_OUT, KILN_FINDING_NOT_REACHED };
const char *kiln_finding_state_name(enum kiln_finding_state state); /* "fired", "ruled_out", "not_reached" */

/* An event that a fact of a finding rests on: enough to find it again in the record. */
struct kiln_cited {
  size_t evidence;        /* index of the fact in the finding's evidence */
  const char *kind;       /* as in docs/events.md: "compile", "load", "option" … */
  int pid, tid;           /* tid 0: not kept */
  double start_s, wall_s; /* from the begin of the run; wall_s < 0: no span */
  const char *what;       /* module, kernel or option; NULL: the event names nothing */
  const char *identity;   /* NULL: none */
  struct kiln_where where;
};

struct kiln_finding {
  const char *id;  /* "CS-1" … or "none" */
  const char *arm; /* name of the arm in which it fired */
  enum kiln_finding_state state;
  const char *sentence;   /* plain words: what happened; what rules it out; why the record cannot tell */
  const char *remedy;     /* the best one; NULL when there is nothing to do */
  const char **otherwise; /* remedies after it, best first */
  size_t otherwise_count, otherwise_capacity;
  const char *not_when;   /* when the remedy must not be applied; NULL: always right */
  const char *confirm;    /* how to see that the remedy arrived; NULL when there is none */
  const char *deadline;   /* until when in the program the remedy must have happened; NULL: none */
  const char *gate;       /* what the observed version of the framework changes about the advice; NULL: nothing */
  const char *to_measure; /* not reached: what would have to be measured */
  const char **evidence;  /* short facts taken from events */
  size_t evidence_count, evidence_capacity;
  struct kiln_cited *cited; /* events behind the facts, in order of the facts */
  size_t cited_count, cited_capacity;
  struct kiln_where *where;
  size_t where_count, where_capacity;
  double saves_at_most_s; /* < 0: not known */
  bool saves_cpu;         /* saves_at_most_s is CPU time; false: elapsed */
  bool correctness;       /* about right results, not about time: told whatever compiling costs */
};

/* What `kiln diagnose` says of the whole, from kiln_diagnosis_fill (probe/diagnose.h). */
struct kiln_diagnosis {
  bool made;
  double compile_s, elapsed_s; /* what compiling costs, and of how much; < 0: not known */
  bool small;                  /* compiling is a small share of elapsed: no lever is advised */
  const char *sentence;        /* the first line; NULL: compiling is worth looking at */
  double floor_s;              /* elapsed of a build of one small kernel with the same options; < 0: not measured */
  double floor_cpu_s;          /* the same in CPU time */
  const char *floor_note;      /* how it was measured, or why not */
};

enum kiln_report_state { KILN_REPORT_COMPLETE, KILN_REPORT_FAILED, KILN_REPORT_INTERRUPTED, KILN_REPORT_INVALID };
const char *kiln_report_state_name(enum kiln_report_state state);

struct kiln_report_arm {
  const char *name;
  const char **command; /* of this arm */
  size_t command_count;
  uint64_t inputs; /* digest of the program and of the files that the command names; 0: not known */
  struct kiln_report_sample *samples;
  size_t sample_count;
  struct kiln_report_summary cold, warm;
  struct kiln_interval compile_elapsed_s, compile_cpu_s; /* cold − warm, paired */
};

/* One sample of the baseline and one of a candidate, measured together. Both samples have the pair's index. */
struct kiln_report_pair {
  int index;            /* 1 … */
  size_t candidate;     /* of arms */
  bool candidate_first; /* how the coin fell: who was started first */
  bool valid;
  const char *invalid_because;       /* sentence, NULL when valid */
  size_t sample[2];                  /* where they are in samples of the baseline and of the candidate */
  struct kiln_conditions cold, warm; /* of the machine, while these runs were made */
};

/* How pairs were made. */
struct kiln_report_plan {
  bool serial;   /* one after the other; false: side by side */
  uint64_t seed; /* of the coin */
  int max_pairs;
  double max_time_s; /* 0: none */
  double resolution; /* 0.05: 5 % */
};

/* One candidate against the baseline: work and time, never mixed. */
struct kiln_report_verdict {
  size_t candidate;
  bool elapsed_decides;   /* on time: fixed before anything was measured, for what moves work and removes none */
  const char *work;       /* "SAME" …, kiln_work_name */
  const char *decided_by; /* count that decided, NULL when none did */
  bool decided_warm;
  const char **notes; /* of the comparison of work */
  size_t note_count;
  struct kiln_time time;
};

struct kiln_report {
  struct kiln_arena arena; /* holds every string and the samples; not the models, not the arrays that have a capacity */
  const char **command;
  size_t command_count;
  const char *date;   /* of the beginning, UTC */
  const char *folder; /* in which it was measured; NULL when not known. Shown nowhere: pages show places from there */
  struct kiln_host host;
  const char *python, *framework; /* as seen in the first cold run; NULL when not */
  int samples_wanted, warmup;
  const char *until; /* when a run counted as ready, "something listens on port 80"; NULL: runs end with the command */
  bool recorded;     /* read from a record: one run in its own surroundings, in the place of a cold one */
  bool unfinished;   /* of a record: a process has no end, it was killed or still runs, and nobody waited for it */
  enum kiln_report_state state;
  const char *failure;          /* sentence when the state is not COMPLETE */
  struct kiln_report_arm *arms; /* in the arena; arms[0] is the baseline of the others */
  size_t arm_count;
  const struct kiln_report_arm *rules_arm; /* the one that the rules look at now; NULL: the first */
  struct kiln_report_pair *pairs;          /* in the arena, in time order; none without a second arm */
  size_t pair_count;
  struct kiln_report_plan plan;         /* how the pairs were made; meaningless without a second arm */
  struct kiln_report_verdict *verdicts; /* in the arena: of arms[1] … arms[arm_count - 1] against arms[0] */
  size_t verdict_count;
  struct kiln_why *why; /* what differs from an earlier report (probe/why.h), in the arena; NULL: nobody asked */
  struct kiln_model_hash *identities; /* in the arena: read from a report file; else they are in the models */
  size_t identity_count;
  struct kiln_finding *findings; /* what fired */
  size_t finding_count, finding_capacity;
  struct kiln_finding *others; /* mechanisms that did not: ruled out, or not reached; in the order of the rules */
  size_t other_count, other_capacity;
  const struct kiln_ledger *ledger; /* what was tried (probe/ledger.h), borrowed; NULL: nothing. Only pages show it */
  struct kiln_diagnosis diagnosis;  /* made: every state is shown; else only what fired */
  const char **warnings;
  size_t warning_count, warning_capacity;
};

struct kiln_report *kiln_report_new(void); /* NULL: memory is short */
void kiln_report_free(struct kiln_report *report);
/* Drop all findings, so that the rules can run again on what became known since. */
void kiln_report_forget_findings(struct kiln_report *report);
/* Add a warning sentence (copied). Equal sentences are kept once. */
void kiln_report_warn(struct kiln_report *report, const char *format, ...) KILN_PRINTF(2, 3);
/* Make room for `count` arms of at most `samples` samples each; false when memory is short. */
bool kiln_report_arms_make(struct kiln_report *report, size_t count, size_t samples);
/* Fill each arm's summaries and paired differences from its valid samples. */
void kiln_report_summarise(struct kiln_report *report);

#endif
