#include "op/tool/bad.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "op/text.h"

/* Ways to be wrong. A maker returns false when it does not apply to this argument, or not to this part of it; parts
 * count up from 0 for as long as it applies. */

static const struct kiln_arg *
arg_of(const struct kiln_bad *bad)
{
  return &bad->trial->op->args[bad->arg];
}

/* A copy of the tensor that may be changed; NULL when the argument is none. */
static struct kiln_tensor *
own_tensor(const struct kiln_bad *bad, struct kiln_bad_call *call)
{
  struct kiln_value *value = &call->values[bad->arg];
  if (value->tag != KILN_VALUE_TENSOR)
    return NULL;
  call->tensor = *value->as.tensor;
  memcpy(call->shape, call->tensor.shape, (size_t)call->tensor.ndim * sizeof *call->shape);
  memcpy(call->strides, call->tensor.strides, (size_t)call->tensor.ndim * sizeof *call->strides);
  call->tensor.shape = call->shape;
  call->tensor.strides = call->strides;
  value->as.tensor = &call->tensor;
  return &call->tensor;
}

static bool
is_empty(const struct kiln_tensor *tensor)
{
  for (int32_t d = 0; d < tensor->ndim; d++)
    if (tensor->shape[d] == 0)
      return true;
  return false;
}

static void
say(struct kiln_bad_call *call, const struct kiln_bad *bad, const char *what, enum kiln_refusal expect)
{
  snprintf(call->what, sizeof call->what, "%s: %s", arg_of(bad)->name, what);
  call->arg = bad->arg;
  call->expect = expect;
}

/* ---- tensors ---- */

static bool
wrong_dtype(const struct kiln_bad *bad, struct kiln_bad_call *call)
{
  const struct kiln_arg *arg = arg_of(bad);
  const uint32_t allowed = arg->type ? bad->trial->op->types[arg->type - 1].set : KILN_BIT(arg->fixed);
  struct kiln_tensor *tensor = own_tensor(bad, call);
  unsigned left = bad->part;
  if (!tensor)
    return false;
  for (unsigned dtype = 1; dtype < KILN_DTYPE_COUNT; dtype++) {
    const bool other = !(allowed & KILN_BIT(dtype));
    if (other && left-- == 0) {
      tensor->type = kiln_dtype_to_tensor((enum kiln_dtype)dtype);
      say(call, bad, kiln_dtype_name((enum kiln_dtype)dtype), KILN_REFUSED_DTYPE);
      return true;
    }
  }
  tensor->type = (struct kiln_tensor_type){2, 64, 1};
  say(call, bad, "float64", KILN_REFUSED_DTYPE);
  return left == 0;
}

static bool
wrong_lanes(const struct kiln_bad *bad, struct kiln_bad_call *call)
{
  struct kiln_tensor *tensor = own_tensor(bad, call);
  if (!tensor || bad->part)
    return false;
  tensor->type.lanes = 2;
  say(call, bad, "two lanes", KILN_REFUSED_DTYPE);
  return true;
}

/* A tensor that may do without a dimension is right without it when no other says that it is there. */
static bool
rank_may_be(const struct kiln_bad *bad, int32_t ndim)
{
  const struct kiln_op *op = bad->trial->op;
  unsigned alike = 0;
  for (unsigned i = 0; i < op->nargs; i++)
    alike += op->args[i].absent && bad->trial->values[i].tag == KILN_VALUE_TENSOR;
  return arg_of(bad)->absent && alike == 1 && (ndim == arg_of(bad)->ndim || ndim == arg_of(bad)->ndim - 1);
}

/* Dimensions of extent 1 in front, or the last ones gone. */
static void
set_rank(struct kiln_bad_call *call, struct kiln_tensor *tensor, int32_t change)
{
  for (; change > 0; change--, tensor->ndim++) {
    memmove(call->shape + 1, call->shape, (size_t)tensor->ndim * sizeof *call->shape);
    memmove(call->strides + 1, call->strides, (size_t)tensor->ndim * sizeof *call->strides);
    call->shape[0] = 1;
    call->strides[0] = 1;
  }
  tensor->ndim += change;
}

static bool
wrong_rank(const struct kiln_bad *bad, struct kiln_bad_call *call)
{
  static const int32_t changes[] = {1, -1, 2, -2};
  struct kiln_tensor *tensor = own_tensor(bad, call);
  const unsigned count = tensor && arg_of(bad)->absent ? 4 : 2;
  unsigned left = bad->part;
  char what[48];
  for (unsigned k = 0; k < count && tensor; k++) {
    const int32_t ndim = tensor->ndim + changes[k];
    if (ndim < 0 || rank_may_be(bad, ndim) || left--)
      continue;
    snprintf(what, sizeof what, "%d dimensions instead of %d", ndim, tensor->ndim);
    say(call, bad, what, KILN_REFUSED_RANK);
    set_rank(call, tensor, changes[k]);
    return true;
  }
  return false;
}

static bool
no_shape(const struct kiln_bad *bad, struct kiln_bad_call *call)
{
  struct kiln_tensor *tensor = own_tensor(bad, call);
  if (!tensor || bad->part || tensor->ndim == 0)
    return false;
  tensor->shape = NULL;
  say(call, bad, "no shape", KILN_REFUSED_RANK);
  return true;
}

static unsigned
count_tensors(const struct kiln_bad *bad)
{
  unsigned count = 0;
  for (unsigned i = 0; i < bad->trial->op->nargs; i++)
    count += bad->trial->values[i].tag == KILN_VALUE_TENSOR;
  return count;
}

/* An axis that others bind too, or a number: one more is one too many. */
static bool
is_shared(const struct kiln_bad *bad, const struct kiln_dim *dim)
{
  const struct kiln_op *op = bad->trial->op;
  unsigned uses = 0;
  if (!dim->axis || op->axes[dim->axis].kind == KILN_AXIS_DERIVED || dim->div > 1)
    return true;
  for (unsigned i = 0; i < op->nargs; i++) {
    const struct kiln_arg *arg = &op->args[i];
    uses += arg->flags & KILN_BINDS && arg->axis == dim->axis && bad->trial->values[i].tag != KILN_VALUE_NONE;
    for (unsigned d = 0; d < arg->ndim && bad->trial->values[i].tag == KILN_VALUE_TENSOR; d++)
      uses += arg->dim[d].axis == dim->axis && arg->dim[d].div <= 1 && !(arg->flags & KILN_AT_LEAST);
  }
  return uses > 1;
}

static bool
wrong_extent(const struct kiln_bad *bad, struct kiln_bad_call *call)
{
  const struct kiln_arg *arg = arg_of(bad);
  const struct kiln_op *op = bad->trial->op;
  struct kiln_tensor *tensor = own_tensor(bad, call);
  if (!tensor || bad->part >= (unsigned)tensor->ndim)
    return false;
  const uint8_t *perm = arg->flags & KILN_LAYOUTED ? op->layouts[bad->trial->layout].perm : NULL;
  const bool more = arg->flags & KILN_AT_LEAST;
  const bool shared = is_shared(bad, &arg->dim[kiln_op_place(arg, perm, tensor->ndim, bad->part)]);
  call->shape[bad->part] += !shared || (more && call->shape[bad->part] == 0) ? -call->shape[bad->part] - 1
                            : more                                           ? -1
                                                                             : 1;
  say(call, bad, "another extent", KILN_REFUSED_EXTENT);
  call->arg = KILN_OP_ARGS; /* the sentence names the argument that came later */
  return true;
}

static bool
negative_extent(const struct kiln_bad *bad, struct kiln_bad_call *call)
{
  struct kiln_tensor *tensor = own_tensor(bad, call);
  if (!tensor || bad->part >= (unsigned)tensor->ndim)
    return false;
  call->shape[bad->part] = -1;
  say(call, bad, "a negative extent", KILN_REFUSED_EXTENT);
  return true;
}

static bool
huge_stride(const struct kiln_bad *bad, struct kiln_bad_call *call)
{
  const struct kiln_arg *arg = arg_of(bad);
  struct kiln_tensor *tensor = own_tensor(bad, call);
  if (!tensor || bad->part || tensor->ndim < 2 || tensor->shape[0] < 2 || arg->flags & KILN_CONTIGUOUS ||
      is_empty(tensor))
    return false;
  call->strides[0] = INT64_MAX / 2;
  say(call, bad, "a stride beyond 64 bits", KILN_REFUSED_SIZE);
  return true;
}

static bool
loose_inner(const struct kiln_bad *bad, struct kiln_bad_call *call)
{
  const struct kiln_arg *arg = arg_of(bad);
  struct kiln_tensor *tensor = own_tensor(bad, call);
  if (!tensor || bad->part || tensor->ndim == 0 || arg->flags & KILN_ANY_STRIDE ||
      tensor->shape[tensor->ndim - 1] < 2 || is_empty(tensor))
    return false;
  call->strides[tensor->ndim - 1] = 2;
  say(call, bad, "a last dimension that is not contiguous", KILN_REFUSED_STRIDE);
  return true;
}

static bool
negative_stride(const struct kiln_bad *bad, struct kiln_bad_call *call)
{
  struct kiln_tensor *tensor = own_tensor(bad, call);
  if (!tensor || bad->part || tensor->ndim == 0 || tensor->shape[0] < 2 || is_empty(tensor))
    return false;
  call->strides[0] = -call->strides[0];
  say(call, bad, "a negative stride", KILN_REFUSED_STRIDE);
  return true;
}

static bool
overlapping_rows(const struct kiln_bad *bad, struct kiln_bad_call *call)
{
  const struct kiln_arg *arg = arg_of(bad);
  struct kiln_tensor *tensor = own_tensor(bad, call);
  if (!tensor || bad->part || arg->role == KILN_IN || tensor->ndim < 2 || tensor->shape[0] < 2 ||
      arg->flags & KILN_CONTIGUOUS || is_empty(tensor))
    return false;
  call->strides[0] = 0;
  say(call, bad, "rows that are written over each other", KILN_REFUSED_STRIDE);
  return true;
}

static bool
misaligned(const struct kiln_bad *bad, struct kiln_bad_call *call)
{
  struct kiln_tensor *tensor = own_tensor(bad, call);
  if (!tensor || bad->part || tensor->type.bits <= 8)
    return false;
  tensor->byte_offset += 1;
  say(call, bad, "begins inside an element", KILN_REFUSED_ALIGNMENT);
  return true;
}

static bool
null_data(const struct kiln_bad *bad, struct kiln_bad_call *call)
{
  struct kiln_tensor *tensor = own_tensor(bad, call);
  if (!tensor || bad->part || is_empty(tensor))
    return false;
  tensor->data = NULL;
  tensor->byte_offset = 0;
  say(call, bad, "NULL data", KILN_REFUSED_NULL);
  return true;
}

static bool
other_device(const struct kiln_bad *bad, struct kiln_bad_call *call)
{
  struct kiln_tensor *tensor = own_tensor(bad, call);
  if (!tensor || bad->part > 1 || (bad->part && count_tensors(bad) < 2))
    return false;
  if (bad->part)
    tensor->device.id += 1;
  else
    tensor->device.type = 7;
  say(call, bad, bad->part ? "another device" : "a kind of device that nothing runs on", KILN_REFUSED_DEVICE);
  call->arg = KILN_OP_ARGS;
  return true;
}

static bool
overlap(const struct kiln_bad *bad, struct kiln_bad_call *call)
{
  const struct kiln_trial *trial = bad->trial;
  struct kiln_tensor *tensor = own_tensor(bad, call);
  unsigned left = bad->part;
  if (!tensor || arg_of(bad)->role == KILN_IN || is_empty(tensor))
    return false;
  for (unsigned i = 0; i < trial->op->nargs; i++) {
    const struct kiln_value *other = &trial->values[i];
    const bool may_be_same = arg_of(bad)->alias == i + 1 || trial->op->args[i].alias == bad->arg + 1;
    if (i == bad->arg || other->tag != KILN_VALUE_TENSOR || is_empty(other->as.tensor) || left--)
      continue;
    /* The very same memory may be allowed; from its last byte on never is, but must be an element of both. */
    tensor->data = other->as.tensor->data;
    tensor->byte_offset = other->as.tensor->byte_offset;
    say(call, bad, "the memory of another tensor", KILN_REFUSED_OVERLAP);
    return !may_be_same && other->as.tensor->type.bits >= tensor->type.bits;
  }
  return false;
}

/* ---- values ---- */

static bool
missing(const struct kiln_bad *bad, struct kiln_bad_call *call)
{
  const struct kiln_arg *arg = arg_of(bad);
  if (bad->part || arg->flags & KILN_OPTIONAL)
    return false;
  call->values[bad->arg] = (struct kiln_value){0};
  say(call, bad, "missing", KILN_REFUSED_MISSING);
  return true;
}

static bool
wrong_kind(const struct kiln_bad *bad, struct kiln_bad_call *call)
{
  if (bad->part > 1)
    return false;
  call->values[bad->arg] = (struct kiln_value){KILN_VALUE_OTHER, {.integer = 0}};
  if (bad->part) {
    const bool number = arg_of(bad)->kind != KILN_ARG_TENSOR;
    call->values[bad->arg] = number ? (struct kiln_value){KILN_VALUE_TENSOR, {.tensor = NULL}}
                                    : (struct kiln_value){KILN_VALUE_INT, {.integer = 3}};
  }
  say(call, bad, bad->part ? "a tensor for a number, or a number for a tensor" : "something else", KILN_REFUSED_KIND);
  return true;
}

static bool
out_of_range(const struct kiln_bad *bad, struct kiln_bad_call *call)
{
  const struct kiln_arg *arg = arg_of(bad);
  struct kiln_value *value = &call->values[bad->arg];
  if (bad->part > 2)
    return false;
  say(call, bad, bad->part == 0 ? "too small" : bad->part == 1 ? "too large" : "not a number", KILN_REFUSED_RANGE);
  if (arg->kind == KILN_ARG_REAL || arg->kind == KILN_ARG_TENSOR_OR_REAL) {
    value->tag = KILN_VALUE_REAL;
    value->as.real = bad->part == 0   ? arg->real.lo - 1 - fabs(arg->real.lo) / 2
                     : bad->part == 1 ? arg->real.hi + 1 + fabs(arg->real.hi) / 2
                                      : (double)NAN;
    return true;
  }
  value->tag = KILN_VALUE_INT;
  if (arg->kind == KILN_ARG_BOOL || arg->kind == KILN_ARG_ENUM) {
    value->as.integer = bad->part ? 1000 : -1;
    call->expect = arg->kind == KILN_ARG_ENUM ? KILN_REFUSED_NAME : KILN_REFUSED_RANGE;
    return bad->part < 2;
  }
  value->as.integer = bad->part ? arg->integer.hi + 1 : arg->integer.lo - 1;
  return bad->part < 2 && (bad->part ? arg->integer.hi < INT64_MAX : arg->integer.lo > INT64_MIN) &&
         (arg->kind == KILN_ARG_INT || arg->kind == KILN_ARG_TENSOR_OR_INT);
}

static bool
unknown_name(const struct kiln_bad *bad, struct kiln_bad_call *call)
{
  if (bad->part || arg_of(bad)->kind != KILN_ARG_ENUM)
    return false;
  call->values[bad->arg] = (struct kiln_value){KILN_VALUE_TEXT, {.text = "no such name"}};
  say(call, bad, "a name that is not in the list", KILN_REFUSED_NAME);
  return true;
}

/* ---- one after the other ---- */

static bool (*const kinds[])(const struct kiln_bad *bad, struct kiln_bad_call *call) = {
    wrong_dtype,
    wrong_lanes,
    wrong_rank,
    no_shape,
    wrong_extent,
    negative_extent,
    huge_stride,
    loose_inner,
    negative_stride,
    overlapping_rows,
    misaligned,
    null_data,
    other_device,
    overlap,
    missing,
    wrong_kind,
    out_of_range,
    unknown_name,
};

/* Behind the last argument: one argument too few, and one too many. */
static bool
wrong_count(struct kiln_bad *bad, struct kiln_bad_call *call)
{
  if (bad->part > 1)
    return false;
  call->count = bad->part ? call->count + 1 : call->count - 1;
  snprintf(call->what, sizeof call->what, "%u arguments", call->count);
  call->arg = KILN_OP_ARGS;
  call->expect = KILN_REFUSED_COUNT;
  bad->part++;
  return call->count < KILN_OP_ARGS;
}

bool
kiln_bad_next(struct kiln_bad *bad, struct kiln_bad_call *call)
{
  const struct kiln_trial *trial = bad->trial;
  for (;;) {
    memset(call->values, 0, sizeof call->values);
    memcpy(call->values, trial->values, trial->op->nargs * sizeof *call->values);
    call->count = trial->op->nargs;
    if (bad->arg == trial->op->nargs)
      return wrong_count(bad, call);
    const unsigned part = bad->part++;
    const struct kiln_bad now = {trial, bad->arg, bad->kind, part};
    if (kinds[bad->kind](&now, call))
      return true;
    if (part < 16 && (kinds[bad->kind] == overlap))
      continue; /* parts that do not apply lie between others */
    bad->part = 0;
    if (++bad->kind == sizeof kinds / sizeof *kinds) {
      bad->kind = 0;
      bad->arg++;
    }
  }
}
