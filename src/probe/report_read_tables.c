/* The flat lists of a report file as tables of its runs. */
#include <string.h>

#include "base/text.h"
#include "probe/report_read.h"

/* A row of a flat list and the model that it belongs to. */
typedef bool take_row(struct kiln_model *model, const struct cJSON *row);

static const char *
text(struct kiln_model *model, const struct cJSON *row, const char *key)
{
  return kiln_intern_text(&model->intern, kiln_json_get_string(row, key, NULL));
}

static int
number(const struct cJSON *row, const char *key)
{
  const int64_t value = kiln_json_get_int(row, key, 0);
  return value >= INT32_MIN && value <= INT32_MAX ? (int)value : 0;
}

static uint64_t
count(const struct cJSON *row, const char *key)
{
  const int64_t value = kiln_json_get_int(row, key, 0);
  return value > 0 ? (uint64_t)value : 0;
}

static struct kiln_where
place(struct kiln_model *model, const struct cJSON *row)
{
  const struct cJSON *where = kiln_json_get(row, "where");
  return (struct kiln_where){text(model, where, "file"), number(where, "line")};
}

static struct kiln_span_time
span(const struct cJSON *row, const char *wall, const char *cpu)
{
  return (struct kiln_span_time){kiln_report_read_ns(row, wall), kiln_report_read_ns(row, cpu)};
}

static enum kiln_build_result
result(const struct cJSON *row)
{
  const char *name = kiln_json_get_string(row, "result", "");
  for (int i = KILN_BUILD_COMPILED; i <= KILN_BUILD_FAILED; i++)
    if (strcmp(kiln_build_result_name((enum kiln_build_result)i), name) == 0)
      return (enum kiln_build_result)i;
  return KILN_BUILD_FAILED;
}

static bool
take_build(struct kiln_model *model, const struct cJSON *row)
{
  if (!KILN_GROW(model->builds, model->build_count, model->build_capacity))
    return false;
  model->builds[model->build_count++] = (struct kiln_model_build){.framework = text(model, row, "framework"),
      .module = text(model, row, "module"),
      .identity = text(model, row, "identity"),
      .device = text(model, row, "device"),
      .toolchain = text(model, row, "toolchain"),
      .path = text(model, row, "path"),
      .source_digest = text(model, row, "source_digest"),
      .block_dim = number(row, "block_dim"),
      .pid = number(row, "pid"),
      .tid = number(row, "tid"),
      .start_ns = kiln_report_read_ns(row, "start_s"),
      .wall_ns = kiln_report_read_ns(row, "wall_s"),
      .cpu_ns = kiln_report_read_ns(row, "cpu_s"),
      .native = span(row, "native_s", "native_cpu_s"),
      .pch = span(row, "pch_s", "pch_cpu_s"),
      .codegen = span(row, "codegen_s", "codegen_cpu_s"),
      .result = result(row),
      .source_bytes = count(row, "source_bytes"),
      .launches = kiln_json_get_int(row, "launches_before", -1),
      .lto = number(row, "lto"),
      .aot = kiln_json_get_bool(row, "aot", false),
      .where = place(model, row)};
  return true;
}

static bool
take_load(struct kiln_model *model, const struct cJSON *row)
{
  if (!KILN_GROW(model->loads, model->load_count, model->load_capacity))
    return false;
  model->loads[model->load_count++] = (struct kiln_model_load){.framework = text(model, row, "framework"),
      .module = text(model, row, "module"),
      .identity = text(model, row, "identity"),
      .device = text(model, row, "device"),
      .block_dim = number(row, "block_dim"),
      .pid = number(row, "pid"),
      .tid = number(row, "tid"),
      .start_ns = kiln_report_read_ns(row, "start_s"),
      .wall_ns = kiln_report_read_ns(row, "wall_s"),
      .cpu_ns = kiln_report_read_ns(row, "cpu_s"),
      .result = result(row),
      .where = place(model, row)};
  return true;
}

static bool
take_launch(struct kiln_model *model, const struct cJSON *row)
{
  const int64_t dim = kiln_json_get_int(row, "dim", -1);
  if (!KILN_GROW(model->launches, model->launch_count, model->launch_capacity))
    return false;
  model->launches[model->launch_count++] = (struct kiln_model_launch){.framework = text(model, row, "framework"),
      .kernel = text(model, row, "kernel"),
      .module = text(model, row, "module"),
      .identity = text(model, row, "identity"),
      .device = text(model, row, "device"),
      .direction = text(model, row, "direction"),
      .block_dim = number(row, "block_dim"),
      .dim = dim < 0 ? UINT64_MAX : (uint64_t)dim,
      .count = count(row, "count")};
  return true;
}

static bool
take_process(struct kiln_model *model, const struct cJSON *row)
{
  if (!KILN_GROW(model->processes, model->process_count, model->process_capacity))
    return false;
  struct kiln_model_process *process = &model->processes[model->process_count++];
  *process = (struct kiln_model_process){.pid = number(row, "pid"),
      .ppid = number(row, "ppid"),
      .command = text(model, row, "command"),
      .python = text(model, row, "python"),
      .framework_version = text(model, row, "framework_version"),
      .forked = kiln_json_get_bool(row, "forked", false),
      .ended = kiln_json_get_bool(row, "ended", false),
      .launches = count(row, "launches"),
      .start_ns = kiln_report_read_ns(row, "start_s")};
  const struct cJSON *phases = kiln_json_get(row, "phases");
  for (int i = 0; i < KILN_PHASE_COUNT; i++)
    process->phase[i] = span(kiln_json_get(phases, kiln_phase_name((enum kiln_phase)i)), "elapsed_s", "cpu_s");
  return true;
}

static bool
take_mark(struct kiln_model *model, const struct cJSON *row)
{
  const char *name = text(model, row, "name");
  if (!KILN_GROW(model->marks, model->mark_count, model->mark_capacity))
    return false;
  if (name)
    model->marks[model->mark_count++] =
        (struct kiln_model_mark){name, number(row, "pid"), kiln_report_read_ns(row, "start_s")};
  return true;
}

/* Rows of one run stand together: the last one found is asked first. */
struct finder {
  struct kiln_report *report;
  const struct kiln_report_arm *arm;
  const struct kiln_report_sample *sample;
};

static struct kiln_model *
model_of(struct finder *finder, const struct cJSON *row)
{
  const char *name = kiln_json_get_string(row, "arm", NULL);
  const int index = number(row, "sample");
  if (!finder->arm || !kiln_text_equal(finder->arm->name, name)) {
    const size_t at = kiln_report_arm_named(finder->report, name);
    finder->arm = at < finder->report->arm_count ? &finder->report->arms[at] : NULL;
    finder->sample = NULL;
  }
  if (finder->arm && (!finder->sample || finder->sample->index != index)) {
    finder->sample = NULL;
    for (size_t i = 0; i < finder->arm->sample_count && !finder->sample; i++)
      if (finder->arm->samples[i].index == index)
        finder->sample = &finder->arm->samples[i];
  }
  if (!finder->arm || !finder->sample)
    return NULL;
  const bool warm = kiln_text_equal(kiln_json_get_string(row, "run", NULL), "warm");
  return warm ? finder->sample->warm.model : finder->sample->cold.model;
}

static bool
take_list(struct kiln_report *report, const struct cJSON *list, take_row *take)
{
  struct finder finder = {report, NULL, NULL};
  for (const struct cJSON *row = kiln_json_first(list); row; row = kiln_json_next(row)) {
    struct kiln_model *model = model_of(&finder, row);
    if (model && (!take(model, row) || model->arena.failed))
      return false;
  }
  return true;
}

bool
kiln_report_read_tables(struct kiln_report *report, const struct cJSON *tree)
{
  return take_list(report, kiln_json_get(tree, "builds"), take_build) &&
         take_list(report, kiln_json_get(tree, "loads"), take_load) &&
         take_list(report, kiln_json_get(tree, "launches"), take_launch) &&
         take_list(report, kiln_json_get(tree, "processes"), take_process) &&
         take_list(report, kiln_json_get(tree, "marks"), take_mark);
}
