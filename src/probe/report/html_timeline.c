/* Processes, threads and modules of a cold and a warm run, on one axis of time. */
#include <string.h>

#include "base/text.h"
#include "probe/report/html_axis.h"
#include "probe/report/html_parts.h"
#include "probe/report/work.h"

#define LONGEST_S 1e9 /* a report file may say anything */
#define LANES 40
#define THREADS 16
#define MODULES 40
#define SHAPES 2500
#define LANE_PX 22
#define BAR_PX 14
#define BAR_TOP 4
#define MODULE_PX 18
#define MODULE_BAR_PX 10
#define MODULE_TOP 4

/* One picture. */
struct picture {
  struct kiln_axis axis;
  const struct kiln_model *model;
  uint64_t end_ns; /* of the run */
  size_t lanes_left;
};

static void
bar_titled(struct picture *picture, const char *class_name, uint64_t start_ns, uint64_t length_ns, double y,
    double height, const char *kind, const char *name)
{
  struct kiln_buf text;
  kiln_buf_init(&text);
  kiln_buf_printf(&text, "%s%s%s, ", kind, name ? " " : "", name ? name : "");
  kiln_text_duration(&text, (double)length_ns / 1e9);
  kiln_axis_bar(&picture->axis, class_name, start_ns, length_ns, y, height, kiln_buf_text(&text));
  kiln_buf_release(&text);
}

static bool
within(const struct kiln_model_process *process, int pid, uint64_t start_ns)
{
  return pid == process->pid && start_ns >= process->start_ns && start_ns <= process->end_ns;
}

/* Spans of a thread of this process, outer ones first: inner ones are painted over them. */
static void
draw_spans(struct picture *picture, const struct kiln_model_process *process, int tid)
{
  const struct kiln_model *model = picture->model;
  for (size_t i = model->long_count; i-- > 0;) {
    const struct kiln_model_long *span = &model->longs[i];
    if (span->tid == tid && within(process, span->pid, span->start_ns))
      bar_titled(picture, kiln_html_phase_class(span->phase), span->start_ns, span->wall_ns, BAR_TOP, BAR_PX,
          span->kind, span->name);
  }
}

/* Builds and loads of a thread; a report file has these, and no other spans. */
static void
draw_work(struct picture *picture, const struct kiln_model_process *process, int tid)
{
  const struct kiln_model *model = picture->model;
  for (size_t i = 0; i < model->build_count; i++)
    if (model->builds[i].tid == tid && model->builds[i].pid == process->pid)
      bar_titled(picture, "p-compile", model->builds[i].start_ns, model->builds[i].wall_ns, BAR_TOP, BAR_PX, "compile",
          model->builds[i].module);
  for (size_t i = 0; i < model->load_count; i++)
    if (model->loads[i].tid == tid && model->loads[i].pid == process->pid)
      bar_titled(picture, "p-load", model->loads[i].start_ns, model->loads[i].wall_ns, BAR_TOP, BAR_PX, "load",
          model->loads[i].module);
}

/* A process that said nothing of its end: it became another program under the same number, or lasted. */
static uint64_t
last_moment(const struct picture *picture, const struct kiln_model_process *process)
{
  uint64_t last = picture->end_ns > process->start_ns ? picture->end_ns : process->start_ns;
  for (size_t i = 0; i < picture->model->process_count; i++) {
    const struct kiln_model_process *next = &picture->model->processes[i];
    if (next->pid == process->pid && next->start_ns > process->start_ns && next->start_ns < last)
      last = next->start_ns;
  }
  return last;
}

/* What the main thread did where no span says better. */
static void
draw_life(struct picture *picture, const struct kiln_model_process *process)
{
  const uint64_t start = process->start_ns, end = process->end_ns > start ? process->end_ns : start;
  if (end == start) {
    const uint64_t last = last_moment(picture, process);
    bar_titled(picture, "p-rest", start, last - start, BAR_TOP, BAR_PX, "nothing more was recorded of it", NULL);
    return;
  }
  const uint64_t main = process->main_ns > start && process->main_ns <= end ? process->main_ns : start;
  const uint64_t leave = process->exit_ns > main && process->exit_ns <= end ? process->exit_ns : end;
  if (main > start)
    bar_titled(picture, "p-start", start, main - start, BAR_TOP, BAR_PX, "interpreter start", NULL);
  bar_titled(picture, "p-program", main, leave - main, BAR_TOP, BAR_PX, "program", NULL);
  if (end > leave)
    bar_titled(picture, "p-start", leave, end - leave, BAR_TOP, BAR_PX, "interpreter exit", NULL);
}

static size_t
threads_of(const struct kiln_model *model, const struct kiln_model_process *process, int tids[THREADS])
{
  size_t count = 1;
  tids[0] = process->pid;
  for (size_t i = 0; i < model->long_count; i++) {
    const struct kiln_model_long *span = &model->longs[i];
    size_t at = 0;
    if (!within(process, span->pid, span->start_ns))
      continue;
    while (at < count && tids[at] != span->tid)
      at++;
    if (at == count && count < THREADS)
      tids[count++] = span->tid;
  }
  return count;
}

/* "python app.py" of "/usr/bin/python /home/me/app.py": the folders are in the title. */
static void
short_command(struct kiln_buf *text, const char *command)
{
  for (const char *at = command ? command : "process"; *at;) {
    const size_t len = strcspn(at, " ");
    size_t from = 0;
    for (size_t i = 0; *at == '/' && i + 1 < len; i++)
      from = at[i] == '/' ? i + 1 : from;
    kiln_buf_append(text, at + from, len - from);
    at += len;
    if (*at)
      kiln_buf_append(text, at++, 1);
  }
}

static void
draw_process(struct picture *picture, const struct kiln_model_process *process)
{
  int tids[THREADS];
  const size_t count = threads_of(picture->model, process, tids);
  for (size_t i = 0; i < count && picture->lanes_left > 0; i++, picture->lanes_left--) {
    struct kiln_buf label;
    kiln_buf_init(&label);
    if (i == 0)
      short_command(&label, process->command);
    else
      kiln_buf_printf(&label, "thread %d", tids[i]);
    kiln_axis_row(&picture->axis, i ? "lane thread" : "lane", kiln_buf_text(&label), process->command, LANE_PX);
    if (i == 0)
      draw_life(picture, process);
    if (picture->model->long_count == 0)
      draw_work(picture, process, tids[i]);
    draw_spans(picture, process, tids[i]);
    kiln_axis_row_close(&picture->axis);
    kiln_buf_release(&label);
  }
}

static void
draw_build(struct picture *picture, const struct kiln_model_build *build)
{
  const uint64_t end = build->start_ns + build->wall_ns;
  bar_titled(picture, "p-compile", build->start_ns, build->wall_ns, MODULE_TOP, MODULE_BAR_PX, "build", build->module);
  for (size_t i = picture->model->long_count; i-- > 0;) {
    const struct kiln_model_long *span = &picture->model->longs[i];
    const bool inside = span->start_ns >= build->start_ns && span->start_ns + span->wall_ns <= end;
    if (inside && span->pid == build->pid && span->tid == build->tid && span->phase != KILN_PHASE_COMPILE)
      bar_titled(picture, kiln_html_phase_class(span->phase), span->start_ns, span->wall_ns, MODULE_TOP, MODULE_BAR_PX,
          span->kind, span->name);
  }
}

static void
draw_module(struct picture *picture, const char *module)
{
  const struct kiln_model *model = picture->model;
  kiln_axis_row(&picture->axis, "lane module", module, module, MODULE_PX);
  for (size_t i = 0; i < model->build_count; i++)
    if (model->builds[i].result != KILN_BUILD_CACHED && kiln_text_equal(model->builds[i].module, module))
      draw_build(picture, &model->builds[i]);
  for (size_t i = 0; i < model->load_count; i++)
    if (kiln_text_equal(model->loads[i].module, module))
      bar_titled(picture, "p-load", model->loads[i].start_ns, model->loads[i].wall_ns, MODULE_TOP, MODULE_BAR_PX,
          "load", module);
  kiln_axis_row_close(&picture->axis);
}

/* A run that builds nothing: one strip has room for all loads. */
static void
draw_loads(struct picture *picture)
{
  const struct kiln_model *model = picture->model;
  struct kiln_buf label;
  kiln_buf_init(&label);
  kiln_buf_printf(&label, "%zu loads", model->load_count);
  kiln_axis_row(&picture->axis, "lane module", kiln_buf_text(&label), NULL, MODULE_PX);
  for (size_t i = 0; i < model->load_count; i++)
    bar_titled(picture, "p-load", model->loads[i].start_ns, model->loads[i].wall_ns, MODULE_TOP, MODULE_BAR_PX, "load",
        model->loads[i].module);
  kiln_axis_row_close(&picture->axis);
  kiln_buf_release(&label);
}

/* A module once, at its first build or load. Names are interned: equal ones have equal addresses. */
static size_t
module_names(const struct kiln_model *model, const char **names, size_t room)
{
  size_t count = 0;
  const size_t rows = model->build_count + model->load_count;
  for (size_t i = 0; i < rows; i++) {
    const bool build = i < model->build_count;
    const char *name = build ? model->builds[i].module : model->loads[i - model->build_count].module;
    size_t at = 0;
    if (!name || (build && model->builds[i].result == KILN_BUILD_CACHED))
      continue;
    while (at < count && names[at] != name)
      at++;
    if (at == count && count < room)
      names[count++] = name;
  }
  return count;
}

static void
note_left_out(struct kiln_html *html, const struct picture *picture, size_t modules)
{
  if (picture->lanes_left == 0 || picture->axis.shapes_left <= 0 || picture->model->longs_dropped)
    kiln_html_leaf(
        html, "p", "note", "The picture is not complete: there is more than it can show. The trace has more.");
  if (picture->model->counts.builds && modules < picture->model->counts.modules)
    kiln_html_leaff(html, "p", "note", "%zu of %llu modules are drawn; the tables have all of them.", modules,
        (unsigned long long)picture->model->counts.modules);
}

static void
draw_run(struct kiln_html *html, const struct kiln_report_run *run, const char *name, double length_s)
{
  const char *modules[MODULES];
  if (!run->model)
    return;
  const double lasted_s = run->elapsed_s > 0 && run->elapsed_s < LONGEST_S ? run->elapsed_s : 0;
  struct picture picture = {{html, run->result.begin_ns, length_s, SHAPES}, run->model,
      run->result.begin_ns + (uint64_t)(lasted_s * 1e9), LANES};
  const size_t count = module_names(run->model, modules, MODULES);
  kiln_html_open(html, "figure", "timeline");
  kiln_html_open(html, "figcaption", NULL);
  kiln_html_leaf(html, "b", NULL, name);
  kiln_html_text(html, ": ");
  struct kiln_buf text;
  kiln_buf_init(&text);
  kiln_text_duration(&text, run->elapsed_s);
  kiln_buf_printf(&text, ", %llu builds, %llu loads, %llu launches", (unsigned long long)run->model->counts.builds,
      (unsigned long long)run->model->counts.loads, (unsigned long long)run->model->counts.launches);
  kiln_html_text(html, kiln_buf_text(&text));
  kiln_buf_release(&text);
  kiln_html_close(html);
  for (size_t i = 0; i < run->model->process_count && picture.lanes_left > 0; i++)
    draw_process(&picture, &run->model->processes[i]);
  if (run->model->counts.builds == 0 && run->model->load_count)
    draw_loads(&picture);
  else
    for (size_t i = 0; i < count; i++)
      draw_module(&picture, modules[i]);
  kiln_axis_ticks(&picture.axis);
  note_left_out(html, &picture, count);
  kiln_html_close(html);
}

void
kiln_html_timeline(struct kiln_html *html, const struct kiln_report *report)
{
  double length_s = 0;
  for (size_t i = 0; i < report->arm_count; i++) {
    const struct kiln_report_sample *sample = kiln_html_sample(&report->arms[i]);
    if (sample && sample->cold.elapsed_s > length_s)
      length_s = sample->cold.elapsed_s;
    if (sample && sample->warm.elapsed_s > length_s)
      length_s = sample->warm.elapsed_s;
  }
  if (!(length_s > 0))
    return;
  kiln_html_section(html, "timeline", "Timeline",
      "Runs of one sample on the same axis. Above, what each process and thread was doing; below, each module while "
      "it is built and loaded.");
  kiln_html_legend(html);
  for (size_t i = 0; i < report->arm_count; i++) {
    const struct kiln_report_sample *sample = kiln_html_sample(&report->arms[i]);
    if (!sample)
      continue;
    kiln_html_arm_title(html, report, &report->arms[i]);
    struct kiln_buf name;
    kiln_buf_init(&name);
    if (report->recorded)
      kiln_buf_text_append(&name, "The recorded run");
    else
      kiln_buf_printf(&name, "Cold run of sample %d", sample->index);
    draw_run(html, &sample->cold, kiln_buf_text(&name), length_s);
    kiln_buf_clear(&name);
    kiln_buf_printf(&name, "Warm run of sample %d", sample->index);
    draw_run(html, &sample->warm, kiln_buf_text(&name), length_s);
    kiln_buf_release(&name);
  }
  kiln_html_close(html);
}
