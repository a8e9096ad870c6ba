/*
 * Writing HTML and SVG into a buffer. Escaping is done here and nowhere else: names come from observed programs.
 *
 * Order: init; open … attributes … content … close; finish. Attributes follow their open at once. Tag, class and
 * attribute names are constants of this program; values and text may be anything. Bytes that are no UTF-8, control
 * characters and marks that turn the direction of text become U+FFFD.
 * Errors: memory only, kept in out->failed. The buffer belongs to the caller. Not thread safe.
 */
#ifndef KILN_PROBE_REPORT_HTML_H
#define KILN_PROBE_REPORT_HTML_H

#include <stdbool.h>

#include "base/buf.h"

#define KILN_HTML_DEPTH 32

struct kiln_html {
  struct kiln_buf *out;
  const char *open[KILN_HTML_DEPTH]; /* tags that are not closed */
  int depth;
  bool in_tag; /* the last start tag still takes attributes */
};

void kiln_html_init(struct kiln_html *html, struct kiln_buf *out);
/* Start an element; class_name NULL: none. */
void kiln_html_open(struct kiln_html *html, const char *tag, const char *class_name);
/* An attribute of the element just opened. NULL value: nothing is written. */
void kiln_html_attr(struct kiln_html *html, const char *name, const char *value);
/* The same with a number and a unit behind it ("%", "px" or ""). */
void kiln_html_attr_number(struct kiln_html *html, const char *name, double value, const char *unit);
/* Text, escaped; NULL is written as "–". */
void kiln_html_text(struct kiln_html *html, const char *text);
void kiln_html_textf(struct kiln_html *html, const char *format, ...) KILN_PRINTF(2, 3);
void kiln_html_close(struct kiln_html *html);
/* An element that holds nothing but text. */
void kiln_html_leaf(struct kiln_html *html, const char *tag, const char *class_name, const char *text);
void kiln_html_leaff(struct kiln_html *html, const char *tag, const char *class_name, const char *format, ...)
    KILN_PRINTF(4, 5);
/* An element without content or end tag: meta. Close it with kiln_html_void_end after its attributes. */
void kiln_html_void(struct kiln_html *html, const char *tag);
void kiln_html_void_end(struct kiln_html *html);
/* Constants of this program as they are: the style sheet, the script. */
void kiln_html_raw(struct kiln_html *html, const char *text);
/* Close what is open. */
void kiln_html_finish(struct kiln_html *html);

/* Inline SVG as wide as its place: lengths along x are percent, along y pixels, so that strokes and text keep their
 * size from a telephone to a wide screen. `label` says the picture in words; NULL: text beside it says the same, and it
 * is hidden from screen readers. */
void kiln_svg_open(struct kiln_html *html, const char *class_name, double height_px, const char *label);
/* A rectangle; what leaves 0 … 100 % is cut. title (may be NULL) is shown on hover. */
void kiln_svg_rect(struct kiln_html *html, const char *class_name, double x, double y_px, double width,
    double height_px, const char *title);
void kiln_svg_dot(
    struct kiln_html *html, const char *class_name, double x, double y_px, double radius_px, const char *title);
/* A line from (x1, y1) to (x2, y2). */
void kiln_svg_line(struct kiln_html *html, const char *class_name, double x1, double y1_px, double x2, double y2_px);
/* anchor: "start", "middle" or "end". */
void kiln_svg_label(struct kiln_html *html, double x, double y_px, const char *anchor, const char *text);
/* Close the picture. */
void kiln_svg_close(struct kiln_html *html);

#endif
