/* What was tried, with what it gave: the ledger of `kiln try`. Each claim links to the rows that it rests on. */
#include "base/text.h"
#include "probe/ledger.h"
#include "probe/report/html_parts.h"

#define IDENTITY_SHOWN 10

/* "#ledger-3-modules": entries have no names that are safe in a link. */
static void
anchor(struct kiln_buf *text, const char *mark, size_t entry, const char *what)
{
  kiln_buf_clear(text);
  kiln_buf_printf(text, "%sledger-%zu-%s", mark, entry, what);
}

static void
write_link(struct kiln_html *html, size_t entry, const char *what, const char *words)
{
  struct kiln_buf text;
  kiln_buf_init(&text);
  anchor(&text, "#", entry, what);
  kiln_html_open(html, "a", NULL);
  kiln_html_attr(html, "href", kiln_buf_text(&text));
  kiln_html_text(html, words);
  kiln_html_close(html);
  kiln_buf_release(&text);
}

static void
write_effect_row(struct kiln_html *html, const struct kiln_ledger_effect *effect, bool decides)
{
  struct kiln_buf label;
  kiln_buf_init(&label);
  for (const char *at = effect->metric; at && *at; at++) {
    kiln_buf_append(&label, *at == '_' ? " " : at, 1);
  }
  kiln_html_open(html, "tr", NULL);
  kiln_html_leaf(html, "td", NULL, kiln_buf_text(&label));
  kiln_html_cell(html, effect->before_s, KILN_HTML_SECONDS);
  kiln_html_cell(html, effect->after_s, KILN_HTML_SECONDS);
  kiln_html_open(html, "td", "number");
  if (effect->look) {
    kiln_html_textf(html, "%+.1f %% [%+.1f, %+.1f]", effect->percent, effect->low, effect->high);
  } else {
    kiln_html_text(html, "–");
  }
  kiln_html_close(html);
  kiln_html_cell(html, (double)effect->pairs, KILN_HTML_COUNT);
  kiln_html_leaf(html, "td", NULL, decides ? kiln_verdict_name(effect->verdict) : "");
  kiln_html_close(html);
  kiln_buf_release(&label);
}

static void
write_effects(struct kiln_html *html, const struct kiln_ledger_entry *entry, size_t index)
{
  static const struct kiln_html_column columns[] = {
      {"time", false}, {"without", true}, {"with", true}, {"change", true}, {"pairs", true}, {"verdict", false}};
  struct kiln_buf id;
  if (entry->effect_count == 0) {
    return;
  }
  kiln_buf_init(&id);
  anchor(&id, "", index, "pairs");
  kiln_html_open(html, "div", NULL);
  kiln_html_attr(html, "id", kiln_buf_text(&id));
  kiln_html_table_open(html, "In pairs with the program as it is; the first row decides", columns, 6);
  for (size_t i = 0; i < entry->effect_count; i++) {
    write_effect_row(html, &entry->effects[i], i == 0);
  }
  kiln_html_table_close(html);
  kiln_html_close(html);
  kiln_buf_release(&id);
}

static void
write_identity(struct kiln_html *html, const char *identity)
{
  kiln_html_open(html, "td", NULL);
  kiln_html_open(html, "code", NULL);
  kiln_html_attr(html, "title", identity ? identity : "");
  kiln_html_textf(html, "%.*s", IDENTITY_SHOWN, identity ? identity : "–");
  kiln_html_close(html);
  kiln_html_close(html);
}

static void
write_module_row(struct kiln_html *html, const struct kiln_ledger_module *module)
{
  kiln_html_open(html, "tr", NULL);
  kiln_html_open(html, "td", NULL);
  kiln_html_open(html, "a", NULL);
  kiln_html_attr(html, "href", "#modules");
  kiln_html_text(html, module->module);
  kiln_html_close(html);
  kiln_html_close(html);
  kiln_html_leaff(html, "td", NULL, "%s, block %d", module->device ? module->device : "–", module->block_dim);
  write_identity(html, module->before);
  write_identity(html, module->after);
  kiln_html_leaf(html, "td", NULL, module->because ? module->because : module->arrived ? "arrived" : "missed");
  kiln_html_close(html);
}

static void
write_modules(struct kiln_html *html, const struct kiln_ledger_entry *entry, size_t index)
{
  static const struct kiln_html_column columns[] = {
      {"module", false}, {"on", false}, {"identity without", false}, {"with", false}, {"", false}};
  struct kiln_buf id;
  if (entry->module_count == 0) {
    return;
  }
  kiln_buf_init(&id);
  anchor(&id, "", index, "modules");
  kiln_html_open(html, "details", NULL);
  kiln_html_attr(html, "id", kiln_buf_text(&id));
  kiln_html_leaff(html, "summary", NULL, "Builds and loads of the cold run with it: %zu modules", entry->module_count);
  kiln_html_table_open(html, "Where it arrived", columns, 5);
  for (size_t i = 0; i < entry->module_count; i++) {
    write_module_row(html, &entry->modules[i]);
  }
  kiln_html_table_close(html);
  kiln_html_close(html);
  kiln_buf_release(&id);
}

static void
write_checks(
    struct kiln_html *html, const struct kiln_ledger *ledger, const struct kiln_ledger_entry *entry, size_t index)
{
  struct kiln_buf text;
  if (!entry->launches) {
    return;
  }
  kiln_buf_init(&text);
  kiln_buf_printf(&text, "arrived in %zu of %zu modules", entry->module_count - entry->missed, entry->module_count);
  kiln_html_open(html, "p", NULL);
  if (entry->module_count > 0) {
    write_link(html, index, "modules", kiln_buf_text(&text));
  } else {
    kiln_html_text(html, kiln_buf_text(&text));
  }
  kiln_html_textf(html, "; launches: %s; output (%s): %s; ", entry->launches,
      ledger->compared ? ledger->compared : "not compared", entry->output ? entry->output : "not compared");
  if (entry->effect_count > 0) {
    write_link(html, index, "pairs", "pairs");
    kiln_html_textf(
        html, ": work %s, time %s.", entry->work ? entry->work : "–", kiln_verdict_name(entry->effects[0].verdict));
  } else {
    kiln_html_text(html, "not measured in pairs.");
  }
  kiln_html_close(html);
  kiln_buf_release(&text);
}

static void
write_words(struct kiln_html *html, const char *title, const char *words)
{
  if (!words || !*words) {
    return;
  }
  kiln_html_open(html, "p", NULL);
  kiln_html_leaff(html, "strong", NULL, "%s: ", title);
  kiln_html_prose(html, words);
  kiln_html_close(html);
}

static void
write_lines(struct kiln_html *html, const struct kiln_ledger_entry *entry)
{
  if (entry->line_count == 0 || entry->state != KILN_LEDGER_APPLIED) {
    return;
  }
  kiln_html_leaf(html, "h4", NULL, "How to take it");
  kiln_html_open(html, "ul", NULL);
  for (size_t i = 0; i < entry->line_count; i++) {
    kiln_html_open(html, "li", NULL);
    kiln_html_textf(html, "%s: ", entry->lines[i].where);
    kiln_html_leaf(html, "code", NULL, entry->lines[i].text);
    kiln_html_close(html);
  }
  kiln_html_close(html);
}

static void
write_entry(struct kiln_html *html, const struct kiln_ledger *ledger, size_t index)
{
  const struct kiln_ledger_entry *entry = &ledger->entries[index];
  kiln_html_open(html, "article", NULL);
  kiln_html_open(html, "h3", NULL);
  kiln_html_leaf(html, "span", "tag", kiln_ledger_state_name(entry->state));
  kiln_html_textf(html, " %s: %s", entry->lever, entry->title);
  kiln_html_close(html);
  kiln_html_open(html, "p", NULL);
  kiln_html_prose(html, entry->why);
  kiln_html_close(html);
  write_checks(html, ledger, entry, index);
  write_effects(html, entry, index);
  write_words(html, "In the run without it", entry->launches ? entry->supports : NULL);
  write_words(html, "What it removes", entry->state == KILN_LEDGER_APPLIED ? entry->removed : NULL);
  write_words(html, "How to undo it", entry->state == KILN_LEDGER_APPLIED ? entry->undo : NULL);
  write_words(html, "What it would buy", entry->would_buy);
  write_lines(html, entry);
  write_modules(html, entry, index);
  kiln_html_close(html);
}

void
kiln_html_ledger(struct kiln_html *html, const struct kiln_report *report)
{
  const struct kiln_ledger *ledger = report->ledger;
  static const enum kiln_ledger_state order[] = {
      KILN_LEDGER_APPLIED, KILN_LEDGER_INCONCLUSIVE, KILN_LEDGER_REFUSED, KILN_LEDGER_DECLINED};
  if (!ledger) {
    return;
  }
  kiln_html_section(html, "ledger", "What was tried", ledger->remain);
  if (ledger->ceiling.builds > 0) {
    kiln_html_leaff(html, "p", NULL,
        "The ceiling of building ahead: %.2f s of building one after another (builds: %zu), the largest (%s) %.2f s "
        "and the header before it %.2f "
        "s: "
        "at most %.1f times faster, the whole cold run at best %.2f s on %d cores.",
        ledger->ceiling.sum_s, ledger->ceiling.builds, ledger->ceiling.largest ? ledger->ceiling.largest : "–",
        ledger->ceiling.largest_s, ledger->ceiling.header_s, ledger->ceiling.speedup, ledger->ceiling.elapsed_s,
        ledger->ceiling.cores);
  }
  for (size_t state = 0; state < sizeof order / sizeof *order; state++) {
    for (size_t i = 0; i < ledger->entry_count; i++) {
      if (ledger->entries[i].state == order[state]) {
        write_entry(html, ledger, i);
      }
    }
  }
  for (size_t i = 0; i < ledger->note_count; i++) {
    kiln_html_leaf(html, "p", NULL, ledger->notes[i]);
  }
  kiln_html_close(html);
}
