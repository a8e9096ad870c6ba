#include "probe/compare_take.h"

#include <stdlib.h>

#include "probe/compare_load.h"
#include "probe/report/launches.h"

static enum kiln_status
no_memory(struct kiln_error *error)
{
  return kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short for the comparison of arms.");
}

static const char *
text_or_empty(const char *text)
{
  return text ? text : "";
}

/* Strings stay those of the model: the report outlives what is taken from it. */
static bool
take_launches(struct kiln_loaded_run *run, const struct kiln_model *model)
{
  size_t count;
  bool kept = true;
  struct kiln_model_launch *launches = kiln_launches_sum(model, &count);
  for (size_t i = 0; i < count && kept; i++) {
    const struct kiln_model_launch *launch = &launches[i];
    const struct kiln_loaded_launch loaded = {text_or_empty(launch->kernel), text_or_empty(launch->device),
        text_or_empty(launch->direction), launch->block_dim, launch->dim > INT64_MAX ? -1 : (int64_t)launch->dim,
        launch->count};
    kept = kiln_loaded_launch_add(run, &loaded, text_or_empty(launch->module));
  }
  free(launches);
  kiln_loaded_run_settle(run);
  return kept;
}

static bool
take_run(struct kiln_loaded_run *run, const struct kiln_report_run *from)
{
  run->present = from->present;
  if (!from->present || !from->model)
    return true;
  for (int i = 0; i < KILN_COUNT_COUNT; i++)
    run->count[i] = kiln_count_of(&from->model->counts, (enum kiln_count)i);
  run->elapsed_s = from->elapsed_s;
  run->cpu_s = from->cpu_s;
  run->overlap = from->model->overlap;
  return take_launches(run, from->model);
}

static bool
take_sample(struct kiln_loaded_report *loaded, const struct kiln_report_sample *sample)
{
  if (!KILN_GROW(loaded->samples, loaded->sample_count, loaded->sample_capacity))
    return false;
  struct kiln_loaded_sample *taken = &loaded->samples[loaded->sample_count++];
  *taken = (struct kiln_loaded_sample){.index = sample->index};
  return take_run(&taken->run[0], &sample->cold) && take_run(&taken->run[1], &sample->warm);
}

enum kiln_status
kiln_loaded_report_take(const struct kiln_report_arm *arm, struct kiln_loaded_report **loaded, struct kiln_error *error)
{
  *loaded = NULL;
  struct kiln_loaded_report *taken = calloc(1, sizeof *taken);
  if (!taken)
    return no_memory(error);
  kiln_arena_init(&taken->arena);
  taken->name = taken->arm = arm->name;
  for (int i = 0; i < KILN_LOADED_FACTS; i++)
    taken->facts[i] = ""; /* arms of one measurement share their environment */
  bool kept = true;
  for (size_t i = 0; i < arm->sample_count && kept; i++)
    if (arm->samples[i].valid)
      kept = take_sample(taken, &arm->samples[i]);
  if (kept && taken->sample_count) {
    *loaded = taken;
    return KILN_OK;
  }
  kiln_loaded_report_free(taken);
  return kept ? kiln_error_set(error, KILN_ERROR_INVALID, "The arm '%s' has no valid sample.", arm->name)
              : no_memory(error);
}
