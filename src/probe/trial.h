/*
 * `kiln try`: levers as arms. One program is measured without levers; each lever that has something to do there is
 * applied in the observed process, checked, and measured in pairs with the program as it is; what helped is measured
 * together once more. The result is a ledger (probe/ledger.h).
 *
 *   1. baseline   samples without levers; levers choose themselves, or are chosen by name
 *   2. check      a cold and a warm run with each lever: has it arrived in every module it was meant for? Are launches
 *                 and output the same? What fails here is refused and costs nothing more.
 *   3. pairs      lever and baseline, by the rule of probe/sequential.h. Levers that only move work in time run one
 *                 after the other with the baseline, and elapsed time decides.
 *   4. together   what helped, as one arm: checked and measured, not added up
 *
 * Nothing stays: lever files and the folders of levers are in a sandbox. The program's source is not touched. Not
 * thread safe.
 */
#ifndef KILN_PROBE_TRIAL_H
#define KILN_PROBE_TRIAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "kiln/error.h"
#include "probe/ledger.h"
#include "probe/measure.h"

#define KILN_TRY_PAIRS 45 /* of each lever, unless told otherwise */

struct kiln_try_options {
  struct kiln_measure_options measure; /* command, samples, limits, pairs; arms and change are not looked at */
  const char *const *levers;           /* "id" or "id=value"; none: all that the baseline run supports */
  size_t lever_count;
  bool production;          /* the goal: starts in production; false: an edit-run loop */
  bool allow_kernels;       /* kernels and numerics may change */
  bool force;               /* check also what is refused as unsafe; it is never accepted for that */
  const char *check;        /* shell command, run after a cold run of each arm: exit 0 means right; NULL: none */
  const char *const *files; /* that the program writes, compared instead of its standard output */
  size_t file_count;
  void (*say)(void *context, const char *sentence); /* what happens now, for people; may be NULL */
  void *say_context;
};

/* Two owned parts; either may be NULL. */
struct kiln_try_result {
  struct kiln_report *report; /* of the measurement without levers */
  struct kiln_ledger *ledger;
  enum kiln_report_state state; /* how it ended: a trial that was stopped has a ledger of what was done until then */
  const char *failure;          /* sentence when it is not COMPLETE; of the report or the ledger */
};
void kiln_try_result_release(struct kiln_try_result *result);

/* KILN_OK also when the command failed (see state). KILN_ERROR_ARGUMENT: a lever that does not exist, a value that it
 * does not take, a file that the program does not write. KILN_ERROR_ENVIRONMENT: levers are set already by the
 * environment; and what kiln_measure says. output_tail as there. */
enum kiln_status kiln_try(const struct kiln_try_options *options, struct kiln_try_result *result,
    struct kiln_buf *output_tail, struct kiln_error *error);
/* 0: something helped; 1: nothing did; 3: not decided, or invalid; 4: the command failed; 130: interrupted. */
int kiln_try_exit(const struct kiln_try_result *result);

#endif
