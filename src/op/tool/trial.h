/*
 * One call of an op on made-up data, compared with its reference.
 *
 * A trial is a row of axis values, a dtype for each type variable, which optional arguments are given, and how tensors
 * lie in memory. Inputs are random and reproducible from the seed. Outputs begin as garbage between guard bytes; after
 * the call everything is looked at: results against the reference, guards, gaps between rows, and that inputs stayed as
 * they were.
 *
 * In a far form (see place.h) tensors reach over gigabytes of which little is touched; a GPU must have that memory.
 *
 * Order: kiln_trial_init, change what should differ, kiln_trial_make, kiln_trial_call as often as wanted,
 * kiln_trial_compare (of the first call for INOUT arguments), kiln_trial_release. Not thread safe.
 */
#ifndef KILN_OP_TOOL_TRIAL_H
#define KILN_OP_TOOL_TRIAL_H

#include "op/call.h"
#include "op/tool/place.h"

struct kiln_trial_memory; /* of one tensor */

struct kiln_trial {
  const struct kiln_op *op;
  struct kiln *kiln;
  struct kiln_tensor_device device;
  uint64_t seed;
  int64_t axis[KILN_OP_AXES];
  uint8_t type[KILN_OP_TYPES];
  uint32_t given; /* optional arguments that are there */
  uint32_t set;   /* numbers with a value of their own */
  double number[KILN_OP_ARGS];
  enum kiln_form form;
  bool absent;   /* the dimension that may be absent is, as long as its axis is 1 */
  bool in_place; /* outputs that may be an input are it */
  unsigned layout;
  bool shapes_only; /* no data: tensors that can be checked, but not used */

  /* filled by make */
  struct kiln_value values[KILN_OP_ARGS];  /* what the op is called with */
  struct kiln_value numbers[KILN_OP_ARGS]; /* what the reference sees */
  struct kiln_trial_memory *memory;
  void *stream;
};

struct kiln_trial_result {
  bool ok;
  double max_abs_err, max_rel_err; /* over all outputs */
  char worst[200];                 /* what is wrong, or where the error is largest; "" when there are no outputs */
};

/* From a case of the table: axes, given, numbers; the first legal row of dtypes. */
void kiln_trial_init(
    struct kiln_trial *trial, struct kiln *kiln, const struct kiln_op *op, const struct kiln_case *shape);
/* Compute derived axes, make data and tensors. KILN_ERROR_ARGUMENT: an axis is out of bounds, or the form is far and no
 * tensor of these sizes can be; KILN_ERROR_MEMORY. */
enum kiln_status kiln_trial_make(struct kiln_trial *trial, struct kiln_error *error);
void kiln_trial_release(struct kiln_trial *trial);
/* Call the op once and wait for it. */
enum kiln_status kiln_trial_call(struct kiln_trial *trial, enum kiln_refusal *refusal, struct kiln_error *error);
/* Inputs and outputs as they were before the first call. */
enum kiln_status kiln_trial_reset(struct kiln_trial *trial, struct kiln_error *error);
/* Read results back and compare. */
enum kiln_status kiln_trial_compare(
    struct kiln_trial *trial, struct kiln_trial_result *result, struct kiln_error *error);
/* The axis of the dimension that the tensors of a trial do without; 0: they have all. */
unsigned kiln_trial_absent(const struct kiln_trial *trial);
/* Was nothing written? For calls that must be refused. */
enum kiln_status kiln_trial_untouched(struct kiln_trial *trial, bool *untouched, struct kiln_error *error);
/* Bytes that one call reads and writes, each element of each tensor once. */
uint64_t kiln_trial_bytes(const struct kiln_trial *trial);

/* The memory of a tensor argument of a made trial; NULL when it has none of its own. */
struct kiln_block;
const struct kiln_block *kiln_trial_block(const struct kiln_trial *trial, unsigned arg);

/* Has a tensor of this trial, before it is made, rows that its form puts far apart? */
bool kiln_trial_reaches_far(const struct kiln_trial *trial);

/* Rows of dtypes that the table allows: the `index`-th into type; false behind the last. */
bool kiln_trial_types(const struct kiln_op *op, unsigned index, uint8_t *type);

#endif
