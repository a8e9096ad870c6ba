#include "probe/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_copy.h"
#include "base/text.h"
#include "probe/lever.h"

static const char *const state_names[] = {"applied", "declined", "refused", "inconclusive"};

const char *
kiln_ledger_state_name(enum kiln_ledger_state state)
{
  return state_names[state];
}

struct kiln_ledger *
kiln_ledger_new(void)
{
  struct kiln_ledger *ledger = calloc(1, sizeof *ledger);
  if (ledger) {
    kiln_arena_init(&ledger->arena);
    ledger->remain_elapsed_s = ledger->remain_cpu_s = -1;
  }
  return ledger;
}

static void
entry_release(struct kiln_ledger_entry *entry)
{
  free(entry->effects);
  free(entry->modules);
  free(entry->lines);
  free(entry->evidence);
}

void
kiln_ledger_free(struct kiln_ledger *ledger)
{
  if (!ledger) {
    return;
  }
  for (size_t i = 0; i < ledger->entry_count; i++) {
    entry_release(&ledger->entries[i]);
  }
  free(ledger->entries);
  free(ledger->notes);
  kiln_arena_release(&ledger->arena);
  free(ledger);
}

struct kiln_ledger_entry *
kiln_ledger_add(struct kiln_ledger *ledger, const char *lever)
{
  struct kiln_ledger_entry *entry;
  if (!KILN_GROW(ledger->entries, ledger->entry_count, ledger->entry_capacity)) {
    ledger->arena.failed = true;
    return NULL;
  }
  entry = &ledger->entries[ledger->entry_count++];
  *entry = (struct kiln_ledger_entry){.state = KILN_LEDGER_DECLINED, .mechanisms = "", .title = "", .why = ""};
  entry->lever = kiln_ledger_text(ledger, "%s", lever);
  return entry;
}

struct kiln_ledger_entry *
kiln_ledger_entry(const struct kiln_ledger *ledger, const char *lever)
{
  for (size_t i = 0; i < ledger->entry_count; i++) {
    if (kiln_text_equal(ledger->entries[i].lever, lever)) {
      return &ledger->entries[i];
    }
  }
  return NULL;
}

const struct kiln_ledger_effect *
kiln_ledger_effect_of(const struct kiln_ledger_entry *entry, const char *metric)
{
  for (size_t i = 0; i < entry->effect_count; i++) {
    if (kiln_text_equal(entry->effects[i].metric, metric)) {
      return &entry->effects[i];
    }
  }
  return NULL;
}

const char *
kiln_ledger_text(struct kiln_ledger *ledger, const char *format, ...)
{
  struct kiln_buf text;
  const char *copy;
  va_list args;
  kiln_buf_init(&text);
  va_start(args, format);
  kiln_buf_vprintf(&text, format, args);
  va_end(args);
  copy = text.failed ? NULL : kiln_arena_strdup(&ledger->arena, kiln_buf_text(&text));
  kiln_buf_release(&text);
  return copy ? copy : "";
}

void
kiln_ledger_line(struct kiln_ledger *ledger, struct kiln_ledger_entry *entry, const char *where, const char *text)
{
  if (!KILN_GROW(entry->lines, entry->line_count, entry->line_capacity)) {
    ledger->arena.failed = true;
    return;
  }
  entry->lines[entry->line_count++] =
      (struct kiln_ledger_line){kiln_ledger_text(ledger, "%s", where), kiln_ledger_text(ledger, "%s", text)};
}

void
kiln_ledger_evidence(struct kiln_ledger *ledger, struct kiln_ledger_entry *entry, const char *text)
{
  if (!KILN_GROW(entry->evidence, entry->evidence_count, entry->evidence_capacity)) {
    ledger->arena.failed = true;
    return;
  }
  entry->evidence[entry->evidence_count++] = kiln_ledger_text(ledger, "%s", text);
}

void
kiln_ledger_note(struct kiln_ledger *ledger, const char *text)
{
  for (size_t i = 0; i < ledger->note_count; i++) {
    if (kiln_text_equal(ledger->notes[i], text)) {
      return;
    }
  }
  if (!KILN_GROW(ledger->notes, ledger->note_count, ledger->note_capacity)) {
    ledger->arena.failed = true;
    return;
  }
  ledger->notes[ledger->note_count++] = kiln_ledger_text(ledger, "%s", text);
}

static bool
is_taken(const struct kiln_ledger *ledger, const struct kiln_ledger_entry *entry, bool combined)
{
  (void)ledger;
  return entry->state == KILN_LEDGER_APPLIED && entry->change && entry->combination == combined;
}

/* The objects of a change, an object or an array of them, into texts; with free() each and the array. */
static enum kiln_status
add_objects(
    const struct kiln_ledger_entry *entry, char ***texts, size_t *count, size_t *capacity, struct kiln_error *error)
{
  struct cJSON *tree = NULL;
  struct kiln_buf one;
  struct kiln_json json;
  enum kiln_status status = kiln_json_parse(entry->change, strlen(entry->change), "a change", &tree, error);
  const struct cJSON *at = kiln_json_is_array(tree) ? kiln_json_first(tree) : tree;
  while (status == KILN_OK && at) {
    if (!KILN_GROW(*texts, *count, *capacity)) {
      status = kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short.");
      break;
    }
    kiln_buf_init(&one);
    kiln_json_init(&json, &one, false);
    kiln_json_copy(at, &json);
    (*texts)[(*count)++] = one.data;
    at = kiln_json_is_array(tree) ? kiln_json_next(at) : NULL;
  }
  kiln_json_free(tree);
  return status;
}

enum kiln_status
kiln_ledger_levers(const struct kiln_ledger *ledger, struct kiln_buf *out, size_t *count, struct kiln_error *error)
{
  char **texts = NULL;
  size_t capacity = 0;
  bool combined = false;
  enum kiln_status status = KILN_OK;
  *count = 0;
  for (size_t i = 0; i < ledger->entry_count; i++) {
    combined = combined || is_taken(ledger, &ledger->entries[i], true);
  }
  for (size_t i = 0; i < ledger->entry_count && status == KILN_OK; i++) {
    if (is_taken(ledger, &ledger->entries[i], combined)) {
      status = add_objects(&ledger->entries[i], &texts, count, &capacity, error);
    }
  }
  if (status == KILN_OK) {
    status = kiln_lever_file((const char *const *)texts, *count, out, error);
  }
  for (size_t i = 0; i < *count; i++) {
    free(texts[i]);
  }
  free(texts);
  return status;
}
