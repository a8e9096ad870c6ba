#include "base/text.h"
#include "probe/report/text_parts.h"
#include "probe/report/time_parts.h"

#define LABEL_COLUMNS 15
#define CELL_COLUMNS 9
#define CHANGE_COLUMNS 9
#define RANGE_COLUMNS 17
#define WIDE 78 /* with a verdict at the end of each line */

static const char *
metric_label(enum kiln_metric metric)
{
  static const char *const labels[KILN_METRIC_COUNT] = {"cold CPU", "warm CPU", "cold elapsed", "warm elapsed"};
  return labels[metric];
}

/* Only the metric that decides, and warm CPU beside it, carry a verdict. */
static const char *
shown_verdict(const struct kiln_time *time, enum kiln_metric metric)
{
  const struct kiln_timed_metric *of = &time->metrics[metric];
  if (of->look.pairs == 0 || (metric != time->metric && metric != KILN_METRIC_WARM_CPU))
    return "";
  return kiln_verdict_name(metric == time->metric ? time->sequence.verdict : of->look.verdict);
}

static void
change_text(struct kiln_buf *out, const struct kiln_look *look)
{
  if (look->pairs)
    kiln_buf_printf(out, "%+.1f %%", kiln_log_percent(look->estimate));
}

static void
range_text(struct kiln_buf *out, const struct kiln_look *look, int digits)
{
  if (look->pairs)
    kiln_buf_printf(out, "[%+.*f, %+.*f]", digits, kiln_log_percent(look->low), digits, kiln_log_percent(look->high));
}

void
kiln_time_sentence(const struct kiln_time *time, struct kiln_buf *out)
{
  const struct kiln_look *look = &time->metrics[time->metric].look;
  kiln_buf_text_append(out, kiln_verdict_name(time->sequence.verdict));
  if (look->pairs) {
    kiln_buf_printf(out, ": %s ", metric_label(time->metric));
    change_text(out, look);
    kiln_buf_text_append(out, " ");
    range_text(out, look, 1);
  }
  kiln_buf_printf(out, ", %zu pair%s", time->pairs_used, time->pairs_used == 1 ? "" : "s");
  if (time->pairs_wanted)
    kiln_buf_printf(out, "; about %zu would do", time->pairs_wanted);
  else if (time->sequence.verdict == KILN_VERDICT_INCONCLUSIVE)
    kiln_buf_printf(out, "; the first verdict comes at %zu", kiln_looks[0].pairs);
}

static void
write_cells(struct kiln_page *page, const char *label, const char *base, const char *candidate, const char *change,
    const char *range, const char *verdict)
{
  struct kiln_buf line;
  kiln_buf_init(&line);
  kiln_buf_text_append(&line, "  ");
  kiln_page_pad(&line, label, LABEL_COLUMNS, false);
  kiln_page_pad(&line, base, CELL_COLUMNS, true);
  kiln_buf_text_append(&line, " ");
  kiln_page_pad(&line, candidate, CELL_COLUMNS, true);
  if (change[0]) {
    kiln_page_pad(&line, change, CHANGE_COLUMNS, true);
    kiln_buf_text_append(&line, "  ");
    kiln_page_pad(&line, range, verdict[0] && page->columns >= WIDE ? RANGE_COLUMNS : 0, false);
  }
  if (page->columns >= WIDE)
    kiln_buf_text_append(&line, verdict);
  kiln_page_line(page, kiln_buf_text(&line));
  kiln_buf_release(&line);
}

/* Behind the line: a verdict, or how far elapsed times lie apart, which the median hides. */
static void
remark_text(struct kiln_buf *out, const struct kiln_time *time, enum kiln_metric metric)
{
  const struct kiln_timed_metric *of = &time->metrics[metric];
  kiln_buf_text_append(out, shown_verdict(time, metric));
  if (out->len || of->look.pairs == 0 || metric == KILN_METRIC_COLD_CPU)
    return;
  kiln_text_duration(out, of->least[0] < of->least[1] ? of->least[0] : of->least[1]);
  kiln_buf_text_append(out, "…");
  kiln_text_duration(out, of->most[0] > of->most[1] ? of->most[0] : of->most[1]);
}

static void
write_metric(struct kiln_page *page, const struct kiln_time *time, enum kiln_metric metric)
{
  const struct kiln_timed_metric *of = &time->metrics[metric];
  struct kiln_buf base, candidate, change, range, remark;
  kiln_buf_init(&base);
  kiln_buf_init(&candidate);
  kiln_buf_init(&remark);
  kiln_buf_init(&change);
  kiln_buf_init(&range);
  kiln_text_duration(&base, of->median[0]);
  kiln_text_duration(&candidate, of->median[1]);
  change_text(&change, &of->look);
  range_text(&range, &of->look, page->columns >= WIDE ? 1 : 0);
  remark_text(&remark, time, metric);
  write_cells(page, metric_label(metric), kiln_buf_text(&base), kiln_buf_text(&candidate), kiln_buf_text(&change),
      kiln_buf_text(&range), kiln_buf_text(&remark));
  kiln_buf_release(&remark);
  kiln_buf_release(&range);
  kiln_buf_release(&change);
  kiln_buf_release(&candidate);
  kiln_buf_release(&base);
}

static void
write_difference(struct kiln_page *page, const char *label, const double difference[2])
{
  struct kiln_buf base, candidate;
  kiln_buf_init(&base);
  kiln_buf_init(&candidate);
  kiln_text_duration(&base, difference[0]);
  kiln_text_duration(&candidate, difference[1]);
  write_cells(page, label, kiln_buf_text(&base), kiln_buf_text(&candidate), "", "", "");
  kiln_buf_release(&candidate);
  kiln_buf_release(&base);
}

static void
write_conditions(struct kiln_page *page, const struct kiln_time_view *view)
{
  const struct kiln_conditions *seen = &view->conditions;
  struct kiln_buf text;
  kiln_buf_init(&text);
  kiln_buf_printf(&text, "%zu pair%s %s, order by coin (seed 0x%llx)", view->time->pairs_used,
      view->time->pairs_used == 1 ? "" : "s", view->serial ? "one after the other" : "side by side",
      (unsigned long long)view->seed);
  if (seen->load_1m >= 0)
    kiln_buf_printf(&text, "; load %.1f", seen->load_1m);
  if (seen->cpu_pressure >= 0)
    kiln_buf_printf(&text, ", CPU pressure %.0f %%", 100 * seen->cpu_pressure);
  if (seen->steal >= 0)
    kiln_buf_printf(&text, ", steal %.1f %%", 100 * seen->steal);
  kiln_page_text(page, KILN_STYLE_FAINT, 2, 2, kiln_buf_text(&text));
  kiln_buf_clear(&text);
  kiln_buf_printf(&text, "IMPROVED and REGRESSED are false at most 1 time in 100; SAME = less than %g %%",
      100 * view->time->resolution);
  kiln_page_text(page, KILN_STYLE_FAINT, 2, 2, kiln_buf_text(&text));
  kiln_buf_release(&text);
}

/* What the two verdicts say together. */
static void
write_meaning(struct kiln_page *page, const struct kiln_time_view *view)
{
  const enum kiln_verdict verdict = view->time->sequence.verdict;
  const bool changed = verdict == KILN_VERDICT_IMPROVED || verdict == KILN_VERDICT_REGRESSED;
  if (kiln_text_equal(view->work, "UNLIKE"))
    kiln_page_text(page, KILN_STYLE_ALERT, 2, 2, "the launches differ: these are times of different work");
  if (changed && kiln_text_equal(view->work, "SAME"))
    kiln_page_text(page, KILN_STYLE_PLAIN, 2, 2, "same work, different cost");
  if (view->time->metric == KILN_METRIC_COLD_ELAPSED)
    kiln_page_text(page, KILN_STYLE_PLAIN, 2, 2,
        "elapsed time decides: the work is the same and the builds of one arm overlap; CPU time is only shown");
}

void
kiln_time_text(struct kiln_page *page, const struct kiln_time_view *view)
{
  struct kiln_buf text;
  kiln_buf_init(&text);
  kiln_time_sentence(view->time, &text);
  kiln_page_labelled(page, KILN_STYLE_BOLD, 0, "time:", 6, kiln_buf_text(&text));
  kiln_buf_release(&text);
  write_meaning(page, view);
  if (view->time->pairs_used == 0)
    return;
  write_cells(page, "", view->names[0], view->names[1], "", "", "");
  for (int i = 0; i < KILN_METRIC_COUNT; i++)
    write_metric(page, view->time, (enum kiln_metric)i);
  write_difference(page, "cold − warm CPU", view->time->difference[0]);
  write_difference(page, "  elapsed", view->time->difference[1]);
  write_conditions(page, view);
}
