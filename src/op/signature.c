#include "op/signature.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "op/check.h"
#include "op/text.h"

/* ---- saying why ---- */

static enum kiln_status
status_of(enum kiln_refusal why)
{
  return why == KILN_REFUSED_ARCH ? KILN_ERROR_ENVIRONMENT : KILN_ERROR_ARGUMENT;
}

enum kiln_status
kiln_op_refuse(const struct kiln_op *op, enum kiln_refusal why, enum kiln_refusal *refusal, struct kiln_error *error,
    const char *remedy, const char *format, ...)
{
  char sentence[KILN_ERROR_WHAT_SIZE];
  va_list args;
  va_start(args, format);
  vsnprintf(sentence, sizeof sentence, format, args);
  va_end(args);
  if (refusal)
    *refusal = why;
  kiln_error_set(error, status_of(why), "%s: %s", op->name, sentence);
  kiln_error_advise(error, "%s", remedy);
  return status_of(why);
}

static double
number_of(const struct kiln_value *value)
{
  return value->tag == KILN_VALUE_REAL ? value->as.real : (double)value->as.integer;
}

/* Integers are compared as integers: a double cannot hold every seed. */
static bool
in_range(const struct kiln_arg *arg, const struct kiln_value *value)
{
  if (arg->kind == KILN_ARG_REAL || arg->kind == KILN_ARG_TENSOR_OR_REAL)
    return number_of(value) >= arg->real.lo && number_of(value) <= arg->real.hi;
  if (arg->kind == KILN_ARG_BOOL)
    return value->as.integer == 0 || value->as.integer == 1;
  return arg->kind == KILN_ARG_ENUM || (value->as.integer >= arg->integer.lo && value->as.integer <= arg->integer.hi);
}

enum kiln_status
kiln_op_check_range(const struct kiln_op *op, unsigned i, const struct kiln_value *value, enum kiln_refusal *refusal,
    struct kiln_error *error)
{
  const struct kiln_arg *arg = &op->args[i];
  if (in_range(arg, value))
    return KILN_OK;
  if (arg->kind == KILN_ARG_REAL || arg->kind == KILN_ARG_TENSOR_OR_REAL)
    return kiln_op_refuse(op, KILN_REFUSED_RANGE, refusal, error, "Pass a number in that range.",
        "%s is %g; expected %g <= %s <= %g", arg->name, number_of(value), arg->real.lo, arg->name, arg->real.hi);
  if (arg->kind == KILN_ARG_BOOL)
    return kiln_op_refuse(op, KILN_REFUSED_RANGE, refusal, error, "Pass 0 or 1.", "%s is %lld; expected a bool",
        arg->name, (long long)value->as.integer);
  return kiln_op_refuse(op, KILN_REFUSED_RANGE, refusal, error, "Pass a number in that range.",
      "%s is %lld; expected %lld <= %s <= %lld", arg->name, (long long)value->as.integer, (long long)arg->integer.lo,
      arg->name, (long long)arg->integer.hi);
}

/* ---- before any call ---- */

static bool
may_be_tensor(const struct kiln_arg *arg)
{
  return arg->kind == KILN_ARG_TENSOR || arg->kind == KILN_ARG_TENSOR_OR_INT || arg->kind == KILN_ARG_TENSOR_OR_REAL;
}

/* Everything that is written against everything else, each pair once. */
static void
prepare_pairs(const struct kiln_op *op, unsigned i, struct kiln_prepared *prepared)
{
  for (unsigned j = 0; j < op->nargs; j++) {
    const bool once = op->args[j].role == KILN_IN || j > i;
    if (j == i || !may_be_tensor(&op->args[j]) || !once || prepared->npairs == KILN_OP_PAIRS)
      continue;
    const bool same_ok = op->args[i].alias == j + 1 || op->args[j].alias == i + 1;
    prepared->pairs[prepared->npairs++] = (struct kiln_op_pair){(uint8_t)i, (uint8_t)j, same_ok};
  }
}

void
kiln_op_prepare(const struct kiln_op *op, struct kiln_prepared *prepared)
{
  memset(prepared, 0, sizeof *prepared);
  prepared->op = op;
  for (unsigned i = 0; i < op->nargs; i++) {
    if (!may_be_tensor(&op->args[i]))
      continue;
    if (op->args[i].type)
      prepared->typed |= KILN_BIT(i);
    if (op->args[i].role != KILN_IN)
      prepare_pairs(op, i, prepared);
  }
}

/* ---- the key ---- */

static bool
is_keyed(const struct kiln_arg *arg)
{
  return arg->flags & (KILN_KEYED | KILN_BINDS) || arg->kind == KILN_ARG_ENUM;
}

/* Alignment exactly, so that a misaligned first call pins nothing for the others. */
static int64_t
tensor_word(const struct kiln_tensor *tensor, uintptr_t address)
{
  return (int64_t)(address & 31) | (int64_t)!tensor->strides << 8;
}

void
kiln_signature_key(struct kiln_signature *signature, const struct kiln_value *values)
{
  const struct kiln_op *op = signature->checked.op;
  unsigned n = 0;
  signature->nranged = 0;
  for (unsigned i = 0; i < op->nargs; i++) {
    const uint32_t tag = values[i].tag;
    signature->tag[i] = (uint8_t)tag;
    if (tag == KILN_VALUE_TENSOR) {
      const struct kiln_tensor *tensor = values[i].as.tensor;
      signature->key[n++] = tensor_word(tensor, kiln_tensor_address(tensor));
      memcpy(&signature->key[n], &tensor->device, 16); /* device, rank, dtype */
      n += 2;
      for (int32_t d = 0; d < tensor->ndim; d++)
        signature->key[n++] = tensor->shape[d];
      for (int32_t d = 0; d < tensor->ndim && tensor->strides; d++)
        signature->key[n++] = tensor->strides[d];
    } else if (tag != KILN_VALUE_NONE && is_keyed(&op->args[i]))
      signature->key[n++] = values[i].as.integer;
    else if (tag != KILN_VALUE_NONE)
      signature->ranged[signature->nranged++] = (uint8_t)i;
  }
  signature->nkey = (uint16_t)n;
}

size_t
kiln_signature_size(const struct kiln_signature *signature)
{
  return offsetof(struct kiln_signature, key) + signature->nkey * sizeof signature->key[0];
}

/* NULL when something differs, else what follows in the key. Rank and presence of strides are in the first words. */
static inline const int64_t *
match_tensor(const int64_t *key, const struct kiln_tensor *tensor, uintptr_t address)
{
  int64_t head[2];
  uint64_t differs;
  memcpy(head, &tensor->device, 16);
  differs =
      (uint64_t)(key[0] ^ tensor_word(tensor, address)) | (uint64_t)(key[1] ^ head[0]) | (uint64_t)(key[2] ^ head[1]);
  if (differs)
    return NULL;
  key += 3;
  for (int32_t d = 0; d < tensor->ndim; d++)
    differs |= (uint64_t)(*key++ ^ tensor->shape[d]);
  if (tensor->strides)
    for (int32_t d = 0; d < tensor->ndim; d++)
      differs |= (uint64_t)(*key++ ^ tensor->strides[d]);
  return differs ? NULL : key;
}

bool
kiln_signature_matches(const struct kiln_signature *signature, const struct kiln_value *values, uintptr_t *address)
{
  const struct kiln_op *op = signature->checked.op;
  const int64_t *key = signature->key;
  for (unsigned i = 0, n = op->nargs; i < n; i++) {
    const uint32_t tag = values[i].tag;
    if (tag != signature->tag[i])
      return false;
    if (tag == KILN_VALUE_TENSOR) {
      address[i] = kiln_tensor_address(values[i].as.tensor);
      key = match_tensor(key, values[i].as.tensor, address[i]);
      if (!key)
        return false;
    } else if (tag != KILN_VALUE_NONE && is_keyed(&op->args[i]) && *key++ != values[i].as.integer)
      return false;
  }
  return true;
}

bool
kiln_signature_spread(const struct kiln_op *op, const struct kiln_value *values, uint32_t *spread)
{
  uint64_t sum = 0;
  for (unsigned i = 0; i < op->nargs; i++) {
    const struct kiln_tensor *tensor = values[i].as.tensor;
    if (values[i].tag != KILN_VALUE_TENSOR) {
      sum += values[i].tag;
      continue;
    }
    if (!tensor || (tensor->ndim > 0 && !tensor->shape))
      return false;
    sum = (sum ^ (uint64_t)(tensor->ndim > 0 ? tensor->shape[0] : 0)) * UINT64_C(0x9e3779b97f4a7c15);
  }
  *spread = (uint32_t)((sum * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
  return true;
}

/* ---- every call ---- */

static enum kiln_status
refuse_null(const struct kiln_signature *signature, unsigned i, enum kiln_refusal *refusal, struct kiln_error *error)
{
  const struct kiln_op *op = signature->checked.op;
  return kiln_op_refuse(op, KILN_REFUSED_NULL, refusal, error, "Pass allocated memory.",
      "%s has a null data pointer but %llu bytes", op->args[i].name, (unsigned long long)signature->span[i]);
}

static enum kiln_status
refuse_overlap(const struct kiln_signature *signature, const struct kiln_op_pair *pair, const uintptr_t *address,
    enum kiln_refusal *refusal, struct kiln_error *error)
{
  const struct kiln_op *op = signature->checked.op;
  const uintptr_t a = address[pair->written], b = address[pair->other];
  const uintptr_t a_end = a + signature->span[pair->written], b_end = b + signature->span[pair->other];
  const uintptr_t common = (a_end < b_end ? a_end : b_end) - (a > b ? a : b);
  const char *written = op->args[pair->written].name, *other = op->args[pair->other].name;
  return kiln_op_refuse(op, KILN_REFUSED_OVERLAP, refusal, error, "Give what is written its own memory.",
      "%s overlaps %s by %llu bytes; the op writes %s while it uses %s", written, other, (unsigned long long)common,
      written, other);
}

/* The largest stride of a tensor, in bytes, and how much is between one multiple of it and the end of what lies there.
 */
static uint64_t
outermost(const struct kiln_signature *signature, unsigned i, uint64_t *inner)
{
  const struct kiln_checked *checked = &signature->checked;
  const struct kiln_arg *arg = &checked->op->args[i];
  uint64_t most = 0;
  *inner = signature->span[i];
  for (unsigned d = 0; d < arg->ndim; d++) {
    const uint64_t stride = (uint64_t)checked->stride[i][d] * kiln_dtype_bits((enum kiln_dtype)checked->dtype[i]) / 8;
    const int64_t extent = kiln_op_extent(&arg->dim[d], checked->axis);
    if (extent < 2 || stride <= most)
      continue;
    most = stride;
    *inner = signature->span[i] - (uint64_t)(extent - 1) * stride;
  }
  return most;
}

/* Parts of one tensor that lie between each other: queries and keys of one projection, both halves of [n, 2, …]. */
static bool
interleaved(const struct kiln_signature *signature, const struct kiln_op_pair *pair, uintptr_t a, uintptr_t b)
{
  uint64_t inner_a, inner_b;
  const uint64_t stride = outermost(signature, pair->written, &inner_a);
  if (stride == 0 || stride != outermost(signature, pair->other, &inner_b))
    return false;
  const uint64_t behind = b >= a ? (b - a) % stride : (stride - (a - b) % stride) % stride;
  return behind >= inner_a && stride - behind >= inner_b;
}

enum kiln_status
kiln_signature_check_call(const struct kiln_signature *signature, const struct kiln_value *values,
    const uintptr_t *address, enum kiln_refusal *refusal, struct kiln_error *error)
{
  const struct kiln_op *op = signature->checked.op;
  for (uint32_t left = signature->checked.tensors; left; left &= left - 1) {
    const unsigned i = (unsigned)__builtin_ctz(left);
    if (!values[i].as.tensor->data && signature->span[i])
      return refuse_null(signature, i, refusal, error);
  }
  for (unsigned k = 0; k < signature->nranged; k++) {
    const unsigned i = signature->ranged[k];
    const enum kiln_status status = kiln_op_check_range(op, i, &values[i], refusal, error);
    if (status != KILN_OK)
      return status;
  }
  for (unsigned k = 0; k < signature->npairs; k++) {
    const struct kiln_op_pair *pair = &signature->pairs[k];
    const uintptr_t a = address[pair->written], b = address[pair->other];
    const bool overlap = a < b + signature->span[pair->other] && b < a + signature->span[pair->written];
    if (overlap && !(pair->same_ok && a == b) && !interleaved(signature, pair, a, b))
      return refuse_overlap(signature, pair, address, refusal, error);
  }
  return KILN_OK;
}
