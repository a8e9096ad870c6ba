#include <stddef.h>
#include <stdlib.h>

#include "base/text.h"
#include "probe/report/text_parts.h"
#include "probe/report/time_parts.h"

static double
median_of(double *values, size_t n)
{
  return n ? kiln_interval_of(values, n).median : -1;
}

/* Medians over the cold runs of the valid pairs, one member at a time. */
static double
condition_median(const struct kiln_report *report, size_t candidate, double *values, size_t offset)
{
  size_t n = 0;
  for (size_t i = 0; i < report->pair_count; i++) {
    const struct kiln_report_pair *pair = &report->pairs[i];
    const double value = *(const double *)((const char *)&pair->cold + offset);
    if (pair->valid && pair->candidate == candidate && value >= 0)
      values[n++] = value;
  }
  return median_of(values, n);
}

void
kiln_time_view_init(
    struct kiln_time_view *view, const struct kiln_report *report, const struct kiln_report_verdict *verdict)
{
  double *values = malloc((report->pair_count + 1) * sizeof *values);
  const size_t candidate = verdict->candidate;
  *view = (struct kiln_time_view){{report->arms[0].name, report->arms[candidate].name}, verdict->work, &verdict->time,
      report->plan.serial, report->plan.seed, {-1, -1, -1, -1, -1}};
  if (!values)
    return;
  struct kiln_conditions *out = &view->conditions;
  out->load_1m = condition_median(report, candidate, values, offsetof(struct kiln_conditions, load_1m));
  out->cpu_pressure = condition_median(report, candidate, values, offsetof(struct kiln_conditions, cpu_pressure));
  out->io_pressure = condition_median(report, candidate, values, offsetof(struct kiln_conditions, io_pressure));
  out->memory_pressure = condition_median(report, candidate, values, offsetof(struct kiln_conditions, memory_pressure));
  out->steal = condition_median(report, candidate, values, offsetof(struct kiln_conditions, steal));
  free(values);
}

static void
write_work(struct kiln_page *page, const struct kiln_report_verdict *verdict)
{
  struct kiln_buf text;
  kiln_buf_init(&text);
  kiln_buf_text_append(&text, verdict->work ? verdict->work : "not known: no valid pair");
  if (verdict->decided_by)
    kiln_buf_printf(
        &text, " (decided by %s of the %s runs)", verdict->decided_by, verdict->decided_warm ? "warm" : "cold");
  kiln_page_labelled(page, KILN_STYLE_BOLD, 0, "work:", 6, kiln_buf_text(&text));
  for (size_t i = 0; i < verdict->note_count; i++)
    kiln_page_labelled(page, KILN_STYLE_PLAIN, 2, "note:", 6, verdict->notes[i]);
  kiln_buf_release(&text);
}

/* What hardly scatters: whether both arms do the same shows in it after one pair. */
enum nearly_exact { PAGE_FAULTS, PEAK_MEMORY, NEARLY_EXACT_COUNT };

static double
nearly_exact_of(const struct kiln_report_arm *arm, enum nearly_exact which)
{
  double *values = malloc((arm->sample_count + 1) * sizeof *values);
  size_t n = 0;
  for (size_t i = 0; values && i < arm->sample_count; i++) {
    const struct kiln_usage *usage = &arm->samples[i].cold.result.usage;
    if (arm->samples[i].valid)
      values[n++] = (double)(which == PAGE_FAULTS ? usage->minor_faults + usage->major_faults : usage->max_rss_bytes);
  }
  const double median = median_of(values, n);
  free(values);
  return median;
}

static void
write_nearly_exact(struct kiln_page *page, const struct kiln_report *report, size_t candidate)
{
  static const char *const labels[NEARLY_EXACT_COUNT] = {"page faults", "peak memory"};
  struct kiln_buf line;
  kiln_buf_init(&line);
  for (int i = 0; i < NEARLY_EXACT_COUNT; i++) {
    const double base = nearly_exact_of(&report->arms[0], (enum nearly_exact)i);
    const double other = nearly_exact_of(&report->arms[candidate], (enum nearly_exact)i);
    if (base <= 0 || other <= 0)
      continue;
    kiln_buf_printf(&line, "%s%s ", line.len ? "; " : "cold: ", labels[i]);
    for (int side = 0; side < 2; side++) {
      kiln_buf_text_append(&line, side ? " → " : "");
      if (i == PEAK_MEMORY)
        kiln_text_bytes(&line, side ? other : base);
      else
        kiln_buf_printf(&line, "%.0f", side ? other : base);
    }
    kiln_buf_printf(&line, " (%+.1f %%)", 100 * (other / base - 1));
  }
  if (line.len)
    kiln_page_text(page, KILN_STYLE_PLAIN, 2, 2, kiln_buf_text(&line));
  kiln_buf_release(&line);
}

void
kiln_report_text_verdicts(struct kiln_page *page, const struct kiln_report *report)
{
  for (size_t i = 0; i < report->verdict_count; i++) {
    struct kiln_time_view view;
    struct kiln_buf title;
    kiln_buf_init(&title);
    kiln_time_view_init(&view, report, &report->verdicts[i]);
    kiln_buf_printf(&title, "%s against %s", view.names[1], view.names[0]);
    kiln_page_blank(page);
    kiln_page_text(page, KILN_STYLE_BOLD, 0, 2, kiln_buf_text(&title));
    write_work(page, &report->verdicts[i]);
    kiln_time_text(page, &view);
    write_nearly_exact(page, report, report->verdicts[i].candidate);
    kiln_buf_release(&title);
  }
}
