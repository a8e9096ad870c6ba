/* What was tried, from report->ledger. */
#include "base/text.h"
#include "probe/ledger.h"
#include "probe/report/markdown_parts.h"

/* "cold CPU 3.40 s → 1.97 s (-42.1 %, -44.0 to -40.2, 11 pairs)" */
static void
write_effect(struct kiln_buf *out, const struct kiln_ledger_effect *effect)
{
  struct kiln_buf name;
  kiln_buf_init(&name);
  for (const char *at = effect->metric; at && *at; at++)
    kiln_buf_append(&name, *at == '_' ? " " : at, 1);
  kiln_buf_text_append(out, "   - ");
  kiln_markdown_text(out, kiln_buf_text(&name));
  kiln_buf_text_append(out, " ");
  kiln_text_duration(out, effect->before_s);
  kiln_buf_text_append(out, " → ");
  kiln_text_duration(out, effect->after_s);
  kiln_buf_text_append(out, " (");
  if (effect->look)
    kiln_buf_printf(out, "%+.1f %%, %+.1f to %+.1f, ", effect->percent, effect->low, effect->high);
  kiln_buf_printf(out, "%zu pair%s)\n", effect->pairs, effect->pairs == 1 ? "" : "s");
  kiln_buf_release(&name);
}

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
write_checks(struct kiln_buf *out, const struct kiln_ledger_entry *entry)
{
  const size_t missed = entry->missed < entry->module_count ? entry->missed : entry->module_count;
  if (!entry->launches)
    return;
  kiln_buf_printf(out, "   - checked: it arrived in %zu of %zu modules; launches %s; output %s\n",
      entry->module_count - missed, entry->module_count, entry->launches,
      entry->output ? entry->output : "not compared");
}

static void
write_entry(struct kiln_buf *out, const struct kiln_ledger_entry *entry)
{
  kiln_buf_text_append(out, "- **");
  kiln_markdown_text(out, entry->title ? entry->title : entry->lever);
  kiln_buf_printf(out, "**%s: ", entry->changes_kernels ? " (changes kernels or numbers)" : "");
  kiln_markdown_text(out, entry->why);
  kiln_buf_text_append(out, "\n");
  for (size_t i = 0; i < entry->effect_count; i++)
    write_effect(out, &entry->effects[i]);
  write_checks(out, entry);
  write_line(out, "what was removed", entry->removed);
  write_line(out, "to undo it", entry->undo);
  for (size_t i = 0; i < entry->line_count; i++) {
    write_line(out, "to take it", entry->lines[i].where);
    kiln_buf_text_append(out, "     ");
    kiln_markdown_code(out, entry->lines[i].text);
    kiln_buf_text_append(out, "\n");
  }
  write_line(out, "would buy", entry->would_buy);
}

void
kiln_markdown_ledger(struct kiln_buf *out, const struct kiln_report *report)
{
  static const char *const titles[] = {[KILN_LEDGER_APPLIED] = "It helps",
      [KILN_LEDGER_DECLINED] = "Not taken",
      [KILN_LEDGER_REFUSED] = "Refused",
      [KILN_LEDGER_INCONCLUSIVE] = "Not decided"};
  static const enum kiln_ledger_state order[] = {
      KILN_LEDGER_APPLIED, KILN_LEDGER_INCONCLUSIVE, KILN_LEDGER_DECLINED, KILN_LEDGER_REFUSED};
  const struct kiln_ledger *ledger = report->ledger;
  if (!ledger)
    return;
  kiln_buf_text_append(out, "### What was tried without changing the source\n\n");
  for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
    size_t shown = 0;
    for (size_t i = 0; i < ledger->entry_count; i++) {
      if (ledger->entries[i].state != order[k])
        continue;
      if (shown++ == 0)
        kiln_buf_printf(out, "%s:\n\n", titles[order[k]]);
      write_entry(out, &ledger->entries[i]);
    }
    kiln_buf_text_append(out, shown ? "\n" : "");
  }
  if (ledger->remain) {
    kiln_markdown_text(out, ledger->remain);
    kiln_buf_text_append(out, "\n\n");
  }
}
