/*
 * The inside of one check, for check.c and check_tensor.c.
 */
#ifndef KILN_OP_CHECK_WORK_H
#define KILN_OP_CHECK_WORK_H

#include "op/check.h"

struct kiln_check_work {
  const struct kiln_op *op;
  const struct kiln_checker *checker;
  const struct kiln_value *values;
  struct kiln_signature *signature;
  enum kiln_refusal *refusal;
  struct kiln_error *error;
  const uint8_t *perm; /* of LAYOUTED tensors; NULL: none */
  struct kiln_target target;
  int first;                     /* the tensor that said the device; -1: none yet */
  int like;                      /* the tensor that said whether a dimension is absent; -1: none yet */
  uint32_t bound;                /* axes */
  uint32_t deferred;             /* tensors with extents that are compared at the end */
  int8_t by[KILN_OP_AXES];       /* the argument that bound an axis */
  int8_t by_dim[KILN_OP_AXES];   /* its extent; -1: it is a number */
  int8_t type_by[KILN_OP_TYPES]; /* the argument that bound a type variable */
};

/* Refuse with the sentence that follows; needs `work` in scope. */
#define KILN_REFUSE(why, ...) kiln_op_refuse(work->op, why, work->refusal, work->error, __VA_ARGS__)

/* Bind an axis, or compare with what it is already. dim -1: by a number. */
enum kiln_status kiln_check_bind(struct kiln_check_work *work, unsigned axis, int64_t value, unsigned arg, int dim);
/* "input.shape[1]" or "rotary_dim", into at least 80 bytes; returns text. */
const char *kiln_check_place(const struct kiln_op *op, int arg, int dim, char *text);
/* Rank, dtype, device, extents, strides, size. */
enum kiln_status kiln_check_tensor(struct kiln_check_work *work, unsigned arg);
/* Extents that no axis was solved from. */
enum kiln_status kiln_check_deferred(struct kiln_check_work *work);
/* Stride by stride and byte by byte: span, alignment of elements, outputs that overlap themselves. */
enum kiln_status kiln_check_memory(struct kiln_check_work *work, unsigned arg);

#endif
