#include "base/text.h"
#include "probe/report/text_parts.h"

#define LABEL_COLUMNS 10

/* The command, and what saw it: a diagnosis holds for this program under this version. */
static void
write_subject(struct kiln_page *page, const struct kiln_report *report)
{
  struct kiln_buf text;
  kiln_buf_init(&text);
  for (size_t i = 0; i < report->command_count; i++)
    kiln_buf_printf(&text, "%s%s", i ? " " : "", report->command[i]);
  if (text.len)
    kiln_page_labelled(page, KILN_STYLE_FAINT, 2, "command", LABEL_COLUMNS, kiln_buf_text(&text));
  kiln_buf_release(&text);
  if (report->framework)
    kiln_page_labelled(page, KILN_STYLE_FAINT, 2, "seen", LABEL_COLUMNS, report->framework);
}

static void
write_runs(struct kiln_page *page, const struct kiln_report *report)
{
  struct kiln_buf text;
  size_t cold = 0, warm = 0;
  for (size_t i = 0; i < report->arm_count; i++)
    for (size_t j = 0; j < report->arms[i].sample_count; j++) {
      cold += report->arms[i].samples[j].cold.present;
      warm += report->arms[i].samples[j].warm.present;
    }
  kiln_buf_init(&text);
  if (report->recorded)
    kiln_buf_text_append(&text, "one recorded run in its own surroundings, no second one");
  else
    kiln_buf_printf(&text, "%zu cold and %zu warm", cold, warm);
  kiln_page_labelled(page, KILN_STYLE_FAINT, 2, "runs", LABEL_COLUMNS, kiln_buf_text(&text));
  if (report->diagnosis.floor_s > 0) {
    kiln_buf_clear(&text);
    kiln_text_duration(&text, report->diagnosis.floor_s);
    kiln_buf_text_append(&text, " for a module of one small kernel with the same options");
    kiln_page_labelled(page, KILN_STYLE_FAINT, 2, "floor", LABEL_COLUMNS, kiln_buf_text(&text));
  }
  kiln_buf_release(&text);
}

void
kiln_report_text_diagnosis(struct kiln_page *page, const struct kiln_report *report)
{
  size_t ruled_out = 0;
  struct kiln_buf text;
  kiln_page_text(page, KILN_STYLE_BOLD, 0, 2, report->diagnosis.sentence ? report->diagnosis.sentence : "Diagnosis");
  for (size_t i = 0; i < report->other_count; i++)
    ruled_out += report->others[i].state == KILN_FINDING_RULED_OUT;
  kiln_buf_init(&text);
  kiln_buf_printf(&text, "%zu finding%s, %zu mechanism%s ruled out, %zu not reached", report->finding_count,
      report->finding_count == 1 ? "" : "s", ruled_out, ruled_out == 1 ? "" : "s", report->other_count - ruled_out);
  kiln_page_text(page, KILN_STYLE_PLAIN, 0, 2, kiln_buf_text(&text));
  kiln_buf_release(&text);
  kiln_page_blank(page);
  write_subject(page, report);
  write_runs(page, report);
  kiln_report_text_findings(page, report);
}
