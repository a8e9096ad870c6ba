/*
 * Trace events as Perfetto and the trace viewer of Chrome read them ("JSON trace format", object form). A process of a
 * run is a process of the trace with a number of its own, because pids repeat from run to run. Times are microseconds
 * from the start of the run, so that runs lie above each other. docs/trace.md lists every event.
 */
#include "base/json_write.h"
#include "base/text.h"
#include "kiln/version.h"
#include "probe/report/render.h"

struct tracing {
  struct kiln_json json;
  const struct kiln_report_run *run;
  const struct kiln_model_process *process;
  int64_t number; /* of the process in the trace */
};

static double
micros(const struct tracing *tracing, uint64_t t_ns)
{
  const uint64_t begin = tracing->run->result.begin_ns;
  return t_ns >= begin ? (double)(t_ns - begin) / 1e3 : 0;
}

static void
text_member(struct kiln_json *json, const char *key, const char *text)
{
  if (text)
    kiln_json_member_text(json, key, text);
}

/* Begin an event. Members of its own may follow, then open_args, members of args, close_event. */
static void
open_event(struct tracing *tracing, const char *phase, const char *name, const char *category, int64_t tid, double ts)
{
  struct kiln_json *json = &tracing->json;
  kiln_json_object(json);
  text_member(json, "name", name);
  text_member(json, "ph", phase);
  text_member(json, "cat", category);
  kiln_json_member_int(json, "pid", tracing->number);
  kiln_json_member_int(json, "tid", tid);
  kiln_json_member_double(json, "ts", ts);
}

static void
open_args(struct tracing *tracing)
{
  kiln_json_member_object(&tracing->json, "args");
}

static void
close_event(struct tracing *tracing)
{
  kiln_json_object_end(&tracing->json);
  kiln_json_object_end(&tracing->json);
}

static void
write_metadata(struct tracing *tracing, const char *what, int64_t tid, const char *text)
{
  open_event(tracing, "M", what, NULL, tid, 0);
  open_args(tracing);
  text_member(&tracing->json, "name", text);
  close_event(tracing);
}

static void
write_place(struct kiln_json *json, struct kiln_where where)
{
  if (!where.file)
    return;
  struct kiln_buf text;
  kiln_buf_init(&text);
  kiln_buf_printf(&text, "%s:%d", where.file, where.line);
  text_member(json, "where", kiln_buf_text(&text));
  kiln_buf_release(&text);
}

/* A span; its args object stays open. */
static void
open_span(struct tracing *tracing, const char *kind, const char *name, int tid, uint64_t start_ns, uint64_t wall_ns)
{
  struct kiln_buf title;
  kiln_buf_init(&title);
  kiln_buf_printf(&title, "%s%s%s", kind, name ? " " : "", name ? name : "");
  open_event(tracing, "X", kiln_buf_text(&title), kind, tid, micros(tracing, start_ns));
  kiln_json_member_double(&tracing->json, "dur", (double)wall_ns / 1e3);
  open_args(tracing);
  kiln_buf_release(&title);
}

static bool
is_of(const struct kiln_model_process *process, int pid, uint64_t t_ns)
{
  return pid == process->pid && t_ns >= process->start_ns && t_ns <= process->end_ns;
}

static void
write_builds(struct tracing *tracing)
{
  const struct kiln_model *model = tracing->run->model;
  for (size_t i = 0; i < model->build_count; i++) {
    const struct kiln_model_build *build = &model->builds[i];
    if (!is_of(tracing->process, build->pid, build->start_ns))
      continue;
    struct kiln_json *json = &tracing->json;
    open_span(tracing, "compile", build->module, build->tid, build->start_ns, build->wall_ns);
    text_member(json, "identity", build->identity);
    text_member(json, "device", build->device);
    text_member(json, "toolchain", build->toolchain);
    text_member(json, "result", kiln_build_result_name(build->result));
    kiln_json_member_double(json, "block_dim", build->block_dim);
    kiln_json_member_double(json, "source_bytes", (double)build->source_bytes);
    kiln_json_member_double(json, "cpu_s", (double)build->cpu_ns / 1e9);
    write_place(json, build->where);
    close_event(tracing);
  }
}

static void
write_loads(struct tracing *tracing)
{
  const struct kiln_model *model = tracing->run->model;
  for (size_t i = 0; i < model->load_count; i++) {
    const struct kiln_model_load *load = &model->loads[i];
    if (!is_of(tracing->process, load->pid, load->start_ns))
      continue;
    open_span(tracing, "load", load->module, load->tid, load->start_ns, load->wall_ns);
    text_member(&tracing->json, "identity", load->identity);
    text_member(&tracing->json, "device", load->device);
    text_member(&tracing->json, "result", kiln_build_result_name(load->result));
    kiln_json_member_double(&tracing->json, "cpu_s", (double)load->cpu_ns / 1e9);
    write_place(&tracing->json, load->where);
    close_event(tracing);
  }
}

/* Builds and loads are written from their own tables, which say more and have the short ones too. */
static void
write_spans(struct tracing *tracing)
{
  const struct kiln_model *model = tracing->run->model;
  for (size_t i = 0; i < model->long_count; i++) {
    const struct kiln_model_long *span = &model->longs[i];
    const bool elsewhere = kiln_text_equal(span->kind, "compile") || kiln_text_equal(span->kind, "load");
    if (elsewhere || !is_of(tracing->process, span->pid, span->start_ns))
      continue;
    const bool init = span->phase == KILN_PHASE_INIT;
    open_span(tracing, init ? "init" : span->kind, init ? NULL : span->name, span->tid, span->start_ns, span->wall_ns);
    text_member(&tracing->json, "phase", kiln_phase_name(span->phase));
    kiln_json_member_double(&tracing->json, "cpu_s", (double)span->cpu_ns / 1e9);
    close_event(tracing);
  }
}

/* Launches are counted in place, so that only the first of a kind has a time: it is the instant, with the count. */
static void
write_launches(struct tracing *tracing)
{
  const struct kiln_model *model = tracing->run->model;
  for (size_t i = 0; i < model->launch_count; i++) {
    const struct kiln_model_launch *launch = &model->launches[i];
    if (launch->first_ns == 0 || !is_of(tracing->process, launch->pid, launch->first_ns))
      continue;
    struct kiln_buf title;
    kiln_buf_init(&title);
    kiln_buf_printf(&title, "launch %s", launch->kernel ? launch->kernel : "?");
    open_event(tracing, "i", kiln_buf_text(&title), "launch", launch->pid, micros(tracing, launch->first_ns));
    text_member(&tracing->json, "s", "t");
    open_args(tracing);
    text_member(&tracing->json, "module", launch->module);
    text_member(&tracing->json, "device", launch->device);
    text_member(&tracing->json, "direction", launch->direction);
    kiln_json_member_double(&tracing->json, "count", (double)launch->count);
    if (launch->dim != UINT64_MAX)
      kiln_json_member_double(&tracing->json, "dim", (double)launch->dim);
    close_event(tracing);
    kiln_buf_release(&title);
  }
}

static void
write_part(struct tracing *tracing, const char *name, uint64_t from_ns, uint64_t to_ns)
{
  if (to_ns <= from_ns)
    return;
  open_span(tracing, name, NULL, tracing->process->pid, from_ns, to_ns - from_ns);
  close_event(tracing);
}

/* The life of the main thread; marks that are missing or out of order give no part. */
static void
write_life(struct tracing *tracing)
{
  const struct kiln_model_process *process = tracing->process;
  const uint64_t start = process->start_ns, end = process->end_ns > start ? process->end_ns : start;
  const uint64_t main = process->main_ns > start && process->main_ns <= end ? process->main_ns : start;
  const uint64_t leave = process->exit_ns > main && process->exit_ns <= end ? process->exit_ns : end;
  write_part(tracing, "interpreter start", start, main);
  write_part(tracing, "program", main, leave);
  write_part(tracing, "interpreter exit", leave, end);
}

static void
write_process(struct tracing *tracing, const char *where)
{
  const struct kiln_model_process *process = tracing->process;
  struct kiln_buf text;
  kiln_buf_init(&text);
  kiln_buf_printf(&text, "%s: %s (pid %d)", where, process->command ? process->command : "process", process->pid);
  write_metadata(tracing, "process_name", process->pid, kiln_buf_text(&text));
  write_metadata(tracing, "thread_name", process->pid, "main thread");
  open_event(tracing, "M", "process_sort_index", NULL, process->pid, 0);
  open_args(tracing);
  kiln_json_member_double(&tracing->json, "sort_index", (double)tracing->number);
  close_event(tracing);
  write_life(tracing);
  write_spans(tracing);
  write_builds(tracing);
  write_loads(tracing);
  write_launches(tracing);
  kiln_buf_release(&text);
}

static void
write_run(struct tracing *tracing, const struct kiln_report *report, const struct kiln_report_arm *arm,
    const struct kiln_report_sample *sample, const char *name)
{
  const struct kiln_model *model = tracing->run->model;
  struct kiln_buf where;
  kiln_buf_init(&where);
  kiln_buf_printf(&where, "%s%s%s %d%s", report->arm_count > 1 ? arm->name : "", report->arm_count > 1 ? " " : "", name,
      sample->index, sample->valid ? "" : " (does not count)");
  for (size_t i = 0; model && i < model->process_count; i++) {
    tracing->process = &model->processes[i];
    tracing->number++;
    write_process(tracing, kiln_buf_text(&where));
  }
  kiln_buf_release(&where);
}

void
kiln_report_trace(const struct kiln_report *report, struct kiln_buf *out)
{
  struct tracing tracing = {.number = 0};
  kiln_json_init(&tracing.json, out, false);
  kiln_json_object(&tracing.json);
  text_member(&tracing.json, "displayTimeUnit", "ms");
  kiln_json_key(&tracing.json, "otherData");
  kiln_json_object(&tracing.json);
  text_member(&tracing.json, "kiln_version", kiln_version());
  text_member(&tracing.json, "date", report->date);
  text_member(&tracing.json, "framework", report->framework);
  kiln_json_object_end(&tracing.json);
  kiln_json_key(&tracing.json, "traceEvents");
  kiln_json_array(&tracing.json);
  for (size_t i = 0; i < report->arm_count; i++)
    for (size_t j = 0; j < report->arms[i].sample_count; j++) {
      const struct kiln_report_sample *sample = &report->arms[i].samples[j];
      tracing.run = &sample->cold;
      write_run(&tracing, report, &report->arms[i], sample, "cold");
      tracing.run = &sample->warm;
      write_run(&tracing, report, &report->arms[i], sample, "warm");
    }
  kiln_json_array_end(&tracing.json);
  kiln_json_object_end(&tracing.json);
  kiln_buf_text_append(out, "\n");
}
