/* What each module costs: its own build, the precompiled header it happened to make, its loads. */
#include <stdlib.h>

#include "probe/report/html_parts.h"
#include "probe/report/modules.h"
#include "probe/report/work.h"

#define MOST_BARS 60
#define BAR_PX 14

static void
draw_bar(struct kiln_html *html, const struct kiln_module_cost *cost, double most)
{
  const double own = 100 * cost->own_s.median / most, header = 100 * cost->header_s.median / most;
  const double codegen = 100 * cost->codegen_s.median / most, load = 100 * cost->load_s.median / most;
  const double generated = codegen < own ? codegen : own;
  kiln_svg_open(html, "strip", BAR_PX, NULL);
  kiln_svg_rect(html, "p-front", 0, 1, generated, BAR_PX - 2, "generating code");
  kiln_svg_rect(html, "p-compile", generated, 1, own - generated, BAR_PX - 2, "compiling");
  if (load > 0)
    kiln_svg_rect(html, "p-load", own, 1, load > 0.3 ? load : 0.3, BAR_PX - 2, "loading");
  if (header > 0)
    kiln_svg_rect(html, "p-header apart", own + load + 1, 1, header, BAR_PX - 2, "precompiled header");
  kiln_svg_close(html);
}

static void
write_time(struct kiln_html *html, struct kiln_interval interval)
{
  kiln_html_open(html, "td", "number");
  kiln_html_attr_number(html, "data-sort", interval.median, "");
  if (interval.median > 0)
    kiln_html_interval(html, interval, KILN_HTML_SECONDS);
  else
    kiln_html_text(html, NULL);
  kiln_html_close(html);
}

static void
write_row(struct kiln_html *html, const struct kiln_module_cost *cost, double most)
{
  kiln_html_open(html, "tr", NULL);
  kiln_html_open(html, "th", NULL);
  kiln_html_attr(html, "scope", "row");
  kiln_html_module(html, cost->module, cost->identity);
  kiln_html_open(html, "small", NULL);
  char label[KILN_DEVICE_LABEL];
  kiln_html_textf(html, "%s ", kiln_device_label(label, cost->device, cost->block_dim));
  kiln_html_place(html, cost->where);
  kiln_html_close(html);
  kiln_html_close(html);
  kiln_html_open(html, "td", "bar");
  draw_bar(html, cost, most);
  kiln_html_close(html);
  write_time(html, cost->own_s);
  write_time(html, cost->load_s);
  write_time(html, cost->header_s);
  kiln_html_cell(html, cost->builds, KILN_HTML_COUNT);
  kiln_html_close(html);
}

static double
longest(const struct kiln_module_cost *costs, size_t count)
{
  double most = 0;
  for (size_t i = 0; i < count; i++) {
    const double all = costs[i].own_s.median + costs[i].load_s.median + costs[i].header_s.median;
    most = all > most ? all : most;
  }
  return most * 1.02; /* the gap before the header */
}

static void
write_modules(struct kiln_html *html, const struct kiln_report *report, const struct kiln_report_arm *arm)
{
  static const struct kiln_html_column columns[] = {
      {"module", false}, {"", false}, {"own build", true}, {"load", true}, {"header", true}, {"builds", true}};
  size_t count;
  bool failed;
  struct kiln_module_cost *costs = kiln_module_costs(arm, &count, &failed);
  html->out->failed = html->out->failed || failed;
  if (!costs)
    return;
  const double most = longest(costs, count);
  kiln_html_arm_title(html, report, arm);
  kiln_html_table_open(html, "Cold runs, dearest first", columns, sizeof columns / sizeof *columns);
  for (size_t i = 0; i < count && i < MOST_BARS; i++)
    write_row(html, &costs[i], most > 0 ? most : 1);
  kiln_html_table_close(html);
  if (count > MOST_BARS)
    kiln_html_leaff(html, "p", "note", "And %zu more; the JSON report has all of them.", count - MOST_BARS);
  free(costs);
}

void
kiln_html_modules(struct kiln_html *html, const struct kiln_report *report)
{
  bool any = false;
  for (size_t i = 0; i < report->arm_count && !any; i++) {
    const struct kiln_report_sample *sample = kiln_html_sample(&report->arms[i]);
    any = sample && sample->cold.model->build_count + sample->cold.model->load_count > 0;
  }
  if (!any)
    return;
  kiln_html_section(html, "modules", "What each module costs",
      "The first build of a process makes the precompiled header for all that follow: it stands apart, after a gap, "
      "and "
      "is not the module's own.");
  for (size_t i = 0; i < report->arm_count; i++)
    write_modules(html, report, &report->arms[i]);
  kiln_html_close(html);
}
