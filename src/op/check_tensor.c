/* One tensor against its line in the table. */
#include "base/buf.h"
#include "op/check_work.h"
#include "op/text.h"

#define MOST_BYTES (INT64_C(1) << 62)

/* ---- what it is ---- */

static bool
lacks_one(const struct kiln_arg *arg, const struct kiln_tensor *tensor)
{
  return tensor->ndim < arg->ndim;
}

/* All tensors that may do without a dimension have it, or none has. */
static enum kiln_status
check_alike(struct kiln_check_work *work, unsigned i, const struct kiln_tensor *tensor)
{
  const struct kiln_arg *arg = &work->op->args[i];
  if (!arg->absent)
    return KILN_OK;
  if (work->like < 0)
    work->like = (int)i;
  const struct kiln_arg *first = &work->op->args[work->like];
  const struct kiln_tensor *like = work->values[work->like].as.tensor;
  struct kiln_buf shape;
  if (lacks_one(arg, tensor) == lacks_one(first, like))
    return KILN_OK;
  kiln_buf_init(&shape);
  kiln_text_shape(&shape, work->op, arg);
  const enum kiln_status status = KILN_REFUSE(KILN_REFUSED_RANK, "Give both tensors the same dimensions.",
      "%s has %d dimensions, but %s has %d; expected %s, the same for both", arg->name, tensor->ndim, first->name,
      like->ndim, kiln_buf_text(&shape));
  kiln_buf_release(&shape);
  return status;
}

static enum kiln_status
check_rank(struct kiln_check_work *work, unsigned i, const struct kiln_tensor *tensor)
{
  const struct kiln_arg *arg = &work->op->args[i];
  const bool good = tensor->ndim == arg->ndim || (arg->absent && tensor->ndim == arg->ndim - 1);
  struct kiln_buf shape;
  if (good && (tensor->ndim == 0 || tensor->shape))
    return check_alike(work, i, tensor);
  if (good)
    return KILN_REFUSE(
        KILN_REFUSED_RANK, "Fill in the tensor's shape.", "%s has %d dimensions but no shape", arg->name, tensor->ndim);
  kiln_buf_init(&shape);
  if (!arg->absent)
    kiln_buf_printf(&shape, "%u: ", arg->ndim);
  kiln_text_shape(&shape, work->op, arg);
  const enum kiln_status status = KILN_REFUSE(KILN_REFUSED_RANK, "Reshape the tensor.",
      "%s has %d dimensions; expected %s", arg->name, tensor->ndim, kiln_buf_text(&shape));
  kiln_buf_release(&shape);
  return status;
}

static enum kiln_status
refuse_dtype(struct kiln_check_work *work, unsigned i, const struct kiln_tensor *tensor, uint32_t set, const char *name)
{
  struct kiln_buf accepted;
  kiln_buf_init(&accepted);
  kiln_text_dtypes(&accepted, set);
  const enum kiln_status status = KILN_REFUSE(KILN_REFUSED_DTYPE, "Convert the tensor.",
      "%s has dtype %s (code %u, bits %u, lanes %u); %s%s: %s", work->op->args[i].name,
      kiln_dtype_name(kiln_dtype_of_tensor(tensor->type)), tensor->type.code, tensor->type.bits, tensor->type.lanes,
      name ? "accepted for " : "expected", name ? name : "", kiln_buf_text(&accepted));
  kiln_buf_release(&accepted);
  return status;
}

static enum kiln_status
check_dtype(struct kiln_check_work *work, unsigned i, const struct kiln_tensor *tensor)
{
  const struct kiln_arg *arg = &work->op->args[i];
  struct kiln_checked *checked = &work->signature->checked;
  const enum kiln_dtype dtype = kiln_dtype_of_tensor(tensor->type);
  checked->dtype[i] = (uint8_t)dtype;
  if (!arg->type)
    return dtype == (enum kiln_dtype)arg->fixed && dtype ? KILN_OK
                                                         : refuse_dtype(work, i, tensor, KILN_BIT(arg->fixed), NULL);
  const unsigned variable = arg->type - 1u;
  const struct kiln_type *type = &work->op->types[variable];
  if (!dtype || !(type->set & KILN_BIT(dtype)))
    return refuse_dtype(work, i, tensor, type->set, type->name);
  if (!checked->type[variable]) {
    checked->type[variable] = (uint8_t)dtype;
    work->type_by[variable] = (int8_t)i;
  }
  if (checked->type[variable] == dtype)
    return KILN_OK;
  return KILN_REFUSE(KILN_REFUSED_DTYPE, "Give both tensors one dtype.", "%s is %s, but %s made %s %s", arg->name,
      kiln_dtype_name(dtype), work->op->args[work->type_by[variable]].name, type->name,
      kiln_dtype_name((enum kiln_dtype)checked->type[variable]));
}

/* The first tensor says where the op runs. */
static enum kiln_status
check_device(struct kiln_check_work *work, unsigned i, const struct kiln_tensor *tensor)
{
  struct kiln_tensor_device *device = &work->signature->device;
  if (work->first < 0) {
    work->first = (int)i;
    *device = tensor->device;
    const enum kiln_status status = work->checker->target(work->checker->context, *device, &work->target, work->error);
    if (status != KILN_OK && work->refusal)
      *work->refusal = KILN_REFUSED_DEVICE;
    return status;
  }
  if (tensor->device.type == device->type && tensor->device.id == device->id)
    return KILN_OK;
  return KILN_REFUSE(KILN_REFUSED_DEVICE, "Move the tensor.", "%s is on device %d:%d, but %s is on %d:%d",
      work->op->args[i].name, tensor->device.type, tensor->device.id, work->op->args[work->first].name, device->type,
      device->id);
}

/* ---- extents ---- */

static enum kiln_status
refuse_extent(struct kiln_check_work *work, unsigned i, unsigned place, int64_t got, const struct kiln_dim *dim)
{
  const struct kiln_op *op = work->op;
  const int64_t *axis = work->signature->checked.axis;
  struct kiln_buf term;
  char here[80], there[80];
  kiln_buf_init(&term);
  kiln_text_dim(&term, op, dim);
  const char *text = kiln_buf_text(&term);
  const bool derived = dim->axis && op->axes[dim->axis].kind == KILN_AXIS_DERIVED;
  const bool more = op->args[i].flags & KILN_AT_LEAST;
  kiln_check_place(op, (int)i, (int)place, here);
  enum kiln_status status;
  if (!dim->axis)
    status = KILN_REFUSE(KILN_REFUSED_EXTENT, "Fix the extent.", "%s is %lld; expected %s", here, (long long)got, text);
  else if (derived || !(work->bound & KILN_BIT(dim->axis)))
    status = KILN_REFUSE(KILN_REFUSED_EXTENT, "Fix the extent.", "%s is %lld; expected %s%s = %lld (%s is %lld)", here,
        (long long)got, more ? "at least " : "", text, (long long)kiln_op_extent(dim, axis), op->axes[dim->axis].name,
        (long long)axis[dim->axis]);
  else
    status =
        KILN_REFUSE(KILN_REFUSED_EXTENT, "Fix the extent.", "%s is %lld; expected %s%s = %lld, because %s made %s %lld",
            here, (long long)got, more ? "at least " : "", text, (long long)kiln_op_extent(dim, axis),
            kiln_check_place(op, work->by[dim->axis], work->by_dim[dim->axis], there), op->axes[dim->axis].name,
            (long long)axis[dim->axis]);
  kiln_buf_release(&term);
  return status;
}

/* Which dimension of the table an extent is. */
static unsigned
dim_at(const struct kiln_check_work *work, const struct kiln_arg *arg, const struct kiln_tensor *tensor, unsigned place)
{
  return kiln_op_place(arg, arg->flags & KILN_LAYOUTED ? work->perm : NULL, tensor->ndim, place);
}

/* Only a whole axis, shifted or multiplied, can be solved for. */
static bool
solvable(const struct kiln_op *op, const struct kiln_arg *arg, const struct kiln_dim *dim)
{
  return dim->axis && dim->div <= 1 && op->axes[dim->axis].kind != KILN_AXIS_DERIVED && !(arg->flags & KILN_AT_LEAST);
}

static enum kiln_status
solve(struct kiln_check_work *work, unsigned i, unsigned place, int64_t extent, const struct kiln_dim *dim)
{
  const int64_t value = extent - dim->add;
  const bool plain = dim->mul == 1 && dim->add == 0;
  if (value < 0 || value % dim->mul) {
    struct kiln_buf term;
    char here[80];
    kiln_buf_init(&term);
    kiln_text_dim(&term, work->op, dim);
    const enum kiln_status status = KILN_REFUSE(KILN_REFUSED_EXTENT, "Fix the extent.",
        "%s is %lld; expected %s of a whole %s", kiln_check_place(work->op, (int)i, (int)place, here),
        (long long)extent, kiln_buf_text(&term), work->op->axes[dim->axis].name);
    kiln_buf_release(&term);
    return status;
  }
  if (!plain && work->bound & KILN_BIT(dim->axis) && work->signature->checked.axis[dim->axis] != value / dim->mul)
    return refuse_extent(work, i, place, extent, dim);
  return kiln_check_bind(work, dim->axis, value / dim->mul, i, (int)place);
}

static enum kiln_status
check_extents(struct kiln_check_work *work, unsigned i, const struct kiln_tensor *tensor)
{
  const struct kiln_arg *arg = &work->op->args[i];
  char here[80];
  for (unsigned place = 0; place < (unsigned)tensor->ndim; place++) {
    const struct kiln_dim *dim = &arg->dim[dim_at(work, arg, tensor, place)];
    const int64_t extent = tensor->shape[place];
    enum kiln_status status = KILN_OK;
    if (extent < 0)
      return KILN_REFUSE(KILN_REFUSED_EXTENT, "Fix the extent.", "%s is %lld; an extent is not negative",
          kiln_check_place(work->op, (int)i, (int)place, here), (long long)extent);
    if (solvable(work->op, arg, dim))
      status = solve(work, i, place, extent, dim);
    else if (dim->axis)
      work->deferred |= KILN_BIT(i);
    else if (extent != dim->add)
      status = refuse_extent(work, i, place, extent, dim);
    if (status != KILN_OK)
      return status;
  }
  return lacks_one(arg, tensor) ? kiln_check_bind(work, arg->dim[arg->absent - 1].axis, 1, i, -1) : KILN_OK;
}

enum kiln_status
kiln_check_tensor(struct kiln_check_work *work, unsigned i)
{
  const struct kiln_tensor *tensor = work->values[i].as.tensor;
  enum kiln_status status = check_rank(work, i, tensor);
  if (status == KILN_OK)
    status = check_dtype(work, i, tensor);
  if (status == KILN_OK)
    status = check_device(work, i, tensor);
  if (status == KILN_OK)
    status = check_extents(work, i, tensor);
  return status;
}

enum kiln_status
kiln_check_deferred(struct kiln_check_work *work)
{
  for (uint32_t left = work->deferred; left; left &= left - 1) {
    const unsigned i = (unsigned)__builtin_ctz(left);
    const struct kiln_arg *arg = &work->op->args[i];
    const struct kiln_tensor *tensor = work->values[i].as.tensor;
    for (unsigned place = 0; place < (unsigned)tensor->ndim; place++) {
      const struct kiln_dim *dim = &arg->dim[dim_at(work, arg, tensor, place)];
      if (!dim->axis || solvable(work->op, arg, dim))
        continue;
      const int64_t want = kiln_op_extent(dim, work->signature->checked.axis);
      const int64_t got = tensor->shape[place];
      if (got != want && !(arg->flags & KILN_AT_LEAST && got > want))
        return refuse_extent(work, i, place, got, dim);
    }
  }
  return KILN_OK;
}

/* ---- memory ---- */

static enum kiln_status
refuse_stride(struct kiln_check_work *work, unsigned i, unsigned place, int64_t got, int64_t compact)
{
  const struct kiln_arg *arg = &work->op->args[i];
  return KILN_REFUSE(KILN_REFUSED_STRIDE, "Pass a tensor made with .contiguous().",
      "%s.strides[%u] is %lld; expected %lld (%s)", arg->name, place, (long long)got, (long long)compact,
      arg->flags & KILN_CONTIGUOUS ? "a compact tensor" : "the last dimension must be contiguous, outer ones are free");
}

/* Canonical strides and the distance to the last element, in elements. Those of an extent of 1 or of a tensor without
 * elements say nothing (NumPy has 0 there): they are the compact ones. */
static enum kiln_status
check_strides(struct kiln_check_work *work, unsigned i, const struct kiln_tensor *tensor, bool empty, int64_t *last)
{
  const struct kiln_arg *arg = &work->op->args[i];
  int64_t *canonical = work->signature->checked.stride[i], compact = 1;
  bool overflow = false;
  *last = 0;
  for (unsigned place = (unsigned)tensor->ndim; place-- > 0;) {
    const unsigned dim = dim_at(work, arg, tensor, place);
    const int64_t extent = tensor->shape[place];
    const int64_t stride = tensor->strides && extent > 1 && !empty ? tensor->strides[place] : compact;
    const bool fixed =
        arg->flags & KILN_CONTIGUOUS || (place + 1 == (unsigned)tensor->ndim && !(arg->flags & KILN_ANY_STRIDE));
    int64_t reach;
    if (fixed && stride != compact)
      return refuse_stride(work, i, place, stride, compact);
    if (stride < 0)
      return KILN_REFUSE(KILN_REFUSED_STRIDE, "Pass a tensor made with .contiguous().",
          "%s.strides[%u] is %lld; expected no negative stride", arg->name, place, (long long)stride);
    canonical[dim] = stride;
    overflow = overflow || __builtin_mul_overflow(extent > 0 ? extent - 1 : 0, stride, &reach) ||
               __builtin_add_overflow(*last, reach, last);
    overflow = overflow || __builtin_mul_overflow(compact, extent > 0 ? extent : 1, &compact);
    if (lacks_one(arg, tensor) && dim == arg->absent)
      canonical[dim - 1] = compact;
  }
  if (overflow || *last > MOST_BYTES / 8 || compact > MOST_BYTES / 8)
    return KILN_REFUSE(KILN_REFUSED_SIZE, "Make the tensor smaller.",
        "%s has more elements or larger strides than 64 bits can count", arg->name);
  return KILN_OK;
}

/* Does each stride step over everything that smaller strides reach? Enough for all that frameworks make. */
static bool
overlaps_itself(const struct kiln_tensor *tensor)
{
  uint32_t left = 0;
  int64_t reach = 1;
  for (int32_t d = 0; d < tensor->ndim && tensor->strides; d++)
    left |= tensor->shape[d] > 1 ? KILN_BIT(d) : 0;
  while (left) {
    unsigned least = (unsigned)__builtin_ctz(left);
    for (uint32_t rest = left; rest; rest &= rest - 1)
      if (tensor->strides[__builtin_ctz(rest)] < tensor->strides[least])
        least = (unsigned)__builtin_ctz(rest);
    if (tensor->strides[least] < reach)
      return true;
    reach = (tensor->shape[least] - 1) * tensor->strides[least] + reach;
    left &= ~KILN_BIT(least);
  }
  return false;
}

enum kiln_status
kiln_check_memory(struct kiln_check_work *work, unsigned i)
{
  const struct kiln_arg *arg = &work->op->args[i];
  const struct kiln_tensor *tensor = work->values[i].as.tensor;
  const unsigned size = kiln_dtype_bits((enum kiln_dtype)work->signature->checked.dtype[i]) / 8;
  const uintptr_t address = kiln_tensor_address(tensor);
  int64_t last;
  bool empty = false;
  for (int32_t d = 0; d < tensor->ndim; d++)
    empty = empty || tensor->shape[d] == 0;
  const enum kiln_status status = check_strides(work, i, tensor, empty, &last);
  if (status != KILN_OK)
    return status;
  if (address % size)
    return KILN_REFUSE(KILN_REFUSED_ALIGNMENT, "Begin the tensor at an element.",
        "%s begins at address %#llx, which is no multiple of the %u bytes of an element", arg->name,
        (unsigned long long)address, size);
  if (arg->role != KILN_IN && !empty && overlaps_itself(tensor))
    return KILN_REFUSE(KILN_REFUSED_STRIDE, "Pass a tensor made with .contiguous().",
        "%s is written, but its strides let elements overlap", arg->name);
  work->signature->span[i] = empty ? 0 : ((uint64_t)last + 1) * size;
  return KILN_OK;
}
