/* Why modules compile anew since an earlier report. */
#include "probe/report/html_parts.h"
#include "probe/why.h"

#define MOST_REASONS 60

static void
write_module(struct kiln_html *html, const struct kiln_why_module *module)
{
  struct kiln_buf text;
  kiln_buf_init(&text);
  kiln_html_open(html, "article", NULL);
  kiln_html_open(html, "h3", NULL);
  kiln_why_title(module, false, &text);
  kiln_html_prose(html, kiln_buf_text(&text));
  kiln_html_close(html);
  kiln_html_open(html, "ul", NULL);
  for (size_t i = 0; i < module->reason_count && i < MOST_REASONS; i++) {
    kiln_buf_clear(&text);
    kiln_why_sentence(&module->reasons[i], &text);
    kiln_html_open(html, "li", NULL);
    kiln_html_prose(html, kiln_buf_text(&text));
    kiln_html_close(html);
  }
  if (module->reason_count > MOST_REASONS)
    kiln_html_leaff(html, "li", NULL, "and %zu more", module->reason_count - MOST_REASONS);
  kiln_html_close(html);
  kiln_html_close(html);
  kiln_buf_release(&text);
}

void
kiln_html_why(struct kiln_html *html, const struct kiln_report *report)
{
  struct kiln_buf text;
  if (!report->why)
    return;
  kiln_buf_init(&text);
  kiln_why_summary(report->why, &text);
  kiln_html_section(html, "why", "Why it compiles anew", kiln_buf_text(&text));
  for (size_t i = 0; i < report->why->module_count; i++)
    write_module(html, &report->why->modules[i]);
  kiln_html_close(html);
  kiln_buf_release(&text);
}
