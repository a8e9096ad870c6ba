/* How it was measured, and where. */
#include "kiln/version.h"
#include "probe/report/html_parts.h"

static void
write_fact(struct kiln_html *html, const char *name, const char *value)
{
  if (!value || !*value)
    return;
  kiln_html_open(html, "div", NULL);
  kiln_html_leaf(html, "dt", NULL, name);
  kiln_html_leaf(html, "dd", NULL, value);
  kiln_html_close(html);
}

static void
write_environment(struct kiln_html *html, const struct kiln_report *report)
{
  const struct kiln_host *host = &report->host;
  struct kiln_buf text;
  kiln_buf_init(&text);
  kiln_html_open(html, "dl", "environment");
  write_fact(html, "Processor", host->cpu);
  kiln_buf_printf(&text, "%d", host->cores);
  write_fact(html, "Cores usable", kiln_buf_text(&text));
  kiln_buf_clear(&text);
  kiln_html_value(&text, (double)host->memory_bytes, KILN_HTML_BYTES);
  write_fact(html, "Memory", kiln_buf_text(&text));
  write_fact(html, "Kernel", host->kernel);
  write_fact(html, "System", host->system);
  kiln_buf_clear(&text);
  if (host->load_1m >= 0)
    kiln_buf_printf(&text, "%.2f", host->load_1m);
  write_fact(html, "Load before it began", kiln_buf_text(&text));
  write_fact(html, "Python", report->python);
  write_fact(html, "Framework", report->framework);
  write_fact(html, "Date", report->date);
  write_fact(html, "kiln", kiln_version());
  kiln_html_close(html);
  kiln_buf_release(&text);
}

static void
write_plan(struct kiln_html *html, const struct kiln_report *report)
{
  const size_t made = report->arm_count ? report->arms[0].sample_count : 0;
  kiln_html_open(html, "p", NULL);
  if (report->arm_count > 1)
    kiln_html_textf(html,
        "%zu pairs of a baseline and a candidate sample were made %s; a coin with seed %llu told who was started "
        "first. ",
        report->pair_count, report->plan.serial ? "one after the other" : "side by side",
        (unsigned long long)report->plan.seed);
  else
    kiln_html_textf(html, "%d samples were asked for, %zu were made. ", report->samples_wanted, made);
  kiln_html_textf(html, "%s unmeasured sample came first.", report->warmup ? "One" : "No");
  kiln_html_close(html);
}

void
kiln_html_method(struct kiln_html *html, const struct kiln_report *report)
{
  kiln_html_section(html, "method", "Method and environment", NULL);
  kiln_html_open(html, "div", "columns");
  kiln_html_open(html, "div", NULL);
  if (report->recorded)
    kiln_html_leaf(
        html, "p", "note", "This is one recorded run in its own surroundings, shown in the place of a cold one.");
  kiln_html_leaf(html, "p", NULL,
      "A sample is a cold run in fresh private caches, then a warm run on what it left. Elapsed time is the clock from "
      "start to end of the command; CPU is user plus system time of all its processes.");
  kiln_html_leaf(html, "p", NULL,
      "A number is the median over the valid samples, n of them. The bracket is, from six samples on, the pair of "
      "order "
      "statistics that encloses the median with at least 95 %; below six it is smallest and largest. Cold − warm is "
      "taken within a sample. With n = 1 there is no interval.");
  kiln_html_leaf(html, "p", NULL,
      "Builds, loads and launches are counted inside the observed processes, and held against what was found in the "
      "caches afterwards.");
  if (!report->recorded)
    write_plan(html, report);
  kiln_html_close(html);
  write_environment(html, report);
  kiln_html_close(html);
  kiln_html_close(html);
}
