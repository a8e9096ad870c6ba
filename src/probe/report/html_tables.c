/* Builds, loads, launches and processes of the sample that the timeline shows, row by row. */
#include <stdlib.h>

#include "probe/report/html_parts.h"
#include "probe/report/launches.h"
#include "probe/report/work.h"

#define MOST_ROWS 400
#define COLUMNS(columns) (columns), sizeof(columns) / sizeof *(columns)

static void
write_more(struct kiln_html *html, size_t count)
{
  if (count > MOST_ROWS)
    kiln_html_leaff(html, "p", "note", "And %zu more; the JSON report has all of them.", count - MOST_ROWS);
}

static void
write_place(struct kiln_html *html, struct kiln_where where)
{
  kiln_html_open(html, "td", NULL);
  kiln_html_place(html, where);
  kiln_html_close(html);
}

static void
write_module(struct kiln_html *html, const char *module, const char *identity)
{
  kiln_html_open(html, "th", NULL);
  kiln_html_attr(html, "scope", "row");
  kiln_html_module(html, module, identity);
  kiln_html_close(html);
}

static double
since(uint64_t t_ns, const struct kiln_report_run *run)
{
  const uint64_t begin = run->result.begin_ns;
  return t_ns >= begin ? (double)(t_ns - begin) / 1e9 : -(double)(begin - t_ns) / 1e9;
}

static void
write_build(struct kiln_html *html, const struct kiln_report_run *run, const struct kiln_model_build *build)
{
  kiln_html_open(html, "tr", NULL);
  write_module(html, build->module, build->identity);
  kiln_html_leaff(html, "td", NULL, "%s, %d", build->device ? build->device : "?", build->block_dim);
  kiln_html_leaf(html, "td", NULL, build->toolchain);
  kiln_html_cell(html, since(build->start_ns, run), KILN_HTML_SECONDS);
  kiln_html_cell(html, (double)build->wall_ns / 1e9, KILN_HTML_SECONDS);
  kiln_html_cell(html, (double)build->cpu_ns / 1e9, KILN_HTML_SECONDS);
  kiln_html_cell(html, (double)build->pch.wall_ns / 1e9, KILN_HTML_SECONDS);
  kiln_html_cell(html, (double)build->native.wall_ns / 1e9, KILN_HTML_SECONDS);
  kiln_html_cell(html, (double)build->codegen.wall_ns / 1e9, KILN_HTML_SECONDS);
  kiln_html_cell(html, (double)build->source_bytes, KILN_HTML_BYTES);
  kiln_html_leaf(html, "td", NULL, kiln_build_result_name(build->result));
  write_place(html, build->where);
  kiln_html_close(html);
}

static void
write_builds(struct kiln_html *html, const struct kiln_report_run *run, const char *caption)
{
  static const struct kiln_html_column columns[] = {{"module", false}, {"device, block", false}, {"toolchain", false},
      {"begin", true}, {"elapsed", true}, {"CPU", true}, {"header", true}, {"native", true}, {"codegen", true},
      {"source", true}, {"result", false}, {"where", false}};
  size_t count = 0;
  for (size_t i = 0; i < run->model->build_count; i++)
    count += run->model->builds[i].result != KILN_BUILD_CACHED;
  if (count == 0)
    return;
  kiln_html_table_open(html, caption, COLUMNS(columns));
  size_t written = 0;
  for (size_t i = 0; i < run->model->build_count && written < MOST_ROWS; i++)
    if (run->model->builds[i].result != KILN_BUILD_CACHED) {
      write_build(html, run, &run->model->builds[i]);
      written++;
    }
  kiln_html_table_close(html);
  write_more(html, count);
}

static void
write_loads(struct kiln_html *html, const struct kiln_report_run *run, const char *caption)
{
  static const struct kiln_html_column columns[] = {{"module", false}, {"device, block", false}, {"process", true},
      {"begin", true}, {"elapsed", true}, {"CPU", true}, {"result", false}, {"where", false}};
  if (run->model->load_count == 0)
    return;
  kiln_html_table_open(html, caption, COLUMNS(columns));
  for (size_t i = 0; i < run->model->load_count && i < MOST_ROWS; i++) {
    const struct kiln_model_load *load = &run->model->loads[i];
    kiln_html_open(html, "tr", NULL);
    write_module(html, load->module, load->identity);
    kiln_html_leaff(html, "td", NULL, "%s, %d", load->device ? load->device : "?", load->block_dim);
    kiln_html_cell(html, load->pid, KILN_HTML_COUNT);
    kiln_html_cell(html, since(load->start_ns, run), KILN_HTML_SECONDS);
    kiln_html_cell(html, (double)load->wall_ns / 1e9, KILN_HTML_SECONDS);
    kiln_html_cell(html, (double)load->cpu_ns / 1e9, KILN_HTML_SECONDS);
    kiln_html_leaf(html, "td", NULL, kiln_build_result_name(load->result));
    write_place(html, load->where);
    kiln_html_close(html);
  }
  kiln_html_table_close(html);
  write_more(html, run->model->load_count);
}

static void
write_launches(struct kiln_html *html, const struct kiln_report_run *run, const char *caption)
{
  static const struct kiln_html_column columns[] = {{"kernel", false}, {"module", false}, {"device, block", false},
      {"direction", false}, {"threads", true}, {"launches", true}};
  size_t count;
  struct kiln_model_launch *launches = kiln_launches_sum(run->model, &count);
  if (!launches)
    return;
  kiln_html_table_open(html, caption, COLUMNS(columns));
  for (size_t i = 0; i < count && i < MOST_ROWS; i++) {
    kiln_html_open(html, "tr", NULL);
    write_module(html, launches[i].kernel, NULL);
    kiln_html_open(html, "td", NULL);
    kiln_html_module(html, launches[i].module, launches[i].identity);
    kiln_html_close(html);
    kiln_html_leaff(html, "td", NULL, "%s, %d", launches[i].device ? launches[i].device : "?", launches[i].block_dim);
    kiln_html_leaf(html, "td", NULL, launches[i].direction);
    if (launches[i].dim == UINT64_MAX)
      kiln_html_leaf(html, "td", "number", "others");
    else
      kiln_html_cell(html, (double)launches[i].dim, KILN_HTML_COUNT);
    kiln_html_cell(html, (double)launches[i].count, KILN_HTML_COUNT);
    kiln_html_close(html);
  }
  kiln_html_table_close(html);
  write_more(html, count);
  free(launches);
}

static void
write_processes(struct kiln_html *html, const struct kiln_report_run *run, const char *caption)
{
  static const struct kiln_html_column columns[] = {{"command", false}, {"pid", true}, {"parent", true},
      {"begin", true}, {"lasted", true}, {"Python", false}, {"framework", false}, {"how", false}};
  if (run->model->process_count == 0)
    return;
  kiln_html_table_open(html, caption, COLUMNS(columns));
  for (size_t i = 0; i < run->model->process_count && i < MOST_ROWS; i++) {
    const struct kiln_model_process *process = &run->model->processes[i];
    const bool timed = process->start_ns && process->end_ns >= process->start_ns;
    kiln_html_open(html, "tr", NULL);
    write_module(html, process->command, NULL);
    kiln_html_cell(html, process->pid, KILN_HTML_COUNT);
    kiln_html_cell(html, process->ppid, KILN_HTML_COUNT);
    kiln_html_cell(html, process->start_ns ? since(process->start_ns, run) : 0, KILN_HTML_SECONDS);
    kiln_html_cell(html, timed ? (double)(process->end_ns - process->start_ns) / 1e9 : 0, KILN_HTML_SECONDS);
    kiln_html_leaf(html, "td", NULL, process->python);
    kiln_html_leaf(html, "td", NULL, process->framework_version);
    kiln_html_leaff(
        html, "td", NULL, "%s, %s", process->forked ? "forked" : "started", process->ended ? "ended" : "end not seen");
    kiln_html_close(html);
  }
  kiln_html_table_close(html);
  write_more(html, run->model->process_count);
}

static void
write_run(struct kiln_html *html, const struct kiln_report_run *run, const char *name, int sample)
{
  typedef void write_table(struct kiln_html *, const struct kiln_report_run *, const char *);
  static const struct {
    const char *title;
    write_table *write;
  } tables[] = {
      {"Builds", write_builds}, {"Loads", write_loads}, {"Launches", write_launches}, {"Processes", write_processes}};
  if (!run->model)
    return;
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    struct kiln_buf caption;
    kiln_buf_init(&caption);
    kiln_buf_printf(&caption, "%s of the %s run of sample %d, n = 1", tables[i].title, name, sample);
    tables[i].write(html, run, kiln_buf_text(&caption));
    kiln_buf_release(&caption);
  }
}

void
kiln_html_tables(struct kiln_html *html, const struct kiln_report *report)
{
  bool any = false;
  for (size_t i = 0; i < report->arm_count; i++)
    any = any || kiln_html_sample(&report->arms[i]);
  if (!any)
    return;
  kiln_html_section(html, "tables", "Tables", "Single runs, as they were observed. The JSON report has every sample.");
  for (size_t i = 0; i < report->arm_count; i++) {
    const struct kiln_report_sample *sample = kiln_html_sample(&report->arms[i]);
    if (!sample)
      continue;
    kiln_html_arm_title(html, report, &report->arms[i]);
    write_run(html, &sample->cold, "cold", sample->index);
    kiln_html_open(html, "details", NULL);
    kiln_html_leaf(html, "summary", NULL, "The warm run");
    write_run(html, &sample->warm, "warm", sample->index);
    kiln_html_close(html);
  }
  kiln_html_close(html);
}
