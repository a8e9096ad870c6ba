#include <stdlib.h>

#include "base/text.h"
#include "probe/report/text_parts.h"
#include "probe/report/work.h"

#define MOST_BUILDS 10
#define CELLS 4
#define CELL_COLUMNS 9

static int
compare_cost(const void *a, const void *b)
{
  const struct kiln_model_build *left = *(const struct kiln_model_build *const *)a;
  const struct kiln_model_build *right = *(const struct kiln_model_build *const *)b;
  const uint64_t x = kiln_build_own_wall_ns(left), y = kiln_build_own_wall_ns(right);
  if (x != y)
    return x < y ? 1 : -1;
  return (left->start_ns > right->start_ns) - (left->start_ns < right->start_ns);
}

/* Cold builds of the first sample that has a cold run, valid ones first. */
static const struct kiln_report_sample *
shown_sample(const struct kiln_report_arm *arm)
{
  const struct kiln_report_sample *any = NULL;
  for (size_t i = 0; i < arm->sample_count; i++) {
    const struct kiln_report_sample *sample = &arm->samples[i];
    if (sample->cold.model && sample->valid)
      return sample;
    any = any ? any : sample->cold.model ? sample : NULL;
  }
  return any;
}

static void
write_row(struct kiln_page *page, const char *name, int name_columns, const char *const cells[CELLS])
{
  struct kiln_buf line;
  kiln_buf_init(&line);
  kiln_buf_text_append(&line, "  ");
  kiln_page_pad(&line, name, name_columns, false);
  for (int i = 0; i < CELLS; i++)
    kiln_page_pad(&line, cells[i], CELL_COLUMNS, true);
  kiln_page_line(page, kiln_buf_text(&line));
  kiln_buf_release(&line);
}

/* Below the name, since a path does not fit beside: "1a2b3c4 on cpu, block 1: app.py:31". */
static void
write_details(struct kiln_page *page, const struct kiln_model_build *build)
{
  struct kiln_buf text;
  kiln_buf_init(&text);
  char label[KILN_DEVICE_LABEL];
  kiln_buf_printf(&text, "%.7s on %s", build->identity ? build->identity : "?",
      kiln_device_label(label, build->device, build->block_dim));
  if (build->result == KILN_BUILD_FAILED)
    kiln_buf_text_append(&text, ", FAILED");
  if (build->where.file) {
    kiln_buf_text_append(&text, ": ");
    kiln_page_place(page, build->where.file, build->where.line, &text);
  }
  kiln_page_text(page, KILN_STYLE_FAINT, 4, 6, kiln_buf_text(&text));
  kiln_buf_release(&text);
}

static void
write_build(struct kiln_page *page, const struct kiln_model_build *build, int name_columns)
{
  const uint64_t times[CELLS] = {build->wall_ns, build->pch.wall_ns, build->native.wall_ns, build->codegen.wall_ns};
  struct kiln_buf name, texts[CELLS];
  kiln_buf_init(&name);
  kiln_page_shorten(&name, build->module, name_columns - 1);
  const char *cells[CELLS];
  for (int i = 0; i < CELLS; i++) {
    kiln_buf_init(&texts[i]);
    if (times[i])
      kiln_text_duration(&texts[i], (double)times[i] / 1e9);
    else
      kiln_buf_text_append(&texts[i], "-");
    cells[i] = kiln_buf_text(&texts[i]);
  }
  write_row(page, kiln_buf_text(&name), name_columns, cells);
  write_details(page, build);
  for (int i = 0; i < CELLS; i++)
    kiln_buf_release(&texts[i]);
  kiln_buf_release(&name);
}

static void
write_table(struct kiln_page *page, const struct kiln_model_build **builds, size_t count, const char *run)
{
  struct kiln_buf title;
  kiln_buf_init(&title);
  kiln_buf_printf(&title, "costliest builds of %s (dearest first, the header apart)", run);
  kiln_page_blank(page);
  kiln_page_text(page, KILN_STYLE_BOLD, 0, 2, kiln_buf_text(&title));
  int name_columns = page->columns - 2 - CELLS * CELL_COLUMNS;
  name_columns = name_columns > 48 ? 48 : name_columns;
  const char *const heads[CELLS] = {"elapsed", "header", "native", "codegen"};
  write_row(page, "module", name_columns, heads);
  for (size_t i = 0; i < count && i < MOST_BUILDS; i++)
    write_build(page, builds[i], name_columns);
  if (count > MOST_BUILDS) {
    kiln_buf_clear(&title);
    kiln_buf_printf(&title, "and %zu more; all are in the JSON report", count - MOST_BUILDS);
    kiln_page_text(page, KILN_STYLE_FAINT, 2, 2, kiln_buf_text(&title));
  }
  kiln_buf_release(&title);
}

void
kiln_report_text_builds(struct kiln_page *page, const struct kiln_report_arm *arm)
{
  const struct kiln_report_sample *sample = shown_sample(arm);
  if (!sample || sample->cold.model->build_count == 0)
    return;
  const struct kiln_model *model = sample->cold.model;
  const struct kiln_model_build **builds = malloc(model->build_count * sizeof *builds);
  if (!builds) {
    page->out->failed = true;
    return;
  }
  size_t count = 0;
  for (size_t i = 0; i < model->build_count; i++)
    if (model->builds[i].result != KILN_BUILD_CACHED)
      builds[count++] = &model->builds[i];
  qsort(builds, count, sizeof *builds, compare_cost);
  struct kiln_buf run;
  kiln_buf_init(&run);
  if (arm->sample_count == 1 && !sample->warm.present)
    kiln_buf_text_append(&run, "the run");
  else
    kiln_buf_printf(&run, "the cold run of sample %d", sample->index);
  if (count)
    write_table(page, builds, count, kiln_buf_text(&run));
  kiln_buf_release(&run);
  free(builds);
}
