/* The three largest causes: findings by what they may save, then what cost most without anybody's mistake. */
#include <stdlib.h>

#include "base/text.h"
#include "probe/report/html_parts.h"
#include "probe/report/modules.h"
#include "probe/report/work.h"

#define CAUSES 3
#define PLACES 3

struct cause {
  const struct kiln_finding *finding; /* NULL: a cost */
  const struct kiln_module_cost *module;
  double seconds; /* < 0: not known */
};

static int
order_causes(const void *left, const void *right)
{
  const struct cause *a = left, *b = right;
  if ((a->finding != NULL) != (b->finding != NULL))
    return a->finding ? -1 : 1;
  return (a->seconds < b->seconds) - (a->seconds > b->seconds);
}

static void
write_places(struct kiln_html *html, const struct kiln_finding *finding)
{
  if (finding->where_count == 0)
    return;
  kiln_html_open(html, "p", "places");
  for (size_t i = 0; i < finding->where_count && i < PLACES; i++) {
    kiln_html_text(html, i ? " " : "");
    kiln_html_place(html, finding->where[i]);
  }
  if (finding->where_count > PLACES)
    kiln_html_leaff(html, "span", "spread", " and %zu more", finding->where_count - PLACES);
  kiln_html_close(html);
}

static void
write_cost(struct kiln_html *html, double seconds, const char *words)
{
  struct kiln_buf text;
  kiln_buf_init(&text);
  kiln_html_value(&text, seconds, KILN_HTML_SECONDS);
  kiln_html_open(html, "p", "cost");
  kiln_html_leaf(html, "b", NULL, kiln_buf_text(&text));
  kiln_html_text(html, words);
  kiln_html_close(html);
  kiln_buf_release(&text);
}

static void
write_finding(struct kiln_html *html, const struct kiln_report *report, const struct kiln_finding *finding)
{
  if (finding->saves_at_most_s >= 0)
    write_cost(html, finding->saves_at_most_s, " saved at most");
  kiln_html_open(html, "p", NULL);
  if (!kiln_text_equal(finding->id, "none"))
    kiln_html_leaf(html, "span", "tag", finding->id);
  if (report->arm_count > 1 && finding->arm)
    kiln_html_leaff(html, "span", "tag", "%s", finding->arm);
  kiln_html_text(html, " ");
  kiln_html_prose(html, finding->sentence);
  kiln_html_close(html);
  write_places(html, finding);
  if (finding->remedy) {
    kiln_html_open(html, "p", "remedy");
    kiln_html_leaf(html, "b", NULL, "Remedy ");
    kiln_html_prose(html, finding->remedy);
    kiln_html_close(html);
  }
}

static void
write_header_cost(struct kiln_html *html, const struct kiln_report_arm *arm)
{
  const struct kiln_interval header = arm->cold.phase_wall_s[KILN_PHASE_PCH];
  write_cost(html, header.median, " for the precompiled header ");
  kiln_html_open(html, "p", NULL);
  kiln_html_text(html, "Each process that compiles for the first time makes it once, whatever it compiles. ");
  kiln_html_spread(html, header, KILN_HTML_SECONDS);
  kiln_html_close(html);
}

static void
write_module_cost(struct kiln_html *html, const struct kiln_module_cost *cost)
{
  write_cost(html, cost->own_s.median, cost->builds > 1 ? " to build a module again and again" : " to build a module");
  kiln_html_open(html, "p", NULL);
  kiln_html_module(html, cost->module, cost->identity);
  char label[KILN_DEVICE_LABEL];
  kiln_html_textf(html, " on %s ", kiln_device_label(label, cost->device, cost->block_dim));
  kiln_html_spread(html, cost->own_s, KILN_HTML_SECONDS);
  kiln_html_close(html);
  if (cost->where.file) {
    kiln_html_open(html, "p", "places");
    kiln_html_place(html, cost->where);
    kiln_html_close(html);
  }
}

static void
write_causes(struct kiln_html *html, const struct kiln_report *report, const struct cause *causes, size_t count)
{
  kiln_html_leaf(html, "h2", NULL, count > 1 ? "The largest causes" : "The largest cause");
  kiln_html_open(html, "ol", "causes");
  for (size_t i = 0; i < count && i < CAUSES; i++) {
    kiln_html_open(html, "li", causes[i].finding ? "finding" : NULL);
    if (causes[i].finding)
      write_finding(html, report, causes[i].finding);
    else if (causes[i].module)
      write_module_cost(html, causes[i].module);
    else
      write_header_cost(html, &report->arms[0]);
    kiln_html_close(html);
  }
  kiln_html_close(html);
}

void
kiln_html_causes(struct kiln_html *html, const struct kiln_report *report)
{
  const struct kiln_report_arm *arm = &report->arms[0];
  size_t modules = 0, count = 0;
  bool failed = false;
  struct kiln_module_cost *costs = report->arm_count ? kiln_module_costs(arm, &modules, &failed) : NULL;
  struct cause *causes = calloc(report->finding_count + CAUSES + 1, sizeof *causes);
  if (failed || !causes)
    html->out->failed = true;
  for (size_t i = 0; causes && i < report->finding_count; i++)
    causes[count++] = (struct cause){&report->findings[i], NULL, report->findings[i].saves_at_most_s};
  if (causes && report->arm_count && arm->cold.phase_wall_s[KILN_PHASE_PCH].median > 0)
    causes[count++] = (struct cause){NULL, NULL, arm->cold.phase_wall_s[KILN_PHASE_PCH].median};
  for (size_t i = 0; causes && i < modules && i < CAUSES; i++)
    if (costs[i].own_s.median > 0)
      causes[count++] = (struct cause){NULL, &costs[i], costs[i].own_s.median};
  if (count) {
    qsort(causes, count, sizeof *causes, order_causes);
    write_causes(html, report, causes, count);
  }
  free(causes);
  free(costs);
}
