/* The terminal page of a recorded run: one run, and what each of its processes did. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/text.h"
#include "probe/report/processes.h"
#include "probe/report/text_parts.h"
#include "probe/report/work.h"

#define LABEL_COLUMNS 20
#define CELL_COLUMNS 10
#define MOST_PROCESSES 40

static void
write_row(struct kiln_page *page, const char *label, const char *first, const char *second)
{
  struct kiln_buf line;
  kiln_buf_init(&line);
  kiln_buf_text_append(&line, "  ");
  kiln_page_pad(&line, label, LABEL_COLUMNS, false);
  kiln_page_pad(&line, first, CELL_COLUMNS, true);
  if (second)
    kiln_page_pad(&line, second, CELL_COLUMNS, true);
  kiln_page_line(page, kiln_buf_text(&line));
  kiln_buf_release(&line);
}

static void
write_seconds(struct kiln_page *page, const char *label, double elapsed, double cpu)
{
  struct kiln_buf first, second;
  kiln_buf_init(&first);
  kiln_buf_init(&second);
  if (elapsed > 0)
    kiln_text_duration(&first, elapsed);
  else
    kiln_buf_text_append(&first, "-");
  if (cpu > 0)
    kiln_text_duration(&second, cpu);
  else
    kiln_buf_text_append(&second, "-");
  write_row(page, label, kiln_buf_text(&first), cpu < 0 ? NULL : kiln_buf_text(&second));
  kiln_buf_release(&second);
  kiln_buf_release(&first);
}

static void
write_counts(struct kiln_page *page, const struct kiln_report_run *run)
{
  static const char *const labels[KILN_COUNT_COUNT] = {
      "builds", "loads", "modules", "identities", "launches", "processes", "LTO objects", "generated source"};
  kiln_page_blank(page);
  for (int i = 0; i < KILN_COUNT_COUNT; i++) {
    const uint64_t count = kiln_count_of(&run->model->counts, (enum kiln_count)i);
    struct kiln_buf cell;
    kiln_buf_init(&cell);
    if (i == KILN_COUNT_SOURCE_BYTES)
      kiln_text_bytes(&cell, (double)count);
    else
      kiln_buf_printf(&cell, "%" PRIu64, count);
    write_row(page, labels[i], kiln_buf_text(&cell), NULL);
    kiln_buf_release(&cell);
  }
  write_seconds(page, "module work", kiln_run_module_work_s(run), -1);
  write_seconds(page, "native compile", kiln_run_native_s(run), -1);
}

static void
write_phases(struct kiln_page *page, const struct kiln_report_run *run)
{
  kiln_page_blank(page);
  if (!kiln_run_is_split(run)) {
    kiln_page_text(page, KILN_STYLE_PLAIN, 0, 2, "where the time goes: " KILN_NO_SPLIT);
    return;
  }
  kiln_page_text(
      page, KILN_STYLE_BOLD, 0, 2, "where the time goes (main thread of the process with the most JIT work)");
  for (int i = 0; i < KILN_PHASE_COUNT; i++) {
    struct kiln_buf label;
    kiln_buf_init(&label);
    for (const char *at = kiln_phase_name((enum kiln_phase)i); *at; at++)
      kiln_buf_append(&label, *at == '_' ? " " : at, 1);
    if (run->phase[i].wall_ns > 0 || run->phase[i].cpu_ns > 0)
      write_seconds(page, i == KILN_PHASE_PCH ? "precompiled header" : kiln_buf_text(&label),
          (double)run->phase[i].wall_ns / 1e9, (double)run->phase[i].cpu_ns / 1e9);
    kiln_buf_release(&label);
  }
}

static void
write_process(struct kiln_page *page, const struct kiln_model_process *process, const struct kiln_process_work *work)
{
  struct kiln_buf line;
  kiln_buf_init(&line);
  kiln_buf_printf(&line, "  %8d %8" PRIu64 " %8" PRIu64 " %10" PRIu64 "  ", process->pid, work->builds, work->loads,
      work->launches);
  const int left = page->columns - (int)kiln_text_columns(kiln_buf_text(&line)) - (process->forked ? 9 : 0);
  kiln_page_shorten(&line, process->command ? process->command : "?", left > 10 ? left : 10);
  if (process->forked)
    kiln_buf_text_append(&line, " (forked)");
  kiln_page_line(page, kiln_buf_text(&line));
  kiln_buf_release(&line);
}

/* Those that did something, in the order of their begin; of the others the number. */
static void
write_processes(struct kiln_page *page, const struct kiln_model *model)
{
  struct kiln_process_work *work = kiln_processes_work(model);
  size_t shown = 0, idle = 0;
  if (!work)
    return;
  kiln_page_blank(page);
  kiln_page_text(page, KILN_STYLE_BOLD, 0, 2, "processes that built, loaded or launched");
  kiln_page_line(page, "       pid   builds    loads   launches  command");
  for (size_t i = 0; i < model->process_count; i++) {
    if (work[i].builds + work[i].loads + work[i].launches == 0)
      idle++;
    else if (shown < MOST_PROCESSES) {
      write_process(page, &model->processes[i], &work[i]);
      shown++;
    }
  }
  struct kiln_buf note;
  kiln_buf_init(&note);
  if (model->process_count - idle > shown)
    kiln_buf_printf(&note, "and %zu more that did; all are in the JSON report. ", model->process_count - idle - shown);
  if (idle > 0)
    kiln_buf_printf(&note, "%zu other%s did none of it", idle, idle == 1 ? "" : "s");
  if (note.len > 0)
    kiln_page_text(page, KILN_STYLE_FAINT, 2, 2, kiln_buf_text(&note));
  kiln_buf_release(&note);
  free(work);
}

void
kiln_report_text_record(struct kiln_page *page, const struct kiln_report *report)
{
  const struct kiln_report_arm *arm = &report->arms[0];
  const struct kiln_report_run *run = &arm->samples[0].cold;
  kiln_page_blank(page);
  if (arm->sample_count == 0 || !run->model) {
    kiln_page_text(page, KILN_STYLE_PLAIN, 2, 2, "there is no run in it");
    return;
  }
  write_row(page, "", "elapsed", "CPU");
  write_seconds(page, "the whole run", run->elapsed_s, run->cpu_s);
  kiln_page_text(
      page, KILN_STYLE_FAINT, 2, 2, "one run in its own surroundings: its caches were as it found them, cold or warm");
  write_counts(page, run);
  write_phases(page, run);
  kiln_report_text_builds(page, arm);
  write_processes(page, run->model);
}
