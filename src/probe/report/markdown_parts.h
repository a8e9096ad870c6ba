/*
 * Pieces of the Markdown report: text that is safe in Markdown, and its sections.
 */
#ifndef KILN_PROBE_REPORT_MARKDOWN_PARTS_H
#define KILN_PROBE_REPORT_MARKDOWN_PARTS_H

#include "base/buf.h"
#include "probe/report.h"

/* Append a sentence so that Markdown shows it as it is: `code` stays code, "@name" becomes code (it would call
 * somebody), what Markdown would act on is escaped. NULL appends "-". */
void kiln_markdown_text(struct kiln_buf *out, const char *text);
/* Append text as code. */
void kiln_markdown_code(struct kiln_buf *out, const char *text);
/* Append `file:line`, the file as seen from the report's folder. */
void kiln_markdown_place(struct kiln_buf *out, const struct kiln_report *report, struct kiln_where where);
/* Append "2.53 s (2.41 s to 2.66 s, n = 3)"; "-" when n is 0. */
void kiln_markdown_interval(struct kiln_buf *out, struct kiln_interval interval);

/* What happened, what it cost, what to change: the findings that fired. */
void kiln_markdown_findings(struct kiln_buf *out, const struct kiln_report *report);
/* Why modules compile anew, from report->why; nothing when nobody asked. */
void kiln_markdown_why(struct kiln_buf *out, const struct kiln_report *report);
/* What was tried, from report->ledger; nothing without one (markdown_ledger.c). */
void kiln_markdown_ledger(struct kiln_buf *out, const struct kiln_report *report);
/* What was ruled out, and what the record cannot tell; nothing without a diagnosis. */
void kiln_markdown_others(struct kiln_buf *out, const struct kiln_report *report);

#endif
