/*
 * What the steps of one trial share; private to trial*.c.
 */
#ifndef KILN_PROBE_TRIAL_STATE_H
#define KILN_PROBE_TRIAL_STATE_H

#include "probe/lever.h"
#include "probe/sandbox.h"
#include "probe/trial.h"
#include "probe/trial_output.h"

/* A lever, or several at once, on its way from a name to an entry of the ledger. */
struct kiln_trial_candidate {
  const struct kiln_lever *lever; /* the first of a combination */
  struct kiln_lever_view view;    /* with this candidate's value and folder */
  const char *id;                 /* name of the arm and of the entry */
  enum kiln_lever_answer answer;
  bool chosen; /* asked for by name */
  size_t entry;
  const char *object; /* JSON for the lever file; a combination: an array. In the ledger */
  char *file, *first; /* lever files; first NULL: the same */
  char *folder;       /* NULL: none */
  bool trying, alive; /* to be checked; came through so far */
  enum kiln_output output;
  struct kiln_buf difference; /* sentence */
  const size_t *parts;        /* of a combination: candidates; in the ledger */
  size_t part_count;
};

struct kiln_trial {
  const struct kiln_try_options *options;
  struct kiln_try_result *result;
  struct kiln_report *baseline; /* = result->report */
  struct kiln_ledger *ledger;   /* = result->ledger */
  struct kiln_sandbox *sandbox; /* lever files and folders */
  struct kiln_outputs outputs;
  struct kiln_lever_view view;
  struct kiln_trial_candidate *candidates;
  size_t count, capacity;
  struct kiln_buf *output_tail;
  bool paired;                          /* what the hook on runs sees are runs of pairs */
  struct kiln_trial_candidate *current; /* else: whose runs they are; NULL: without levers */
};

/* The candidate's entry: pointers move when entries are added. */
struct kiln_ledger_entry *kiln_trial_entry(
    const struct kiln_trial *trial, const struct kiln_trial_candidate *candidate);
/* Decide, with a sentence. */
void kiln_trial_decide(struct kiln_trial *trial, const struct kiln_trial_candidate *candidate,
    enum kiln_ledger_state state, const char *format, ...) KILN_PRINTF(4, 5);
void kiln_trial_say(const struct kiln_trial *trial, const char *format, ...) KILN_PRINTF(2, 3);
/* A measurement ended early: so does the trial. true: it does. */
bool kiln_trial_stopped(struct kiln_trial *trial, const struct kiln_report *report);
/* Hook on every run (kiln_measure_options.seen); the context is the trial. */
void kiln_trial_seen(void *context, const struct kiln_measure_seen *seen);
/* Options of a measurement in this trial: those of the user, with the hook. */
struct kiln_measure_options kiln_trial_measure(struct kiln_trial *trial);
struct kiln_measure_change kiln_trial_change(const struct kiln_trial_candidate *candidate);

/* Candidates and their entries, from names or from the run; the ceiling (trial_choose.c). */
enum kiln_status kiln_trial_choose(struct kiln_trial *trial, struct kiln_error *error);
/* Are all names levers, and their values good? Before anything runs. */
enum kiln_status kiln_trial_check_names(const struct kiln_try_options *options, struct kiln_error *error);
/* A candidate of several others, each accepted (trial_combine.c). NULL with KILN_OK: there is nothing to combine. */
enum kiln_status kiln_trial_combine(
    struct kiln_trial *trial, struct kiln_trial_candidate **combined, struct kiln_error *error);
/* A row for a candidate, with its entry; NULL: memory is short. Pointers to others move. */
struct kiln_trial_candidate *kiln_trial_add(struct kiln_trial *trial, const struct kiln_lever *lever, const char *id);
/* Lever files and folders of a candidate (trial_files.c). */
enum kiln_status kiln_trial_files(
    struct kiln_trial *trial, struct kiln_trial_candidate *candidate, struct kiln_error *error);
/* A cold and a warm run with it: arrived, same launches, same output? (trial_verify.c) */
enum kiln_status kiln_trial_verify(
    struct kiln_trial *trial, struct kiln_trial_candidate *candidate, struct kiln_error *error);
/* Pairs of all candidates that are alive, from index `from` on; fills effects and decides (trial_pairs.c). */
enum kiln_status kiln_trial_pairs(struct kiln_trial *trial, size_t from, struct kiln_error *error);
/* Effects of one candidate from a report of pairs, and the decision (trial_effect.c). arm: its index there. */
enum kiln_status kiln_trial_effects(struct kiln_trial *trial, const struct kiln_trial_candidate *candidate,
    const struct kiln_report *pairs, size_t arm, struct kiln_error *error);
/* Estimated change of the cold elapsed time, a natural logarithm; 0: not measured. */
double kiln_trial_gain(const struct kiln_ledger_entry *entry);
/* What remains, and what was not taken (trial_combine.c). */
void kiln_trial_conclude(struct kiln_trial *trial);

#endif
