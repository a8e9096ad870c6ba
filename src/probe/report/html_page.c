/* The page: head, sections in the order of reading, one file. */
#include <string.h>

#include "base/text.h"
#include "probe/report/html_parts.h"
#include "probe/report/render.h"

static void
write_meta(struct kiln_html *html, const char *name, const char *content)
{
  kiln_html_void(html, "meta");
  kiln_html_attr(html, "name", name);
  kiln_html_attr(html, "content", content);
  kiln_html_void_end(html);
}

static void
write_head(struct kiln_html *html, const struct kiln_report *report)
{
  kiln_html_open(html, "head", NULL);
  kiln_html_void(html, "meta");
  kiln_html_attr(html, "charset", "utf-8");
  kiln_html_void_end(html);
  write_meta(html, "viewport", "width=device-width, initial-scale=1");
  write_meta(html, "color-scheme", "light dark");
  write_meta(html, "robots", "noindex");
  kiln_html_void(html, "meta");
  /* Nothing is fetched, whatever a name in the page might try. */
  kiln_html_attr(html, "http-equiv", "Content-Security-Policy");
  kiln_html_attr(html, "content", "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'");
  kiln_html_void_end(html);
  kiln_html_open(html, "title", NULL);
  kiln_html_text(html, "kiln: ");
  for (size_t i = 0; i < report->command_count && i < 4; i++) {
    kiln_html_text(html, i ? " " : "");
    kiln_html_text(html, i ? report->command[i] : kiln_text_base_name(report->command[i]));
  }
  kiln_html_close(html);
  kiln_html_style(html);
  kiln_html_close(html);
}

/* Links to the sections that are there. */
static void
write_navigation(struct kiln_html *html, const char *sections)
{
  static const struct {
    const char *target, *title;
  } links[] = {{"timeline", "Timeline"}, {"compare", "Cold and warm"}, {"phases", "Phases"}, {"modules", "Modules"},
      {"samples", "Samples"}, {"findings", "Findings"}, {"why", "Why anew"}, {"ledger", "Ledger"}, {"tables", "Tables"},
      {"method", "Method"}};
  kiln_html_open(html, "nav", NULL);
  kiln_html_attr(html, "aria-label", "Sections");
  for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
    struct kiln_buf text;
    kiln_buf_init(&text);
    kiln_buf_printf(&text, "<section id=\"%s\"", links[i].target);
    if (strstr(sections, kiln_buf_text(&text))) {
      kiln_buf_clear(&text);
      kiln_buf_printf(&text, "#%s", links[i].target);
      kiln_html_open(html, "a", NULL);
      kiln_html_attr(html, "href", kiln_buf_text(&text));
      kiln_html_text(html, links[i].title);
      kiln_html_close(html);
      kiln_html_text(html, " ");
    }
    kiln_buf_release(&text);
  }
  kiln_html_close(html);
}

static void
write_sections(struct kiln_buf *out, const struct kiln_report *report)
{
  struct kiln_html html;
  kiln_html_init(&html, out);
  kiln_html_timeline(&html, report);
  kiln_html_compare(&html, report);
  kiln_html_phases(&html, report);
  kiln_html_modules(&html, report);
  kiln_html_samples(&html, report);
  kiln_html_findings(&html, report);
  kiln_html_why(&html, report);
  kiln_html_ledger(&html, report);
  kiln_html_tables(&html, report);
  kiln_html_method(&html, report);
  kiln_html_finish(&html);
}

void
kiln_report_html(const struct kiln_report *report, struct kiln_buf *out)
{
  struct kiln_html html;
  struct kiln_buf sections;
  kiln_buf_init(&sections);
  write_sections(&sections, report);
  kiln_html_init(&html, out);
  kiln_html_raw(&html, "<!doctype html>\n");
  kiln_html_open(&html, "html", NULL);
  kiln_html_attr(&html, "lang", "en");
  write_head(&html, report);
  kiln_html_open(&html, "body", NULL);
  kiln_html_open(&html, "main", NULL);
  kiln_html_first(&html, report);
  write_navigation(&html, kiln_buf_text(&sections));
  kiln_html_raw(&html, kiln_buf_text(&sections));
  kiln_html_close(&html);
  kiln_html_script(&html);
  kiln_html_finish(&html);
  kiln_buf_text_append(out, "\n");
  out->failed = out->failed || sections.failed;
  kiln_buf_release(&sections);
}
