/* Handlers of what frameworks do: declare, hash, build, load, change. */
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "probe/model_take.h"

static enum kiln_build_result
result_of(const struct kiln_taking *taking)
{
  if (kiln_taking_is(taking, "result", "compiled"))
    return KILN_BUILD_COMPILED;
  return kiln_taking_is(taking, "result", "cached") ? KILN_BUILD_CACHED : KILN_BUILD_FAILED;
}

void
kiln_take_declare(const struct kiln_taking *taking)
{
  struct kiln_model *model = taking->model;
  kiln_taking_span(taking, KILN_PHASE_DECLARATION);
  if (!KILN_MODEL_ADD_ROW(model, declarations, declaration_count, declaration_capacity))
    return;
  model->declarations[model->declaration_count - 1] = (struct kiln_model_declaration){
      .framework = kiln_taking_text(taking, "framework"),
      .module = kiln_taking_text(taking, "module"),
      .kernel = kiln_taking_text(taking, "kernel"),
      .overload = kiln_taking_text(taking, "overload"),
      .pid = taking->event->pid,
      .t_ns = taking->event->t,
      .loaded = kiln_taking_flag(taking, "loaded"),
      .unique = kiln_taking_flag(taking, "unique"),
      .code = kiln_taking_text(taking, "code"),
      .where = kiln_taking_where(taking, "where"),
      .trigger = kiln_taking_where(taking, "trigger"),
      .made = kiln_taking_where(taking, "made"),
  };
}

static int
compare_pairs(const void *left, const void *right)
{
  const struct kiln_model_pair *a = left, *b = right;
  return strcmp(a->name, b->name);
}

/* The members of an object as a sorted table in the arena. */
static const struct kiln_model_pair *
take_pairs(struct kiln_model *model, const struct cJSON *object, size_t *count)
{
  size_t wanted = kiln_json_is_object(object) ? kiln_json_count(object) : 0;
  *count = 0;
  struct kiln_model_pair *pairs = wanted ? kiln_arena_alloc(&model->arena, wanted * sizeof *pairs) : NULL;
  if (!pairs)
    return NULL;
  for (const struct cJSON *at = kiln_json_first(object); at && *count < wanted; at = kiln_json_next(at)) {
    struct kiln_model_pair pair = {
        kiln_model_intern(model, kiln_json_member_name(at)), kiln_model_intern(model, kiln_json_as_string(at, NULL))};
    if (pair.name)
      pairs[(*count)++] = pair;
  }
  qsort(pairs, *count, sizeof *pairs, compare_pairs);
  return pairs;
}

/* Is this identity another one than the last of this process, module and block size? Remembers it. */
static bool
identity_changed(const struct kiln_taking *taking, const struct kiln_model_hash *hash)
{
  struct kiln_model_state *state = taking->model->state;
  uint64_t key = (uint64_t)taking->process << 32 ^ (uint64_t)hash->block_dim;
  uint64_t *last = kiln_index_at(&state->identity_of, key, (uintptr_t)hash->module, 1);
  uint64_t now = (uintptr_t)hash->identity;
  if (!last) {
    state->failed = true;
    return false;
  }
  bool changed = *last != now;
  *last = now;
  return changed;
}

void
kiln_take_hash(const struct kiln_taking *taking)
{
  struct kiln_model *model = taking->model;
  const struct cJSON *kernels = kiln_json_get(taking->event->fields, "kernels");
  const struct cJSON *options = kiln_json_get(taking->event->fields, "options");
  kiln_taking_span(taking, KILN_PHASE_HASHING);
  struct kiln_model_hash hash = {
      .framework = kiln_taking_text(taking, "framework"),
      .module = kiln_taking_text(taking, "module"),
      .identity = kiln_taking_text(taking, "identity"),
      .block_dim = kiln_taking_number(taking, "block_dim"),
      .pid = taking->event->pid,
      .t_ns = taking->event->t,
  };
  bool changed = identity_changed(taking, &hash);
  if ((!changed && !kernels && !options) || !KILN_MODEL_ADD_ROW(model, hashes, hash_count, hash_capacity))
    return;
  hash.kernels = take_pairs(model, kernels, &hash.kernel_count);
  hash.options = take_pairs(model, options, &hash.option_count);
  model->hashes[model->hash_count - 1] = hash;
}

static void
take_step(const struct kiln_taking *taking, enum kiln_phase phase)
{
  struct kiln_span_time self = kiln_taking_span(taking, phase);
  if (taking->thread && taking->event->is_span)
    kiln_model_step_add(taking->model, taking->thread, (struct kiln_model_step){phase, taking->event->t, self});
}

void
kiln_take_codegen(const struct kiln_taking *taking)
{
  take_step(taking, KILN_PHASE_CODEGEN);
}

void
kiln_take_pch(const struct kiln_taking *taking)
{
  take_step(taking, KILN_PHASE_PCH);
  kiln_take_header_row(taking);
}

static struct kiln_model_build
build_of(const struct kiln_taking *taking)
{
  int64_t bytes = kiln_json_get_int(taking->event->fields, "bytes", 0);
  return (struct kiln_model_build){
      .framework = kiln_taking_text(taking, "framework"),
      .module = kiln_taking_text(taking, "module"),
      .identity = kiln_taking_text(taking, "identity"),
      .device = kiln_taking_text(taking, "device"),
      .toolchain = kiln_taking_text(taking, "toolchain"),
      .path = kiln_taking_text(taking, "path"),
      .source_digest = kiln_taking_text(taking, "digest"),
      .block_dim = kiln_taking_number(taking, "block_dim"),
      .pid = taking->event->pid,
      .tid = taking->event->tid,
      .start_ns = taking->event->t,
      .wall_ns = taking->event->dur,
      .cpu_ns = taking->event->dcpu,
      .result = result_of(taking),
      .source_bytes = bytes > 0 ? (uint64_t)bytes : 0,
      .launches = kiln_json_get_int(taking->event->fields, "launches", -1),
      .lto = kiln_taking_number(taking, "lto"),
      .aot = kiln_taking_flag(taking, "aot"),
      .where = kiln_taking_where(taking, "where"),
  };
}

void
kiln_take_compile(const struct kiln_taking *taking)
{
  struct kiln_model *model = taking->model;
  if (kiln_taking_is(taking, "step", "native")) {
    take_step(taking, KILN_PHASE_COMPILE);
    return;
  }
  kiln_taking_span(taking, KILN_PHASE_COMPILE);
  if (!kiln_taking_is(taking, "step", "module") || !KILN_MODEL_ADD_ROW(model, builds, build_count, build_capacity))
    return;
  struct kiln_model_build *build = &model->builds[model->build_count - 1];
  *build = build_of(taking);
  kiln_take_build_facts(taking, build);
  if (taking->thread)
    kiln_model_steps_claim(taking->thread, build);
}

void
kiln_take_link(const struct kiln_taking *taking)
{
  kiln_taking_span(taking, KILN_PHASE_LINK);
  if (kiln_taking_is(taking, "result", "compiled"))
    taking->model->lto_built++;
  kiln_take_link_row(taking);
}

void
kiln_take_load(const struct kiln_taking *taking)
{
  struct kiln_model *model = taking->model;
  kiln_taking_span(taking, KILN_PHASE_LOAD);
  if (!KILN_MODEL_ADD_ROW(model, loads, load_count, load_capacity))
    return;
  model->loads[model->load_count - 1] = (struct kiln_model_load){
      .framework = kiln_taking_text(taking, "framework"),
      .module = kiln_taking_text(taking, "module"),
      .identity = kiln_taking_text(taking, "identity"),
      .device = kiln_taking_text(taking, "device"),
      .block_dim = kiln_taking_number(taking, "block_dim"),
      .pid = taking->event->pid,
      .tid = taking->event->tid,
      .start_ns = taking->event->t,
      .wall_ns = taking->event->dur,
      .cpu_ns = taking->event->dcpu,
      .result = result_of(taking),
      .jit = kiln_taking_flag(taking, "jit"),
      .where = kiln_taking_where(taking, "where"),
  };
}

void
kiln_take_lookup(const struct kiln_taking *taking)
{
  kiln_taking_span(taking, KILN_PHASE_FIRST_LAUNCH);
}

void
kiln_take_invalidate(const struct kiln_taking *taking)
{
  taking->model->invalidations++;
}

void
kiln_take_option(const struct kiln_taking *taking)
{
  struct kiln_model *model = taking->model;
  const struct cJSON *changes = kiln_json_get(taking->event->fields, "changes");
  if (!kiln_json_is_object(changes))
    return;
  for (const struct cJSON *at = kiln_json_first(changes); at; at = kiln_json_next(at)) {
    const struct cJSON *before = kiln_json_first(at);
    if (!KILN_MODEL_ADD_ROW(model, options, option_count, option_capacity))
      return;
    model->options[model->option_count - 1] = (struct kiln_model_option){
        .framework = kiln_taking_text(taking, "framework"),
        .module = kiln_taking_text(taking, "module"),
        .name = kiln_model_intern(model, kiln_json_member_name(at)),
        .before = kiln_model_intern(model, kiln_json_as_string(before, NULL)),
        .after = kiln_model_intern(model, kiln_json_as_string(kiln_json_next(before), NULL)),
        .pid = taking->event->pid,
        .t_ns = taking->event->t,
        .loaded = kiln_taking_flag(taking, "loaded"),
        .where = kiln_taking_where(taking, "where"),
    };
  }
}

void
kiln_take_cache(const struct kiln_taking *taking)
{
  struct kiln_model *model = taking->model;
  if (!KILN_MODEL_ADD_ROW(model, caches, cache_count, cache_capacity))
    return;
  model->caches[model->cache_count - 1] = (struct kiln_model_cache){
      .framework = kiln_taking_text(taking, "framework"),
      .what = kiln_taking_text(taking, "what"),
      .path = kiln_taking_text(taking, "path"),
      .by = kiln_taking_text(taking, "by"),
      .pid = taking->event->pid,
      .t_ns = taking->event->t,
      .where = kiln_taking_where(taking, "where"),
  };
}

void
kiln_take_signature(const struct kiln_taking *taking)
{
  struct kiln_model *model = taking->model;
  struct kiln_model_state *state = model->state;
  int64_t id = kiln_json_get_int(taking->event->fields, "id", -1);
  if (id < 0 || id > UINT32_MAX)
    return;
  uint64_t *row = kiln_index_at(&state->signature_rows, (uint64_t)taking->event->pid, (uint64_t)id, UINT64_MAX);
  if (!row ||
      (*row == UINT64_MAX && !KILN_GROW(state->signatures, state->signature_count, state->signature_capacity))) {
    state->failed = true;
    return;
  }
  if (*row == UINT64_MAX)
    *row = state->signature_count++;
  state->signatures[*row] = kiln_model_signature_read(model, taking->event->fields);
}

void
kiln_take_tape(const struct kiln_taking *taking)
{
  if (kiln_taking_is(taking, "what", "backward"))
    taking->model->tape_backward++;
  else if (kiln_taking_is(taking, "what", "record"))
    taking->model->tape_recorded++;
  kiln_take_moment(taking);
}

void
kiln_take_error(const struct kiln_taking *taking)
{
  struct kiln_model *model = taking->model;
  if (!KILN_MODEL_ADD_ROW(model, errors, error_count, error_capacity))
    return;
  model->errors[model->error_count - 1] = (struct kiln_model_error){
      kiln_taking_text(taking, "hook"), kiln_taking_text(taking, "message"), taking->event->pid};
}

void
kiln_take_lever(const struct kiln_taking *taking)
{
  struct kiln_model *model = taking->model;
  if (!KILN_MODEL_ADD_ROW(model, levers, lever_count, lever_capacity))
    return;
  model->levers[model->lever_count - 1] =
      (struct kiln_model_lever){kiln_taking_text(taking, "id"), kiln_taking_text(taking, "state"),
          kiln_taking_text(taking, "module"), kiln_taking_text(taking, "detail"), taking->event->pid, taking->event->t};
}
