#include "probe/report/html_axis.h"

#include <math.h>

#include "base/text.h"
#include "probe/report/page.h"

#define THINNEST 0.2 /* percent */
#define LABEL_COLUMNS 29
#define TICKS_PX 20

static double
at(const struct kiln_axis *axis, uint64_t t_ns)
{
  const double distance = t_ns >= axis->begin_ns ? (double)(t_ns - axis->begin_ns) : -(double)(axis->begin_ns - t_ns);
  return 100 * distance / 1e9 / axis->length_s;
}

void
kiln_axis_bar(struct kiln_axis *axis, const char *class_name, uint64_t start_ns, uint64_t length_ns, double y_px,
    double height_px, const char *title)
{
  const double width = 100 * ((double)length_ns / 1e9) / axis->length_s;
  if (axis->shapes_left <= 0)
    return;
  axis->shapes_left--;
  kiln_svg_rect(
      axis->html, class_name, at(axis, start_ns), y_px, width > THINNEST ? width : THINNEST, height_px, title);
}

void
kiln_axis_row(struct kiln_axis *axis, const char *class_name, const char *label, const char *title, double height_px)
{
  struct kiln_buf text;
  kiln_buf_init(&text);
  kiln_page_shorten(&text, label, LABEL_COLUMNS);
  kiln_html_open(axis->html, "div", class_name);
  kiln_html_open(axis->html, "span", "label");
  kiln_html_attr(axis->html, "title", title);
  kiln_html_text(axis->html, kiln_buf_text(&text));
  kiln_html_close(axis->html);
  kiln_svg_open(axis->html, "strip", height_px, NULL);
  const double step = kiln_axis_step(axis->length_s);
  for (int tick = 1; tick * step < axis->length_s; tick++) {
    const double percent = 100 * tick * step / axis->length_s;
    kiln_svg_line(axis->html, "grid", percent, 0, percent, height_px);
  }
  kiln_buf_release(&text);
}

void
kiln_axis_row_close(struct kiln_axis *axis)
{
  kiln_svg_close(axis->html);
  kiln_html_close(axis->html);
}

double
kiln_axis_step(double length_s)
{
  /* Beyond what a run can last the powers of ten lose their digits; one tick will do. */
  if (!(length_s > 1e-9 && length_s < 1e12))
    return length_s > 0 ? length_s : 1;
  const double power = pow(10, floor(log10(length_s)));
  const double whole = length_s / power; /* 1 … 10 */
  return power * (whole >= 6 ? 2 : whole >= 3 ? 1 : whole >= 1.5 ? 0.5 : 0.2);
}

void
kiln_axis_ticks(struct kiln_axis *axis)
{
  const double step = kiln_axis_step(axis->length_s);
  kiln_html_open(axis->html, "div", "lane axis");
  kiln_html_leaf(axis->html, "span", "label", "from the start of the run");
  kiln_svg_open(axis->html, "strip", TICKS_PX, NULL);
  for (int tick = 0; tick * step <= axis->length_s * 0.93; tick++) {
    struct kiln_buf text;
    kiln_buf_init(&text);
    const double s = tick * step;
    if (tick > 0)
      kiln_buf_printf(&text, axis->length_s < 1 ? "%.6g ms" : "%.6g s", axis->length_s < 1 ? 1000 * s : s);
    else
      kiln_buf_text_append(&text, "0");
    kiln_svg_label(
        axis->html, 100 * s / axis->length_s, TICKS_PX - 6, tick > 0 ? "middle" : "start", kiln_buf_text(&text));
    kiln_buf_release(&text);
  }
  kiln_svg_close(axis->html);
  kiln_html_close(axis->html);
}
