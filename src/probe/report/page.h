/*
 * A terminal page: lines that never exceed a width, text from outside made harmless, colour only when asked for.
 */
#ifndef KILN_PROBE_REPORT_PAGE_H
#define KILN_PROBE_REPORT_PAGE_H

#include <stdbool.h>

#include "base/buf.h"

enum kiln_style { KILN_STYLE_PLAIN, KILN_STYLE_BOLD, KILN_STYLE_FAINT, KILN_STYLE_ALERT };

struct kiln_page {
  struct kiln_buf *out;
  int columns; /* ≥ KILN_PAGE_MIN */
  bool color;
  const char *folder; /* places below it are shown from there, so that they fit a line; NULL: none is */
};

#define KILN_PAGE_MIN 60

/* columns below KILN_PAGE_MIN count as KILN_PAGE_MIN. No folder. */
void kiln_page_init(struct kiln_page *page, struct kiln_buf *out, int columns, bool color);
void kiln_page_blank(struct kiln_page *page);
/* One line: `indent` spaces and the text in a style. A longer text is wrapped, its further lines `hang` deep. */
void kiln_page_text(struct kiln_page *page, enum kiln_style style, int indent, int hang, const char *text);
/* As kiln_page_text, plain, with a label in a style in front: "CS-1  sentence", wrapped under the sentence. */
void kiln_page_labelled(
    struct kiln_page *page, enum kiln_style style, int indent, const char *label, int label_columns, const char *text);

/* One line of a table, already laid out; cut in its middle if a number is wider than foreseen. */
void kiln_page_line(struct kiln_page *page, const char *line);

/* Append text without control characters or bytes that are not UTF-8 (each becomes '?', white space a space): names
 * come from programs and must not steer the terminal. NULL appends "-". */
void kiln_page_clean(struct kiln_buf *out, const char *text);
/* Append cleaned text cut in its middle to at most `columns`, "left…right". */
void kiln_page_shorten(struct kiln_buf *out, const char *text, int columns);
/* Append "file:line", the file as seen from the page's folder. */
void kiln_page_place(const struct kiln_page *page, const char *file, int line, struct kiln_buf *out);
/* Append `text` and spaces up to `columns`; right: spaces first. Longer text is appended whole. */
void kiln_page_pad(struct kiln_buf *out, const char *text, int columns, bool right);

#endif
