#include "probe/model.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "probe/model_state.h"

static const char *const phase_names[KILN_PHASE_COUNT] = {
    [KILN_PHASE_INTERPRETER_START] = "interpreter_start",
    [KILN_PHASE_IMPORTS] = "imports",
    [KILN_PHASE_INIT] = "init",
    [KILN_PHASE_DECLARATION] = "declaration",
    [KILN_PHASE_HASHING] = "hashing",
    [KILN_PHASE_CODEGEN] = "codegen",
    [KILN_PHASE_PCH] = "pch",
    [KILN_PHASE_COMPILE] = "compile",
    [KILN_PHASE_LINK] = "link",
    [KILN_PHASE_LOAD] = "load",
    [KILN_PHASE_FIRST_LAUNCH] = "first_launch",
    [KILN_PHASE_PROGRAM] = "program",
    [KILN_PHASE_INTERPRETER_EXIT] = "interpreter_exit",
    [KILN_PHASE_REST] = "rest",
};

const char *
kiln_phase_name(enum kiln_phase phase)
{
  return (unsigned)phase < KILN_PHASE_COUNT ? phase_names[phase] : "unknown";
}

const char *
kiln_build_result_name(enum kiln_build_result result)
{
  switch (result) {
  case KILN_BUILD_COMPILED:
    return "compiled";
  case KILN_BUILD_CACHED:
    return "cached";
  case KILN_BUILD_FAILED:
    return "failed";
  }
  return "unknown";
}

struct kiln_model *
kiln_model_new(void)
{
  struct kiln_model *model = calloc(1, sizeof *model);
  if (!model)
    return NULL;
  kiln_arena_init(&model->arena);
  kiln_intern_init(&model->intern, &model->arena);
  model->state = calloc(1, sizeof(struct kiln_model_state));
  if (!model->state) {
    kiln_model_free(model);
    return NULL;
  }
  return model;
}

void
kiln_model_state_free(struct kiln_model *model)
{
  struct kiln_model_state *state = model->state;
  if (!state)
    return;
  kiln_index_release(&state->process_rows);
  kiln_index_release(&state->thread_rows);
  kiln_index_release(&state->identity_of);
  kiln_index_release(&state->signature_rows);
  for (size_t i = 0; i < state->thread_count; i++) {
    free(state->threads[i].spans);
    free(state->threads[i].steps);
  }
  free(state->threads);
  free(state->signatures);
  free(state->lasts);
  free(state);
  model->state = NULL;
}

void
kiln_model_free(struct kiln_model *model)
{
  if (!model)
    return;
  kiln_model_state_free(model);
  free(model->processes);
  free(model->builds);
  free(model->loads);
  free(model->declarations);
  free(model->hashes);
  free(model->options);
  free(model->caches);
  free(model->launches);
  free(model->longs);
  free(model->errors);
  free(model->marks);
  free(model->levers);
  free(model->links);
  free(model->headers);
  free(model->moments);
  kiln_intern_release(&model->intern);
  kiln_arena_release(&model->arena);
  free(model);
}

uint64_t
kiln_model_sum(uint64_t a, uint64_t b)
{
  return a <= UINT64_MAX - b ? a + b : UINT64_MAX;
}

/* Cut at a character boundary, so that UTF-8 stays UTF-8. */
static const char *
intern_cut(struct kiln_model *model, const char *text)
{
  char cut[KILN_MODEL_TEXT + 1];
  size_t len = KILN_MODEL_TEXT;
  while (len > KILN_MODEL_TEXT - 4 && ((unsigned char)text[len] & 0xc0) == 0x80)
    len--;
  memcpy(cut, text, len);
  cut[len] = '\0';
  return kiln_intern_text(&model->intern, cut);
}

const char *
kiln_model_intern(struct kiln_model *model, const char *text)
{
  if (!text)
    return NULL;
  if (memchr(text, '\0', KILN_MODEL_TEXT + 1))
    return kiln_intern_text(&model->intern, text);
  return intern_cut(model, text);
}

const char *
kiln_model_text(struct kiln_model *model, const struct cJSON *object, const char *key)
{
  return kiln_model_intern(model, kiln_json_get_string(object, key, NULL));
}

int
kiln_model_int(const struct cJSON *object, const char *key)
{
  int64_t value = kiln_json_get_int(object, key, 0);
  return value > 0 && value <= INT_MAX ? (int)value : 0;
}

/* Hashing to load, on all threads: what a first run pays for compiling. */
static uint64_t
jit_work(const struct kiln_model_process *process)
{
  uint64_t work = 0;
  for (int phase = KILN_PHASE_HASHING; phase <= KILN_PHASE_LOAD; phase++)
    work = kiln_model_sum(work, process->spans[phase].wall_ns);
  return work;
}

const struct kiln_model_process *
kiln_model_principal(const struct kiln_model *model)
{
  const struct kiln_model_process *best = NULL;
  uint64_t best_work = 0;
  for (size_t i = 0; i < model->process_count; i++) {
    const struct kiln_model_process *process = &model->processes[i];
    uint64_t work = jit_work(process);
    if (!process->python && (process->main_ns == 0 || process->forked))
      continue;
    if (!best || work > best_work || (work == best_work && process->start_ns < best->start_ns)) {
      best = process;
      best_work = work;
    }
  }
  return best;
}
