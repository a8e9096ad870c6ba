/* The SVG half of the writer: a handful of shapes. */
#include "probe/report/html.h"

void
kiln_svg_open(struct kiln_html *html, const char *class_name, double height_px, const char *label)
{
  kiln_html_open(html, "svg", class_name);
  kiln_html_attr(html, "width", "100%");
  kiln_html_attr_number(html, "height", height_px, "");
  if (label) {
    kiln_html_attr(html, "role", "img");
    kiln_html_attr(html, "aria-label", label);
  } else {
    kiln_html_attr(html, "aria-hidden", "true");
  }
}

void
kiln_svg_close(struct kiln_html *html)
{
  kiln_html_close(html);
}

static double
clamp(double x)
{
  return x < 0 || x != x ? 0 : x > 100 ? 100 : x;
}

static void
end_shape(struct kiln_html *html, const char *title)
{
  if (title)
    kiln_html_leaf(html, "title", NULL, title);
  kiln_html_close(html);
}

void
kiln_svg_rect(struct kiln_html *html, const char *class_name, double x, double y_px, double width, double height_px,
    const char *title)
{
  const double left = clamp(x), right = clamp(x + width);
  kiln_html_open(html, "rect", class_name);
  kiln_html_attr_number(html, "x", left, "%");
  kiln_html_attr_number(html, "y", y_px, "");
  kiln_html_attr_number(html, "width", right - left, "%");
  kiln_html_attr_number(html, "height", height_px, "");
  end_shape(html, title);
}

void
kiln_svg_dot(struct kiln_html *html, const char *class_name, double x, double y_px, double radius_px, const char *title)
{
  kiln_html_open(html, "circle", class_name);
  kiln_html_attr_number(html, "cx", clamp(x), "%");
  kiln_html_attr_number(html, "cy", y_px, "");
  kiln_html_attr_number(html, "r", radius_px, "");
  end_shape(html, title);
}

void
kiln_svg_line(struct kiln_html *html, const char *class_name, double x1, double y1_px, double x2, double y2_px)
{
  kiln_html_open(html, "line", class_name);
  kiln_html_attr_number(html, "x1", clamp(x1), "%");
  kiln_html_attr_number(html, "y1", y1_px, "");
  kiln_html_attr_number(html, "x2", clamp(x2), "%");
  kiln_html_attr_number(html, "y2", y2_px, "");
  end_shape(html, NULL);
}

void
kiln_svg_label(struct kiln_html *html, double x, double y_px, const char *anchor, const char *text)
{
  kiln_html_open(html, "text", NULL);
  kiln_html_attr_number(html, "x", clamp(x), "%");
  kiln_html_attr_number(html, "y", y_px, "");
  kiln_html_attr(html, "text-anchor", anchor);
  kiln_html_text(html, text);
  kiln_html_close(html);
}
