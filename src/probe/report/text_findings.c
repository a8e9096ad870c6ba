#include "base/text.h"
#include "probe/report/text_parts.h"

#define LABEL_COLUMNS 10

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

/* arm: it fired there; NULL when there is only one. */
static void
write_finding(struct kiln_page *page, const struct kiln_finding *finding, const char *arm)
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
    kiln_buf_text_append(&text, kiln_text_equal(finding->id, "N-3") ? " of CPU time" : " of build time");
    kiln_page_labelled(page, KILN_STYLE_FAINT, 4, "saves", LABEL_COLUMNS, kiln_buf_text(&text));
    kiln_buf_release(&text);
  }
  if (finding->remedy)
    kiln_page_labelled(page, KILN_STYLE_FAINT, 4, "remedy", LABEL_COLUMNS, finding->remedy);
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
    write_finding(page, &report->findings[i], report->arm_count > 1 ? report->findings[i].arm : NULL);
  }
  if (report->warning_count) {
    kiln_page_blank(page);
    kiln_page_text(page, KILN_STYLE_BOLD, 0, 2, "warnings");
  }
  for (size_t i = 0; i < report->warning_count; i++)
    kiln_page_labelled(page, KILN_STYLE_ALERT, 2, "!", 2, report->warnings[i]);
}
