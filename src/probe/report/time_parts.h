/*
 * The verdict on time, rendered for people and for programs; for reports and for comparisons.
 */
#ifndef KILN_PROBE_REPORT_TIME_PARTS_H
#define KILN_PROBE_REPORT_TIME_PARTS_H

#include "base/json_write.h"
#include "probe/report.h"
#include "probe/report/page.h"

/* One verdict with what belongs to it. */
struct kiln_time_view {
  const char *names[2]; /* of baseline and candidate */
  const char *work;     /* verdict on work, NULL when there is none */
  const struct kiln_time *time;
  bool serial;
  uint64_t seed;
  struct kiln_conditions conditions; /* medians over the pairs; negative when not known */
};

/* View of one verdict of a report. */
void kiln_time_view_init(
    struct kiln_time_view *view, const struct kiln_report *report, const struct kiln_report_verdict *verdict);
/* "REGRESSED: cold CPU +5.6 % [+2.1, +9.0], 23 pairs", appended. */
void kiln_time_sentence(const struct kiln_time *time, struct kiln_buf *out);
/* The table of all metrics and the conditions. */
void kiln_time_text(struct kiln_page *page, const struct kiln_time_view *view);
/* Members effect, lo, hi: relative changes, 0.056 for +5.6 %; null without a look. */
void kiln_effect_json(struct kiln_json *json, const struct kiln_look *look);
/* An object; docs/report.md lists the names. */
void kiln_time_json(struct kiln_json *json, const struct kiln_time_view *view);

#endif
