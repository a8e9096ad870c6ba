#include "base/text.h"
#include "probe/report/text_parts.h"
#include "probe/report/work.h"

#define LABEL_COLUMNS 18
#define CELL_COLUMNS 10

static void
write_row(struct kiln_page *page, const char *label, const char *const cells[4])
{
  struct kiln_buf line;
  kiln_buf_init(&line);
  kiln_buf_text_append(&line, "  ");
  kiln_page_pad(&line, label, LABEL_COLUMNS, false);
  for (int i = 0; i < 4; i++)
    kiln_page_pad(&line, cells[i], CELL_COLUMNS, true);
  kiln_page_line(page, kiln_buf_text(&line));
  kiln_buf_release(&line);
}

/* "pch" and underscores are for programs. */
static void
phase_label(struct kiln_buf *out, enum kiln_phase phase)
{
  if (phase == KILN_PHASE_PCH) {
    kiln_buf_text_append(out, "precompiled header");
    return;
  }
  for (const char *name = kiln_phase_name(phase); *name; name++)
    kiln_buf_append(out, *name == '_' ? " " : name, 1);
}

static void
write_phase(struct kiln_page *page, const struct kiln_report_arm *arm, enum kiln_phase phase)
{
  const struct kiln_interval values[4] = {arm->cold.phase_wall_s[phase], arm->cold.phase_cpu_s[phase],
      arm->warm.phase_wall_s[phase], arm->warm.phase_cpu_s[phase]};
  struct kiln_buf label, texts[4];
  kiln_buf_init(&label);
  phase_label(&label, phase);
  const char *cells[4];
  for (int i = 0; i < 4; i++) {
    kiln_buf_init(&texts[i]);
    if (values[i].n && values[i].median > 0)
      kiln_text_duration(&texts[i], values[i].median);
    else
      kiln_buf_text_append(&texts[i], "-");
    cells[i] = kiln_buf_text(&texts[i]);
  }
  write_row(page, kiln_buf_text(&label), cells);
  for (int i = 0; i < 4; i++)
    kiln_buf_release(&texts[i]);
  kiln_buf_release(&label);
}

void
kiln_report_text_phases(struct kiln_page *page, const struct kiln_report_arm *arm)
{
  if (arm->cold.elapsed_s.n == 0)
    return;
  kiln_page_blank(page);
  if (!kiln_arm_is_split(arm)) {
    kiln_page_text(page, KILN_STYLE_PLAIN, 0, 2, "where the time goes: " KILN_NO_SPLIT);
    return;
  }
  kiln_page_text(
      page, KILN_STYLE_BOLD, 0, 2, "where the time goes (main thread of the process with the most JIT work)");
  const char *const upper[4] = {"cold", "cold", "warm", "warm"}, *const lower[4] = {"elapsed", "CPU", "elapsed", "CPU"};
  write_row(page, "", upper);
  write_row(page, "", lower);
  for (int i = 0; i < KILN_PHASE_COUNT; i++)
    write_phase(page, arm, (enum kiln_phase)i);
}
