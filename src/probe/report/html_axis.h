/*
 * One axis of time that several pictures share, and what is drawn on it.
 */
#ifndef KILN_PROBE_REPORT_HTML_AXIS_H
#define KILN_PROBE_REPORT_HTML_AXIS_H

#include <stdint.h>

#include "probe/report/html.h"

struct kiln_axis {
  struct kiln_html *html;
  uint64_t begin_ns; /* at 0 % */
  double length_s;   /* at 100 %; above 0 */
  int shapes_left;   /* budget of the picture, so that a page stays small */
};

/* A bar from start_ns for length_ns. Never thinner than can be seen; dropped when the budget is spent. */
void kiln_axis_bar(struct kiln_axis *axis, const char *class_name, uint64_t start_ns, uint64_t length_ns, double y_px,
    double height_px, const char *title);
/* Row of the picture: a label and a strip of this height; close it with kiln_axis_row_close. */
void kiln_axis_row(
    struct kiln_axis *axis, const char *class_name, const char *label, const char *title, double height_px);
void kiln_axis_row_close(struct kiln_axis *axis);
/* The row of ticks below the strips. */
void kiln_axis_ticks(struct kiln_axis *axis);
/* Distance of ticks for a length: 1, 2 or 5 times a power of ten, three to seven of them. */
double kiln_axis_step(double length_s);

#endif
