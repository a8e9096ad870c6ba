/* Every sample as a dot: how far they are apart is what an interval leaves out. */
#include <stdlib.h>

#include "probe/report/html_parts.h"

#define STRIP_PX 40
#define DOT_PX 4.5
#define MARGIN 0.08 /* of the range, left and right */
#define MOST_DOTS 400

struct series {
  const char *label, *class_name;
  struct kiln_interval interval;
  double (*value)(const struct kiln_report_sample *sample);
};

static double
cold_elapsed(const struct kiln_report_sample *sample)
{
  return sample->cold.elapsed_s;
}

static double
cold_cpu(const struct kiln_report_sample *sample)
{
  return sample->cold.cpu_s;
}

static double
warm_elapsed(const struct kiln_report_sample *sample)
{
  return sample->warm.elapsed_s;
}

static double
warm_cpu(const struct kiln_report_sample *sample)
{
  return sample->warm.cpu_s;
}

static double
difference_cpu(const struct kiln_report_sample *sample)
{
  return sample->cold.cpu_s - sample->warm.cpu_s;
}

static bool
is_shown(const struct kiln_report_sample *sample)
{
  return sample->cold.present && sample->warm.present;
}

/* Ends of the strip: the values with a margin, and never a range so narrow that noise fills it. */
static void
range_of(const struct kiln_report_arm *arm, const struct series *series, double *from, double *to)
{
  bool any = false;
  *from = *to = 0;
  for (size_t i = 0; i < arm->sample_count; i++) {
    if (!is_shown(&arm->samples[i]))
      continue;
    const double value = series->value(&arm->samples[i]);
    *from = !any || value < *from ? value : *from;
    *to = !any || value > *to ? value : *to;
    any = true;
  }
  const double least = 0.1 * (*to < 0 ? -*to : *to) + 1e-6, width = *to - *from > least ? *to - *from : least;
  const double middle = (*from + *to) / 2;
  *from = middle - width * (0.5 + MARGIN);
  *to = middle + width * (0.5 + MARGIN);
}

static void
draw_dots(
    struct kiln_html *html, const struct kiln_report_arm *arm, const struct series *series, double from, double to)
{
  const double scale = 100 / (to - from);
  for (size_t i = 0; i < arm->sample_count && i < MOST_DOTS; i++) {
    const struct kiln_report_sample *sample = &arm->samples[i];
    struct kiln_buf title;
    if (!is_shown(sample))
      continue;
    kiln_buf_init(&title);
    kiln_buf_printf(&title, "sample %d: ", sample->index);
    kiln_html_value(&title, series->value(sample), KILN_HTML_SECONDS);
    if (!sample->valid)
      kiln_buf_text_append(&title, ", does not count");
    /* Dots of equal values must not hide each other; the height means nothing. */
    kiln_svg_dot(html, sample->valid ? series->class_name : "c-void", scale * (series->value(sample) - from),
        10 + 5 * (double)(i * 2 % 5), DOT_PX, kiln_buf_text(&title));
    kiln_buf_release(&title);
  }
}

static void
write_end(struct kiln_html *html, const char *class_name, double value)
{
  struct kiln_buf text;
  kiln_buf_init(&text);
  kiln_html_value(&text, value, KILN_HTML_SECONDS);
  kiln_html_leaf(html, "span", class_name, kiln_buf_text(&text));
  kiln_buf_release(&text);
}

static void
write_series(struct kiln_html *html, const struct kiln_report_arm *arm, const struct series *series)
{
  double from, to;
  if (series->interval.n == 0)
    return;
  range_of(arm, series, &from, &to);
  const double scale = 100 / (to - from);
  kiln_html_open(html, "figure", "dots");
  kiln_html_open(html, "figcaption", NULL);
  kiln_html_leaf(html, "b", NULL, series->label);
  kiln_html_text(html, " ");
  kiln_html_interval(html, series->interval, KILN_HTML_SECONDS);
  kiln_html_close(html);
  kiln_svg_open(html, "strip", STRIP_PX, NULL);
  kiln_svg_rect(html, "band", scale * (series->interval.lo - from), 2,
      scale * (series->interval.hi - series->interval.lo), STRIP_PX - 4, NULL);
  const double median = scale * (series->interval.median - from);
  kiln_svg_line(html, "median", median, 2, median, STRIP_PX - 2);
  draw_dots(html, arm, series, from, to);
  kiln_svg_close(html);
  kiln_html_open(html, "p", "ends");
  write_end(html, NULL, from);
  write_end(html, NULL, to);
  kiln_html_close(html);
  kiln_html_close(html);
}

static void
write_arm(struct kiln_html *html, const struct kiln_report *report, const struct kiln_report_arm *arm)
{
  const struct series all[] = {
      {"cold, elapsed", "c-cold", arm->cold.elapsed_s, cold_elapsed},
      {"cold, CPU", "c-cold", arm->cold.cpu_s, cold_cpu},
      {"warm, elapsed", "c-cold pale", arm->warm.elapsed_s, warm_elapsed},
      {"warm, CPU", "c-cold pale", arm->warm.cpu_s, warm_cpu},
      {"cold − warm, CPU", "c-difference", arm->compile_cpu_s, difference_cpu},
  };
  kiln_html_arm_title(html, report, arm);
  kiln_html_open(html, "div", "columns");
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    write_series(html, arm, &all[i]);
  kiln_html_close(html);
  if (arm->sample_count > MOST_DOTS)
    kiln_html_leaff(html, "p", "note", "The first %d of %zu samples are drawn.", MOST_DOTS, arm->sample_count);
}

void
kiln_html_samples(struct kiln_html *html, const struct kiln_report *report)
{
  if (report->arm_count == 0 || report->arms[0].cold.elapsed_s.n == 0)
    return;
  kiln_html_section(html, "samples", "Every sample",
      "A dot is one sample; each strip has a scale of its own. The line is the median, the shade its interval, the "
      "height means nothing. A hollow dot does not count.");
  for (size_t i = 0; i < report->arm_count; i++)
    write_arm(html, report, &report->arms[i]);
  kiln_html_close(html);
}
