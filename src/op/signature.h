/*
 * A call whose arguments were checked, kept so that the next one like it is only compared.
 *
 * A signature is everything about the arguments but addresses and plain numbers. It is made once by kiln_op_check and
 * never changed afterwards; any number of threads compare with it. What may differ between calls of one signature
 * (addresses, numbers that no kernel is compiled for) is looked at in every call.
 */
#ifndef KILN_OP_SIGNATURE_H
#define KILN_OP_SIGNATURE_H

#include "op/op.h"

enum { KILN_OP_PAIRS = 128, KILN_OP_KEY = KILN_OP_ARGS * (3 + 2 * KILN_OP_RANK) };

/* Why arguments were refused. FFI and tests tell classes apart; people read the sentence. */
enum kiln_refusal {
  KILN_REFUSED_NOT,
  KILN_REFUSED_COUNT,
  KILN_REFUSED_KIND,
  KILN_REFUSED_MISSING,
  KILN_REFUSED_RANK,
  KILN_REFUSED_DTYPE,
  KILN_REFUSED_COMBINATION,
  KILN_REFUSED_DEVICE,
  KILN_REFUSED_ARCH,
  KILN_REFUSED_EXTENT,
  KILN_REFUSED_SIZE,
  KILN_REFUSED_STRIDE,
  KILN_REFUSED_ALIGNMENT,
  KILN_REFUSED_RULE,
  KILN_REFUSED_PRESENCE,
  KILN_REFUSED_RANGE,
  KILN_REFUSED_NAME,
  KILN_REFUSED_OVERLAP,
  KILN_REFUSED_NULL,
  KILN_REFUSED_OP /* by the op's own check */
};

struct kiln_kernel; /* op/kernel.h */

/* A tensor that is written, and one that must not be the same memory. */
struct kiln_op_pair {
  uint8_t written, other;
  bool same_ok; /* equal start, strides and extents are fine */
};

struct kiln_signature {
  struct kiln_checked checked;
  struct kiln_tensor_device device;
  const struct kiln_kernel *kernel; /* set by the caller of kiln_op_check */
  uint64_t span[KILN_OP_ARGS];      /* bytes from the first to behind the last element */
  struct kiln_op_pair pairs[KILN_OP_PAIRS];
  uint8_t npairs, nranged, ranged[KILN_OP_ARGS]; /* ranged: numbers that are looked at in every call */
  uint8_t tag[KILN_OP_ARGS];
  uint16_t nkey;
  int64_t key[KILN_OP_KEY]; /* last: only nkey of them are kept */
};

/* What is known of an op before any call: which tensors may overlap, which must be aligned for a fast variant. */
struct kiln_prepared {
  const struct kiln_op *op;
  uint32_t typed; /* tensor arguments with a type variable */
  uint8_t npairs;
  struct kiln_op_pair pairs[KILN_OP_PAIRS];
};
/* More than KILN_OP_PAIRS pairs are cut; the lint of tables refuses such an op. */
void kiln_op_prepare(const struct kiln_op *op, struct kiln_prepared *prepared);

/* First byte of a tensor. */
static inline uintptr_t
kiln_tensor_address(const struct kiln_tensor *tensor)
{
  return (uintptr_t)tensor->data + tensor->byte_offset;
}

/* Fill tag, key and ranged from values that were checked. */
void kiln_signature_key(struct kiln_signature *signature, const struct kiln_value *values);
/* Are these `nargs` values of this signature? On true, address[] of each tensor is filled. */
bool kiln_signature_matches(
    const struct kiln_signature *signature, const struct kiln_value *values, uintptr_t *address);
/* What may differ between calls of one signature: NULL data, overlap, ranges. */
enum kiln_status kiln_signature_check_call(const struct kiln_signature *signature, const struct kiln_value *values,
    const uintptr_t *address, enum kiln_refusal *refusal, struct kiln_error *error);
/* A number that spreads signatures over a table; equal ones have equal numbers. false: a tensor is NULL or has no
 * shape, so that these values must not be compared with anything. */
bool kiln_signature_spread(const struct kiln_op *op, const struct kiln_value *values, uint32_t *spread);
/* Bytes that must be kept of a signature. */
size_t kiln_signature_size(const struct kiln_signature *signature);

/* Is the number outside of what the table allows? Sets the sentence. */
enum kiln_status kiln_op_check_range(const struct kiln_op *op, unsigned arg, const struct kiln_value *value,
    enum kiln_refusal *refusal, struct kiln_error *error);
/* Set *refusal and *error (either may be NULL): "<op>: <sentence>", and what to do. Returns the status. */
enum kiln_status kiln_op_refuse(const struct kiln_op *op, enum kiln_refusal why, enum kiln_refusal *refusal,
    struct kiln_error *error, const char *remedy, const char *format, ...) KILN_PRINTF(6, 7);

#endif
