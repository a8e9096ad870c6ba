/* The ledger for people, in a terminal. */
#include <math.h>

#include "base/text.h"
#include "probe/ledger.h"
#include "probe/report/page.h"

#define LABEL 9
#define MISSED_SHOWN 6

static void
write_labelled(struct kiln_page *page, const char *label, const char *text)
{
  if (text && *text) {
    kiln_page_labelled(page, KILN_STYLE_FAINT, 6, label, LABEL, text);
  }
}

static void
write_times(struct kiln_page *page, const struct kiln_ledger *ledger)
{
  struct kiln_buf text;
  kiln_buf_init(&text);
  kiln_buf_text_append(&text, "without levers: a cold run takes ");
  kiln_text_duration(&text, ledger->cold_elapsed_s);
  kiln_buf_text_append(&text, " (CPU ");
  kiln_text_duration(&text, ledger->cold_cpu_s);
  kiln_buf_text_append(&text, "), a warm one ");
  kiln_text_duration(&text, ledger->warm_elapsed_s);
  kiln_buf_text_append(&text, " (CPU ");
  kiln_text_duration(&text, ledger->warm_cpu_s);
  kiln_buf_printf(&text, "); %llu build%s", (unsigned long long)ledger->builds, ledger->builds == 1 ? "" : "s");
  kiln_page_text(page, KILN_STYLE_PLAIN, 2, 4, kiln_buf_text(&text));
  kiln_buf_release(&text);
}

static void
write_head(struct kiln_page *page, const struct kiln_ledger *ledger)
{
  struct kiln_buf text;
  kiln_buf_init(&text);
  for (size_t i = 0; i < ledger->command_count; i++) {
    kiln_buf_text_append(&text, i ? " " : "");
    kiln_text_shell_word(&text, ledger->command[i] ? ledger->command[i] : "?");
  }
  kiln_page_text(page, KILN_STYLE_BOLD, 0, 2, kiln_buf_text(&text));
  kiln_buf_clear(&text);
  kiln_buf_printf(&text, "%s%sgoal %s, output compared: %s, %d core%s", ledger->framework ? ledger->framework : "",
      ledger->framework ? ", " : "", ledger->goal ? ledger->goal : "-", ledger->compared ? ledger->compared : "-",
      ledger->cores, ledger->cores == 1 ? "" : "s");
  kiln_page_text(page, KILN_STYLE_FAINT, 2, 4, kiln_buf_text(&text));
  write_times(page, ledger);
  kiln_buf_release(&text);
}

static void
write_ceiling(struct kiln_page *page, const struct kiln_ledger_ceiling *ceiling)
{
  struct kiln_buf text;
  if (ceiling->builds == 0) {
    return;
  }
  kiln_buf_init(&text);
  kiln_buf_printf(&text,
      "ceiling of building ahead: %.2f s of building one after another (builds: %zu), the largest (%s) %.2f s and the "
      "header before it %.2f s: "
      "at most %.1f times faster, the whole cold run at best %.2f s",
      ceiling->sum_s, ceiling->builds, ceiling->largest ? ceiling->largest : "-", ceiling->largest_s, ceiling->header_s,
      ceiling->speedup, ceiling->elapsed_s);
  kiln_page_text(page, KILN_STYLE_PLAIN, 2, 4, kiln_buf_text(&text));
  kiln_buf_release(&text);
}

/* "cold_cpu  3.40 s → 1.97 s  -42.1 %  [-44.0, -40.2]  IMPROVED, 11 pairs" */
static void
write_effect(struct kiln_page *page, const struct kiln_ledger_effect *effect, bool decides)
{
  struct kiln_buf text, label;
  kiln_buf_init(&text);
  kiln_buf_init(&label);
  for (const char *at = effect->metric; at && *at; at++) {
    kiln_buf_append(&label, *at == '_' ? " " : at, 1);
  }
  kiln_page_pad(&text, kiln_buf_text(&label), 13, false);
  kiln_text_duration(&text, effect->before_s);
  kiln_buf_text_append(&text, " → ");
  kiln_text_duration(&text, effect->after_s);
  if (effect->look) {
    kiln_buf_printf(&text, "  %+.1f %%  [%+.1f, %+.1f]", effect->percent, effect->low, effect->high);
  }
  if (decides) {
    kiln_buf_printf(&text, "  %s", kiln_verdict_name(effect->verdict));
  }
  kiln_buf_printf(&text, "  %zu pair%s", effect->pairs, effect->pairs == 1 ? "" : "s");
  kiln_page_text(page, KILN_STYLE_PLAIN, 6, 8, kiln_buf_text(&text));
  kiln_buf_release(&label);
  kiln_buf_release(&text);
}

static void
write_checks(struct kiln_page *page, const struct kiln_ledger_entry *entry)
{
  struct kiln_buf text;
  if (!entry->launches) {
    return;
  }
  kiln_buf_init(&text);
  kiln_buf_printf(&text, "arrived in %zu of %zu modules; launches %s; output %s; work %s",
      entry->module_count - (entry->missed < entry->module_count ? entry->missed : entry->module_count),
      entry->module_count, entry->launches, entry->output ? entry->output : "not compared",
      entry->work ? entry->work : "-");
  write_labelled(page, "checked", kiln_buf_text(&text));
  kiln_buf_release(&text);
}

static void
write_missed(struct kiln_page *page, const struct kiln_ledger_entry *entry)
{
  struct kiln_buf text;
  size_t shown = 0;
  kiln_buf_init(&text);
  for (size_t i = 0; i < entry->module_count && shown < MISSED_SHOWN; i++) {
    if (!entry->modules[i].arrived) {
      kiln_buf_clear(&text);
      kiln_buf_printf(&text, "%s: %s", entry->modules[i].module,
          entry->modules[i].because ? entry->modules[i].because : "not known why");
      write_labelled(page, "missed", kiln_buf_text(&text));
      shown++;
    }
  }
  if (entry->missed > shown) {
    kiln_buf_clear(&text);
    kiln_buf_printf(&text, "and %zu more; --json lists them", entry->missed - shown);
    write_labelled(page, "", kiln_buf_text(&text));
  }
  kiln_buf_release(&text);
}

static bool
was_measured(const struct kiln_ledger_entry *entry)
{
  return entry->effect_count > 0;
}

/* How to take it and to undo it: only of what may be taken. */
static void
write_taking(struct kiln_page *page, const struct kiln_ledger_entry *entry)
{
  struct kiln_buf text;
  if (entry->state != KILN_LEDGER_APPLIED) {
    return;
  }
  write_labelled(page, "removed", entry->removed);
  write_labelled(page, "undo", entry->undo);
  kiln_buf_init(&text);
  for (size_t i = 0; i < entry->line_count; i++) {
    kiln_buf_clear(&text);
    kiln_buf_printf(&text, "%s: %s", entry->lines[i].where, entry->lines[i].text);
    write_labelled(page, i ? "or" : "take it", kiln_buf_text(&text));
  }
  kiln_buf_release(&text);
}

static void
write_entry(struct kiln_page *page, const struct kiln_ledger_entry *entry)
{
  struct kiln_buf text;
  kiln_buf_init(&text);
  kiln_buf_printf(&text, "%s: %s", entry->lever, entry->title);
  kiln_page_text(
      page, entry->state == KILN_LEDGER_APPLIED ? KILN_STYLE_BOLD : KILN_STYLE_PLAIN, 2, 6, kiln_buf_text(&text));
  kiln_page_text(page, KILN_STYLE_PLAIN, 6, 6, entry->why);
  for (size_t i = 0; i < entry->effect_count; i++) {
    write_effect(page, &entry->effects[i], i == 0);
  }
  if (was_measured(entry) || entry->missed) {
    write_checks(page, entry);
    write_missed(page, entry);
  }
  write_taking(page, entry);
  write_labelled(page, "would buy", entry->would_buy);
  kiln_buf_release(&text);
}

static void
write_state(struct kiln_page *page, const struct kiln_ledger *ledger, enum kiln_ledger_state state, const char *title)
{
  bool any = false;
  for (size_t i = 0; i < ledger->entry_count; i++) {
    if (ledger->entries[i].state != state) {
      continue;
    }
    if (!any) {
      kiln_page_blank(page);
      kiln_page_text(page, state == KILN_LEDGER_REFUSED ? KILN_STYLE_ALERT : KILN_STYLE_BOLD, 0, 2, title);
    }
    any = true;
    write_entry(page, &ledger->entries[i]);
  }
}

void
kiln_ledger_render(const struct kiln_ledger *ledger, int columns, bool color, struct kiln_buf *out)
{
  struct kiln_page page;
  kiln_page_init(&page, out, columns, color);
  write_head(&page, ledger);
  write_ceiling(&page, &ledger->ceiling);
  write_state(&page, ledger, KILN_LEDGER_APPLIED, "applied: it helps, and nothing else changes");
  write_state(&page, ledger, KILN_LEDGER_INCONCLUSIVE, "inconclusive: not decided");
  write_state(&page, ledger, KILN_LEDGER_REFUSED, "refused: it would change what the program does, or did not arrive");
  write_state(&page, ledger, KILN_LEDGER_DECLINED, "declined: not taken");
  kiln_page_blank(&page);
  kiln_page_text(&page, KILN_STYLE_BOLD, 0, 2, ledger->remain ? ledger->remain : "");
  for (size_t i = 0; i < ledger->note_count; i++) {
    kiln_page_text(&page, KILN_STYLE_FAINT, 2, 4, ledger->notes[i]);
  }
}
