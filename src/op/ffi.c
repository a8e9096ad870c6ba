#include "op/ffi.h"

#include <stdatomic.h>
#include <string.h>

#include "op/text.h"

/* Defined by tvm-ffi when it is in the process. */
extern void TVMFFIErrorSetRaisedFromCStr(const char *kind, const char *message) __attribute__((weak));
extern void *TVMFFIEnvGetStream(int32_t device_type, int32_t device_id) __attribute__((weak));

/* The only state that no kiln owns: which kiln calls from other languages go to, and who hears of errors. */
static struct {
  _Atomic(struct kiln *) kiln;
  _Atomic(const struct kiln_ffi_host *) host;
} process;

void
kiln_ffi_set_host(const struct kiln_ffi_host *host)
{
  atomic_store(&process.host, host);
}

/* ---- errors ---- */

static int
fail(const char *kind, const struct kiln_error *error)
{
  const struct kiln_ffi_host *host = atomic_load(&process.host);
  struct kiln_buf message;
  kiln_buf_init(&message);
  kiln_buf_printf(&message, "%s%s%s", error->what, *error->remedy ? ". " : "", error->remedy);
  if (TVMFFIErrorSetRaisedFromCStr)
    TVMFFIErrorSetRaisedFromCStr(kind, kiln_buf_text(&message));
  else if (host && host->set_error)
    host->set_error(kind, kiln_buf_text(&message));
  kiln_buf_release(&message);
  return -1;
}

static const char *
kind_of(enum kiln_status status, enum kiln_refusal refusal)
{
  if (status == KILN_ERROR_MEMORY)
    return "MemoryError";
  if (status != KILN_ERROR_ARGUMENT)
    return "RuntimeError";
  switch (refusal) {
  case KILN_REFUSED_COUNT:
  case KILN_REFUSED_KIND:
  case KILN_REFUSED_MISSING:
  case KILN_REFUSED_DTYPE:
  case KILN_REFUSED_COMBINATION:
    return "TypeError";
  default:
    return "ValueError";
  }
}

/* ---- arguments ---- */

static const struct kiln_tensor *
tensor_of(const struct kiln_ffi_any *any)
{
  if (any->type == KILN_FFI_TENSOR_POINTER)
    return any->as.pointer;
  if (any->type == KILN_FFI_TENSOR_OBJECT)
    return (const void *)((const char *)any->as.pointer + sizeof(struct kiln_ffi_object));
  return NULL;
}

static const char *
text_of(const struct kiln_ffi_any *any)
{
  if (any->type == KILN_FFI_RAW_TEXT)
    return any->as.text;
  if (any->type == KILN_FFI_SMALL_TEXT)
    return any->as.bytes;
  if (any->type == KILN_FFI_TEXT_OBJECT)
    return ((const struct kiln_ffi_bytes *)((const char *)any->as.pointer + sizeof(struct kiln_ffi_object)))->data;
  return NULL;
}

static void
take(const struct kiln_arg *arg, const struct kiln_ffi_any *any, struct kiln_value *value)
{
  const struct kiln_tensor *tensor = tensor_of(any);
  const char *text = text_of(any);
  value->tag = KILN_VALUE_OTHER;
  value->as.integer = any->as.integer;
  if (tensor) {
    value->tag = KILN_VALUE_TENSOR;
    value->as.tensor = tensor;
  } else if (text) {
    value->tag = KILN_VALUE_TEXT;
    value->as.text = text;
    kiln_op_name_to_number(arg, value);
  } else if (any->type == KILN_FFI_NONE)
    value->tag = KILN_VALUE_NONE;
  else if (any->type == KILN_FFI_INT)
    value->tag = KILN_VALUE_INT;
  else if (any->type == KILN_FFI_BOOL)
    value->tag = KILN_VALUE_BOOL;
  else if (any->type == KILN_FFI_FLOAT) {
    value->tag = KILN_VALUE_REAL;
    value->as.real = any->as.real;
  }
}

/* One of the two tensors packed into [n, 2, …]. */
struct half {
  struct kiln_tensor tensor;
  int64_t shape[KILN_OP_RANK], strides[KILN_OP_RANK];
};

static void
split(const struct kiln_tensor *packed, int64_t which, struct half *half)
{
  int64_t compact = 1, stride_of_pair = 0;
  half->tensor = *packed;
  half->tensor.ndim = packed->ndim - 1;
  half->tensor.shape = half->shape;
  half->tensor.strides = half->strides;
  for (int32_t d = packed->ndim; d-- > 0;) {
    const int64_t stride = packed->strides ? packed->strides[d] : compact;
    const int32_t to = d > 1 ? d - 1 : d;
    compact = (int64_t)((uint64_t)compact * (uint64_t)packed->shape[d]);
    if (d == 1) {
      stride_of_pair = stride;
      continue;
    }
    half->shape[to] = packed->shape[d];
    half->strides[to] = stride;
  }
  half->tensor.byte_offset += (uint64_t)which * (uint64_t)stride_of_pair * packed->type.bits * packed->type.lanes / 8;
}

/* A tuple of two tensors, or one tensor with an extent 2 at position 1. */
static bool
take_pair(const struct kiln_arg *arg, const struct kiln_ffi_any *any, struct half halves[2], struct kiln_value *values)
{
  const struct kiln_tensor *packed = tensor_of(any), *first = NULL, *second = NULL;
  if (packed && packed->ndim == arg->ndim + 1 && packed->shape && packed->shape[1] == 2) {
    split(packed, 0, &halves[0]);
    split(packed, 1, &halves[1]);
    first = &halves[0].tensor;
    second = &halves[1].tensor;
  } else if (any->type == KILN_FFI_ARRAY_OBJECT) {
    const struct kiln_ffi_sequence *both =
        (const void *)((const char *)any->as.pointer + sizeof(struct kiln_ffi_object));
    if (both->size == 2) {
      first = tensor_of(&both->data[0]);
      second = tensor_of(&both->data[1]);
    }
  }
  values[0] = (struct kiln_value){KILN_VALUE_TENSOR, {.tensor = first}};
  values[1] = (struct kiln_value){KILN_VALUE_TENSOR, {.tensor = second}};
  return first && second;
}

static const char *
parameter(const struct kiln_arg *arg)
{
  return arg->param ? arg->param : arg->name;
}

/* *used: arguments of the op that were filled. */
static int
take_all(const struct kiln_op *op, const struct kiln_ffi_any *args, int32_t count, struct half halves[2],
    struct kiln_value *values, unsigned *used)
{
  unsigned at = 0;
  for (int32_t i = 0; i < count; i++) {
    if (at >= op->nargs) {
      at += (unsigned)(count - i);
      break;
    }
    const struct kiln_arg *arg = &op->args[at];
    if (!(arg->flags & KILN_PAIR) || (args[i].type == KILN_FFI_NONE && arg->flags & KILN_OPTIONAL)) {
      take(arg, &args[i], &values[at]);
      at += arg->flags & KILN_PAIR ? 2 : 1;
    } else if (take_pair(arg, &args[i], halves, &values[at]))
      at += 2;
    else {
      struct kiln_error error;
      kiln_error_set(&error, KILN_ERROR_ARGUMENT,
          "%s: %s is neither a tuple of two tensors nor one tensor of %u dimensions with an extent 2 at position 1",
          op->name, parameter(arg), arg->ndim + 1u);
      kiln_error_advise(&error, "Pass one of these.");
      return fail("TypeError", &error);
    }
  }
  *used = at < op->nargs ? op->nargs : at; /* what was left out at the end is absent */
  return 0;
}

/* ---- the call ---- */

static enum kiln_status
kiln_of_process(struct kiln **kiln, struct kiln_error *error)
{
  struct kiln *nobody = NULL;
  *kiln = atomic_load_explicit(&process.kiln, memory_order_acquire);
  if (*kiln)
    return KILN_OK;
  const enum kiln_status status = kiln_new(NULL, kiln, error);
  if (status == KILN_OK && !atomic_compare_exchange_strong(&process.kiln, &nobody, *kiln)) {
    kiln_free(*kiln);
    *kiln = nobody;
  }
  return status;
}

static void *
stream_of(const struct kiln_op *op, const struct kiln_value *values)
{
  const struct kiln_ffi_host *host;
  for (unsigned i = 0; i < op->nargs; i++) {
    const struct kiln_tensor *tensor = values[i].tag == KILN_VALUE_TENSOR ? values[i].as.tensor : NULL;
    if (!tensor || tensor->device.type == KILN_DEVICE_CPU)
      continue;
    if (TVMFFIEnvGetStream)
      return TVMFFIEnvGetStream(tensor->device.type, tensor->device.id);
    host = atomic_load(&process.host);
    return host && host->stream ? host->stream(tensor->device.type, tensor->device.id) : NULL;
  }
  return NULL;
}

int
kiln_ffi_call(const struct kiln_op *op, const struct kiln_ffi_any *args, int32_t count, struct kiln_ffi_any *result)
{
  struct kiln_value values[KILN_OP_ARGS] = {{0}};
  struct half halves[2];
  struct kiln_op_request request = {.op = op, .values = values};
  enum kiln_refusal refusal = KILN_REFUSED_NOT;
  struct kiln_error error = {0};
  struct kiln *kiln;
  if (take_all(op, args, count, halves, values, &request.count) != 0)
    return -1;
  enum kiln_status status = kiln_of_process(&kiln, &error);
  if (status == KILN_OK) {
    request.stream = stream_of(op, values);
    status = kiln_op_invoke(kiln, &request, &refusal, &error);
  }
  if (status != KILN_OK)
    return fail(kind_of(status, refusal), &error);
  *result = (struct kiln_ffi_any){.type = KILN_FFI_NONE};
  return 0;
}

int
kiln_ffi_text(const char *text, struct kiln_ffi_any *result)
{
  *result = (struct kiln_ffi_any){.type = KILN_FFI_RAW_TEXT, .as.text = text};
  return 0;
}

/* ---- the schema ---- */

static void
schema_of_kind(const struct kiln_arg *arg, struct kiln_buf *out)
{
  static const char *const types[] = {
      [KILN_ARG_TENSOR] = "{\"type\":\"ffi.Tensor\"}",
      [KILN_ARG_INT] = "{\"type\":\"int\"}",
      [KILN_ARG_REAL] = "{\"type\":\"float\"}",
      [KILN_ARG_BOOL] = "{\"type\":\"bool\"}",
      [KILN_ARG_ENUM] = "{\"type\":\"Union\",\"args\":[{\"type\":\"ffi.String\"},{\"type\":\"int\"}]}",
      [KILN_ARG_TENSOR_OR_INT] = "{\"type\":\"Union\",\"args\":[{\"type\":\"ffi.Tensor\"},{\"type\":\"int\"}]}",
      [KILN_ARG_TENSOR_OR_REAL] = "{\"type\":\"Union\",\"args\":[{\"type\":\"ffi.Tensor\"},{\"type\":\"float\"}]}",
  };
  if (arg->flags & KILN_PAIR)
    kiln_buf_text_append(out, "{\"type\":\"Union\",\"args\":[{\"type\":\"ffi.Tensor\"},{\"type\":\"ffi.Array\","
                              "\"args\":[{\"type\":\"ffi.Tensor\"}]}]}");
  else
    kiln_buf_text_append(out, types[arg->kind]);
}

void
kiln_ffi_schema(const struct kiln_op *op, struct kiln_buf *out)
{
  kiln_buf_text_append(out, "{\"type\":\"ffi.Function\",\"args\":[{\"type\":\"None\"}");
  for (unsigned i = 0; i < op->nargs; i++) {
    const struct kiln_arg *arg = &op->args[i];
    const bool optional = arg->flags & KILN_OPTIONAL;
    kiln_buf_text_append(out, optional ? ",{\"type\":\"Optional\",\"args\":[" : ",");
    schema_of_kind(arg, out);
    kiln_buf_text_append(out, optional ? "]}" : "");
    i += arg->flags & KILN_PAIR ? 1 : 0;
  }
  kiln_buf_text_append(out, "]}");
}
