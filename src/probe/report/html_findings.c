/* Findings in full, samples that do not count, warnings. */
#include "base/text.h"
#include "probe/report/html_parts.h"

#define MOST_EVIDENCE 60

static void
write_list(struct kiln_html *html, const char *const *texts, size_t count)
{
  kiln_html_open(html, "ul", NULL);
  for (size_t i = 0; i < count && i < MOST_EVIDENCE; i++) {
    kiln_html_open(html, "li", NULL);
    kiln_html_prose(html, texts[i]);
    kiln_html_close(html);
  }
  if (count > MOST_EVIDENCE)
    kiln_html_leaff(html, "li", NULL, "and %zu more", count - MOST_EVIDENCE);
  kiln_html_close(html);
}

static void
write_finding(struct kiln_html *html, const struct kiln_report *report, const struct kiln_finding *finding)
{
  kiln_html_open(html, "article", NULL);
  kiln_html_open(html, "h3", NULL);
  if (!kiln_text_equal(finding->id, "none"))
    kiln_html_leaf(html, "span", "tag", finding->id);
  if (report->arm_count > 1 && finding->arm)
    kiln_html_leaff(html, "span", "tag", "%s", finding->arm);
  kiln_html_text(html, " ");
  kiln_html_prose(html, finding->sentence);
  kiln_html_close(html);
  if (finding->evidence_count) {
    kiln_html_leaf(html, "h4", NULL, "What was seen");
    write_list(html, finding->evidence, finding->evidence_count);
  }
  if (finding->where_count) {
    kiln_html_leaf(html, "h4", NULL, "Where");
    kiln_html_open(html, "ul", NULL);
    for (size_t i = 0; i < finding->where_count && i < MOST_EVIDENCE; i++) {
      kiln_html_open(html, "li", NULL);
      kiln_html_place(html, finding->where[i]);
      kiln_html_close(html);
    }
    kiln_html_close(html);
  }
  if (finding->remedy) {
    kiln_html_leaf(html, "h4", NULL, "Remedy");
    kiln_html_open(html, "p", NULL);
    kiln_html_prose(html, finding->remedy);
    kiln_html_close(html);
  }
  kiln_html_close(html);
}

static void
write_invalid(struct kiln_html *html, const struct kiln_report *report)
{
  for (size_t i = 0; i < report->arm_count; i++)
    for (size_t j = 0; j < report->arms[i].sample_count; j++) {
      const struct kiln_report_sample *sample = &report->arms[i].samples[j];
      if (!sample->valid)
        kiln_html_leaff(html, "p", "alert", "Sample %d%s%s does not count: %s", sample->index,
            report->arm_count > 1 ? " of " : "", report->arm_count > 1 ? report->arms[i].name : "",
            sample->invalid_because ? sample->invalid_because : "no reason was recorded");
    }
}

void
kiln_html_findings(struct kiln_html *html, const struct kiln_report *report)
{
  const bool any = report->arm_count && report->arms[0].cold.elapsed_s.n;
  const char *none = any ? "Nothing structural was found: no module was built again without need. Builds may still be "
                           "dear."
                         : "No sample counts: there was nothing to judge.";
  kiln_html_section(html, "findings", "Findings and warnings",
      report->finding_count ? "What a remedy saves is an upper bound; bounds of findings about one module overlap."
                            : none);
  for (size_t i = 0; i < report->finding_count; i++)
    write_finding(html, report, &report->findings[i]);
  write_invalid(html, report);
  if (report->warning_count) {
    kiln_html_leaf(html, "h3", NULL, "What limits these numbers");
    write_list(html, report->warnings, report->warning_count);
  }
  kiln_html_close(html);
}
