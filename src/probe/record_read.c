/* A recorded folder as a report. */
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "base/text.h"
#include "event/reader.h"
#include "os/file.h"
#include "probe/record_file.h"
#include "probe/rule.h"

#define NS_PER_S 1e9

/* CPU time as the processes themselves saw it, for a run that kiln did not start. */
struct own_times {
  uint64_t cpu_ns;
  uint64_t last_cpu_ns; /* of a file whose process said nothing at its end: of its latest event's thread */
  bool ended;
};

static bool
take_times(void *context, const struct kiln_event *event)
{
  struct own_times *times = context;
  if (event->cpu > times->last_cpu_ns)
    times->last_cpu_ns = event->cpu;
  if (event->kind == KILN_EVENT_PROCESS && kiln_text_equal(kiln_json_get_string(event->fields, "what", NULL), "end")) {
    const int64_t cpu = kiln_json_get_int(event->fields, "process_cpu", -1);
    if (cpu >= 0) {
      times->cpu_ns += (uint64_t)cpu;
      times->ended = true;
    }
  }
  return true;
}

static bool
add_times(void *context, const char *path, const struct kiln_file_info *info)
{
  uint64_t *sum = context;
  struct own_times times = {0};
  if (info->kind != KILN_FILE_REGULAR || !kiln_text_ends(path, ".jsonl"))
    return true;
  if (kiln_event_read_file(path, take_times, &times, NULL, NULL) == KILN_OK)
    *sum += times.ended ? times.cpu_ns : times.last_cpu_ns;
  return true;
}

/* From the first sign of life to the last one, where nobody timed the run. */
static void
guess_result(const struct kiln_model *model, const char *folder, struct kiln_run_result *result)
{
  result->end = KILN_RUN_ENDED;
  for (size_t i = 0; i < model->process_count; i++) {
    const struct kiln_model_process *process = &model->processes[i];
    if (process->start_ns != 0 && (result->begin_ns == 0 || process->start_ns < result->begin_ns))
      result->begin_ns = process->start_ns;
    if (process->end_ns > result->end_ns)
      result->end_ns = process->end_ns;
  }
  if (result->end_ns < result->begin_ns)
    result->end_ns = result->begin_ns;
  kiln_folder_walk(folder, 1, add_times, &result->usage.user_ns, NULL);
}

static const struct kiln_model_process *
first_process(const struct kiln_model *model)
{
  const struct kiln_model_process *first = NULL;
  for (size_t i = 0; i < model->process_count; i++)
    if (model->processes[i].command && (!first || model->processes[i].start_ns < first->start_ns))
      first = &model->processes[i];
  return first;
}

/* A job script's record knows no command: the first process that was seen stands for it. */
static bool
fill_command(struct kiln_report *report, const struct kiln_record_file *file, const struct kiln_model *model)
{
  struct kiln_report_arm *arm = &report->arms[0];
  if (file->present) {
    arm->command = file->command;
    arm->command_count = file->command_count;
  } else {
    const struct kiln_model_process *process = first_process(model);
    arm->command = kiln_arena_alloc(&report->arena, 2 * sizeof *arm->command);
    if (arm->command && process)
      arm->command[arm->command_count++] = kiln_arena_strdup(&report->arena, process->command);
  }
  report->command = arm->command;
  report->command_count = arm->command_count;
  return !report->arena.failed;
}

static void
fill_run(struct kiln_report_run *run)
{
  const struct kiln_run_result *result = &run->result;
  const uint64_t cpu_ns = result->usage.user_ns + result->usage.system_ns;
  const uint64_t wall_ns = result->end_ns - result->begin_ns;
  kiln_model_phases(run->model, result->pid, result->begin_ns, result->end_ns, cpu_ns, run->phase);
  run->elapsed_s = (double)wall_ns / NS_PER_S;
  run->cpu_s = (double)cpu_ns / NS_PER_S;
  run->present = true;
}

static void
warn_model(struct kiln_report *report, const struct kiln_model *model)
{
  for (size_t i = 0; i < model->error_count; i++)
    kiln_report_warn(report, "Not everything could be observed: %s: %s.",
        model->errors[i].hook ? model->errors[i].hook : "hook",
        model->errors[i].message ? model->errors[i].message : "no message");
  if (model->bad_lines > 0)
    kiln_report_warn(report,
        "Event lines that could not be read: %llu (a full disk, or a process killed while it wrote).",
        (unsigned long long)model->bad_lines);
  if (model->launch_overflow > 0)
    kiln_report_warn(report, "The launches of a run are \"at least\": %llu of them found the counter table full.",
        (unsigned long long)model->launch_overflow);
}

static void
warn_file(struct kiln_report *report, const struct kiln_record_file *file)
{
  if (!file->present)
    kiln_report_warn(report,
        "kiln did not start this run: elapsed is from the first event to the last one, CPU is what "
        "the observed processes counted.");
  else if (!file->finished)
    kiln_report_warn(report, "The record has no end: the run is still going on, or kiln was killed in it.");
  if (file->result.killed > 0)
    kiln_report_warn(report, "Processes that outlived the command were killed: %d in one run.", file->result.killed);
}

/* How a finished run ended. It counts in every case: what was observed was observed. */
static void
fill_state(struct kiln_report *report, const struct kiln_record_file *file)
{
  struct kiln_buf text;
  kiln_buf_init(&text);
  report->state = KILN_REPORT_COMPLETE;
  if (file->finished && kiln_record_complaint(report->command_count > 0 ? report->command[0] : "?", file->timeout_s,
                            &file->result, &report->state, &text))
    report->failure = kiln_arena_strdup(&report->arena, kiln_buf_text(&text));
  kiln_buf_release(&text);
}

/* kiln waited for the run, or every image that was started told its own end. */
static bool
is_unfinished(const struct kiln_record_file *file, const struct kiln_model *model)
{
  if (file->finished || file->present)
    return !file->finished;
  for (size_t i = 0; i < model->process_count; i++)
    if (!model->processes[i].forked && !model->processes[i].ended)
      return true;
  return false;
}

static void
fill_versions(struct kiln_report *report, const struct kiln_model *model)
{
  const struct kiln_model_process *principal = kiln_model_principal(model);
  if (principal) {
    report->python = kiln_arena_strdup(&report->arena, principal->python);
    report->framework = kiln_arena_strdup(&report->arena, principal->framework_version);
  }
}

static enum kiln_status
read_model(const char *folder, struct kiln_report_run *run, struct kiln_error *error)
{
  run->model = kiln_model_new();
  if (!run->model)
    return kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short.");
  enum kiln_status status = kiln_model_read(run->model, folder, error);
  if (status == KILN_OK)
    status = kiln_model_finish(run->model, error);
  if (status == KILN_OK && run->model->process_count == 0) {
    kiln_error_set(error, KILN_ERROR_FORMAT, "The folder '%s' holds no events of any process.", folder);
    kiln_error_advise(error, "Record a run into it: kiln record -o DIR -- COMMAND.");
    status = KILN_ERROR_FORMAT;
  }
  return status;
}

static enum kiln_status
fill_report(struct kiln_report *report, const char *folder, struct kiln_error *error)
{
  struct kiln_record_file file;
  if (!kiln_report_arms_make(report, 1, 1))
    return kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short.");
  struct kiln_report_arm *arm = &report->arms[0];
  struct kiln_report_sample *sample = &arm->samples[arm->sample_count++];
  enum kiln_status status = kiln_record_file_read(folder, &report->arena, &file, error);
  if (status == KILN_OK)
    status = read_model(folder, &sample->cold, error);
  if (status != KILN_OK)
    return status;
  arm->name = "recorded";
  sample->index = 1;
  sample->valid = true;
  sample->cold.result = file.result;
  if (!file.finished)
    guess_result(sample->cold.model, folder, &sample->cold.result);
  fill_run(&sample->cold);
  fill_versions(report, sample->cold.model);
  warn_file(report, &file);
  warn_model(report, sample->cold.model);
  report->date = file.date;
  report->host = file.host;
  report->samples_wanted = 1;
  report->recorded = true;
  report->unfinished = is_unfinished(&file, sample->cold.model);
  if (!fill_command(report, &file, sample->cold.model))
    return kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short.");
  fill_state(report, &file);
  return KILN_OK;
}

enum kiln_status
kiln_record_read(const char *folder, struct kiln_report **report, struct kiln_error *error)
{
  *report = kiln_report_new();
  enum kiln_status status =
      *report ? fill_report(*report, folder, error) : kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short.");
  if (status == KILN_OK) {
    kiln_report_summarise(*report);
    kiln_rules_run(*report);
    return KILN_OK;
  }
  kiln_report_free(*report);
  *report = NULL;
  return status;
}
