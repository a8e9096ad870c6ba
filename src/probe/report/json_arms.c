#include <stdio.h>

#include "probe/report/json_parts.h"
#include "probe/report/work.h"

void
kiln_report_json_phases(struct kiln_json *json, const struct kiln_span_time phase[KILN_PHASE_COUNT])
{
  kiln_json_object(json);
  for (int i = 0; i < KILN_PHASE_COUNT; i++) {
    kiln_json_member_object(json, kiln_phase_name((enum kiln_phase)i));
    kiln_json_member_double(json, "elapsed_s", (double)phase[i].wall_ns / 1e9);
    kiln_json_member_double(json, "cpu_s", (double)phase[i].cpu_ns / 1e9);
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
  kiln_json_member_text(json, "end", end_name(result->end));
  /* A process that a signal ended has no exit code; 0 would read as success. */
  kiln_json_key(json, "exit_code");
  if (result->signal || result->end == KILN_RUN_NOT_STARTED)
    kiln_json_null(json);
  else
    kiln_json_int(json, result->exit_code);
  kiln_json_member_int(json, "signal", result->signal);
  const struct kiln_usage *usage = &result->usage;
  kiln_json_member_double(json, "user_s", (double)usage->user_ns / 1e9);
  kiln_json_member_double(json, "system_s", (double)usage->system_ns / 1e9);
  kiln_json_member_uint(json, "max_rss_bytes", usage->max_rss_bytes);
  kiln_json_member_uint(json, "minor_faults", usage->minor_faults);
  kiln_json_member_uint(json, "major_faults", usage->major_faults);
  kiln_json_member_uint(json, "voluntary_switches", usage->voluntary_switches);
  kiln_json_member_uint(json, "involuntary_switches", usage->involuntary_switches);
  kiln_json_member_int(json, "reaped", result->reaped);
  kiln_json_member_int(json, "killed", result->killed);
  kiln_json_member_uint(json, "stdout_bytes", result->stdout_bytes);
  kiln_json_member_uint(json, "stderr_bytes", result->stderr_bytes);
  kiln_json_member_bool(json, "output_cut", result->output_cut);
  kiln_json_member_bool(json, "output_lost", result->output_lost);
}

static void
write_model(struct kiln_json *json, const struct kiln_model *model)
{
  const struct kiln_model empty = {.overlap = 0};
  model = model ? model : &empty;
  for (int i = 0; i < KILN_COUNT_COUNT; i++)
    kiln_json_member_uint(json, kiln_count_name((enum kiln_count)i), kiln_count_of(&model->counts, (enum kiln_count)i));
  kiln_json_member_uint(json, "launches_uncounted", model->launch_overflow);
  kiln_json_member_uint(json, "events", model->events);
  kiln_json_member_uint(json, "event_bytes", model->event_bytes);
  kiln_json_member_uint(json, "bad_lines", model->bad_lines);
  kiln_json_member_double(json, "overlap", model->overlap);
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
  kiln_json_member_double(json, "elapsed_s", run->elapsed_s);
  kiln_json_member_double(json, "cpu_s", run->cpu_s);
  kiln_json_member_known(json, "ready_s", run->result.ready ? run->elapsed_s : -1);
  kiln_json_member_double(json, "native_s", kiln_run_native_s(run));
  kiln_json_member_double(json, "module_work_s", kiln_run_module_work_s(run));
  kiln_json_member_uint(json, "artefacts_new", run->artefacts_new);
  write_result(json, &run->result);
  kiln_json_key(json, "phases");
  kiln_report_json_phases(json, run->phase);
  kiln_json_object_end(json);
}

static void
write_sample(struct kiln_json *json, const struct kiln_report_sample *sample)
{
  kiln_json_object(json);
  kiln_json_member_int(json, "index", sample->index);
  kiln_json_member_bool(json, "valid", sample->valid);
  kiln_json_member_text(json, "invalid_because", sample->invalid_because);
  write_run(json, "cold", &sample->cold);
  write_run(json, "warm", &sample->warm);
  kiln_json_object_end(json);
}

/* Members only, so that a phase can add its CPU time to the same object. */
static void
write_interval_members(struct kiln_json *json, struct kiln_interval interval)
{
  kiln_json_member_double(json, "median", interval.median);
  kiln_json_member_double(json, "lo", interval.lo);
  kiln_json_member_double(json, "hi", interval.hi);
  kiln_json_member_uint(json, "n", interval.n);
}

static void
write_interval(struct kiln_json *json, const char *key, struct kiln_interval interval)
{
  kiln_json_member_object(json, key);
  write_interval_members(json, interval);
  kiln_json_object_end(json);
}

static void
write_summary(struct kiln_json *json, const char *key, const struct kiln_report_summary *summary)
{
  kiln_json_member_object(json, key);
  for (int i = 0; i < KILN_COUNT_COUNT; i++)
    write_interval(json, kiln_count_name((enum kiln_count)i), summary->count[i]);
  write_interval(json, "elapsed_s", summary->elapsed_s);
  write_interval(json, "cpu_s", summary->cpu_s);
  write_interval(json, "overlap", summary->overlap);
  write_interval(json, "native_s", summary->native_s);
  write_interval(json, "module_work_s", summary->module_work_s);
  kiln_json_member_object(json, "phases");
  for (int i = 0; i < KILN_PHASE_COUNT; i++) {
    kiln_json_member_object(json, kiln_phase_name((enum kiln_phase)i));
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
  kiln_json_member_texts(json, "command", arm->command, arm->command_count);
  char digest[17];
  snprintf(digest, sizeof digest, "%016llx", (unsigned long long)arm->inputs);
  kiln_json_member_text(json, "inputs", arm->inputs ? digest : NULL);
}

static void
write_arm(struct kiln_json *json, const struct kiln_report_arm *arm)
{
  kiln_json_object(json);
  kiln_json_member_text(json, "name", arm->name);
  write_command(json, arm);
  kiln_json_member_array(json, "samples");
  for (size_t i = 0; i < arm->sample_count; i++)
    write_sample(json, &arm->samples[i]);
  kiln_json_array_end(json);
  kiln_json_member_object(json, "summary");
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
  kiln_json_member_array(json, "arms");
  for (size_t i = 0; i < report->arm_count; i++)
    write_arm(json, &report->arms[i]);
  kiln_json_array_end(json);
}
