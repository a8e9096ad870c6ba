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
write_text(struct kiln_json *json, const char *key, const char *text)
{
  kiln_json_key(json, key);
  kiln_json_string(json, text);
}

static void
write_number(struct kiln_json *json, const char *key, int64_t value)
{
  kiln_json_key(json, key);
  kiln_json_int(json, value);
}

static void
write_ns(struct kiln_json *json, const char *key, uint64_t ns)
{
  kiln_json_key(json, key);
  kiln_json_double(json, (double)ns / 1e9);
}

/* Signed: a clock that reads the same nanosecond, or a hostile event, may lie before the run's begin. */
static void
write_since(struct kiln_json *json, const char *key, uint64_t t_ns, const struct origin *origin)
{
  const bool after = t_ns >= origin->begin_ns;
  const double distance = (double)(after ? t_ns - origin->begin_ns : origin->begin_ns - t_ns) / 1e9;
  kiln_json_key(json, key);
  kiln_json_double(json, after ? distance : -distance);
}

static void
write_origin(struct kiln_json *json, const struct origin *origin)
{
  write_text(json, "arm", origin->arm);
  write_number(json, "sample", origin->sample);
  write_text(json, "run", origin->run);
}

static void
write_build(struct kiln_json *json, const struct origin *origin, const struct kiln_model_build *build)
{
  kiln_json_object(json);
  write_origin(json, origin);
  write_text(json, "framework", build->framework);
  write_text(json, "module", build->module);
  write_text(json, "identity", build->identity);
  write_text(json, "device", build->device);
  write_number(json, "block_dim", build->block_dim);
  write_number(json, "pid", build->pid);
  write_number(json, "tid", build->tid);
  write_since(json, "start_s", build->start_ns, origin);
  write_ns(json, "wall_s", build->wall_ns);
  write_ns(json, "cpu_s", build->cpu_ns);
  write_ns(json, "native_s", build->native.wall_ns);
  write_ns(json, "native_cpu_s", build->native.cpu_ns);
  write_ns(json, "pch_s", build->pch.wall_ns);
  write_ns(json, "pch_cpu_s", build->pch.cpu_ns);
  write_ns(json, "codegen_s", build->codegen.wall_ns);
  write_ns(json, "codegen_cpu_s", build->codegen.cpu_ns);
  kiln_json_key(json, "source_bytes");
  kiln_json_uint(json, build->source_bytes);
  write_text(json, "source_digest", build->source_digest);
  write_number(json, "lto", build->lto);
  write_text(json, "toolchain", build->toolchain);
  write_text(json, "path", build->path);
  kiln_json_key(json, "aot");
  kiln_json_bool(json, build->aot);
  write_text(json, "result", kiln_build_result_name(build->result));
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
    write_text(json, "framework", load->framework);
    write_text(json, "module", load->module);
    write_text(json, "identity", load->identity);
    write_text(json, "device", load->device);
    write_number(json, "block_dim", load->block_dim);
    write_number(json, "pid", load->pid);
    write_number(json, "tid", load->tid);
    write_since(json, "start_s", load->start_ns, origin);
    write_ns(json, "wall_s", load->wall_ns);
    write_ns(json, "cpu_s", load->cpu_ns);
    write_text(json, "result", kiln_build_result_name(load->result));
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
    write_text(json, "framework", launch->framework);
    write_text(json, "kernel", launch->kernel);
    write_text(json, "module", launch->module);
    write_text(json, "identity", launch->identity);
    write_text(json, "device", launch->device);
    write_number(json, "block_dim", launch->block_dim);
    kiln_json_key(json, "dim");
    if (launch->dim == UINT64_MAX)
      kiln_json_null(json);
    else
      kiln_json_uint(json, launch->dim);
    write_text(json, "direction", launch->direction);
    kiln_json_key(json, "count");
    kiln_json_uint(json, launch->count);
    kiln_json_object_end(json);
  }
  free(launches);
}

static void
write_process_work(struct kiln_json *json, const struct kiln_process_work *work)
{
  kiln_json_key(json, "builds");
  kiln_json_uint(json, work->builds);
  kiln_json_key(json, "loads");
  kiln_json_uint(json, work->loads);
  kiln_json_key(json, "launches");
  kiln_json_uint(json, work->launches);
}

static void
write_processes(struct kiln_json *json, const struct origin *origin, const struct kiln_model *model)
{
  struct kiln_process_work *work = kiln_processes_work(model);
  for (size_t i = 0; i < model->process_count; i++) {
    const struct kiln_model_process *process = &model->processes[i];
    kiln_json_object(json);
    write_origin(json, origin);
    write_number(json, "pid", process->pid);
    write_number(json, "ppid", process->ppid);
    write_text(json, "command", process->command);
    write_text(json, "python", process->python);
    write_text(json, "framework_version", process->framework_version);
    kiln_json_key(json, "forked");
    kiln_json_bool(json, process->forked);
    kiln_json_key(json, "ended");
    kiln_json_bool(json, process->ended);
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
  kiln_json_key(json, key);
  kiln_json_array(json);
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
}
