/* Where the time goes: disjoint phases, cold against warm. */
#include "probe/report/html_parts.h"

static void
write_bars(struct kiln_html *html, const struct kiln_report_arm *arm, const struct kiln_interval *cold,
    const struct kiln_interval *warm, const char *caption)
{
  double most = 0;
  for (int i = 0; i < KILN_PHASE_COUNT; i++) {
    most = cold[i].hi > most ? cold[i].hi : most;
    most = warm[i].hi > most ? warm[i].hi : most;
  }
  if (!(most > 0) || arm->cold.elapsed_s.n == 0)
    return;
  kiln_html_pair_table(html, caption);
  for (int i = 0; i < KILN_PHASE_COUNT; i++) {
    struct kiln_buf label;
    if (cold[i].hi <= 0 && warm[i].hi <= 0)
      continue;
    kiln_buf_init(&label);
    kiln_html_phase_label(&label, (enum kiln_phase)i);
    kiln_html_pair_row(html, kiln_buf_text(&label), kiln_html_phase_class((enum kiln_phase)i), cold[i], warm[i], most,
        KILN_HTML_SECONDS);
    kiln_buf_release(&label);
  }
  kiln_html_pair_table_close(html);
}

void
kiln_html_phases(struct kiln_html *html, const struct kiln_report *report)
{
  if (report->arm_count == 0 || report->arms[0].cold.elapsed_s.n == 0)
    return;
  kiln_html_section(html, "phases", "Where the time goes",
      "Phases are disjoint and add up to the run; a span counts for the innermost phase. Phases without time are left "
      "out.");
  for (size_t i = 0; i < report->arm_count; i++) {
    const struct kiln_report_arm *arm = &report->arms[i];
    kiln_html_arm_title(html, report, arm);
    kiln_html_open(html, "div", "columns");
    write_bars(html, arm, arm->cold.phase_wall_s, arm->warm.phase_wall_s, "Elapsed time by phase");
    write_bars(html, arm, arm->cold.phase_cpu_s, arm->warm.phase_cpu_s, "CPU time by phase");
    kiln_html_close(html);
  }
  kiln_html_close(html);
}
