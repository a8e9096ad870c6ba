/* What to know first. The heading of the page is its first result in words. */
#include "base/text.h"
#include "probe/report/html_parts.h"

static void
write_state(struct kiln_html *html, const struct kiln_report *report)
{
  if (report->state == KILN_REPORT_COMPLETE)
    return;
  kiln_html_open(html, "p", "alert");
  kiln_html_leaf(html, "b", NULL, kiln_report_state_name(report->state));
  kiln_html_textf(html, " – %s", report->failure ? report->failure : "no reason was recorded");
  kiln_html_close(html);
}

/* "The first run takes 2.21 s, 6.0 times a warm one", or the first verdict. */
static void
write_sentence(struct kiln_html *html, const struct kiln_report *report)
{
  const struct kiln_report_arm *arm = report->arm_count ? &report->arms[0] : NULL;
  if (!arm || arm->cold.elapsed_s.n == 0) {
    kiln_html_leaf(html, "h1", NULL, "No valid sample: there is no number to show");
    return;
  }
  if (report->verdict_count && report->verdicts[0].candidate < report->arm_count) {
    const struct kiln_report_verdict *verdict = &report->verdicts[0];
    kiln_html_leaff(html, "h1", NULL, "%s against %s: time %s, work %s", report->arms[verdict->candidate].name,
        arm->name, kiln_verdict_name(verdict->time.sequence.verdict), verdict->work ? verdict->work : "not compared");
    return;
  }
  const double cold = arm->cold.elapsed_s.median, warm = arm->warm.elapsed_s.median;
  struct kiln_buf text;
  kiln_buf_init(&text);
  kiln_buf_text_append(&text, report->recorded ? "The run took "
                              : report->until  ? "Ready after "
                                               : "The first run takes ");
  kiln_html_value(&text, cold, KILN_HTML_SECONDS);
  if (warm > 0 && cold >= 1.15 * warm)
    kiln_buf_printf(&text, cold >= 9.95 * warm ? ", %.0f times a warm one" : ", %.1f times a warm one", cold / warm);
  else if (warm > 0)
    kiln_buf_text_append(&text, ", about as long as a warm one");
  kiln_html_leaf(html, "h1", NULL, kiln_buf_text(&text));
  kiln_buf_release(&text);
}

static void
write_command(struct kiln_html *html, const struct kiln_report *report)
{
  struct kiln_buf text;
  kiln_buf_init(&text);
  for (size_t i = 0; i < report->command_count; i++) {
    kiln_buf_text_append(&text, i ? " " : "");
    kiln_text_shell_word(&text, report->command[i]);
  }
  if (text.len) {
    kiln_html_open(html, "p", "command");
    kiln_html_leaf(html, "code", NULL, kiln_buf_text(&text));
    kiln_html_close(html);
  }
  kiln_html_open(html, "p", "facts");
  if (report->framework)
    kiln_html_leaff(html, "span", NULL, "%s", report->framework);
  if (report->python)
    kiln_html_leaff(html, "span", NULL, "Python %s", report->python);
  kiln_html_leaf(html, "span", NULL, report->date);
  if (report->until)
    kiln_html_leaff(html, "b", NULL, "ready: %s", report->until);
  kiln_html_close(html);
  kiln_buf_release(&text);
}

/* One number: what it is, the number, and below what belongs to it. */
static void
open_tile(struct kiln_html *html, const char *class_name, const char *label)
{
  kiln_html_open(html, "div", class_name);
  kiln_html_leaf(html, "dt", NULL, label);
}

static void
write_time_tile(struct kiln_html *html, const char *class_name, const char *label, struct kiln_interval elapsed,
    struct kiln_interval cpu)
{
  struct kiln_buf text;
  if (elapsed.n == 0)
    return;
  kiln_buf_init(&text);
  kiln_html_value(&text, elapsed.median, KILN_HTML_SECONDS);
  open_tile(html, class_name, label);
  kiln_html_leaf(html, "dd", "big", kiln_buf_text(&text));
  kiln_html_open(html, "dd", NULL);
  kiln_html_spread(html, elapsed, KILN_HTML_SECONDS);
  kiln_html_close(html);
  kiln_html_open(html, "dd", NULL);
  kiln_html_text(html, "CPU ");
  kiln_html_interval(html, cpu, KILN_HTML_SECONDS);
  kiln_html_close(html);
  kiln_html_close(html);
  kiln_buf_release(&text);
}

static void
write_work_tile(struct kiln_html *html, const struct kiln_report_arm *arm)
{
  const struct kiln_interval cold = arm->cold.count[KILN_COUNT_BUILDS], warm = arm->warm.count[KILN_COUNT_BUILDS];
  open_tile(html, "tile", warm.n ? "Builds, cold → warm" : "Builds");
  if (warm.n)
    kiln_html_leaff(html, "dd", "big", "%.0f → %.0f", cold.median, warm.median);
  else
    kiln_html_leaff(html, "dd", "big", "%.0f", cold.median);
  kiln_html_open(html, "dd", NULL);
  kiln_html_text(html, warm.n ? "cold " : "");
  kiln_html_spread(html, cold, KILN_HTML_COUNT);
  kiln_html_close(html);
  kiln_html_open(html, "dd", NULL);
  kiln_html_text(html, "modules ");
  kiln_html_interval(html, arm->cold.count[KILN_COUNT_MODULES], KILN_HTML_COUNT);
  kiln_html_close(html);
  kiln_html_close(html);
}

static void
write_tiles(struct kiln_html *html, const struct kiln_report *report)
{
  for (size_t i = 0; i < report->arm_count; i++) {
    const struct kiln_report_arm *arm = &report->arms[i];
    if (arm->cold.elapsed_s.n == 0)
      continue;
    kiln_html_arm_title(html, report, arm);
    kiln_html_open(html, "dl", "tiles");
    write_time_tile(html, "tile cold",
        report->recorded ? "Elapsed"
        : report->until  ? "Ready, cold"
                         : "Cold, elapsed",
        arm->cold.elapsed_s, arm->cold.cpu_s);
    write_time_tile(
        html, "tile warm", report->until ? "Ready, warm" : "Warm, elapsed", arm->warm.elapsed_s, arm->warm.cpu_s);
    write_time_tile(html, "tile", "Cost of compiling, cold − warm", arm->compile_elapsed_s, arm->compile_cpu_s);
    write_work_tile(html, arm);
    kiln_html_close(html);
  }
}

void
kiln_html_first(struct kiln_html *html, const struct kiln_report *report)
{
  kiln_html_open(html, "header", NULL);
  kiln_html_leaf(html, "p", "kicker", "kiln · what the first run costs");
  write_sentence(html, report);
  write_command(html, report);
  write_state(html, report);
  kiln_html_close(html);
  kiln_html_open(html, "section", "first");
  kiln_html_attr(html, "id", "first");
  kiln_html_attr(html, "aria-label", "What to know first");
  if (report->diagnosis.made && report->diagnosis.sentence) {
    kiln_html_open(html, "p", NULL);
    kiln_html_open(html, "strong", NULL);
    kiln_html_prose(html, report->diagnosis.sentence);
    kiln_html_close(html);
    kiln_html_close(html);
  }
  kiln_html_verdicts(html, report);
  write_tiles(html, report);
  if (report->verdict_count == 0 && !report->recorded && report->arm_count && report->arms[0].cold.elapsed_s.n)
    kiln_html_leaf(html, "p", "note",
        "Times are medians with an interval. One program by itself is shown, not judged: a verdict needs a second "
        "arm.");
  kiln_html_causes(html, report);
  kiln_html_close(html);
}
