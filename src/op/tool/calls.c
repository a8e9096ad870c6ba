#include "op/tool/calls.h"

#include "base/text.h"
#include "op/tool/fill.h"
#include "op/tool/memory.h"
#include "op/tool/run.h"
#include "os/file.h"

#define ALIGN ((size_t)64)

void
kiln_calls_init(struct kiln_calls *calls)
{
  calls->count = 0;
  kiln_buf_init(&calls->text);
  kiln_buf_init(&calls->data);
  kiln_json_init(&calls->json, &calls->text, false);
  kiln_json_array(&calls->json);
}

void
kiln_calls_release(struct kiln_calls *calls)
{
  kiln_buf_release(&calls->text);
  kiln_buf_release(&calls->data);
}

/* ---- tensors ---- */

/* One tensor in canonical order. */
struct shown {
  enum kiln_dtype dtype;
  unsigned ndim;
  int64_t extent[KILN_OP_RANK], step[KILN_OP_RANK];
  const unsigned char *data; /* NULL: it is the memory of another argument */
};

static const uint8_t *
perm_of(const struct kiln_trial *trial, const struct kiln_arg *arg)
{
  return trial->layout && arg->flags & KILN_LAYOUTED ? trial->op->layouts[trial->layout].perm : NULL;
}

static struct shown
look(const struct kiln_trial *trial, unsigned i)
{
  const struct kiln_tensor *tensor = trial->values[i].as.tensor;
  const struct kiln_block *block = kiln_trial_block(trial, i);
  const uint8_t *perm = perm_of(trial, &trial->op->args[i]);
  struct shown shown = {.dtype = kiln_dtype_of_tensor(tensor->type),
      .ndim = (unsigned)tensor->ndim,
      .data = block ? block->host + block->guard : NULL};
  for (unsigned d = 0; d < shown.ndim; d++) {
    shown.extent[perm ? perm[d] : d] = tensor->shape[d];
    shown.step[perm ? perm[d] : d] = tensor->strides[d];
  }
  return shown;
}

/* Elements in canonical order, the last dimension fastest. */
static void
append_elements(const struct shown *shown, struct kiln_buf *out)
{
  const size_t size = kiln_dtype_bits(shown->dtype) / 8;
  int64_t index[KILN_OP_RANK] = {0}, at = 0, count = 1;
  for (unsigned d = 0; d < shown->ndim; d++)
    count *= shown->extent[d];
  for (int64_t k = 0; k < count; k++) {
    kiln_buf_append(out, shown->data + (size_t)at * size, size);
    for (unsigned d = shown->ndim; d-- > 0;) {
      at += shown->step[d];
      if (++index[d] < shown->extent[d])
        break;
      at -= shown->step[d] * shown->extent[d];
      index[d] = 0;
    }
  }
}

static void
write_data(struct kiln_calls *calls, const struct kiln_trial *trial, unsigned i, const struct shown *shown)
{
  static const char padding[ALIGN];
  struct kiln_json *json = &calls->json;
  if (!shown->data || trial->op->args[i].role == KILN_OUT ||
      kiln_fill_is_noise(trial->op, trial->axis, i, shown->dtype)) {
    kiln_json_member_text(json, "at", NULL);
    return;
  }
  kiln_buf_append(&calls->data, padding, (ALIGN - calls->data.len % ALIGN) % ALIGN);
  kiln_json_member_uint(json, "at", calls->data.len);
  append_elements(shown, &calls->data);
}

static void
integers(struct kiln_json *json, const char *key, const int64_t *values, unsigned count)
{
  kiln_json_member_array(json, key);
  for (unsigned i = 0; i < count; i++)
    kiln_json_int(json, values[i]);
  kiln_json_array_end(json);
}

static void
write_order(struct kiln_json *json, const uint8_t *perm, unsigned ndim)
{
  int64_t order[KILN_OP_RANK];
  for (unsigned d = 0; d < ndim && perm; d++)
    order[d] = perm[d];
  if (perm)
    integers(json, "order", order, ndim);
}

static void
write_tensor(struct kiln_calls *calls, const struct kiln_trial *trial, unsigned i)
{
  const struct kiln_op *op = trial->op;
  const struct shown shown = look(trial, i);
  struct kiln_json *json = &calls->json;
  kiln_json_member_object(json, "tensor");
  kiln_json_member_text(json, "dtype", kiln_dtype_name(shown.dtype));
  integers(json, "shape", shown.extent, shown.ndim);
  integers(json, "strides", shown.step, shown.ndim);
  write_order(json, perm_of(trial, &op->args[i]), shown.ndim);
  if (!shown.data)
    kiln_json_member_text(json, "same_as", op->args[op->args[i].alias - 1].name);
  write_data(calls, trial, i, &shown);
  kiln_json_object_end(json);
}

/* ---- arguments ---- */

static void
write_number(struct kiln_json *json, const struct kiln_value *value)
{
  kiln_json_key(json, "value");
  if (value->tag == KILN_VALUE_REAL)
    kiln_json_double(json, value->as.real);
  else if (value->tag == KILN_VALUE_BOOL)
    kiln_json_bool(json, value->as.integer != 0);
  else if (value->tag == KILN_VALUE_INT)
    kiln_json_int(json, value->as.integer);
  else
    kiln_json_null(json);
}

static void
argument(struct kiln_calls *calls, const struct kiln_trial *trial, unsigned i)
{
  const struct kiln_arg *arg = &trial->op->args[i];
  const bool named = arg->kind == KILN_ARG_ENUM;
  const char *result = arg->role == KILN_INOUT && arg->as ? arg->as : arg->name;
  struct kiln_json *json = &calls->json;
  kiln_json_object(json);
  kiln_json_member_text(json, "name", arg->name);
  kiln_json_member_text(json, "param", arg->param ? arg->param : arg->name);
  kiln_json_member_text(json, "input", named || arg->role == KILN_OUT ? NULL : arg->trace ? arg->trace : arg->name);
  kiln_json_member_text(json, "output", arg->role == KILN_IN ? NULL : result);
  if (trial->values[i].tag == KILN_VALUE_TENSOR)
    write_tensor(calls, trial, i);
  else
    write_number(json, &trial->values[i]);
  kiln_json_object_end(json);
}

void
kiln_calls_add(struct kiln_calls *calls, const struct kiln_trial *trial, unsigned sets)
{
  struct kiln_json *json = &calls->json;
  struct kiln_buf what;
  kiln_buf_init(&what);
  kiln_matrix_describe(trial, &what);
  kiln_json_object(json);
  kiln_json_member_text(json, "op", trial->op->name);
  kiln_json_member_text(json, "family", trial->op->family);
  kiln_json_member_text(json, "case", kiln_buf_text(&what));
  if (sets)
    kiln_json_member_uint(json, "sets", sets);
  kiln_json_member_array(json, "arguments");
  for (unsigned i = 0; i < trial->op->nargs; i++)
    argument(calls, trial, i);
  kiln_json_array_end(json);
  kiln_json_object_end(json);
  kiln_buf_release(&what);
  calls->count++;
}

enum kiln_status
kiln_calls_write(struct kiln_calls *calls, const char *folder, struct kiln_error *error)
{
  struct kiln_buf path;
  kiln_json_array_end(&calls->json);
  kiln_buf_text_append(&calls->text, "\n");
  if (calls->text.failed || calls->data.failed)
    return kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for the data of %u calls", calls->count);
  kiln_buf_init(&path);
  kiln_text_join(&path, folder, "calls.bin");
  enum kiln_status status = kiln_file_write(kiln_buf_text(&path), calls->data.data, calls->data.len, error);
  kiln_buf_clear(&path);
  kiln_text_join(&path, folder, "calls.json");
  if (status == KILN_OK)
    status = kiln_file_write(kiln_buf_text(&path), calls->text.data, calls->text.len, error);
  kiln_buf_release(&path);
  return status;
}
