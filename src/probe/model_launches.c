/* Counter files into the table of launches. */
#include "base/json_read.h"
#include "event/counters.h"
#include "probe/model_state.h"

struct kiln_model_signature
kiln_model_signature_read(struct kiln_model *model, const struct cJSON *fields)
{
  return (struct kiln_model_signature){
      .framework = kiln_model_text(model, fields, "framework"),
      .kernel = kiln_model_text(model, fields, "kernel"),
      .module = kiln_model_text(model, fields, "module"),
      .identity = kiln_model_text(model, fields, "identity"),
      .device = kiln_model_text(model, fields, "device"),
      .direction = kiln_model_text(model, fields, "direction"),
      .block_dim = kiln_model_int(fields, "block_dim"),
  };
}

struct counting {
  struct kiln_model *model;
  int pid;
};

/* The name beside the counter when it is one, else what the process wrote as an event. */
static struct kiln_model_signature
find_signature(const struct counting *counting, uint32_t id, const char *name, uint32_t len)
{
  struct kiln_model_state *state = counting->model->state;
  struct kiln_model_signature signature = {0};
  struct cJSON *tree;
  if (kiln_json_parse(name, len, "signature", &tree, NULL) == KILN_OK) {
    signature = kiln_model_signature_read(counting->model, tree);
    kiln_json_free(tree);
  }
  if (signature.kernel)
    return signature;
  uint64_t *row = kiln_index_at(&state->signature_rows, (uint64_t)counting->pid, id, UINT64_MAX);
  if (!row)
    state->failed = true;
  return row && *row != UINT64_MAX ? state->signatures[*row] : signature;
}

static void
visit(void *context, const struct kiln_counter_slot *slot, const char *name, uint32_t len)
{
  const struct counting *counting = context;
  struct kiln_model *model = counting->model;
  struct kiln_model_state *state = model->state;
  if (slot->count == 0)
    return;
  if (!KILN_GROW(model->launches, model->launch_count, model->launch_capacity)) {
    state->failed = true;
    return;
  }
  struct kiln_model_signature signature = find_signature(counting, slot->signature, name, len);
  model->launches[model->launch_count++] = (struct kiln_model_launch){
      .framework = signature.framework,
      .kernel = signature.kernel,
      .module = signature.module,
      .identity = signature.identity,
      .device = signature.device,
      .direction = signature.direction,
      .block_dim = signature.block_dim,
      .pid = counting->pid,
      .dim = slot->dim,
      .count = slot->count,
      .first_ns = slot->first_ns,
  };
}

enum kiln_status
kiln_model_take_counters(struct kiln_model *model, const char *path, struct kiln_error *error)
{
  struct counting counting = {.model = model};
  uint32_t overflow = 0;
  enum kiln_status status = kiln_counters_read(path, visit, &counting, &overflow, &counting.pid, error);
  if (status == KILN_ERROR_FORMAT) {
    model->bad_lines++;
    return KILN_OK;
  }
  if (status == KILN_OK)
    model->launch_overflow += overflow;
  return status;
}
