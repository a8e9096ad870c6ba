/*
 * Self time of nested spans, one pass: spans arrive at their end, inner before outer, so the finished spans of a thread
 * that began at or after a new one's begin are its children.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/json_read.h"
#include "probe/model_state.h"

struct kiln_model_thread *
kiln_model_thread_of(struct kiln_model *model, size_t process, const struct kiln_event *event)
{
  struct kiln_model_state *state = model->state;
  uint64_t *row = kiln_index_at(&state->thread_rows, process, (uint64_t)event->tid, UINT64_MAX);
  if (row && *row != UINT64_MAX)
    return &state->threads[*row];
  if (!row || !KILN_GROW(state->threads, state->thread_count, state->thread_capacity)) {
    state->failed = true;
    return NULL;
  }
  *row = state->thread_count++;
  state->threads[*row] = (struct kiln_model_thread){.process = process, .main = event->tid == event->pid};
  return &state->threads[*row];
}

static void
add(struct kiln_span_time *sum, struct kiln_span_time part)
{
  sum->wall_ns = kiln_model_sum(sum->wall_ns, part.wall_ns);
  sum->cpu_ns = kiln_model_sum(sum->cpu_ns, part.cpu_ns);
}

static struct kiln_span_time
without(struct kiln_span_time whole, struct kiln_span_time part)
{
  return (struct kiln_span_time){
      whole.wall_ns > part.wall_ns ? whole.wall_ns - part.wall_ns : 0,
      whole.cpu_ns > part.cpu_ns ? whole.cpu_ns - part.cpu_ns : 0,
  };
}

/* Each pair of neighbours in the older half becomes one. Only an outer span that begins between the two of a pair would
 * notice, after more than 65 536 siblings. */
static void
merge_oldest(struct kiln_model_thread *thread)
{
  struct kiln_model_span *spans = thread->spans;
  size_t pairs = thread->span_count / 4;
  for (size_t i = 0; i < pairs; i++) {
    spans[i] = spans[2 * i];
    add(&spans[i].whole, spans[2 * i + 1].whole);
    add(&spans[i].clipped, spans[2 * i + 1].clipped);
  }
  memmove(spans + pairs, spans + 2 * pairs, (thread->span_count - 2 * pairs) * sizeof *spans);
  thread->span_count -= pairs;
}

static bool
push(struct kiln_model_thread *thread, struct kiln_model_span span)
{
  if (thread->span_count >= KILN_MODEL_STACK)
    merge_oldest(thread);
  if (!KILN_GROW(thread->spans, thread->span_count, thread->span_capacity))
    return false;
  thread->spans[thread->span_count++] = span;
  return true;
}

/* Remove the children of a span from the stack; their time together. */
static struct kiln_model_span
swallow(struct kiln_model_thread *thread, uint64_t begin)
{
  struct kiln_model_span inner = {.begin = begin};
  while (thread->span_count > 0 && thread->spans[thread->span_count - 1].begin >= begin) {
    const struct kiln_model_span *span = &thread->spans[--thread->span_count];
    add(&inner.whole, span->whole);
    add(&inner.clipped, span->clipped);
  }
  return inner;
}

/* How much of [begin, begin + length] lies within [from, to]; 0 stands for an open side. */
static uint64_t
within(uint64_t begin, uint64_t length, uint64_t from, uint64_t to)
{
  uint64_t end = kiln_model_sum(begin, length);
  if (begin < from)
    begin = from;
  if (to && end > to)
    end = to;
  return end > begin ? end - begin : 0;
}

static const char *
name_of(struct kiln_model *model, const struct cJSON *fields)
{
  static const char *const keys[] = {"kernel", "module", "symbol", "name"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    const char *name = kiln_model_text(model, fields, keys[i]);
    if (name)
      return name;
  }
  return NULL;
}

static const char *
kind_of(const struct kiln_event *event)
{
  const char *step = kiln_json_get_string(event->fields, "step", "");
  return strcmp(step, "native") == 0 ? "native" : kiln_event_kind_name(event->kind);
}

/* For drawing only: when memory is short the picture is poorer, and the sums are not. */
static void
keep_long(struct kiln_model *model, const struct kiln_event *event, enum kiln_phase phase)
{
  if (event->dur < KILN_MODEL_LONG_NS)
    return;
  if (model->long_count >= KILN_MODEL_LONG_MOST || !KILN_GROW(model->longs, model->long_count, model->long_capacity)) {
    model->longs_dropped++;
    return;
  }
  model->longs[model->long_count++] = (struct kiln_model_long){
      .kind = kind_of(event),
      .name = name_of(model, event->fields),
      .phase = phase,
      .pid = event->pid,
      .tid = event->tid,
      .start_ns = event->t,
      .wall_ns = event->dur,
      .cpu_ns = event->dcpu,
  };
}

struct kiln_span_time
kiln_model_span_end(
    struct kiln_model *model, struct kiln_model_thread *thread, const struct kiln_event *event, enum kiln_phase phase)
{
  struct kiln_model_process *process = &model->processes[thread->process];
  struct kiln_model_state *state = model->state;
  struct kiln_model_span inner = swallow(thread, event->t);
  struct kiln_model_span span = {.begin = event->t, .whole = {event->dur, event->dcpu}};
  span.clipped.wall_ns = within(event->t, event->dur, process->main_ns, process->exit_ns);
  span.clipped.cpu_ns = within(event->cpu, event->dcpu, process->main_cpu_ns, process->exit_cpu_ns);
  struct kiln_span_time self = without(span.whole, inner.whole);
  add(&process->spans[phase], self);
  if (thread->main)
    add(&process->phase[phase], without(span.clipped, inner.clipped));
  if (!push(thread, span))
    state->failed = true;
  keep_long(model, event, phase);
  return self;
}

void
kiln_model_span_restart(struct kiln_model *model, struct kiln_model_thread *thread)
{
  struct kiln_model_process *process = &model->processes[thread->process];
  memset(process->phase, 0, sizeof process->phase);
  thread->span_count = 0;
}

void
kiln_model_step_add(struct kiln_model *model, struct kiln_model_thread *thread, struct kiln_model_step step)
{
  struct kiln_model_state *state = model->state;
  if (thread->step_count >= KILN_MODEL_STEPS) {
    size_t half = thread->step_count / 2;
    memmove(thread->steps, thread->steps + half, (thread->step_count - half) * sizeof *thread->steps);
    thread->step_count -= half;
  }
  if (KILN_GROW(thread->steps, thread->step_count, thread->step_capacity))
    thread->steps[thread->step_count++] = step;
  else
    state->failed = true;
}

void
kiln_model_steps_claim(struct kiln_model_thread *thread, struct kiln_model_build *build)
{
  for (size_t i = 0; i < thread->step_count; i++) {
    const struct kiln_model_step *step = &thread->steps[i];
    if (step->begin < build->start_ns)
      continue;
    if (step->phase == KILN_PHASE_PCH)
      add(&build->pch, step->self);
    else if (step->phase == KILN_PHASE_CODEGEN)
      add(&build->codegen, step->self);
    else
      add(&build->native, step->self);
  }
  thread->step_count = 0;
}
