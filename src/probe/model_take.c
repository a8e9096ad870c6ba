/* One event into the tables: a handler for each kind. */
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "base/text.h"
#include "probe/model_state.h"

/* What a handler works on. */
struct taking {
  struct kiln_model *model;
  const struct kiln_event *event;
  size_t process;                   /* row */
  struct kiln_model_thread *thread; /* NULL for kinds that need none, and when memory is short */
};

static struct kiln_model_process *
process_of(const struct taking *taking)
{
  return &taking->model->processes[taking->process];
}

static void
fail(struct kiln_model *model)
{
  struct kiln_model_state *state = model->state;
  state->failed = true;
}

/* A zeroed row at the end of a table of the model; false when memory is short. */
#define ADD_ROW(model, table, count, capacity)                                                                         \
  (KILN_GROW((model)->table, (model)->count, (model)->capacity)                                                        \
          ? (memset(&(model)->table[(model)->count], 0, sizeof *(model)->table), (model)->count++, true)               \
          : (fail(model), false))

static const char *
text(const struct taking *taking, const char *key)
{
  return kiln_model_text(taking->model, taking->event->fields, key);
}

static int
number(const struct taking *taking, const char *key)
{
  return kiln_model_int(taking->event->fields, key);
}

static bool
flag(const struct taking *taking, const char *key)
{
  return kiln_json_get_bool(taking->event->fields, key, false);
}

static bool
is(const struct taking *taking, const char *key, const char *value)
{
  return kiln_text_equal(kiln_json_get_string(taking->event->fields, key, NULL), value);
}

static struct kiln_where
where(const struct taking *taking, const char *key)
{
  const struct cJSON *object = kiln_json_get(taking->event->fields, key);
  return (struct kiln_where){kiln_model_text(taking->model, object, "file"), kiln_model_int(object, "line")};
}

static enum kiln_build_result
result_of(const struct taking *taking)
{
  if (is(taking, "result", "compiled"))
    return KILN_BUILD_COMPILED;
  return is(taking, "result", "cached") ? KILN_BUILD_CACHED : KILN_BUILD_FAILED;
}

static struct kiln_span_time
span(const struct taking *taking, enum kiln_phase phase)
{
  if (!taking->event->is_span || !taking->thread)
    return (struct kiln_span_time){0, 0};
  return kiln_model_span_end(taking->model, taking->thread, taking->event, phase);
}

static void
take_command(const struct taking *taking)
{
  struct kiln_buf buf;
  kiln_buf_init(&buf);
  const struct cJSON *argv = kiln_json_get(taking->event->fields, "argv");
  for (const struct cJSON *at = kiln_json_first(argv); at && buf.len <= KILN_MODEL_TEXT; at = kiln_json_next(at)) {
    if (buf.len > 0)
      kiln_buf_text_append(&buf, " ");
    kiln_buf_text_append(&buf, kiln_json_as_string(at, "?"));
  }
  if (buf.len > 0)
    process_of(taking)->command = kiln_model_intern(taking->model, buf.data);
  kiln_buf_release(&buf);
}

static void
take_process(const struct taking *taking)
{
  struct kiln_model_process *process = process_of(taking);
  const struct kiln_event *event = taking->event;
  if (is(taking, "what", "start")) {
    process->ppid = number(taking, "ppid");
    take_command(taking);
  } else if (is(taking, "what", "fork")) {
    process->ppid = number(taking, "ppid");
    process->forked = true;
    if (process->main_ns == 0) {
      process->main_ns = event->t;
      process->main_cpu_ns = event->cpu;
    }
  } else if (is(taking, "what", "end")) {
    process->ended = true;
    process->end_ns = event->t;
    process->end_cpu_ns = event->tid == event->pid ? event->cpu : 0;
  }
}

static void
take_mark_main(const struct taking *taking)
{
  struct kiln_model_process *process = process_of(taking);
  if (process->main_ns != 0)
    return;
  process->main_ns = taking->event->t;
  if (!taking->thread || !taking->thread->main)
    return;
  process->main_cpu_ns = taking->event->cpu;
  kiln_model_span_restart(taking->model, taking->thread);
}

static void
take_mark_framework(const struct taking *taking)
{
  struct kiln_model_process *process = process_of(taking);
  const char *framework = kiln_json_get_string(taking->event->fields, "framework", NULL);
  const char *version = kiln_json_get_string(taking->event->fields, "version", NULL);
  if (process->framework_version || !framework)
    return;
  struct kiln_buf buf;
  kiln_buf_init(&buf);
  kiln_buf_text_append(&buf, framework);
  if (version) {
    kiln_buf_text_append(&buf, " ");
    kiln_buf_text_append(&buf, version);
  }
  process->framework_version = kiln_model_intern(taking->model, kiln_buf_text(&buf));
  kiln_buf_release(&buf);
}

static void
take_mark(const struct taking *taking)
{
  struct kiln_model_process *process = process_of(taking);
  const struct kiln_event *event = taking->event;
  if (is(taking, "name", "boot")) {
    process->python = text(taking, "python");
  } else if (is(taking, "name", "main")) {
    take_mark_main(taking);
  } else if (is(taking, "name", "exit") && process->exit_ns == 0) {
    process->exit_ns = event->t;
    process->exit_cpu_ns = event->tid == event->pid ? event->cpu : 0;
  } else if (is(taking, "name", "framework")) {
    take_mark_framework(taking);
  } else if (is(taking, "name", "init")) {
    span(taking, KILN_PHASE_INIT);
  }
}

static void
take_import(const struct taking *taking)
{
  span(taking, KILN_PHASE_IMPORTS);
}

static void
take_declare(const struct taking *taking)
{
  struct kiln_model *model = taking->model;
  span(taking, KILN_PHASE_DECLARATION);
  if (!ADD_ROW(model, declarations, declaration_count, declaration_capacity))
    return;
  model->declarations[model->declaration_count - 1] = (struct kiln_model_declaration){
      .framework = text(taking, "framework"),
      .module = text(taking, "module"),
      .kernel = text(taking, "kernel"),
      .overload = text(taking, "overload"),
      .pid = taking->event->pid,
      .t_ns = taking->event->t,
      .loaded = flag(taking, "loaded"),
      .where = where(taking, "where"),
      .trigger = where(taking, "trigger"),
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
identity_changed(const struct taking *taking, const struct kiln_model_hash *hash)
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

static void
take_hash(const struct taking *taking)
{
  struct kiln_model *model = taking->model;
  const struct cJSON *kernels = kiln_json_get(taking->event->fields, "kernels");
  const struct cJSON *options = kiln_json_get(taking->event->fields, "options");
  span(taking, KILN_PHASE_HASHING);
  struct kiln_model_hash hash = {
      .framework = text(taking, "framework"),
      .module = text(taking, "module"),
      .identity = text(taking, "identity"),
      .block_dim = number(taking, "block_dim"),
      .pid = taking->event->pid,
      .t_ns = taking->event->t,
  };
  bool changed = identity_changed(taking, &hash);
  if ((!changed && !kernels && !options) || !ADD_ROW(model, hashes, hash_count, hash_capacity))
    return;
  hash.kernels = take_pairs(model, kernels, &hash.kernel_count);
  hash.options = take_pairs(model, options, &hash.option_count);
  model->hashes[model->hash_count - 1] = hash;
}

static void
take_step(const struct taking *taking, enum kiln_phase phase)
{
  struct kiln_span_time self = span(taking, phase);
  if (taking->thread && taking->event->is_span)
    kiln_model_step_add(taking->model, taking->thread, (struct kiln_model_step){phase, taking->event->t, self});
}

static void
take_codegen(const struct taking *taking)
{
  take_step(taking, KILN_PHASE_CODEGEN);
}

static void
take_pch(const struct taking *taking)
{
  take_step(taking, KILN_PHASE_PCH);
}

static struct kiln_model_build
build_of(const struct taking *taking)
{
  int64_t bytes = kiln_json_get_int(taking->event->fields, "bytes", 0);
  return (struct kiln_model_build){
      .framework = text(taking, "framework"),
      .module = text(taking, "module"),
      .identity = text(taking, "identity"),
      .device = text(taking, "device"),
      .toolchain = text(taking, "toolchain"),
      .path = text(taking, "path"),
      .source_digest = text(taking, "digest"),
      .block_dim = number(taking, "block_dim"),
      .pid = taking->event->pid,
      .tid = taking->event->tid,
      .start_ns = taking->event->t,
      .wall_ns = taking->event->dur,
      .cpu_ns = taking->event->dcpu,
      .result = result_of(taking),
      .source_bytes = bytes > 0 ? (uint64_t)bytes : 0,
      .lto = number(taking, "lto"),
      .aot = flag(taking, "aot"),
      .where = where(taking, "where"),
  };
}

static void
take_compile(const struct taking *taking)
{
  struct kiln_model *model = taking->model;
  if (is(taking, "step", "native")) {
    take_step(taking, KILN_PHASE_COMPILE);
    return;
  }
  span(taking, KILN_PHASE_COMPILE);
  if (!is(taking, "step", "module") || !ADD_ROW(model, builds, build_count, build_capacity))
    return;
  struct kiln_model_build *build = &model->builds[model->build_count - 1];
  *build = build_of(taking);
  if (taking->thread)
    kiln_model_steps_claim(taking->thread, build);
}

static void
take_link(const struct taking *taking)
{
  span(taking, KILN_PHASE_LINK);
  if (is(taking, "result", "compiled"))
    taking->model->lto_built++;
}

static void
take_load(const struct taking *taking)
{
  struct kiln_model *model = taking->model;
  span(taking, KILN_PHASE_LOAD);
  if (!ADD_ROW(model, loads, load_count, load_capacity))
    return;
  model->loads[model->load_count - 1] = (struct kiln_model_load){
      .framework = text(taking, "framework"),
      .module = text(taking, "module"),
      .identity = text(taking, "identity"),
      .device = text(taking, "device"),
      .block_dim = number(taking, "block_dim"),
      .pid = taking->event->pid,
      .tid = taking->event->tid,
      .start_ns = taking->event->t,
      .wall_ns = taking->event->dur,
      .cpu_ns = taking->event->dcpu,
      .result = result_of(taking),
      .where = where(taking, "where"),
  };
}

static void
take_lookup(const struct taking *taking)
{
  span(taking, KILN_PHASE_FIRST_LAUNCH);
}

static void
take_invalidate(const struct taking *taking)
{
  taking->model->invalidations++;
}

static void
take_option(const struct taking *taking)
{
  struct kiln_model *model = taking->model;
  const struct cJSON *changes = kiln_json_get(taking->event->fields, "changes");
  if (!kiln_json_is_object(changes))
    return;
  for (const struct cJSON *at = kiln_json_first(changes); at; at = kiln_json_next(at)) {
    const struct cJSON *before = kiln_json_first(at);
    if (!ADD_ROW(model, options, option_count, option_capacity))
      return;
    model->options[model->option_count - 1] = (struct kiln_model_option){
        .framework = text(taking, "framework"),
        .module = text(taking, "module"),
        .name = kiln_model_intern(model, kiln_json_member_name(at)),
        .before = kiln_model_intern(model, kiln_json_as_string(before, NULL)),
        .after = kiln_model_intern(model, kiln_json_as_string(kiln_json_next(before), NULL)),
        .pid = taking->event->pid,
        .t_ns = taking->event->t,
        .loaded = flag(taking, "loaded"),
        .where = where(taking, "where"),
    };
  }
}

static void
take_cache(const struct taking *taking)
{
  struct kiln_model *model = taking->model;
  if (!ADD_ROW(model, caches, cache_count, cache_capacity))
    return;
  model->caches[model->cache_count - 1] = (struct kiln_model_cache){
      .framework = text(taking, "framework"),
      .what = text(taking, "what"),
      .path = text(taking, "path"),
      .by = text(taking, "by"),
      .pid = taking->event->pid,
      .t_ns = taking->event->t,
      .where = where(taking, "where"),
  };
}

static void
take_signature(const struct taking *taking)
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

static void
take_tape(const struct taking *taking)
{
  if (is(taking, "what", "backward"))
    taking->model->tape_backward++;
}

static void
take_error(const struct taking *taking)
{
  struct kiln_model *model = taking->model;
  if (!ADD_ROW(model, errors, error_count, error_capacity))
    return;
  model->errors[model->error_count - 1] =
      (struct kiln_model_error){text(taking, "hook"), text(taking, "message"), taking->event->pid};
}

static void (*const handlers[KILN_EVENT_UNKNOWN + 1])(const struct taking *) = {
    [KILN_EVENT_PROCESS] = take_process,
    [KILN_EVENT_MARK] = take_mark,
    [KILN_EVENT_IMPORT] = take_import,
    [KILN_EVENT_DECLARE] = take_declare,
    [KILN_EVENT_HASH] = take_hash,
    [KILN_EVENT_CODEGEN] = take_codegen,
    [KILN_EVENT_COMPILE] = take_compile,
    [KILN_EVENT_PCH] = take_pch,
    [KILN_EVENT_LINK] = take_link,
    [KILN_EVENT_LOAD] = take_load,
    [KILN_EVENT_LOOKUP] = take_lookup,
    [KILN_EVENT_INVALIDATE] = take_invalidate,
    [KILN_EVENT_OPTION] = take_option,
    [KILN_EVENT_CACHE] = take_cache,
    [KILN_EVENT_SIGNATURE] = take_signature,
    [KILN_EVENT_TAPE] = take_tape,
    [KILN_EVENT_ERROR] = take_error,
};

/* The row of the event's process in this file; the process count when memory is short. */
static size_t
find_process(struct kiln_model *model, const struct kiln_event *event)
{
  struct kiln_model_state *state = model->state;
  uint64_t *row = kiln_index_at(&state->process_rows, state->file, (uint64_t)event->pid, UINT64_MAX);
  if (row && *row != UINT64_MAX)
    return (size_t)*row;
  if (!row || !KILN_GROW(state->lasts, model->process_count, state->last_capacity) ||
      !ADD_ROW(model, processes, process_count, process_capacity)) {
    state->failed = true;
    return model->process_count;
  }
  *row = model->process_count - 1;
  struct kiln_model_process *process = &model->processes[*row];
  process->pid = event->pid;
  process->start_ns = event->t;
  process->start_cpu_ns = event->tid == event->pid ? event->cpu : 0;
  state->lasts[*row] = (struct kiln_model_last){0, 0};
  return (size_t)*row;
}

static void
note_last(struct kiln_model_last *last, const struct kiln_event *event)
{
  uint64_t ns = event->t + event->dur, cpu_ns = event->cpu + event->dcpu;
  if (ns > last->ns)
    last->ns = ns;
  if (event->tid == event->pid && cpu_ns > last->cpu_ns)
    last->cpu_ns = cpu_ns;
}

bool
kiln_model_take(struct kiln_model *model, const struct kiln_event *event)
{
  struct kiln_model_state *state = model->state;
  if (event->pid <= 0)
    return false;
  struct taking taking = {.model = model, .event = event, .process = find_process(model, event)};
  if (taking.process >= model->process_count)
    return true;
  note_last(&state->lasts[taking.process], event);
  if (event->is_span || event->kind == KILN_EVENT_MARK)
    taking.thread = kiln_model_thread_of(model, taking.process, event);
  if (handlers[event->kind])
    handlers[event->kind](&taking);
  return true;
}
