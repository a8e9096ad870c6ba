#include "op/tool/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "op/tool/fill.h"
#include "op/tool/memory.h"

#define MOST_ELEMENTS (INT64_C(1) << 44)
#define GARBAGE 0xa5

/* One tensor: as the op sees it, and as the reference does. */
struct kiln_trial_memory {
  struct kiln_block block;
  struct kiln_tensor tensor;
  struct kiln_place place;
  int64_t count; /* elements */
  enum kiln_dtype dtype;
  double *real; /* one of the two; dense, in canonical order */
  int64_t *integer;
  struct kiln_block before;          /* the block as it was before the call */
  struct kiln_trial_memory *same_as; /* shares its block and its data */
};

/* ---- what is to be tried ---- */

/* Product of all sets, the last variable fastest. */
static bool
product(const struct kiln_op *op, unsigned index, uint8_t *type)
{
  for (unsigned i = op->ntypes; i-- > 0;) {
    const unsigned count = (unsigned)__builtin_popcount(op->types[i].set);
    unsigned place = index % count;
    index /= count;
    for (unsigned dtype = 1; dtype < KILN_DTYPE_COUNT; dtype++)
      if (op->types[i].set & KILN_BIT(dtype) && place-- == 0)
        type[i] = (uint8_t)dtype;
  }
  return index == 0;
}

bool
kiln_trial_types(const struct kiln_op *op, unsigned index, uint8_t *type)
{
  memset(type, 0, KILN_OP_TYPES);
  if (!op->combos)
    return product(op, index, type);
  if (index >= op->ncombos)
    return false;
  memcpy(type, op->combos[index], op->ntypes);
  return true;
}

static bool
may_be_tensor(const struct kiln_arg *arg)
{
  return arg->kind == KILN_ARG_TENSOR || arg->kind == KILN_ARG_TENSOR_OR_INT || arg->kind == KILN_ARG_TENSOR_OR_REAL;
}

static bool
is_real(const struct kiln_arg *arg)
{
  return arg->kind == KILN_ARG_REAL || arg->kind == KILN_ARG_TENSOR_OR_REAL;
}

void
kiln_trial_init(struct kiln_trial *trial, struct kiln *kiln, const struct kiln_op *op, const struct kiln_case *shape)
{
  memset(trial, 0, sizeof *trial);
  trial->op = op;
  trial->kiln = kiln;
  trial->device = (struct kiln_tensor_device){KILN_DEVICE_CPU, 0};
  for (unsigned i = 1; i < op->naxes; i++)
    trial->axis[i] = shape->axis[i];
  const unsigned absent = kiln_op_absent_axis(op);
  if (absent && shape->axis[absent] == 0) {
    trial->axis[absent] = 1;
    trial->absent = true;
  }
  trial->given = shape->given;
  for (size_t i = 0; i < sizeof shape->set / sizeof *shape->set && shape->set[i].arg; i++) {
    trial->set |= KILN_BIT(shape->set[i].arg - 1u);
    trial->number[shape->set[i].arg - 1] = shape->set[i].value;
  }
  kiln_trial_types(op, 0, trial->type);
}

unsigned
kiln_trial_absent(const struct kiln_trial *trial)
{
  const unsigned axis = kiln_op_absent_axis(trial->op);
  return trial->absent && trial->axis[axis] == 1 ? axis : 0;
}

/* ---- numbers ---- */

/* What the reference sees when nothing is said. */
static double
standard(const struct kiln_trial *trial, unsigned i)
{
  const struct kiln_arg *arg = &trial->op->args[i];
  if (arg->flags & KILN_BINDS)
    return (double)trial->axis[arg->axis];
  return is_real(arg) ? arg->real.def : (double)arg->integer.def;
}

static void
make_number(struct kiln_trial *trial, unsigned i)
{
  const struct kiln_arg *arg = &trial->op->args[i];
  const bool layout = trial->op->layouts && trial->op->layout_arg == i + 1;
  const bool set = trial->set & KILN_BIT(i);
  const bool passed = set || !(arg->flags & KILN_OPTIONAL) || trial->given & KILN_BIT(i) || (layout && trial->layout);
  const double number = layout && !set ? (double)trial->layout : set ? trial->number[i] : standard(trial, i);
  struct kiln_value *value = &trial->numbers[i];
  value->tag = is_real(arg) ? KILN_VALUE_REAL : arg->kind == KILN_ARG_BOOL ? KILN_VALUE_BOOL : KILN_VALUE_INT;
  if (is_real(arg))
    value->as.real = number;
  else
    value->as.integer = (int64_t)number;
  if (passed)
    trial->values[i] = *value;
}

/* ---- tensors ---- */

static bool
is_tensor_here(const struct kiln_trial *trial, unsigned i)
{
  const struct kiln_arg *arg = &trial->op->args[i];
  if (!may_be_tensor(arg) || (arg->kind != KILN_ARG_TENSOR && trial->set & KILN_BIT(i)))
    return false;
  return !(arg->flags & KILN_OPTIONAL) || trial->given & KILN_BIT(i);
}

static const uint8_t *
perm_of(const struct kiln_trial *trial, const struct kiln_arg *arg)
{
  return arg->flags & KILN_LAYOUTED && trial->op->layouts ? trial->op->layouts[trial->layout].perm : NULL;
}

static enum kiln_dtype
dtype_of(const struct kiln_trial *trial, const struct kiln_arg *arg)
{
  return arg->type ? (enum kiln_dtype)trial->type[arg->type - 1] : (enum kiln_dtype)arg->fixed;
}

/* Extents from axes, then where everything lies. */
static enum kiln_status
measure(const struct kiln_trial *trial, unsigned i, struct kiln_place *place, int64_t *count, struct kiln_error *error)
{
  const struct kiln_arg *arg = &trial->op->args[i];
  *count = 1;
  place->ndim = arg->ndim - (arg->absent && kiln_trial_absent(trial));
  for (unsigned d = 0; d < place->ndim; d++) {
    int64_t *extent = &place->extent[d];
    *extent = kiln_op_extent(&arg->dim[kiln_op_place(arg, NULL, (int32_t)place->ndim, d)], trial->axis);
    if (*extent < 0 || *extent > MOST_ELEMENTS || __builtin_mul_overflow(*count, *extent, count) ||
        *count > MOST_ELEMENTS) {
      kiln_error_set(error, KILN_ERROR_ARGUMENT, "%s.shape[%u] would be %lld", arg->name, d, (long long)*extent);
      kiln_error_advise(error, "Use other sizes.");
      return KILN_ERROR_ARGUMENT;
    }
  }
  kiln_place_tensor(place, arg, perm_of(trial, arg), trial->form, kiln_dtype_bits(dtype_of(trial, arg)) / 8);
  return KILN_OK;
}

static void
write_elements(struct kiln_trial_memory *memory)
{
  unsigned char *data = memory->block.host + memory->block.guard;
  int64_t step;
  const int64_t row = kiln_place_row(&memory->place, &step);
  for (int64_t k = 0; k < memory->count; k += row) {
    const int64_t at = kiln_place_index(&memory->place, k);
    for (int64_t j = 0; j < row; j++)
      if (memory->real)
        kiln_dtype_store(memory->dtype, data, at + j * step, memory->real[k + j]);
      else
        kiln_dtype_store_integer(memory->dtype, data, at + j * step, memory->integer[k + j]);
  }
}

static enum kiln_status
allocate(struct kiln_trial *trial, struct kiln_trial_memory *memory, struct kiln_error *error)
{
  const size_t count = (size_t)(memory->count > 0 ? memory->count : 1), size = kiln_dtype_bits(memory->dtype) / 8;
  const struct kiln_place *place = &memory->place;
  const size_t piece = (size_t)place->piece * size;
  enum kiln_status status = place->pieces == 1
                                ? kiln_block_new(trial->kiln, trial->device, piece, &memory->block, error)
                                : kiln_block_new_far(trial->kiln, trial->device, piece, (size_t)place->pieces,
                                      (size_t)place->apart * size, &memory->block, error);
  if (status != KILN_OK)
    return status;
  if (kiln_dtype_is_real(memory->dtype))
    memory->real = calloc(count, sizeof *memory->real);
  else
    memory->integer = calloc(count, sizeof *memory->integer);
  return memory->real || memory->integer
             ? KILN_OK
             : kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for %zu elements", count);
}

static enum kiln_status
make_data(struct kiln_trial *trial, unsigned i, struct kiln_trial_memory *memory, struct kiln_error *error)
{
  struct kiln_rng rng = {trial->seed * UINT64_C(0x9e3779b97f4a7c15) + i + 1};
  enum kiln_status status = allocate(trial, memory, error);
  if (status != KILN_OK)
    return status;
  kiln_block_fill(&memory->block, GARBAGE);
  if (trial->op->args[i].role != KILN_OUT) {
    kiln_fill_argument(trial->op, trial->axis, i, memory->dtype, &rng, memory->count, memory->real, memory->integer);
    write_elements(memory);
  }
  status = kiln_block_remember(&memory->block, &memory->before, error);
  return status == KILN_OK ? kiln_block_up(trial->kiln, &memory->block, trial->stream, error) : status;
}

static enum kiln_status
make_tensor(struct kiln_trial *trial, unsigned i, struct kiln_error *error)
{
  const struct kiln_arg *arg = &trial->op->args[i];
  struct kiln_trial_memory *memory = &trial->memory[i];
  memory->dtype = dtype_of(trial, arg);
  memory->tensor = (struct kiln_tensor){.device = trial->device,
      .type = kiln_dtype_to_tensor(memory->dtype),
      .shape = memory->place.shape,
      .strides = memory->place.strides};
  enum kiln_status status = measure(trial, i, &memory->place, &memory->count, error);
  memory->tensor.ndim = (int32_t)memory->place.ndim;
  if (status == KILN_OK && trial->shapes_only) {
    memory->tensor.data = (void *)((uintptr_t)(i + 1) << 48); /* apart from each other, aligned, never followed */
  } else if (status == KILN_OK) {
    status = make_data(trial, i, memory, error);
    memory->tensor.data = status == KILN_OK ? kiln_block_data(&memory->block) : NULL;
  }
  trial->values[i] = (struct kiln_value){KILN_VALUE_TENSOR, {.tensor = &memory->tensor}};
  return status;
}

/* The output is the input it may be: same memory, and the reference still writes apart. */
static void
share(struct kiln_trial *trial, unsigned i)
{
  const struct kiln_arg *arg = &trial->op->args[i];
  struct kiln_trial_memory *memory = &trial->memory[i];
  if (!(arg->flags & KILN_SAME_AS_OK) || !is_tensor_here(trial, i) || !is_tensor_here(trial, arg->alias - 1u))
    return;
  memory->same_as = &trial->memory[arg->alias - 1];
  memory->tensor.data = memory->same_as->tensor.data;
}

static enum kiln_status
derive(struct kiln_trial *trial, struct kiln_error *error)
{
  const struct kiln_op *op = trial->op;
  for (unsigned i = 1; i < op->naxes; i++)
    if (op->axes[i].kind == KILN_AXIS_DERIVED && !kiln_op_derive(op, i, trial->axis))
      return kiln_error_set(error, KILN_ERROR_ARGUMENT, "%s cannot be computed for these sizes", op->axes[i].name);
  return KILN_OK;
}

/* Bytes over which all tensors reach, and whether one of them does so in pieces. */
static uint64_t
reach(const struct kiln_trial *trial, bool *far)
{
  uint64_t bytes = 0;
  *far = false;
  for (unsigned i = 0; i < trial->op->nargs; i++) {
    struct kiln_place place = {0};
    int64_t count;
    if (!is_tensor_here(trial, i) || measure(trial, i, &place, &count, NULL) != KILN_OK)
      continue;
    *far = *far || place.pieces > 1;
    bytes += (uint64_t)((place.pieces - 1) * place.apart + place.piece) *
             (kiln_dtype_bits(dtype_of(trial, &trial->op->args[i])) / 8);
  }
  return bytes;
}

bool
kiln_trial_reaches_far(const struct kiln_trial *trial)
{
  struct kiln_trial derived = *trial;
  bool far;
  if (derive(&derived, NULL) != KILN_OK)
    return false;
  (void)reach(&derived, &far);
  return far;
}

/* A far form has to be one for these sizes, and the device must have room for it. */
static enum kiln_status
check_far(const struct kiln_trial *trial, struct kiln_error *error)
{
  bool far;
  const uint64_t bytes = reach(trial, &far);
  if (far)
    return kiln_block_ask(trial->kiln, trial->device, bytes, error);
  kiln_error_set(error, KILN_ERROR_ARGUMENT, "no tensor of '%s' has 2 to %d rows that the form '%s' could put apart",
      trial->op->name, KILN_PLACE_ROWS, kiln_form_name(trial->form));
  kiln_error_advise(error, "Use other sizes, or another form.");
  return KILN_ERROR_ARGUMENT;
}

enum kiln_status
kiln_trial_make(struct kiln_trial *trial, struct kiln_error *error)
{
  const struct kiln_op *op = trial->op;
  trial->memory = calloc(op->nargs, sizeof *trial->memory);
  if (!trial->memory)
    return kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for a trial of '%s'", op->name);
  enum kiln_status status = derive(trial, error);
  if (status == KILN_OK && !trial->shapes_only)
    status = kiln_block_begin(trial->kiln, trial->device, &trial->stream, error);
  if (status == KILN_OK && !trial->shapes_only && kiln_form_is_far(trial->form))
    status = check_far(trial, error);
  for (unsigned i = 0; i < op->nargs && status == KILN_OK; i++) {
    if (op->args[i].kind != KILN_ARG_TENSOR)
      make_number(trial, i);
    if (is_tensor_here(trial, i))
      status = make_tensor(trial, i, error);
  }
  for (unsigned i = 0; i < op->nargs && status == KILN_OK && trial->in_place; i++)
    share(trial, i);
  return status;
}

void
kiln_trial_release(struct kiln_trial *trial)
{
  for (unsigned i = 0; i < trial->op->nargs && trial->memory && !trial->shapes_only; i++) {
    kiln_block_free(trial->kiln, &trial->memory[i].block);
    free(trial->memory[i].real);
    free(trial->memory[i].integer);
    kiln_block_free(trial->kiln, &trial->memory[i].before);
  }
  free(trial->memory);
  trial->memory = NULL;
  if (!trial->shapes_only)
    kiln_block_end(trial->kiln, trial->device, trial->stream);
  trial->stream = NULL;
}

/* ---- the call ---- */

enum kiln_status
kiln_trial_call(struct kiln_trial *trial, enum kiln_refusal *refusal, struct kiln_error *error)
{
  const struct kiln_op_request request = {trial->op, trial->stream, trial->values, trial->op->nargs, false};
  const enum kiln_status status = kiln_op_invoke(trial->kiln, &request, refusal, error);
  return status == KILN_OK ? kiln_block_wait(trial->kiln, trial->device, trial->stream, error) : status;
}

enum kiln_status
kiln_trial_reset(struct kiln_trial *trial, struct kiln_error *error)
{
  enum kiln_status status = KILN_OK;
  for (unsigned i = 0; i < trial->op->nargs && status == KILN_OK; i++) {
    struct kiln_trial_memory *memory = &trial->memory[i];
    if (!memory->block.host)
      continue;
    kiln_block_recall(&memory->block, &memory->before);
    status = kiln_block_up(trial->kiln, &memory->block, trial->stream, error);
  }
  return status;
}

static enum kiln_status
read_back(struct kiln_trial *trial, struct kiln_error *error)
{
  enum kiln_status status = KILN_OK;
  for (unsigned i = 0; i < trial->op->nargs && status == KILN_OK; i++)
    if (trial->memory[i].block.host)
      status = kiln_block_down(trial->kiln, &trial->memory[i].block, trial->stream, error);
  return status;
}

enum kiln_status
kiln_trial_untouched(struct kiln_trial *trial, bool *untouched, struct kiln_error *error)
{
  const enum kiln_status status = read_back(trial, error);
  *untouched = true;
  for (unsigned i = 0; i < trial->op->nargs; i++) {
    const struct kiln_trial_memory *memory = &trial->memory[i];
    int64_t at;
    if (memory->block.host)
      *untouched = *untouched && !kiln_block_differs(&memory->block, &memory->before, &at);
  }
  return status;
}

uint64_t
kiln_trial_bytes(const struct kiln_trial *trial)
{
  uint64_t bytes = 0;
  if (trial->op->bytes)
    return (uint64_t)trial->op->bytes(trial->axis, trial->type);
  for (unsigned i = 0; i < trial->op->nargs; i++) {
    const struct kiln_trial_memory *memory = &trial->memory[i];
    if (memory->block.host)
      bytes += (uint64_t)memory->count * kiln_dtype_bits(memory->dtype) / 8 *
               (trial->op->args[i].role == KILN_INOUT ? 2 : 1);
  }
  return bytes;
}

const struct kiln_block *
kiln_trial_block(const struct kiln_trial *trial, unsigned i)
{
  const struct kiln_trial_memory *memory = &trial->memory[i];
  return memory->block.host && !memory->same_as ? &memory->block : NULL;
}

/* ---- comparing ---- */

static void
run_reference(const struct kiln_trial *trial)
{
  uint8_t dtype[KILN_OP_ARGS] = {0};
  struct kiln_reference data = {.op = trial->op, .axis = trial->axis, .dtype = dtype, .numbers = trial->numbers};
  for (unsigned i = 0; i < trial->op->nargs; i++) {
    const struct kiln_trial_memory *memory = &trial->memory[i];
    dtype[i] = (uint8_t)memory->dtype;
    data.real[i] = memory->real;
    data.integer[i] = memory->integer;
    if (trial->values[i].tag != KILN_VALUE_NONE)
      data.given |= KILN_BIT(i);
  }
  trial->op->reference(&data);
}

static const float *
tolerance_of(const struct kiln_op *op, enum kiln_dtype dtype)
{
  static const float standards[KILN_DTYPE_COUNT][2] = {[KILN_DTYPE_F32] = {1e-5F, 1e-5F},
      [KILN_DTYPE_F16] = {1e-3F, 1e-3F},
      [KILN_DTYPE_BF16] = {1e-2F, 1e-2F},
      [KILN_DTYPE_E4M3] = {1e-1F, 1e-1F},
      [KILN_DTYPE_E5M2] = {1e-1F, 2e-1F}};
  const float *own = op->tolerance[dtype];
  return own[0] != 0 || own[1] != 0 ? own : standards[dtype];
}

static void
say(struct kiln_trial_result *result, const struct kiln_arg *arg, int64_t k, double got, double want)
{
  snprintf(result->worst, sizeof result->worst, "%s, element %lld: %.9g instead of %.9g", arg->name, (long long)k, got,
      want);
}

static void
compare_element(const struct kiln_arg *arg, const float *tolerance, int64_t k, double got, double want,
    struct kiln_trial_result *result)
{
  const double difference = fabs(got - want);
  if (got == want || (isnan(got) && isnan(want)))
    return;
  const bool good = difference <= (double)tolerance[0] + (double)tolerance[1] * fabs(want);
  if (!(difference <= result->max_abs_err) || (!good && result->ok))
    say(result, arg, k, got, want);
  if (!(difference <= result->max_abs_err))
    result->max_abs_err = difference;
  if (want != 0 && !(difference / fabs(want) <= result->max_rel_err))
    result->max_rel_err = difference / fabs(want);
  result->ok = result->ok && good;
}

static void
compare_output(const struct kiln_trial *trial, unsigned i, struct kiln_trial_result *result)
{
  const struct kiln_arg *arg = &trial->op->args[i];
  const struct kiln_trial_memory *memory = &trial->memory[i], *from = memory->same_as ? memory->same_as : memory;
  const unsigned char *data = from->block.host + from->block.guard;
  const float *tolerance = tolerance_of(trial->op, memory->dtype);
  int64_t step;
  const int64_t row = kiln_place_row(&memory->place, &step);
  for (int64_t k = 0; k < memory->count; k += row) {
    const int64_t at = kiln_place_index(&memory->place, k);
    for (int64_t j = 0; j < row; j++)
      compare_element(arg, tolerance, k + j, kiln_dtype_load(memory->dtype, data, at + j * step),
          memory->real ? memory->real[k + j] : (double)memory->integer[k + j], result);
  }
}

static void
put_back(struct kiln_trial_memory *memory, size_t at, int64_t row, size_t step, size_t size)
{
  for (int64_t j = 0; j < row; j++, at += step)
    memcpy(memory->block.host + at, memory->before.host + at, size);
}

/* Everything that is no element of a result must be as before. The elements themselves are put back first. */
static void
compare_rest(struct kiln_trial *trial, unsigned i, struct kiln_trial_result *result)
{
  const struct kiln_arg *arg = &trial->op->args[i];
  struct kiln_trial_memory *memory = &trial->memory[i];
  const size_t size = kiln_dtype_bits(memory->dtype) / 8, guard = memory->block.guard;
  bool written = arg->role != KILN_IN;
  for (unsigned k = 0; k < trial->op->nargs; k++)
    written = written || trial->memory[k].same_as == memory;
  int64_t step;
  const int64_t row = kiln_place_row(&memory->place, &step);
  for (int64_t k = 0; k < memory->count && written; k += row)
    put_back(memory, guard + (size_t)kiln_place_index(&memory->place, k) * size, row, (size_t)step * size, size);
  int64_t at;
  if (!kiln_block_differs(&memory->block, &memory->before, &at) || !result->ok)
    return;
  snprintf(result->worst, sizeof result->worst, "%s: byte %lld of %zu was written, which is no element of a result",
      arg->name, (long long)at, memory->block.bytes);
  result->ok = false;
}

enum kiln_status
kiln_trial_compare(struct kiln_trial *trial, struct kiln_trial_result *result, struct kiln_error *error)
{
  *result = (struct kiln_trial_result){.ok = true};
  const enum kiln_status status = read_back(trial, error);
  if (status != KILN_OK)
    return status;
  run_reference(trial);
  for (unsigned i = 0; i < trial->op->nargs; i++)
    if (trial->memory[i].block.host && trial->op->args[i].role != KILN_IN)
      compare_output(trial, i, result);
  for (unsigned i = 0; i < trial->op->nargs; i++)
    if (trial->memory[i].block.host)
      compare_rest(trial, i, result);
  return KILN_OK;
}
