/*
 * `kiln op run`: one trial with its times, and every trial that the table of an op asks for.
 */
#ifndef KILN_OP_TOOL_RUN_H
#define KILN_OP_TOOL_RUN_H

#include "base/buf.h"
#include "op/tool/trial.h"

struct kiln_run {
  struct kiln_trial_result result;
  enum kiln_refusal refusal;     /* why the call was refused */
  char variant[256];             /* URI of the kernel; "" when it did not come so far */
  double first_call_ms, call_us; /* the first call of this trial, and the mean of `calls` later ones; with waiting */
};

/* Make, call, compare, call `calls` times more. Releases the trial. Status of the call when it is refused. */
enum kiln_status kiln_run_trial(
    struct kiln_trial *trial, unsigned calls, struct kiln_run *run, struct kiln_error *error);

/* The URI of the kernel that a made trial calls. */
enum kiln_status kiln_run_name(const struct kiln_trial *trial, struct kiln_run *run, struct kiln_error *error);

/* The trials of one op, one after the other: each shape of the table with each row of dtypes; and, for the first row,
 * each other form of strides that these sizes have, each other layout, in place where that is allowed. Start with
 * {.op = …}. */
struct kiln_matrix {
  const struct kiln_op *op;
  unsigned shape, types, variation;
};
/* Fill *trial with the next one; false at the end. */
bool kiln_matrix_next(struct kiln_matrix *matrix, struct kiln *kiln, struct kiln_trial *trial);
/* "T=bfloat16 batch_size=7 hidden_size=111 odd"; appended. */
void kiln_matrix_describe(const struct kiln_trial *trial, struct kiln_buf *out);

#endif
