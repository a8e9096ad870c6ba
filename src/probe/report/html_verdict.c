/* Verdicts of the candidates against the baseline: work and time, side by side and never mixed. */
#include "base/text.h"
#include "probe/report/html_parts.h"

#define METRIC_COLUMNS 5

static void
metric_label(struct kiln_buf *text, enum kiln_metric metric)
{
  static const char *const labels[KILN_METRIC_COUNT] = {
      [KILN_METRIC_COLD_CPU] = "cold CPU",
      [KILN_METRIC_WARM_CPU] = "warm CPU",
      [KILN_METRIC_COLD_ELAPSED] = "cold elapsed",
      [KILN_METRIC_WARM_ELAPSED] = "warm elapsed",
  };
  kiln_buf_text_append(text, metric < KILN_METRIC_COUNT && labels[metric] ? labels[metric] : kiln_metric_name(metric));
}

static const char *
tone_of(enum kiln_verdict verdict)
{
  switch (verdict) {
  case KILN_VERDICT_IMPROVED:
    return "verdict better";
  case KILN_VERDICT_REGRESSED:
    return "verdict worse";
  case KILN_VERDICT_SAME:
  case KILN_VERDICT_INCONCLUSIVE:
    break;
  }
  return "verdict";
}

static void
percent(struct kiln_buf *text, double log_ratio)
{
  const double value = kiln_log_percent(log_ratio);
  kiln_buf_printf(text, "%s%.1f %%", value < 0 ? "−" : "+", value < 0 ? -value : value);
}

static void
effect_text(struct kiln_buf *text, const struct kiln_look *look)
{
  percent(text, look->estimate);
  kiln_buf_text_append(text, " [");
  percent(text, look->low);
  kiln_buf_text_append(text, ", ");
  percent(text, look->high);
  kiln_buf_text_append(text, "]");
}

static void
write_time(struct kiln_html *html, const struct kiln_time *time)
{
  const struct kiln_look *look = &time->metrics[time->metric].look;
  struct kiln_buf text;
  kiln_buf_init(&text);
  kiln_html_open(html, "div", tone_of(time->sequence.verdict));
  kiln_html_leaf(html, "dt", NULL, "Time");
  kiln_html_leaf(html, "dd", "big", kiln_verdict_name(time->sequence.verdict));
  metric_label(&text, time->metric);
  kiln_buf_text_append(&text, " ");
  if (look->pairs)
    effect_text(&text, look);
  kiln_buf_printf(&text, " n = %zu pairs", time->pairs_used);
  kiln_html_leaf(html, "dd", NULL, kiln_buf_text(&text));
  if (time->pairs_wanted)
    kiln_html_leaff(html, "dd", "spread", "about %zu pairs would decide", time->pairs_wanted);
  kiln_html_close(html);
  kiln_buf_release(&text);
}

static void
write_work(struct kiln_html *html, const struct kiln_report_verdict *verdict)
{
  const bool fewer = kiln_text_equal(verdict->work, "FEWER"), more = kiln_text_equal(verdict->work, "MORE");
  kiln_html_open(html, "div", fewer ? "verdict better" : more ? "verdict worse" : "verdict");
  kiln_html_leaf(html, "dt", NULL, "Work");
  kiln_html_leaf(html, "dd", "big", verdict->work);
  if (verdict->decided_by)
    kiln_html_leaff(
        html, "dd", NULL, "told by %s of the %s runs", verdict->decided_by, verdict->decided_warm ? "warm" : "cold");
  else
    kiln_html_leaf(html, "dd", NULL, "the counts are exact");
  kiln_html_close(html);
}

static void
write_metrics(struct kiln_html *html, const struct kiln_report *report, const struct kiln_report_verdict *verdict)
{
  const struct kiln_html_column columns[METRIC_COLUMNS] = {{"metric", false}, {report->arms[0].name, true},
      {report->arms[verdict->candidate].name, true}, {"change", true}, {"pairs", true}};
  kiln_html_table_open(html, "Every metric of the same pairs; one decides. Beside a median: smallest and largest",
      columns, METRIC_COLUMNS);
  for (size_t i = 0; i < KILN_METRIC_COUNT; i++) {
    const struct kiln_timed_metric *metric = &verdict->time.metrics[i];
    struct kiln_buf text;
    kiln_buf_init(&text);
    metric_label(&text, (enum kiln_metric)i);
    if ((enum kiln_metric)i == verdict->time.metric)
      kiln_buf_text_append(&text, " (decides)");
    kiln_html_open(html, "tr", NULL);
    kiln_html_leaf(html, "th", NULL, kiln_buf_text(&text));
    for (int side = 0; side < 2; side++) {
      const struct kiln_interval range = {
          metric->median[side], metric->least[side], metric->most[side], verdict->time.pairs_used};
      kiln_html_open(html, "td", "number");
      kiln_html_attr_number(html, "data-sort", range.median, "");
      kiln_html_interval(html, range, KILN_HTML_SECONDS);
      kiln_html_close(html);
    }
    kiln_buf_clear(&text);
    if (metric->look.pairs)
      effect_text(&text, &metric->look);
    kiln_html_leaf(html, "td", "number", kiln_buf_text(&text));
    kiln_html_cell(html, (double)verdict->time.pairs_used, KILN_HTML_COUNT);
    kiln_html_close(html);
    kiln_buf_release(&text);
  }
  kiln_html_table_close(html);
}

static void
write_verdict(struct kiln_html *html, const struct kiln_report *report, const struct kiln_report_verdict *verdict)
{
  kiln_html_open(html, "h2", "arm");
  kiln_html_leaf(html, "span", "tag", report->arms[verdict->candidate].name);
  kiln_html_text(html, " against ");
  kiln_html_leaf(html, "span", "tag", report->arms[0].name);
  kiln_html_close(html);
  kiln_html_open(html, "dl", "tiles verdicts");
  write_work(html, verdict);
  write_time(html, &verdict->time);
  kiln_html_close(html);
  if (verdict->note_count) {
    kiln_html_open(html, "ul", "notes");
    for (size_t i = 0; i < verdict->note_count; i++)
      kiln_html_leaf(html, "li", NULL, verdict->notes[i]);
    kiln_html_close(html);
  }
  write_metrics(html, report, verdict);
}

void
kiln_html_verdicts(struct kiln_html *html, const struct kiln_report *report)
{
  for (size_t i = 0; i < report->verdict_count; i++)
    if (report->verdicts[i].candidate < report->arm_count)
      write_verdict(html, report, &report->verdicts[i]);
}
