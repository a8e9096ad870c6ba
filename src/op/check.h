/*
 * From values to a signature: everything the table of an op says about its arguments, checked, with a sentence for each
 * way to be wrong. This is the slow way (some hundred nanoseconds); what it found is kept as a signature.
 *
 * Order: count, kinds, layout, tensors and numbers in argument order, derived axes, extents that depend on them, rules,
 * combination of dtypes, variant, the op's own check, then what is looked at in every call. The first error wins.
 */
#ifndef KILN_OP_CHECK_H
#define KILN_OP_CHECK_H

#include "op/signature.h"
#include "op/variant.h"

struct kiln_checker {
  const struct kiln_prepared *prepared;
  /* What code runs on a device of DLPack's type and id; KILN_ERROR_ENVIRONMENT says why there is none. */
  enum kiln_status (*target)(
      void *context, struct kiln_tensor_device device, struct kiln_target *target, struct kiln_error *error);
  void *context;
};

/* Check `count` values; *signature is complete but for its kernel. Names of ENUM arguments must be numbers by now
 * (kiln_op_name_to_number). KILN_ERROR_ARGUMENT: refused, and *refusal says why; others as `target`. */
enum kiln_status kiln_op_check(const struct kiln_checker *checker, const struct kiln_value *values, unsigned count,
    struct kiln_signature *signature, enum kiln_refusal *refusal, struct kiln_error *error);

/* A TEXT for an ENUM argument that names one of its names becomes its number; anything else stays. */
void kiln_op_name_to_number(const struct kiln_arg *arg, struct kiln_value *value);

/* A derived axis from the ones before it; false on overflow or division by zero. */
bool kiln_op_derive(const struct kiln_op *op, unsigned axis, int64_t *axes);
/* ceil(axis * mul / div) + add. */
int64_t kiln_op_extent(const struct kiln_dim *dim, const int64_t *axes);
/* The axis of the dimension that tensors of the op may do without; 0: there is none. */
unsigned kiln_op_absent_axis(const struct kiln_op *op);
/* Which dimension of the table extent `place` of a tensor of `ndim` dimensions is. perm: of its layout, or NULL. */
static inline unsigned
kiln_op_place(const struct kiln_arg *arg, const uint8_t *perm, int32_t ndim, unsigned place)
{
  if (ndim < arg->ndim && place + 1 >= arg->absent)
    return place + 1;
  return perm ? perm[place] : place;
}
/* Does the rule hold? DATA always does. */
bool kiln_op_rule_holds(const struct kiln_rule *rule, const int64_t *axes, uint32_t given);
/* Is the row of dtypes built? */
bool kiln_op_combination(const struct kiln_op *op, const uint8_t *type);

#endif
