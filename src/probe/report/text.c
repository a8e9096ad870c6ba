#include "base/text.h"
#include "probe/report/render.h"
#include "probe/report/text_parts.h"
#include "probe/why.h"

#define LABEL_COLUMNS 18

static void
interval_text(struct kiln_buf *out, struct kiln_interval interval)
{
  kiln_text_duration(out, interval.median);
  if (interval.n < 2)
    return;
  kiln_buf_text_append(out, " [");
  kiln_text_duration(out, interval.lo);
  kiln_buf_text_append(out, ", ");
  kiln_text_duration(out, interval.hi);
  kiln_buf_text_append(out, "]");
}

/* "  elapsed cold      12.3 s [12.1 s, 12.9 s]   CPU 11.9 s [11.8 s, 12.0 s]"; CPU goes below when it does not fit. */
static void
write_times(
    struct kiln_page *page, const char *label, struct kiln_interval elapsed, struct kiln_interval cpu, int cell_columns)
{
  struct kiln_buf line, cell;
  kiln_buf_init(&line);
  kiln_buf_init(&cell);
  kiln_buf_text_append(&line, "  ");
  kiln_page_pad(&line, label, LABEL_COLUMNS, false);
  interval_text(&cell, elapsed);
  kiln_page_pad(&line, kiln_buf_text(&cell), cell_columns, false);
  kiln_buf_clear(&cell);
  kiln_buf_text_append(&cell, "   CPU ");
  interval_text(&cell, cpu);
  if ((int)(kiln_text_columns(kiln_buf_text(&line)) + kiln_text_columns(kiln_buf_text(&cell))) > page->columns) {
    kiln_page_line(page, kiln_buf_text(&line));
    kiln_buf_clear(&line);
    kiln_buf_printf(&line, "%*s", LABEL_COLUMNS - 5, "");
  }
  kiln_buf_text_append(&line, kiln_buf_text(&cell));
  kiln_page_line(page, kiln_buf_text(&line));
  kiln_buf_release(&cell);
  kiln_buf_release(&line);
}

static int
interval_columns(struct kiln_interval interval)
{
  struct kiln_buf text;
  kiln_buf_init(&text);
  interval_text(&text, interval);
  const int columns = (int)kiln_text_columns(kiln_buf_text(&text));
  kiln_buf_release(&text);
  return columns;
}

static void
write_headline(struct kiln_page *page, const struct kiln_report_arm *arm, bool ready)
{
  int columns = 0;
  const struct kiln_interval elapsed[] = {arm->cold.elapsed_s, arm->warm.elapsed_s, arm->compile_elapsed_s};
  for (int i = 0; i < 3; i++)
    columns = interval_columns(elapsed[i]) > columns ? interval_columns(elapsed[i]) : columns;
  write_times(page, ready ? "ready cold" : "elapsed cold", elapsed[0], arm->cold.cpu_s, columns);
  if (arm->warm.elapsed_s.n) {
    write_times(page, ready ? "ready warm" : "elapsed warm", elapsed[1], arm->warm.cpu_s, columns);
    write_times(page, "compile elapsed", elapsed[2], arm->compile_cpu_s, columns);
  }
  struct kiln_buf note;
  kiln_buf_init(&note);
  kiln_buf_printf(&note, "(no verdict: times of %zu sample%s are shown, not judged)", arm->cold.elapsed_s.n,
      arm->cold.elapsed_s.n == 1 ? "" : "s");
  kiln_page_text(page, KILN_STYLE_FAINT, 2, 2, kiln_buf_text(&note));
  if (arm->warm.elapsed_s.n)
    kiln_page_text(page, KILN_STYLE_FAINT, 2, 2, "compile elapsed: cold − warm of the same sample");
  kiln_buf_release(&note);
}

/* Counts are exact: one number when the samples agree, the range when they do not. */
static void
count_text(struct kiln_buf *out, enum kiln_count count, struct kiln_interval interval)
{
  if (interval.n == 0)
    kiln_buf_text_append(out, "-");
  else if (interval.lo < interval.hi && count == KILN_COUNT_SOURCE_BYTES) {
    kiln_text_bytes(out, interval.lo);
    kiln_buf_text_append(out, " to ");
    kiln_text_bytes(out, interval.hi);
  } else if (interval.lo < interval.hi)
    kiln_buf_printf(out, "%.0f to %.0f", interval.lo, interval.hi);
  else if (count == KILN_COUNT_SOURCE_BYTES)
    kiln_text_bytes(out, interval.median);
  else
    kiln_buf_printf(out, "%.0f", interval.median);
}

static void
write_row(struct kiln_page *page, const char *label, const char *cold, const char *warm)
{
  struct kiln_buf line;
  kiln_buf_init(&line);
  kiln_buf_text_append(&line, "  ");
  kiln_page_pad(&line, label, LABEL_COLUMNS, false);
  kiln_page_pad(&line, cold, 18, true);
  kiln_page_pad(&line, warm, 18, true);
  kiln_page_line(page, kiln_buf_text(&line));
  kiln_buf_release(&line);
}

static void
write_pair(struct kiln_page *page, const char *label, struct kiln_interval cold, struct kiln_interval warm,
    void (*write)(struct kiln_buf *out, struct kiln_interval interval))
{
  struct kiln_buf left, right;
  kiln_buf_init(&left);
  kiln_buf_init(&right);
  write(&left, cold);
  write(&right, warm);
  write_row(page, label, kiln_buf_text(&left), kiln_buf_text(&right));
  kiln_buf_release(&right);
  kiln_buf_release(&left);
}

static void
median_seconds(struct kiln_buf *out, struct kiln_interval interval)
{
  if (interval.n)
    kiln_text_duration(out, interval.median);
  else
    kiln_buf_text_append(out, "-");
}

static void
median_factor(struct kiln_buf *out, struct kiln_interval interval)
{
  if (interval.n && interval.median > 0)
    kiln_buf_printf(out, "%.2f", interval.median);
  else
    kiln_buf_text_append(out, "-");
}

static void
write_counts(struct kiln_page *page, const struct kiln_report_arm *arm)
{
  static const char *const labels[KILN_COUNT_COUNT] = {
      "builds", "loads", "modules", "identities", "launches", "processes", "LTO objects", "generated source"};
  kiln_page_blank(page);
  write_row(page, "", "cold", "warm");
  for (int i = 0; i < KILN_COUNT_COUNT; i++) {
    struct kiln_buf cold, warm;
    kiln_buf_init(&cold);
    kiln_buf_init(&warm);
    count_text(&cold, (enum kiln_count)i, arm->cold.count[i]);
    count_text(&warm, (enum kiln_count)i, arm->warm.count[i]);
    write_row(page, labels[i], kiln_buf_text(&cold), kiln_buf_text(&warm));
    kiln_buf_release(&warm);
    kiln_buf_release(&cold);
  }
  write_pair(page, "module work", arm->cold.module_work_s, arm->warm.module_work_s, median_seconds);
  write_pair(page, "native compile", arm->cold.native_s, arm->warm.native_s, median_seconds);
  write_pair(page, "overlap of builds", arm->cold.overlap, arm->warm.overlap, median_factor);
}

/* The command; with arms each one's, behind its name. */
static void
write_commands(struct kiln_page *page, const struct kiln_report *report)
{
  struct kiln_buf command;
  kiln_buf_init(&command);
  for (size_t arm = 0; arm < report->arm_count; arm++) {
    const bool only = report->arm_count == 1;
    const size_t count = only ? report->command_count : report->arms[arm].command_count;
    const char **words = only ? report->command : report->arms[arm].command;
    kiln_buf_clear(&command);
    for (size_t i = 0; i < count; i++) {
      kiln_buf_text_append(&command, i ? " " : "");
      kiln_text_shell_word(&command, words[i]);
    }
    if (only)
      kiln_page_text(page, KILN_STYLE_BOLD, 0, 4, kiln_buf_text(&command));
    else
      kiln_page_labelled(page, KILN_STYLE_BOLD, 0, report->arms[arm].name, 10, kiln_buf_text(&command));
  }
  kiln_buf_release(&command);
}

static void
write_title(struct kiln_page *page, const struct kiln_report *report)
{
  struct kiln_buf command;
  kiln_buf_init(&command);
  write_commands(page, report);
  if (report->framework || report->python) {
    kiln_buf_printf(&command, "%s%s%s%s", report->framework ? report->framework : "",
        report->framework && report->python ? ", " : "", report->python ? "Python " : "",
        report->python ? report->python : "");
    kiln_page_text(page, KILN_STYLE_FAINT, 2, 2, kiln_buf_text(&command));
  }
  kiln_buf_clear(&command);
  if (report->until) {
    kiln_buf_printf(&command, "ready: %s", report->until);
    kiln_page_text(page, KILN_STYLE_FAINT, 2, 2, kiln_buf_text(&command));
  }
  kiln_buf_release(&command);
  if (report->state != KILN_REPORT_COMPLETE)
    kiln_page_labelled(page, KILN_STYLE_ALERT, 2, kiln_report_state_name(report->state), 12,
        report->failure ? report->failure : "no reason was recorded");
}

/* An invalid sample is shown with its reason: it was measured, and is in no number above. */
static void
write_invalid(struct kiln_page *page, const struct kiln_report_arm *arm)
{
  for (size_t i = 0; i < arm->sample_count; i++) {
    const struct kiln_report_sample *sample = &arm->samples[i];
    if (sample->valid)
      continue;
    struct kiln_buf text;
    kiln_buf_init(&text);
    kiln_buf_printf(&text, "sample %d does not count: %s", sample->index,
        sample->invalid_because ? sample->invalid_because : "no reason was recorded");
    kiln_page_text(page, KILN_STYLE_ALERT, 2, 4, kiln_buf_text(&text));
    kiln_buf_release(&text);
  }
}

/* One arm's numbers; with several under its name. */
static void
write_arm(struct kiln_page *page, const struct kiln_report *report, const struct kiln_report_arm *arm)
{
  const bool only = report->arm_count == 1;
  if (!only) {
    kiln_page_blank(page);
    kiln_page_text(page, KILN_STYLE_BOLD, 0, 2, arm->name);
  }
  if (arm->cold.elapsed_s.n == 0) {
    kiln_page_text(page, KILN_STYLE_PLAIN, 2, 2, "no valid sample: no number is shown");
  } else {
    if (only) {
      kiln_page_blank(page);
      write_headline(page, arm, report->until != NULL);
    }
    write_counts(page, arm);
  }
  write_invalid(page, arm);
  kiln_report_text_phases(page, arm);
  kiln_report_text_builds(page, arm);
}

void
kiln_report_text(const struct kiln_report *report, int columns, bool color, struct kiln_buf *out)
{
  struct kiln_page page;
  kiln_page_init(&page, out, columns, color);
  page.folder = report->folder;
  if (report->diagnosis.made) {
    kiln_report_text_diagnosis(&page, report);
    return;
  }
  write_title(&page, report);
  kiln_report_text_verdicts(&page, report);
  if (report->recorded)
    kiln_report_text_record(&page, report);
  for (size_t i = 0; i < report->arm_count && !report->recorded; i++)
    write_arm(&page, report, &report->arms[i]);
  kiln_report_text_findings(&page, report);
  kiln_why_text(&page, report->why);
}
