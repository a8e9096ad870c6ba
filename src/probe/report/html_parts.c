#include "probe/report/html_parts.h"

#include <string.h>

#include "base/text.h"
#include "probe/report/page.h"

#define MODULE_COLUMNS 48

/* A number and its unit stay on one line. */
static void
append_unbroken(struct kiln_buf *text, const char *value)
{
  for (; *value; value++) {
    const bool space = *value == ' ';
    kiln_buf_append(text, space ? "\xc2\xa0" : value, space ? 2 : 1);
  }
}

void
kiln_html_value(struct kiln_buf *text, double value, enum kiln_html_unit unit)
{
  const double size = value < 0 ? -value : value;
  struct kiln_buf bare;
  kiln_buf_init(&bare);
  if (unit == KILN_HTML_SECONDS && size == 0)
    kiln_buf_text_append(&bare, "0 s");
  else if (unit == KILN_HTML_SECONDS)
    kiln_text_duration(&bare, size);
  else if (unit == KILN_HTML_BYTES)
    kiln_text_bytes(&bare, size);
  else
    kiln_buf_printf(&bare, unit == KILN_HTML_COUNT ? "%.10g" : "%.2f", size);
  kiln_buf_text_append(text, value < 0 ? "−" : "");
  append_unbroken(text, kiln_buf_text(&bare));
  text->failed = text->failed || bare.failed;
  kiln_buf_release(&bare);
}

static void
spread_text(struct kiln_buf *text, struct kiln_interval interval, enum kiln_html_unit unit)
{
  if (interval.n > 1) {
    kiln_buf_text_append(text, "[");
    kiln_html_value(text, interval.lo, unit);
    kiln_buf_text_append(text, ", ");
    kiln_html_value(text, interval.hi, unit);
    kiln_buf_text_append(text, "] ");
  }
  kiln_buf_printf(text, "n = %zu", interval.n);
}

void
kiln_html_interval_text(struct kiln_buf *text, struct kiln_interval interval, enum kiln_html_unit unit)
{
  if (interval.n == 0) {
    kiln_buf_text_append(text, "–");
    return;
  }
  kiln_html_value(text, interval.median, unit);
  kiln_buf_text_append(text, " ");
  spread_text(text, interval, unit);
}

void
kiln_html_spread(struct kiln_html *html, struct kiln_interval interval, enum kiln_html_unit unit)
{
  struct kiln_buf text;
  kiln_buf_init(&text);
  spread_text(&text, interval, unit);
  kiln_html_leaf(html, "span", "spread", kiln_buf_text(&text));
  kiln_buf_release(&text);
}

void
kiln_html_interval(struct kiln_html *html, struct kiln_interval interval, enum kiln_html_unit unit)
{
  struct kiln_buf text;
  if (interval.n == 0) {
    kiln_html_text(html, NULL);
    return;
  }
  kiln_buf_init(&text);
  kiln_html_value(&text, interval.median, unit);
  kiln_html_leaf(html, "span", "value", kiln_buf_text(&text));
  kiln_html_text(html, " ");
  kiln_html_spread(html, interval, unit);
  kiln_buf_release(&text);
}

void
kiln_html_section(struct kiln_html *html, const char *id, const char *title, const char *lead)
{
  kiln_html_open(html, "section", NULL);
  kiln_html_attr(html, "id", id);
  kiln_html_leaf(html, "h2", NULL, title);
  if (lead)
    kiln_html_leaf(html, "p", "lead", lead);
}

void
kiln_html_prose(struct kiln_html *html, const char *text)
{
  struct kiln_buf part;
  bool quoted = false;
  kiln_buf_init(&part);
  for (const char *at = text ? text : ""; *at; at++) {
    const size_t len = strcspn(at, "`");
    /* A mark without its partner is a character. */
    const bool last = at[len] == '\0' || (!quoted && !strchr(at + len + 1, '`'));
    kiln_buf_clear(&part);
    kiln_buf_append(&part, at, last ? strlen(at) : len);
    if (quoted)
      kiln_html_leaf(html, "code", NULL, kiln_buf_text(&part));
    else
      kiln_html_text(html, kiln_buf_text(&part));
    if (last)
      break;
    quoted = !quoted;
    at += len;
  }
  html->out->failed = html->out->failed || part.failed;
  kiln_buf_release(&part);
}

void
kiln_html_arm_title(struct kiln_html *html, const struct kiln_report *report, const struct kiln_report_arm *arm)
{
  if (report->arm_count < 2)
    return;
  kiln_html_open(html, "h3", "arm");
  kiln_html_leaf(html, "span", "tag", arm->name);
  kiln_html_text(html, " ");
  kiln_html_open(html, "code", NULL);
  for (size_t i = 0; i < arm->command_count; i++) {
    kiln_html_text(html, i ? " " : "");
    kiln_html_text(html, arm->command[i]);
  }
  kiln_html_close(html);
  kiln_html_close(html);
}

void
kiln_html_place(struct kiln_html *html, struct kiln_where where)
{
  if (!where.file)
    return;
  const char *name = kiln_text_base_name(where.file);
  struct kiln_buf folder;
  kiln_buf_init(&folder);
  kiln_buf_append(&folder, where.file, (size_t)(name - where.file));
  kiln_html_open(html, "code", "place");
  kiln_html_attr(html, "title", where.file);
  if (folder.len)
    kiln_html_leaf(html, "span", "folder", kiln_buf_text(&folder));
  kiln_html_leaff(html, "b", NULL, "%s:%d", name, where.line);
  kiln_html_close(html);
  kiln_buf_release(&folder);
}

void
kiln_html_phase_label(struct kiln_buf *text, enum kiln_phase phase)
{
  if (phase == KILN_PHASE_PCH) {
    kiln_buf_text_append(text, "precompiled header");
    return;
  }
  for (const char *name = kiln_phase_name(phase); *name; name++)
    kiln_buf_append(text, *name == '_' ? " " : name, 1);
}

/* Eight colours that are told apart without red and green; what they stand for is always written as well. */
static const struct colour {
  const char *class_name, *title;
} colours[] = {
    {"p-start", "interpreter, imports, initialisation"},
    {"p-front", "declaring, hashing, generating code"},
    {"p-header", "precompiled header"},
    {"p-compile", "compiling"},
    {"p-link", "linking"},
    {"p-load", "loading, first launch"},
    {"p-program", "the program itself"},
    {"p-rest", "rest"},
};

const char *
kiln_html_phase_class(enum kiln_phase phase)
{
  static const unsigned char colour_of[KILN_PHASE_COUNT] = {
      [KILN_PHASE_INTERPRETER_START] = 0,
      [KILN_PHASE_IMPORTS] = 0,
      [KILN_PHASE_INIT] = 0,
      [KILN_PHASE_DECLARATION] = 1,
      [KILN_PHASE_HASHING] = 1,
      [KILN_PHASE_CODEGEN] = 1,
      [KILN_PHASE_PCH] = 2,
      [KILN_PHASE_COMPILE] = 3,
      [KILN_PHASE_LINK] = 4,
      [KILN_PHASE_LOAD] = 5,
      [KILN_PHASE_FIRST_LAUNCH] = 5,
      [KILN_PHASE_PROGRAM] = 6,
      [KILN_PHASE_INTERPRETER_EXIT] = 0,
      [KILN_PHASE_REST] = 7,
  };
  return colours[phase < KILN_PHASE_COUNT ? colour_of[phase] : 7].class_name;
}

void
kiln_html_legend(struct kiln_html *html)
{
  kiln_html_open(html, "ul", "legend");
  for (size_t i = 0; i < sizeof colours / sizeof *colours; i++) {
    kiln_html_open(html, "li", NULL);
    kiln_html_open(html, "i", colours[i].class_name);
    kiln_html_close(html);
    kiln_html_text(html, colours[i].title);
    kiln_html_close(html);
  }
  kiln_html_close(html);
}

const struct kiln_report_sample *
kiln_html_sample(const struct kiln_report_arm *arm)
{
  const struct kiln_report_sample *any = NULL, *best = NULL;
  double nearest = 0;
  for (size_t i = 0; i < arm->sample_count; i++) {
    const struct kiln_report_sample *sample = &arm->samples[i];
    const double difference = sample->cold.elapsed_s - arm->cold.elapsed_s.median;
    const double distance = difference < 0 ? -difference : difference;
    any = any ? any : sample->cold.model ? sample : NULL;
    if (!sample->valid || !sample->cold.model || !sample->warm.model || (best && distance >= nearest))
      continue;
    best = sample;
    nearest = distance;
  }
  return best ? best : any;
}

void
kiln_html_module(struct kiln_html *html, const char *module, const char *identity)
{
  struct kiln_buf name;
  kiln_buf_init(&name);
  kiln_page_shorten(&name, module, MODULE_COLUMNS);
  kiln_html_open(html, "span", "module");
  kiln_html_attr(html, "title", module);
  kiln_html_text(html, kiln_buf_text(&name));
  kiln_html_close(html);
  if (identity)
    kiln_html_leaff(html, "span", "identity", " %.7s", identity);
  kiln_buf_release(&name);
}

void
kiln_html_table_open(struct kiln_html *html, const char *caption, const struct kiln_html_column *columns, size_t count)
{
  kiln_html_open(html, "div", "scroll");
  kiln_html_attr(html, "role", "region");
  kiln_html_attr(html, "aria-label", caption);
  kiln_html_attr(html, "tabindex", "0");
  kiln_html_open(html, "table", "sortable");
  kiln_html_leaf(html, "caption", NULL, caption);
  kiln_html_open(html, "thead", NULL);
  kiln_html_open(html, "tr", NULL);
  for (size_t i = 0; i < count; i++) {
    kiln_html_open(html, "th", columns[i].number ? "number" : NULL);
    kiln_html_attr(html, "scope", "col");
    kiln_html_text(html, columns[i].title);
    kiln_html_close(html);
  }
  kiln_html_close(html);
  kiln_html_close(html);
  kiln_html_open(html, "tbody", NULL);
}

void
kiln_html_cell(struct kiln_html *html, double value, enum kiln_html_unit unit)
{
  struct kiln_buf text;
  kiln_buf_init(&text);
  kiln_html_value(&text, value, unit);
  kiln_html_open(html, "td", "number");
  if (unit != KILN_HTML_COUNT)
    kiln_html_attr_number(html, "data-sort", value, "");
  kiln_html_text(html, kiln_buf_text(&text));
  kiln_html_close(html);
  kiln_buf_release(&text);
}

void
kiln_html_table_close(struct kiln_html *html)
{
  for (int i = 0; i < 3; i++)
    kiln_html_close(html);
}
