/*
 * Sections of the HTML page, one subject a file, and what they share. The page: kiln_report_html in render.h.
 */
#ifndef KILN_PROBE_REPORT_HTML_PARTS_H
#define KILN_PROBE_REPORT_HTML_PARTS_H

#include "probe/report.h"
#include "probe/report/html.h"

/* ---- shared (html_parts.c) ---- */

enum kiln_html_unit { KILN_HTML_SECONDS, KILN_HTML_COUNT, KILN_HTML_BYTES, KILN_HTML_PLAIN };

/* A value for people in its unit, appended to text. */
void kiln_html_value(struct kiln_buf *text, double value, enum kiln_html_unit unit);
/* "1.85 s" and, small, "[1.75 s, 2.15 s] n = 3"; "–" when nothing was measured. */
void kiln_html_interval(struct kiln_html *html, struct kiln_interval interval, enum kiln_html_unit unit);
/* Only the small part, "[1.75 s, 2.15 s] · n = 3"; "n = 1" when one sample says nothing of spread. */
void kiln_html_spread(struct kiln_html *html, struct kiln_interval interval, enum kiln_html_unit unit);
/* The same as words in one string, for titles and labels; appended to text. */
void kiln_html_interval_text(struct kiln_buf *text, struct kiln_interval interval, enum kiln_html_unit unit);
/* Open <section> with a heading and an id for the navigation; close it with kiln_html_close. lead NULL: none. */
void kiln_html_section(struct kiln_html *html, const char *id, const char *title, const char *lead);
/* A sentence of a rule: what stands between backticks becomes code. */
void kiln_html_prose(struct kiln_html *html, const char *text);
/* Heading of an arm inside a section, when there are several. */
void kiln_html_arm_title(struct kiln_html *html, const struct kiln_report *report, const struct kiln_report_arm *arm);
/* "app.py:12" with the folder before it, broken where there is room; nothing when the place is not known. */
void kiln_html_place(struct kiln_html *html, struct kiln_where where);
/* Name of a phase for people: "precompiled header". */
void kiln_html_phase_label(struct kiln_buf *text, enum kiln_phase phase);
/* Class of the colour of a phase. Several phases share a colour; kiln_html_legend names each colour once. */
const char *kiln_html_phase_class(enum kiln_phase phase);
void kiln_html_legend(struct kiln_html *html);
/* The one that pictures show: of the valid samples the one whose cold run is nearest to the median, else the first with
 * a cold run; NULL when there is none. */
const struct kiln_report_sample *kiln_html_sample(const struct kiln_report_arm *arm);
/* A module's name cut in its middle, with the beginning of its content hash when it has one: "forces 8bf5045". */
void kiln_html_module(struct kiln_html *html, const char *module, const char *identity);

/* A table that scrolls by itself on a narrow screen and, with script, sorts by a click on a heading. */
struct kiln_html_column {
  const char *title;
  bool number; /* aligned right, sorted as a number */
};
void kiln_html_table_open(
    struct kiln_html *html, const char *caption, const struct kiln_html_column *columns, size_t count);
/* A number cell: shown in its unit, sorted by its value. */
void kiln_html_cell(struct kiln_html *html, double value, enum kiln_html_unit unit);
/* Closes what kiln_html_table_open has opened. */
void kiln_html_table_close(struct kiln_html *html);

/* A table of intervals (html_compare.c). The first two columns are cold and warm, drawn as bars, warm paler below, when
 * most is above 0. Rows between open and close. */
struct kiln_html_pairs {
  const char *const *heads; /* of the columns of numbers */
  size_t count;             /* of them, ≥ 2 */
  double most;              /* value of a full bar; 0: no bars */
};
void kiln_html_pairs_open(struct kiln_html *html, const struct kiln_html_pairs *pairs, const char *caption);
/* values: one for each head; class_name (may be NULL): the colour of the bars, shown beside the label too. */
void kiln_html_pairs_row(struct kiln_html *html, const struct kiln_html_pairs *pairs, const char *label,
    const char *class_name, const struct kiln_interval *values, enum kiln_html_unit unit);
void kiln_html_pairs_close(struct kiln_html *html);

/* ---- sections: each writes nothing when it has nothing to say ---- */

/* What to know first: verdicts, headline numbers, the three largest causes (html_first.c, html_verdict.c,
 * html_causes.c). */
void kiln_html_first(struct kiln_html *html, const struct kiln_report *report);
void kiln_html_verdicts(struct kiln_html *html, const struct kiln_report *report);
void kiln_html_causes(struct kiln_html *html, const struct kiln_report *report);
/* Processes, threads and modules on one axis of time (html_timeline.c). */
void kiln_html_timeline(struct kiln_html *html, const struct kiln_report *report);
/* Cold against warm: times and counts (html_compare.c); phases (html_phases.c). */
void kiln_html_compare(struct kiln_html *html, const struct kiln_report *report);
void kiln_html_phases(struct kiln_html *html, const struct kiln_report *report);
/* What each module costs (html_modules.c). */
void kiln_html_modules(struct kiln_html *html, const struct kiln_report *report);
/* Every sample as a dot (html_samples.c). */
void kiln_html_samples(struct kiln_html *html, const struct kiln_report *report);
/* Findings in full, and warnings (html_findings.c). */
void kiln_html_findings(struct kiln_html *html, const struct kiln_report *report);
/* Why modules compile anew, from report->why (html_why.c). */
void kiln_html_why(struct kiln_html *html, const struct kiln_report *report);
/* What was tried, from report->ledger (html_ledger.c). */
void kiln_html_ledger(struct kiln_html *html, const struct kiln_report *report);
/* Builds, loads, launches, processes (html_tables.c). */
void kiln_html_tables(struct kiln_html *html, const struct kiln_report *report);
/* How it was measured, and where (html_method.c). */
void kiln_html_method(struct kiln_html *html, const struct kiln_report *report);

/* The style sheet and the script, constants (html_style.c). */
void kiln_html_style(struct kiln_html *html);
void kiln_html_script(struct kiln_html *html);

#endif
