#include <stdlib.h>

#include "probe/report/json_parts.h"
#include "probe/report/launches.h"
#include "probe/report/processes.h"

/* Where a row comes from; every row of a flat list carries it. */
struct origin {
  const char *arm;
  int sample;
  const char *run;
  uint64_t begin_ns;
};

typedef void write_rows(struct kiln_json *json, const struct origin *origin, const struct kiln_model *model);

static void
write_ns(struct kiln_json *json, const char *key, uint64_t ns)
{
  kiln_json_member_double(json, key, (double)ns / 1e9);
}

/* Signed: a clock that reads the same nanosecond, or a hostile event, may lie before the run's begin. */
static void
write_since(struct kiln_json *json, const char *key, uint64_t t_ns, const struct origin *origin)
{
  const bool after = t_ns >= origin->begin_ns;
  const double distance = (double)(after ? t_ns - origin->begin_ns : origin->begin_ns - t_ns) / 1e9;
  kiln_json_member_double(json, key, after ? distance : -distance);
}

static void
write_origin(struct kiln_json *json, const struct origin *origin)
{
  kiln_json_member_text(json, "arm", origin->arm);
  kiln_json_member_int(json, "sample", origin->sample);
  kiln_json_member_text(json, "run", origin->run);
}

static void
write_build(struct kiln_json *json, const struct origin *origin, const struct kiln_model_build *build)
{
  kiln_json_object(json);
  write_origin(json, origin);
  kiln_json_member_text(json, "framework", build->framework);
  kiln_json_member_text(json, "module", build->module);
  kiln_json_member_text(json, "identity", build->identity);
  kiln_json_member_text(json, "device", build->device);
  kiln_json_member_int(json, "block_dim", build->block_dim);
  kiln_json_member_int(json, "pid", build->pid);
  kiln_json_member_int(json, "tid", build->tid);
  write_since(json, "start_s", build->start_ns, origin);
  write_ns(json, "wall_s", build->wall_ns);
  write_ns(json, "cpu_s", build->cpu_ns);
  write_ns(json, "native_s", build->native.wall_ns);
  write_ns(json, "native_cpu_s", build->native.cpu_ns);
  write_ns(json, "pch_s", build->pch.wall_ns);
  write_ns(json, "pch_cpu_s", build->pch.cpu_ns);
  write_ns(json, "codegen_s", build->codegen.wall_ns);
  write_ns(json, "codegen_cpu_s", build->codegen.cpu_ns);
  if (build->launches >= 0)
    kiln_json_member_int(json, "launches_before", build->launches);
  else
    kiln_json_member_text(json, "launches_before", NULL);
  kiln_json_member_uint(json, "source_bytes", build->source_bytes);
  kiln_json_member_text(json, "source_digest", build->source_digest);
  kiln_json_member_int(json, "lto", build->lto);
  kiln_json_member_text(json, "toolchain", build->toolchain);
  kiln_json_member_text(json, "path", build->path);
  kiln_json_member_bool(json, "aot", build->aot);
  kiln_json_member_text(json, "result", kiln_build_result_name(build->result));
  kiln_json_key(json, "where");
  kiln_report_json_where(json, build->where);
  kiln_json_object_end(json);
}

/* What was found in the cache is no build. */
static void
write_builds(struct kiln_json *json, const struct origin *origin, const struct kiln_model *model)
{
  for (size_t i = 0; i < model->build_count; i++)
    if (model->builds[i].result != KILN_BUILD_CACHED)
      write_build(json, origin, &model->builds[i]);
}

static void
write_loads(struct kiln_json *json, const struct origin *origin, const struct kiln_model *model)
{
  for (size_t i = 0; i < model->load_count; i++) {
    const struct kiln_model_load *load = &model->loads[i];
    kiln_json_object(json);
    write_origin(json, origin);
    kiln_json_member_text(json, "framework", load->framework);
    kiln_json_member_text(json, "module", load->module);
    kiln_json_member_text(json, "identity", load->identity);
    kiln_json_member_text(json, "device", load->device);
    kiln_json_member_int(json, "block_dim", load->block_dim);
    kiln_json_member_int(json, "pid", load->pid);
    kiln_json_member_int(json, "tid", load->tid);
    write_since(json, "start_s", load->start_ns, origin);
    write_ns(json, "wall_s", load->wall_ns);
    write_ns(json, "cpu_s", load->cpu_ns);
    kiln_json_member_text(json, "result", kiln_build_result_name(load->result));
    kiln_json_key(json, "where");
    kiln_report_json_where(json, load->where);
    kiln_json_object_end(json);
  }
}

static void
write_launches(struct kiln_json *json, const struct origin *origin, const struct kiln_model *model)
{
  size_t count;
  struct kiln_model_launch *launches = kiln_launches_sum(model, &count);
  for (size_t i = 0; i < count; i++) {
    const struct kiln_model_launch *launch = &launches[i];
    kiln_json_object(json);
    write_origin(json, origin);
    kiln_json_member_text(json, "framework", launch->framework);
    kiln_json_member_text(json, "kernel", launch->kernel);
    kiln_json_member_text(json, "module", launch->module);
    kiln_json_member_text(json, "identity", launch->identity);
    kiln_json_member_text(json, "device", launch->device);
    kiln_json_member_int(json, "block_dim", launch->block_dim);
    kiln_json_key(json, "dim");
    if (launch->dim == UINT64_MAX)
      kiln_json_null(json);
    else
      kiln_json_uint(json, launch->dim);
    kiln_json_member_text(json, "direction", launch->direction);
    kiln_json_member_uint(json, "count", launch->count);
    kiln_json_object_end(json);
  }
  free(launches);
}

static void
write_process_work(struct kiln_json *json, const struct kiln_process_work *work)
{
  kiln_json_member_uint(json, "builds", work->builds);
  kiln_json_member_uint(json, "loads", work->loads);
  kiln_json_member_uint(json, "launches", work->launches);
}

static void
write_processes(struct kiln_json *json, const struct origin *origin, const struct kiln_model *model)
{
  struct kiln_process_work *work = kiln_processes_work(model);
  for (size_t i = 0; i < model->process_count; i++) {
    const struct kiln_model_process *process = &model->processes[i];
    kiln_json_object(json);
    write_origin(json, origin);
    kiln_json_member_int(json, "pid", process->pid);
    kiln_json_member_int(json, "ppid", process->ppid);
    kiln_json_member_text(json, "command", process->command);
    kiln_json_member_text(json, "python", process->python);
    kiln_json_member_text(json, "framework_version", process->framework_version);
    kiln_json_member_bool(json, "forked", process->forked);
    kiln_json_member_bool(json, "ended", process->ended);
    if (work)
      write_process_work(json, &work[i]);
    write_since(json, "start_s", process->start_ns ? process->start_ns : origin->begin_ns, origin);
    kiln_json_key(json, "phases");
    kiln_report_json_phases(json, process->phase);
    kiln_json_object_end(json);
  }
  free(work);
}

static void
write_marks(struct kiln_json *json, const struct origin *origin, const struct kiln_model *model)
{
  for (size_t i = 0; i < model->mark_count; i++) {
    kiln_json_object(json);
    write_origin(json, origin);
    kiln_json_member_text(json, "name", model->marks[i].name);
    kiln_json_member_int(json, "pid", model->marks[i].pid);
    write_since(json, "start_s", model->marks[i].t_ns, origin);
    kiln_json_object_end(json);
  }
}

static void
write_arm_rows(struct kiln_json *json, const struct kiln_report_arm *arm, write_rows *rows)
{
  for (size_t i = 0; i < arm->sample_count; i++) {
    const struct kiln_report_sample *sample = &arm->samples[i];
    const struct kiln_report_run *runs[] = {&sample->cold, &sample->warm};
    for (int j = 0; j < 2; j++) {
      const struct origin origin = {arm->name, sample->index, j ? "warm" : "cold", runs[j]->result.begin_ns};
      if (runs[j]->model)
        rows(json, &origin, runs[j]->model);
    }
  }
}

static void
write_list(struct kiln_json *json, const char *key, const struct kiln_report *report, write_rows *rows)
{
  kiln_json_member_array(json, key);
  for (size_t i = 0; i < report->arm_count; i++)
    write_arm_rows(json, &report->arms[i], rows);
  kiln_json_array_end(json);
}

void
kiln_report_json_tables(struct kiln_json *json, const struct kiln_report *report)
{
  write_list(json, "builds", report, write_builds);
  write_list(json, "loads", report, write_loads);
  write_list(json, "launches", report, write_launches);
  write_list(json, "processes", report, write_processes);
  write_list(json, "marks", report, write_marks);
}
