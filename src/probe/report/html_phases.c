/* Where the time goes: disjoint phases, cold against warm. */
#include "probe/report/html_parts.h"
#include "probe/report/work.h"

/* A whole run as one bar of its phases. They are medians of each phase, so that the bar may differ from the median run
 * by a little. */
static void
draw_stack(struct kiln_html *html, const char *name, const struct kiln_report_summary *summary, double most)
{
  double at = 0;
  kiln_html_leaf(html, "span", NULL, name);
  kiln_svg_open(html, "strip", 26, NULL);
  for (int i = 0; i < KILN_PHASE_COUNT; i++) {
    const double width = 100 * summary->phase_wall_s[i].median / most;
    struct kiln_buf title;
    if (!(width > 0))
      continue;
    kiln_buf_init(&title);
    kiln_html_phase_label(&title, (enum kiln_phase)i);
    kiln_buf_text_append(&title, ", ");
    kiln_html_interval_text(&title, summary->phase_wall_s[i], KILN_HTML_SECONDS);
    kiln_svg_rect(html, kiln_html_phase_class((enum kiln_phase)i), at, 0, width, 26, kiln_buf_text(&title));
    kiln_buf_release(&title);
    at += width;
  }
  kiln_svg_close(html);
  kiln_html_open(html, "span", NULL);
  kiln_html_interval(html, summary->elapsed_s, KILN_HTML_SECONDS);
  kiln_html_close(html);
}

static double
sum_of(const struct kiln_report_summary *summary)
{
  double sum = 0;
  for (int i = 0; i < KILN_PHASE_COUNT; i++)
    sum += summary->phase_wall_s[i].median;
  return sum;
}

static void
draw_stacks(struct kiln_html *html, const struct kiln_report_arm *arm)
{
  const double cold = sum_of(&arm->cold), warm = sum_of(&arm->warm), most = cold > warm ? cold : warm;
  if (!(most > 0))
    return;
  kiln_html_open(html, "div", "stack");
  draw_stack(html, "cold", &arm->cold, most);
  draw_stack(html, "warm", &arm->warm, most);
  kiln_html_close(html);
}

/* A phase with all its numbers; the bars are its elapsed time. */
static void
write_phase(struct kiln_html *html, const struct kiln_html_pairs *pairs, const struct kiln_report_arm *arm,
    enum kiln_phase phase)
{
  const struct kiln_interval values[4] = {arm->cold.phase_wall_s[phase], arm->warm.phase_wall_s[phase],
      arm->cold.phase_cpu_s[phase], arm->warm.phase_cpu_s[phase]};
  struct kiln_buf label;
  if (values[0].hi <= 0 && values[1].hi <= 0 && values[2].hi <= 0 && values[3].hi <= 0)
    return;
  kiln_buf_init(&label);
  kiln_html_phase_label(&label, phase);
  kiln_html_pairs_row(html, pairs, kiln_buf_text(&label), kiln_html_phase_class(phase), values, KILN_HTML_SECONDS);
  kiln_buf_release(&label);
}

static void
write_table(struct kiln_html *html, const struct kiln_report_arm *arm)
{
  static const char *const heads[] = {"cold", "warm", "cold, CPU", "warm, CPU"};
  struct kiln_html_pairs pairs = {heads, 4, 0};
  for (int i = 0; i < KILN_PHASE_COUNT; i++) {
    pairs.most = arm->cold.phase_wall_s[i].hi > pairs.most ? arm->cold.phase_wall_s[i].hi : pairs.most;
    pairs.most = arm->warm.phase_wall_s[i].hi > pairs.most ? arm->warm.phase_wall_s[i].hi : pairs.most;
  }
  if (!(pairs.most > 0))
    return;
  kiln_html_pairs_open(html, &pairs, "Bars: elapsed time, cold above, warm paler below");
  for (int i = 0; i < KILN_PHASE_COUNT; i++)
    write_phase(html, &pairs, arm, (enum kiln_phase)i);
  kiln_html_pairs_close(html);
}

void
kiln_html_phases(struct kiln_html *html, const struct kiln_report *report)
{
  if (report->arm_count == 0 || report->arms[0].cold.elapsed_s.n == 0)
    return;
  kiln_html_section(html, "phases", "Where the time goes",
      "Phases are disjoint and add up to the run; a span counts for the innermost phase. Phases without time are left "
      "out.");
  kiln_html_legend(html);
  for (size_t i = 0; i < report->arm_count; i++) {
    const struct kiln_report_arm *arm = &report->arms[i];
    kiln_html_arm_title(html, report, arm);
    if (!kiln_arm_is_split(arm)) {
      kiln_html_leaf(html, "p", "note", KILN_NO_SPLIT);
      continue;
    }
    draw_stacks(html, arm);
    write_table(html, arm);
  }
  kiln_html_close(html);
}
