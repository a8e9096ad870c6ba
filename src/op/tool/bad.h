/*
 * Calls that must be refused, made from a table: a good trial with one thing wrong. For every argument and every way to
 * be wrong that the table knows, there is one.
 */
#ifndef KILN_OP_TOOL_BAD_H
#define KILN_OP_TOOL_BAD_H

#include "op/tool/trial.h"

/* Room for what a bad call changes. */
struct kiln_bad_call {
  struct kiln_value values[KILN_OP_ARGS];
  unsigned count;
  struct kiln_tensor tensor;
  int64_t shape[KILN_OP_RANK + 2], strides[KILN_OP_RANK + 2];
  char what[120];           /* "input: float64 instead of T" */
  unsigned arg;             /* that the sentence must name; KILN_OP_ARGS: none */
  enum kiln_refusal expect; /* class of the refusal */
};

/* The bad calls of one made trial, one after the other; start with {.trial = …}. */
struct kiln_bad {
  const struct kiln_trial *trial;
  unsigned arg, kind, part;
};
/* Fill *call with the next one; false at the end. */
bool kiln_bad_next(struct kiln_bad *bad, struct kiln_bad_call *call);

#endif
