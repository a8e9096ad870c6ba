/* One event into the model: processes, marks, and the table of handlers by kind. */
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "base/text.h"
#include "probe/model_take.h"

static struct kiln_model_process *
process_of(const struct kiln_taking *taking)
{
  return &taking->model->processes[taking->process];
}

void
kiln_model_fail(struct kiln_model *model)
{
  struct kiln_model_state *state = model->state;
  state->failed = true;
}

const char *
kiln_taking_text(const struct kiln_taking *taking, const char *key)
{
  return kiln_model_text(taking->model, taking->event->fields, key);
}

int
kiln_taking_number(const struct kiln_taking *taking, const char *key)
{
  return kiln_model_int(taking->event->fields, key);
}

bool
kiln_taking_flag(const struct kiln_taking *taking, const char *key)
{
  return kiln_json_get_bool(taking->event->fields, key, false);
}

bool
kiln_taking_is(const struct kiln_taking *taking, const char *key, const char *value)
{
  return kiln_text_equal(kiln_json_get_string(taking->event->fields, key, NULL), value);
}

struct kiln_where
kiln_taking_where(const struct kiln_taking *taking, const char *key)
{
  const struct cJSON *object = kiln_json_get(taking->event->fields, key);
  return (struct kiln_where){kiln_model_text(taking->model, object, "file"), kiln_model_int(object, "line")};
}

struct kiln_span_time
kiln_taking_span(const struct kiln_taking *taking, enum kiln_phase phase)
{
  if (!taking->event->is_span || !taking->thread)
    return (struct kiln_span_time){0, 0};
  return kiln_model_span_end(taking->model, taking->thread, taking->event, phase);
}

static void
take_command(const struct kiln_taking *taking)
{
  struct kiln_buf buf;
  kiln_buf_init(&buf);
  const struct cJSON *argv = kiln_json_get(taking->event->fields, "argv");
  process_of(taking)->interpreter = kiln_model_intern(taking->model, kiln_json_as_string(kiln_json_first(argv), NULL));
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
take_process(const struct kiln_taking *taking)
{
  struct kiln_model_process *process = process_of(taking);
  const struct kiln_event *event = taking->event;
  if (kiln_taking_is(taking, "what", "start")) {
    process->ppid = kiln_taking_number(taking, "ppid");
    take_command(taking);
  } else if (kiln_taking_is(taking, "what", "fork")) {
    process->ppid = kiln_taking_number(taking, "ppid");
    process->forked = true;
    if (process->main_ns == 0) {
      process->main_ns = event->t;
      process->main_cpu_ns = event->cpu;
    }
  } else if (kiln_taking_is(taking, "what", "end")) {
    process->ended = true;
    process->end_ns = event->t;
    process->end_cpu_ns = event->tid == event->pid ? event->cpu : 0;
  }
}

static void
take_mark_main(const struct kiln_taking *taking)
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
take_mark_framework(const struct kiln_taking *taking)
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
take_mark_user(const struct kiln_taking *taking)
{
  struct kiln_model *model = taking->model;
  const char *name = kiln_taking_text(taking, "text");
  if (name && KILN_MODEL_ADD_ROW(model, marks, mark_count, mark_capacity))
    model->marks[model->mark_count - 1] = (struct kiln_model_mark){name, taking->event->pid, taking->event->t};
}

static void
take_mark(const struct kiln_taking *taking)
{
  struct kiln_model_process *process = process_of(taking);
  const struct kiln_event *event = taking->event;
  if (kiln_taking_is(taking, "name", "boot")) {
    process->python = kiln_taking_text(taking, "python");
  } else if (kiln_taking_is(taking, "name", "main")) {
    take_mark_main(taking);
  } else if (kiln_taking_is(taking, "name", "exit") && process->exit_ns == 0) {
    process->exit_ns = event->t;
    process->exit_cpu_ns = event->tid == event->pid ? event->cpu : 0;
  } else if (kiln_taking_is(taking, "name", "framework")) {
    take_mark_framework(taking);
  } else if (kiln_taking_is(taking, "name", "init")) {
    kiln_taking_span(taking, KILN_PHASE_INIT);
  } else if (kiln_taking_is(taking, "name", "user")) {
    take_mark_user(taking);
  }
}

static void
take_import(const struct kiln_taking *taking)
{
  kiln_taking_span(taking, KILN_PHASE_IMPORTS);
}

static void (*const handlers[KILN_EVENT_UNKNOWN + 1])(const struct kiln_taking *) = {
    [KILN_EVENT_PROCESS] = take_process,
    [KILN_EVENT_MARK] = take_mark,
    [KILN_EVENT_IMPORT] = take_import,
    [KILN_EVENT_DECLARE] = kiln_take_declare,
    [KILN_EVENT_HASH] = kiln_take_hash,
    [KILN_EVENT_CODEGEN] = kiln_take_codegen,
    [KILN_EVENT_COMPILE] = kiln_take_compile,
    [KILN_EVENT_PCH] = kiln_take_pch,
    [KILN_EVENT_LINK] = kiln_take_link,
    [KILN_EVENT_LOAD] = kiln_take_load,
    [KILN_EVENT_LOOKUP] = kiln_take_lookup,
    [KILN_EVENT_INVALIDATE] = kiln_take_invalidate,
    [KILN_EVENT_OPTION] = kiln_take_option,
    [KILN_EVENT_CACHE] = kiln_take_cache,
    [KILN_EVENT_SIGNATURE] = kiln_take_signature,
    [KILN_EVENT_TAPE] = kiln_take_tape,
    [KILN_EVENT_LEVER] = kiln_take_lever,
    [KILN_EVENT_REQUEST] = kiln_take_moment,
    [KILN_EVENT_CAPTURE] = kiln_take_moment,
    [KILN_EVENT_ERROR] = kiln_take_error,
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
      !KILN_MODEL_ADD_ROW(model, processes, process_count, process_capacity)) {
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
  struct kiln_taking taking = {.model = model, .event = event, .process = find_process(model, event)};
  if (taking.process >= model->process_count)
    return true;
  note_last(&state->lasts[taking.process], event);
  if (event->is_span || event->kind == KILN_EVENT_MARK)
    taking.thread = kiln_model_thread_of(model, taking.process, event);
  if (handlers[event->kind])
    handlers[event->kind](&taking);
  return true;
}
