#include "probe/report/markdown_parts.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "probe/report/page.h"
#include "probe/why.h"

#define MOST_REASONS 8
#define ACTS "\\*_[]<>|~#$"

/* Length of a code span at text: from one back quote to the next; 0 when it is not closed. */
static size_t
code_span(const char *text)
{
  const char *end = text[0] == '`' ? strchr(text + 1, '`') : NULL;
  return end && end > text + 1 ? (size_t)(end - text) + 1 : 0;
}

/* Length of a word that would call somebody, "@wp.kernel"; 0 when there is none here. */
static size_t
mention(const char *begin, const char *at)
{
  if (*at != '@' || (at > begin && !strchr(" ('\"", at[-1])))
    return 0;
  const size_t len = strcspn(at, " ,;:()'\"`");
  return len > 1 ? len : 0;
}

void
kiln_markdown_text(struct kiln_buf *out, const char *text)
{
  struct kiln_buf clean;
  kiln_buf_init(&clean);
  kiln_page_clean(&clean, text);
  const char *begin = kiln_buf_text(&clean);
  for (const char *at = begin; *at;) {
    const size_t code = code_span(at), called = mention(begin, at);
    if (code) {
      kiln_buf_append(out, at, code);
    } else if (called) {
      kiln_buf_printf(out, "`%.*s`", (int)called, at);
    } else {
      kiln_buf_printf(out, strchr(ACTS "`", *at) ? "\\%c" : "%c", *at);
    }
    at += code ? code : called ? called : 1;
  }
  out->failed = out->failed || clean.failed;
  kiln_buf_release(&clean);
}

void
kiln_markdown_code(struct kiln_buf *out, const char *text)
{
  struct kiln_buf clean;
  kiln_buf_init(&clean);
  kiln_page_clean(&clean, text);
  const char *fence = strchr(kiln_buf_text(&clean), '`') ? "`` " : "`";
  kiln_buf_text_append(out, fence);
  for (const char *at = kiln_buf_text(&clean); *at; at++)
    kiln_buf_printf(out, *at == '|' ? "\\%c" : "%c", *at); /* a table ends its cell there even in code */
  kiln_buf_text_append(out, fence[1] ? " ``" : "`");
  out->failed = out->failed || clean.failed;
  kiln_buf_release(&clean);
}

void
kiln_markdown_place(struct kiln_buf *out, const struct kiln_report *report, struct kiln_where where)
{
  const struct kiln_page page = {.folder = report->folder};
  struct kiln_buf text;
  kiln_buf_init(&text);
  kiln_page_place(&page, where.file, where.line, &text);
  kiln_markdown_code(out, kiln_buf_text(&text));
  kiln_buf_release(&text);
}

void
kiln_markdown_interval(struct kiln_buf *out, struct kiln_interval interval)
{
  if (interval.n == 0) {
    kiln_buf_text_append(out, "-");
    return;
  }
  kiln_text_duration(out, interval.median);
  kiln_buf_text_append(out, " (");
  if (interval.n > 1) {
    kiln_text_duration(out, interval.lo);
    kiln_buf_text_append(out, " to ");
    kiln_text_duration(out, interval.hi);
    kiln_buf_text_append(out, ", ");
  }
  kiln_buf_printf(out, "n = %zu)", interval.n);
}

/* ---- findings ---- */

static void
write_line(struct kiln_buf *out, const char *label, const char *text)
{
  if (!text || !text[0])
    return;
  kiln_buf_printf(out, "   - %s: ", label);
  kiln_markdown_text(out, text);
  kiln_buf_text_append(out, "\n");
}

static void
write_places(struct kiln_buf *out, const struct kiln_report *report, const struct kiln_finding *finding)
{
  size_t shown = 0;
  for (size_t i = 0; i < finding->where_count; i++) {
    bool known = !finding->where[i].file;
    for (size_t j = 0; j < i && !known; j++)
      known = finding->where[j].line == finding->where[i].line &&
              kiln_text_equal(finding->where[j].file, finding->where[i].file);
    if (known)
      continue;
    kiln_buf_text_append(out, shown++ ? ", " : "   - where: ");
    kiln_markdown_place(out, report, finding->where[i]);
  }
  if (shown)
    kiln_buf_text_append(out, "\n");
}

static void
write_saving(struct kiln_buf *out, const struct kiln_finding *finding)
{
  if (finding->saves_at_most_s <= 0)
    return;
  kiln_buf_text_append(out, "   - it can save at most ");
  kiln_text_duration(out, finding->saves_at_most_s);
  kiln_buf_text_append(out, finding->saves_cpu ? " of CPU time\n" : "\n");
}

static void
write_finding(struct kiln_buf *out, const struct kiln_report *report, const struct kiln_finding *finding, size_t number)
{
  kiln_buf_printf(out, "%zu. **", number);
  kiln_markdown_text(out, finding->sentence);
  kiln_buf_text_append(out, "**\n");
  if (report->arm_count > 1)
    write_line(out, "in", finding->arm);
  for (size_t i = 0; i < finding->evidence_count; i++)
    write_line(out, "seen", finding->evidence[i]);
  write_places(out, report, finding);
  write_line(out, "what to change", finding->remedy);
  for (size_t i = 0; i < finding->otherwise_count; i++)
    write_line(out, "or", finding->otherwise[i]);
  write_saving(out, finding);
  if (finding->remedy) {
    write_line(out, "not when", finding->not_when);
    write_line(out, "in time", finding->deadline);
    write_line(out, "how to see that it arrived", finding->confirm);
  }
  write_line(out, "with this version", finding->gate);
}

static bool
built_anything(const struct kiln_report *report)
{
  for (size_t i = 0; i < report->arms[0].sample_count; i++)
    if (report->arms[0].samples[i].cold.model && report->arms[0].samples[i].cold.model->counts.builds)
      return true;
  return false;
}

void
kiln_markdown_findings(struct kiln_buf *out, const struct kiln_report *report)
{
  size_t number = 0;
  for (size_t i = 0; i < report->finding_count; i++) {
    if (number == 0)
      kiln_buf_text_append(out, "### What happened, and what to change\n\n");
    write_finding(out, report, &report->findings[i], ++number);
  }
  if (number == 0 && !built_anything(report))
    return;
  if (number == 0)
    kiln_buf_text_append(out,
        "No module was built twice without need. That does not say that the builds are as cheap as "
        "they could be.\n");
  kiln_buf_text_append(out, "\n");
}

static size_t
count_state(const struct kiln_report *report, enum kiln_finding_state state)
{
  size_t count = 0;
  for (size_t i = 0; i < report->other_count; i++)
    count += report->others[i].state == state;
  return count;
}

static void
write_state(struct kiln_buf *out, const struct kiln_report *report, enum kiln_finding_state state, const char *title)
{
  const size_t count = count_state(report, state);
  if (!count)
    return;
  kiln_buf_printf(out, "<details><summary>%s (%zu)</summary>\n\n", title, count);
  for (size_t i = 0; i < report->other_count; i++) {
    const struct kiln_finding *other = &report->others[i];
    if (other->state != state)
      continue;
    kiln_buf_text_append(out, "- ");
    kiln_markdown_text(out, other->sentence);
    if (other->to_measure) {
      kiln_buf_text_append(out, " To tell: ");
      kiln_markdown_text(out, other->to_measure);
    }
    kiln_buf_text_append(out, "\n");
  }
  kiln_buf_text_append(out, "\n</details>\n\n");
}

void
kiln_markdown_others(struct kiln_buf *out, const struct kiln_report *report)
{
  if (!report->diagnosis.made)
    return;
  write_state(out, report, KILN_FINDING_RULED_OUT, "What was ruled out");
  write_state(out, report, KILN_FINDING_NOT_REACHED, "What this measurement cannot tell");
}

/* ---- why it compiles anew ---- */

static void
write_why_module(struct kiln_buf *out, const struct kiln_why_module *module)
{
  struct kiln_buf text;
  kiln_buf_init(&text);
  kiln_why_title(module, false, &text);
  kiln_buf_text_append(out, "- ");
  kiln_markdown_text(out, kiln_buf_text(&text));
  kiln_buf_text_append(out, "\n");
  for (size_t i = 0; i < module->reason_count && i < MOST_REASONS; i++) {
    kiln_buf_clear(&text);
    kiln_why_sentence(&module->reasons[i], &text);
    kiln_buf_text_append(out, "  - ");
    kiln_markdown_text(out, kiln_buf_text(&text));
    kiln_buf_text_append(out, "\n");
  }
  if (module->reason_count > MOST_REASONS)
    kiln_buf_printf(out, "  - and %zu more\n", module->reason_count - MOST_REASONS);
  kiln_buf_release(&text);
}

void
kiln_markdown_why(struct kiln_buf *out, const struct kiln_report *report)
{
  struct kiln_buf text;
  if (!report->why)
    return;
  kiln_buf_init(&text);
  kiln_why_summary(report->why, &text);
  kiln_buf_text_append(out, "### Why it compiles anew\n\n");
  kiln_markdown_text(out, kiln_buf_text(&text));
  kiln_buf_text_append(out, "\n\n");
  for (size_t i = 0; i < report->why->module_count; i++)
    write_why_module(out, &report->why->modules[i]);
  kiln_buf_text_append(out, report->why->module_count ? "\n" : "");
  kiln_buf_release(&text);
}
