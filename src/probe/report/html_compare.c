/* Cold against warm: what takes how long, and how much there is of it. */
#include "probe/report/html_parts.h"

#define BAR_PX 12

/* Two bars, cold above a paler warm, with the interval as a thin line. most: the value at 100 %. */
static void
draw_pair(
    struct kiln_html *html, const char *class_name, struct kiln_interval cold, struct kiln_interval warm, double most)
{
  const struct kiln_interval values[2] = {cold, warm};
  struct kiln_buf classes;
  kiln_buf_init(&classes);
  kiln_buf_printf(&classes, "%s", class_name ? class_name : "c-cold");
  kiln_svg_open(html, "strip", 2 * BAR_PX + 8, NULL);
  for (int i = 0; i < 2; i++) {
    const double y = 2 + i * (BAR_PX + 4);
    if (i == 1)
      kiln_buf_text_append(&classes, " pale");
    if (most <= 0 || values[i].n == 0)
      continue;
    kiln_svg_rect(html, kiln_buf_text(&classes), 0, y, 100 * values[i].median / most, BAR_PX, NULL);
    if (values[i].n > 1 && values[i].hi > values[i].lo)
      kiln_svg_line(
          html, "whisker", 100 * values[i].lo / most, y + BAR_PX / 2.0, 100 * values[i].hi / most, y + BAR_PX / 2.0);
  }
  kiln_svg_close(html);
  kiln_buf_release(&classes);
}

static void
write_head(struct kiln_html *html, const char *class_name, const char *text)
{
  kiln_html_open(html, "th", class_name);
  kiln_html_attr(html, "scope", "col");
  kiln_html_text(html, text);
  kiln_html_close(html);
}

void
kiln_html_pairs_open(struct kiln_html *html, const struct kiln_html_pairs *pairs, const char *caption)
{
  kiln_html_open(html, "table", pairs->most > 0 ? "pairs" : "pairs counts");
  kiln_html_leaf(html, "caption", NULL, caption);
  kiln_html_open(html, "thead", NULL);
  kiln_html_open(html, "tr", NULL);
  write_head(html, NULL, "what");
  if (pairs->most > 0)
    kiln_html_leaf(html, "td", "bar", "");
  for (size_t i = 0; i < pairs->count; i++)
    write_head(html, "number", pairs->heads[i]);
  kiln_html_close(html);
  kiln_html_close(html);
  kiln_html_open(html, "tbody", NULL);
}

void
kiln_html_pairs_row(struct kiln_html *html, const struct kiln_html_pairs *pairs, const char *label,
    const char *class_name, const struct kiln_interval *values, enum kiln_html_unit unit)
{
  kiln_html_open(html, "tr", NULL);
  kiln_html_open(html, "th", NULL);
  kiln_html_attr(html, "scope", "row");
  if (class_name) {
    kiln_html_open(html, "i", class_name);
    kiln_html_close(html);
  }
  kiln_html_text(html, label);
  kiln_html_close(html);
  if (pairs->most > 0) {
    kiln_html_open(html, "td", "bar");
    draw_pair(html, class_name, values[0], values[1], pairs->most);
    kiln_html_close(html);
  }
  for (size_t i = 0; i < pairs->count; i++) {
    kiln_html_open(html, "td", "number");
    /* The head again, where a narrow screen has no room for a row of heads. */
    kiln_html_attr(html, "data-head", pairs->heads[i]);
    kiln_html_interval(html, values[i], unit);
    kiln_html_close(html);
  }
  kiln_html_close(html);
}

void
kiln_html_pairs_close(struct kiln_html *html)
{
  kiln_html_close(html);
  kiln_html_close(html);
}

static const char *const heads[] = {"cold", "warm"};

static double
larger(double a, double b)
{
  return a > b ? a : b;
}

static void
write_times(struct kiln_html *html, const struct kiln_report_arm *arm)
{
  const struct kiln_report_summary *cold = &arm->cold, *warm = &arm->warm;
  const struct {
    const char *label;
    struct kiln_interval values[2];
  } rows[] = {
      {"elapsed", {cold->elapsed_s, warm->elapsed_s}},
      {"CPU", {cold->cpu_s, warm->cpu_s}},
      {"building and loading", {cold->module_work_s, warm->module_work_s}},
      {"native compilers", {cold->native_s, warm->native_s}},
  };
  struct kiln_html_pairs pairs = {heads, 2, 0};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    pairs.most = larger(pairs.most, larger(rows[i].values[0].hi, rows[i].values[1].hi));
  kiln_html_pairs_open(html, &pairs, "Times, one scale");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    kiln_html_pairs_row(html, &pairs, rows[i].label, NULL, rows[i].values, KILN_HTML_SECONDS);
  kiln_html_pairs_close(html);
}

static void
write_counts(struct kiln_html *html, const struct kiln_report_arm *arm)
{
  static const char *const labels[KILN_COUNT_COUNT] = {
      [KILN_COUNT_BUILDS] = "builds",
      [KILN_COUNT_LOADS] = "loads",
      [KILN_COUNT_MODULES] = "modules",
      [KILN_COUNT_IDENTITIES] = "identities",
      [KILN_COUNT_LAUNCHES] = "launches",
      [KILN_COUNT_PROCESSES] = "processes",
      [KILN_COUNT_LTO] = "link-time objects",
      [KILN_COUNT_SOURCE_BYTES] = "generated source",
  };
  const struct kiln_html_pairs pairs = {heads, 2, 0};
  kiln_html_pairs_open(html, &pairs, "Counts, exact");
  for (int i = 0; i < KILN_COUNT_COUNT; i++) {
    const struct kiln_interval values[2] = {arm->cold.count[i], arm->warm.count[i]};
    kiln_html_pairs_row(html, &pairs, labels[i] ? labels[i] : kiln_count_name((enum kiln_count)i), NULL, values,
        i == KILN_COUNT_SOURCE_BYTES ? KILN_HTML_BYTES : KILN_HTML_COUNT);
  }
  const struct kiln_interval overlap[2] = {arm->cold.overlap, arm->warm.overlap};
  kiln_html_pairs_row(html, &pairs, "overlap of builds", NULL, overlap, KILN_HTML_PLAIN);
  kiln_html_pairs_close(html);
}

void
kiln_html_compare(struct kiln_html *html, const struct kiln_report *report)
{
  if (report->arm_count == 0 || report->arms[0].cold.elapsed_s.n == 0)
    return;
  kiln_html_section(html, "compare", "Cold against warm",
      "Medians; in brackets the interval, n the samples it rests on. Trust CPU time where the machine was busy.");
  for (size_t i = 0; i < report->arm_count; i++) {
    if (report->arms[i].cold.elapsed_s.n == 0)
      continue;
    kiln_html_arm_title(html, report, &report->arms[i]);
    kiln_html_open(html, "div", "columns uneven");
    write_times(html, &report->arms[i]);
    write_counts(html, &report->arms[i]);
    kiln_html_close(html);
  }
  kiln_html_close(html);
}
