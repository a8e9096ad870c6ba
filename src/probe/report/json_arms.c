#include <stdio.h>

#include "probe/report/json_parts.h"
#include "probe/report/work.h"

static void
write_uint(struct kiln_json *json, const char *key, uint64_t value)
{
  kiln_json_key(json, key);
  kiln_json_uint(json, value);
}

static void
write_seconds(struct kiln_json *json, const char *key, double value)
{
  kiln_json_key(json, key);
  kiln_json_double(json, value);
}

static void
write_bool(struct kiln_json *json, const char *key, bool value)
{
  kiln_json_key(json, key);
  kiln_json_bool(json, value);
}

void
kiln_report_json_phases(struct kiln_json *json, const struct kiln_span_time phase[KILN_PHASE_COUNT])
{
  kiln_json_object(json);
  for (int i = 0; i < KILN_PHASE_COUNT; i++) {
    kiln_json_key(json, kiln_phase_name((enum kiln_phase)i));
    kiln_json_object(json);
    write_seconds(json, "elapsed_s", (double)phase[i].wall_ns / 1e9);
    write_seconds(json, "cpu_s", (double)phase[i].cpu_ns / 1e9);
    kiln_json_object_end(json);
  }
  kiln_json_object_end(json);
}

static const char *
end_name(enum kiln_run_end end)
{
  switch (end) {
  case KILN_RUN_ENDED:
    return "ended";
  case KILN_RUN_NOT_STARTED:
    return "not_started";
  case KILN_RUN_TIMEOUT:
    return "timeout";
  case KILN_RUN_INTERRUPTED:
    return "interrupted";
  case KILN_RUN_READY:
    return "ready";
  }
  return "unknown";
}

static void
write_result(struct kiln_json *json, const struct kiln_run_result *result)
{
  kiln_json_key(json, "end");
  kiln_json_string(json, end_name(result->end));
  /* A process that a signal ended has no exit code; 0 would read as success. */
  kiln_json_key(json, "exit_code");
  if (result->signal || result->end == KILN_RUN_NOT_STARTED)
    kiln_json_null(json);
  else
    kiln_json_int(json, result->exit_code);
  kiln_json_key(json, "signal");
  kiln_json_int(json, result->signal);
  const struct kiln_usage *usage = &result->usage;
  write_seconds(json, "user_s", (double)usage->user_ns / 1e9);
  write_seconds(json, "system_s", (double)usage->system_ns / 1e9);
  write_uint(json, "max_rss_bytes", usage->max_rss_bytes);
  write_uint(json, "minor_faults", usage->minor_faults);
  write_uint(json, "major_faults", usage->major_faults);
  write_uint(json, "voluntary_switches", usage->voluntary_switches);
  write_uint(json, "involuntary_switches", usage->involuntary_switches);
  kiln_json_key(json, "reaped");
  kiln_json_int(json, result->reaped);
  kiln_json_key(json, "killed");
  kiln_json_int(json, result->killed);
  write_uint(json, "stdout_bytes", result->stdout_bytes);
  write_uint(json, "stderr_bytes", result->stderr_bytes);
  write_bool(json, "output_cut", result->output_cut);
  write_bool(json, "output_lost", result->output_lost);
}

static void
write_model(struct kiln_json *json, const struct kiln_model *model)
{
  const struct kiln_model empty = {.overlap = 0};
  model = model ? model : &empty;
  for (int i = 0; i < KILN_COUNT_COUNT; i++)
    write_uint(json, kiln_count_name((enum kiln_count)i), kiln_count_of(&model->counts, (enum kiln_count)i));
  write_uint(json, "launches_uncounted", model->launch_overflow);
  write_uint(json, "events", model->events);
  write_uint(json, "event_bytes", model->event_bytes);
  write_uint(json, "bad_lines", model->bad_lines);
  write_seconds(json, "overlap", model->overlap);
}

static void
write_run(struct kiln_json *json, const char *key, const struct kiln_report_run *run)
{
  kiln_json_key(json, key);
  if (!run->present) {
    kiln_json_null(json);
    return;
  }
  kiln_json_object(json);
  write_model(json, run->model);
  write_seconds(json, "elapsed_s", run->elapsed_s);
  write_seconds(json, "cpu_s", run->cpu_s);
  kiln_json_key(json, "ready_s");
  if (run->result.ready)
    kiln_json_double(json, run->elapsed_s);
  else
    kiln_json_null(json);
  write_seconds(json, "native_s", kiln_run_native_s(run));
  write_seconds(json, "module_work_s", kiln_run_module_work_s(run));
  write_uint(json, "artefacts_new", run->artefacts_new);
  write_result(json, &run->result);
  kiln_json_key(json, "phases");
  kiln_report_json_phases(json, run->phase);
  kiln_json_object_end(json);
}

static void
write_sample(struct kiln_json *json, const struct kiln_report_sample *sample)
{
  kiln_json_object(json);
  kiln_json_key(json, "index");
  kiln_json_int(json, sample->index);
  write_bool(json, "valid", sample->valid);
  kiln_json_key(json, "invalid_because");
  kiln_json_string(json, sample->invalid_because);
  write_run(json, "cold", &sample->cold);
  write_run(json, "warm", &sample->warm);
  kiln_json_object_end(json);
}

/* Members only, so that a phase can add its CPU time to the same object. */
static void
write_interval_members(struct kiln_json *json, struct kiln_interval interval)
{
  write_seconds(json, "median", interval.median);
  write_seconds(json, "lo", interval.lo);
  write_seconds(json, "hi", interval.hi);
  write_uint(json, "n", interval.n);
}

static void
write_interval(struct kiln_json *json, const char *key, struct kiln_interval interval)
{
  kiln_json_key(json, key);
  kiln_json_object(json);
  write_interval_members(json, interval);
  kiln_json_object_end(json);
}

static void
write_summary(struct kiln_json *json, const char *key, const struct kiln_report_summary *summary)
{
  kiln_json_key(json, key);
  kiln_json_object(json);
  for (int i = 0; i < KILN_COUNT_COUNT; i++)
    write_interval(json, kiln_count_name((enum kiln_count)i), summary->count[i]);
  write_interval(json, "elapsed_s", summary->elapsed_s);
  write_interval(json, "cpu_s", summary->cpu_s);
  write_interval(json, "overlap", summary->overlap);
  write_interval(json, "native_s", summary->native_s);
  write_interval(json, "module_work_s", summary->module_work_s);
  kiln_json_key(json, "phases");
  kiln_json_object(json);
  for (int i = 0; i < KILN_PHASE_COUNT; i++) {
    kiln_json_key(json, kiln_phase_name((enum kiln_phase)i));
    kiln_json_object(json);
    write_interval_members(json, summary->phase_wall_s[i]);
    write_interval(json, "cpu_s", summary->phase_cpu_s[i]);
    kiln_json_object_end(json);
  }
  kiln_json_object_end(json);
  kiln_json_object_end(json);
}

static void
write_command(struct kiln_json *json, const struct kiln_report_arm *arm)
{
  kiln_json_key(json, "command");
  kiln_json_array(json);
  for (size_t i = 0; i < arm->command_count; i++)
    kiln_json_string(json, arm->command[i]);
  kiln_json_array_end(json);
  char digest[17];
  snprintf(digest, sizeof digest, "%016llx", (unsigned long long)arm->inputs);
  kiln_json_key(json, "inputs");
  kiln_json_string(json, arm->inputs ? digest : NULL);
}

static void
write_arm(struct kiln_json *json, const struct kiln_report_arm *arm)
{
  kiln_json_object(json);
  kiln_json_key(json, "name");
  kiln_json_string(json, arm->name);
  write_command(json, arm);
  kiln_json_key(json, "samples");
  kiln_json_array(json);
  for (size_t i = 0; i < arm->sample_count; i++)
    write_sample(json, &arm->samples[i]);
  kiln_json_array_end(json);
  kiln_json_key(json, "summary");
  kiln_json_object(json);
  write_summary(json, "cold", &arm->cold);
  write_summary(json, "warm", &arm->warm);
  write_interval(json, "compile_elapsed_s", arm->compile_elapsed_s);
  write_interval(json, "compile_cpu_s", arm->compile_cpu_s);
  kiln_json_object_end(json);
  kiln_json_object_end(json);
}

void
kiln_report_json_arms(struct kiln_json *json, const struct kiln_report *report)
{
  kiln_json_key(json, "arms");
  kiln_json_array(json);
  for (size_t i = 0; i < report->arm_count; i++)
    write_arm(json, &report->arms[i]);
  kiln_json_array_end(json);
}
