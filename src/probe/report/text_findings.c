#include "base/text.h"
#include "probe/report/text_parts.h"

#define LABEL_COLUMNS 10
#define ID_COLUMNS 7

static void
write_places(struct kiln_page *page, const struct kiln_finding *finding)
{
  struct kiln_buf text;
  kiln_buf_init(&text);
  for (size_t i = 0; i < finding->where_count; i++) {
    kiln_buf_clear(&text);
    kiln_page_place(page, finding->where[i].file, finding->where[i].line, &text);
    bool known = false;
    for (size_t j = 0; j < i && !known; j++)
      known = finding->where[j].line == finding->where[i].line &&
              kiln_text_equal(finding->where[j].file, finding->where[i].file);
    if (!known)
      kiln_page_labelled(page, KILN_STYLE_FAINT, 4, i ? "" : "where", LABEL_COLUMNS, kiln_buf_text(&text));
  }
  kiln_buf_release(&text);
}

static void
write_labelled(struct kiln_page *page, const char *label, const char *text)
{
  if (text)
    kiln_page_labelled(page, KILN_STYLE_FAINT, 4, label, LABEL_COLUMNS, text);
}

/* Everything that `diagnose` says beyond the remedy. */
static void
write_care(struct kiln_page *page, const struct kiln_finding *finding)
{
  write_labelled(page, "not when", finding->not_when);
  write_labelled(page, "deadline", finding->deadline);
  write_labelled(page, "confirm", finding->confirm);
}

/* arm: it fired there; NULL when there is only one. */
static void
write_finding(struct kiln_page *page, const struct kiln_finding *finding, const char *arm, bool all)
{
  kiln_page_labelled(
      page, KILN_STYLE_ALERT, 2, finding->id, (int)kiln_text_columns(finding->id) + 2, finding->sentence);
  if (arm)
    kiln_page_labelled(page, KILN_STYLE_FAINT, 4, "arm", LABEL_COLUMNS, arm);
  for (size_t i = 0; i < finding->evidence_count; i++)
    kiln_page_labelled(page, KILN_STYLE_FAINT, 4, i ? "" : "seen", LABEL_COLUMNS, finding->evidence[i]);
  write_places(page, finding);
  if (finding->saves_at_most_s > 0) {
    struct kiln_buf text;
    kiln_buf_init(&text);
    kiln_buf_text_append(&text, "at most ");
    kiln_text_duration(&text, finding->saves_at_most_s);
    kiln_buf_text_append(&text, finding->saves_cpu ? " of CPU time" : " of build time");
    kiln_page_labelled(page, KILN_STYLE_FAINT, 4, "saves", LABEL_COLUMNS, kiln_buf_text(&text));
    kiln_buf_release(&text);
  }
  write_labelled(page, "remedy", finding->remedy);
  for (size_t i = 0; i < finding->otherwise_count; i++)
    write_labelled(page, i ? "" : "else", finding->otherwise[i]);
  write_labelled(page, "version", finding->gate);
  if (all && finding->remedy)
    write_care(page, finding);
}

/* One line for each mechanism that did not fire, with its reason. */
static void
write_others(struct kiln_page *page, const struct kiln_report *report, enum kiln_finding_state state, const char *title)
{
  bool any = false;
  for (size_t i = 0; i < report->other_count; i++) {
    const struct kiln_finding *other = &report->others[i];
    if (other->state != state)
      continue;
    if (!any) {
      kiln_page_blank(page);
      kiln_page_text(page, KILN_STYLE_BOLD, 0, 2, title);
    }
    any = true;
    kiln_page_labelled(page, KILN_STYLE_PLAIN, 2, other->id, ID_COLUMNS, other->sentence);
    if (report->arm_count > 1)
      write_labelled(page, "arm", other->arm);
    write_labelled(page, "to tell", other->to_measure);
  }
}

static bool
anything_built(const struct kiln_report_arm *arm)
{
  for (size_t i = 0; i < arm->sample_count; i++)
    if (arm->samples[i].cold.model && arm->samples[i].cold.model->counts.builds)
      return true;
  return false;
}

void
kiln_report_text_findings(struct kiln_page *page, const struct kiln_report *report)
{
  if (report->finding_count) {
    kiln_page_blank(page);
    kiln_page_text(page, KILN_STYLE_BOLD, 0, 2, "findings");
  } else if (anything_built(&report->arms[0])) {
    kiln_page_blank(page);
    kiln_page_text(page, KILN_STYLE_PLAIN, 0, 2,
        "Nothing structural was found: no module was built twice without need. That does not say that the builds are "
        "as "
        "cheap as they could be.");
  }
  for (size_t i = 0; i < report->finding_count; i++) {
    if (i)
      kiln_page_blank(page);
    write_finding(
        page, &report->findings[i], report->arm_count > 1 ? report->findings[i].arm : NULL, report->diagnosis.made);
  }
  if (report->diagnosis.made) {
    write_others(page, report, KILN_FINDING_RULED_OUT, "ruled out");
    write_others(page, report, KILN_FINDING_NOT_REACHED, "not reached");
  }
  if (report->warning_count) {
    kiln_page_blank(page);
    kiln_page_text(page, KILN_STYLE_BOLD, 0, 2, "warnings");
  }
  for (size_t i = 0; i < report->warning_count; i++)
    kiln_page_labelled(page, KILN_STYLE_ALERT, 2, "!", 2, report->warnings[i]);
}
