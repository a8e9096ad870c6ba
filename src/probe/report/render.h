/*
 * Rendering a report. Each appends to `out`; memory shortage is remembered in out->failed.
 */
#ifndef KILN_PROBE_REPORT_RENDER_H
#define KILN_PROBE_REPORT_RENDER_H

#include <stdbool.h>

#include "base/buf.h"
#include "probe/report.h"

/* JSON, schema KILN_REPORT_SCHEMA; docs/report.md lists every name. */
void kiln_report_json(const struct kiln_report *report, struct kiln_buf *out);
/* Terminal page for people: at most `columns` wide (not below 60), colour only when asked for. */
void kiln_report_text(const struct kiln_report *report, int columns, bool color, struct kiln_buf *out);
/* One HTML page that needs nothing beside it: no network, no script to be read. docs/report-html.md */
void kiln_report_html(const struct kiln_report *report, struct kiln_buf *out);
/* Markdown for an issue or a pull request: plain words, no ids of rules, nothing that needs kiln to be read. */
void kiln_report_markdown(const struct kiln_report *report, struct kiln_buf *out);
/* Trace events as JSON, for Perfetto and the trace viewer of Chrome: every run, each beginning at 0. docs/trace.md */
void kiln_report_trace(const struct kiln_report *report, struct kiln_buf *out);

#endif
