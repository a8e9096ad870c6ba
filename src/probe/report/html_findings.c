/* Findings in full with the events behind them, mechanisms that did not fire, samples that do not count, warnings. */
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

/* "event-2-5": number of the finding, number of the event in it. */
static void
anchor(struct kiln_buf *text, const char *mark, size_t finding, size_t event)
{
  kiln_buf_clear(text);
  kiln_buf_printf(text, "%sevent-%zu-%zu", mark, finding + 1, event + 1);
}

/* Links from a fact to the events that it rests on. */
static void
write_links(struct kiln_html *html, const struct kiln_finding *finding, size_t number, size_t fact)
{
  struct kiln_buf text;
  kiln_buf_init(&text);
  for (size_t i = 0; i < finding->cited_count; i++) {
    if (finding->cited[i].evidence != fact)
      continue;
    anchor(&text, "#", number, i);
    kiln_html_text(html, " ");
    kiln_html_open(html, "a", NULL);
    kiln_html_attr(html, "href", kiln_buf_text(&text));
    kiln_html_textf(html, "event %zu.%zu", number + 1, i + 1);
    kiln_html_close(html);
  }
  kiln_buf_release(&text);
}

static void
write_evidence(struct kiln_html *html, const struct kiln_finding *finding, size_t number)
{
  if (finding->evidence_count == 0)
    return;
  kiln_html_leaf(html, "h4", NULL, "What was seen");
  kiln_html_open(html, "ul", NULL);
  for (size_t i = 0; i < finding->evidence_count && i < MOST_EVIDENCE; i++) {
    kiln_html_open(html, "li", NULL);
    kiln_html_prose(html, finding->evidence[i]);
    write_links(html, finding, number, i);
    kiln_html_close(html);
  }
  if (finding->evidence_count > MOST_EVIDENCE)
    kiln_html_leaff(html, "li", NULL, "and %zu more", finding->evidence_count - MOST_EVIDENCE);
  kiln_html_close(html);
}

static void
write_where(struct kiln_html *html, const struct kiln_finding *finding)
{
  if (finding->where_count == 0)
    return;
  kiln_html_leaf(html, "h4", NULL, "Where");
  kiln_html_open(html, "ul", NULL);
  for (size_t i = 0; i < finding->where_count && i < MOST_EVIDENCE; i++) {
    bool known = false;
    for (size_t j = 0; j < i && !known; j++)
      known = finding->where[j].line == finding->where[i].line &&
              kiln_text_equal(finding->where[j].file, finding->where[i].file);
    if (known)
      continue;
    kiln_html_open(html, "li", NULL);
    kiln_html_place(html, finding->where[i]);
    kiln_html_close(html);
  }
  kiln_html_close(html);
}

static void
write_paragraph(struct kiln_html *html, const char *title, const char *text)
{
  if (!text)
    return;
  kiln_html_leaf(html, "h4", NULL, title);
  kiln_html_open(html, "p", NULL);
  kiln_html_prose(html, text);
  kiln_html_close(html);
}

static void
write_saving(struct kiln_html *html, const struct kiln_finding *finding)
{
  struct kiln_buf text;
  if (finding->saves_at_most_s <= 0)
    return;
  kiln_buf_init(&text);
  kiln_buf_text_append(&text, "At most ");
  kiln_text_duration(&text, finding->saves_at_most_s);
  kiln_buf_text_append(&text, finding->saves_cpu ? " of CPU time." : " of build time.");
  write_paragraph(html, "What a remedy saves", kiln_buf_text(&text));
  kiln_buf_release(&text);
}

static void
write_remedies(struct kiln_html *html, const struct kiln_finding *finding)
{
  if (!finding->remedy)
    return;
  if (finding->otherwise_count == 0) {
    write_paragraph(html, "Remedy", finding->remedy);
  } else {
    kiln_html_leaf(html, "h4", NULL, "Remedies, best first");
    kiln_html_open(html, "ol", NULL);
    for (size_t i = 0; i <= finding->otherwise_count; i++) {
      kiln_html_open(html, "li", NULL);
      kiln_html_prose(html, i ? finding->otherwise[i - 1] : finding->remedy);
      kiln_html_close(html);
    }
    kiln_html_close(html);
  }
  write_paragraph(html, "Not when", finding->not_when);
  write_paragraph(html, "Deadline", finding->deadline);
  write_paragraph(html, "How to see that it arrived", finding->confirm);
}

static void
write_finding(
    struct kiln_html *html, const struct kiln_report *report, const struct kiln_finding *finding, size_t number)
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
  write_evidence(html, finding, number);
  write_where(html, finding);
  write_saving(html, finding);
  write_remedies(html, finding);
  write_paragraph(html, "Version", finding->gate);
  kiln_html_close(html);
}

/* Mechanisms in one state, with the reason. */
static void
write_others(
    struct kiln_html *html, const struct kiln_report *report, enum kiln_finding_state state, const char *caption)
{
  static const struct kiln_html_column columns[] = {{"mechanism", false}, {"why", false}, {"to tell", false}};
  const size_t count = state == KILN_FINDING_NOT_REACHED ? 3 : 2;
  bool any = false;
  for (size_t i = 0; i < report->other_count; i++) {
    const struct kiln_finding *other = &report->others[i];
    if (other->state != state)
      continue;
    if (!any)
      kiln_html_table_open(html, caption, columns, count);
    any = true;
    kiln_html_open(html, "tr", NULL);
    kiln_html_open(html, "td", NULL);
    kiln_html_leaf(html, "span", "tag", other->id);
    if (report->arm_count > 1 && other->arm)
      kiln_html_leaf(html, "span", "tag", other->arm);
    kiln_html_close(html);
    kiln_html_open(html, "td", NULL);
    kiln_html_prose(html, other->sentence);
    kiln_html_close(html);
    if (count == 3)
      kiln_html_leaf(html, "td", NULL, other->to_measure);
    kiln_html_close(html);
  }
  if (any)
    kiln_html_table_close(html);
}

static void
write_event(struct kiln_html *html, const struct kiln_cited *event, size_t finding, size_t number)
{
  struct kiln_buf text;
  kiln_buf_init(&text);
  anchor(&text, "", finding, number);
  kiln_html_open(html, "tr", NULL);
  kiln_html_attr(html, "id", kiln_buf_text(&text));
  kiln_html_leaff(html, "td", NULL, "%zu.%zu", finding + 1, number + 1);
  kiln_html_leaf(html, "td", NULL, event->kind);
  kiln_html_open(html, "td", NULL);
  kiln_html_module(html, event->what, event->identity);
  kiln_html_close(html);
  kiln_html_cell(html, event->pid, KILN_HTML_PLAIN);
  kiln_html_cell(html, event->start_s, KILN_HTML_SECONDS);
  if (event->wall_s < 0)
    kiln_html_leaf(html, "td", "number", "–");
  else
    kiln_html_cell(html, event->wall_s, KILN_HTML_SECONDS);
  kiln_html_open(html, "td", NULL);
  kiln_html_place(html, event->where);
  kiln_html_close(html);
  kiln_html_close(html);
  kiln_buf_release(&text);
}

/* Every event that a fact above rests on; a record or a report has them under the same numbers of process and time. */
static void
write_events(struct kiln_html *html, const struct kiln_report *report)
{
  static const struct kiln_html_column columns[] = {{"event", false}, {"kind", false}, {"what", false},
      {"process", true}, {"begin", true}, {"length", true}, {"where", false}};
  bool any = false;
  for (size_t i = 0; i < report->finding_count; i++)
    for (size_t j = 0; j < report->findings[i].cited_count; j++) {
      if (!any)
        kiln_html_table_open(html, "Events that the findings rest on", columns, sizeof columns / sizeof *columns);
      any = true;
      write_event(html, &report->findings[i].cited[j], i, j);
    }
  if (any)
    kiln_html_table_close(html);
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
    write_finding(html, report, &report->findings[i], i);
  if (report->diagnosis.made) {
    write_others(html, report, KILN_FINDING_RULED_OUT, "Ruled out");
    write_others(html, report, KILN_FINDING_NOT_REACHED, "Not reached");
  }
  write_events(html, report);
  write_invalid(html, report);
  if (report->warning_count) {
    kiln_html_leaf(html, "h3", NULL, "What limits these numbers");
    write_list(html, report->warnings, report->warning_count);
  }
  kiln_html_close(html);
}
