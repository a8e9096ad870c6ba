/* Reading a ledger: bounded and checked, for it says what is applied to a program in daily use. */
#include <stdlib.h>
#include <string.h>

#include "base/json_copy.h"
#include "base/text.h"
#include "os/file.h"
#include "probe/ledger.h"

#define MODULES_MOST 4096
#define WORDS_MOST 1024

static const char *
text_of(struct kiln_ledger *ledger, const struct cJSON *object, const char *key)
{
  const char *text = kiln_json_get_string(object, key, NULL);
  return text ? kiln_arena_strdup(&ledger->arena, text) : NULL;
}

static const char *
text_or_empty(struct kiln_ledger *ledger, const struct cJSON *object, const char *key)
{
  const char *text = text_of(ledger, object, key);
  return text ? text : "";
}

/* Non-negative, or zero. */
static double
seconds_of(const struct cJSON *object, const char *key)
{
  const double value = kiln_json_get_double(object, key, 0);
  return value > 0 ? value : 0;
}

static size_t
count_of(const struct cJSON *object, const char *key)
{
  const int64_t value = kiln_json_get_int(object, key, 0);
  return value > 0 ? (size_t)value : 0;
}

static int
number_of(const struct cJSON *object, const char *key)
{
  const int64_t value = kiln_json_get_int(object, key, 0);
  return value > 0 && value < INT32_MAX ? (int)value : 0;
}

static bool
read_state(const char *name, enum kiln_ledger_state *state)
{
  for (int i = KILN_LEDGER_APPLIED; i <= KILN_LEDGER_INCONCLUSIVE; i++) {
    if (kiln_text_equal(name, kiln_ledger_state_name((enum kiln_ledger_state)i))) {
      *state = (enum kiln_ledger_state)i;
      return true;
    }
  }
  return false;
}

/* An object that names its lever, or an array of such objects. */
static bool
is_change(const struct cJSON *value)
{
  if (kiln_json_is_object(value)) {
    return kiln_json_get_string(value, "id", NULL) != NULL;
  }
  if (!kiln_json_is_array(value) || !kiln_json_first(value)) {
    return false;
  }
  for (const struct cJSON *at = kiln_json_first(value); at; at = kiln_json_next(at)) {
    if (!kiln_json_is_object(at) || !kiln_json_get_string(at, "id", NULL)) {
      return false;
    }
  }
  return true;
}

static enum kiln_status
read_change(struct kiln_ledger *ledger, struct kiln_ledger_entry *entry, const struct cJSON *value, const char *name,
    struct kiln_error *error)
{
  struct kiln_buf text;
  struct kiln_json json;
  if (!value || kiln_json_is_null(value)) {
    return KILN_OK;
  }
  if (!is_change(value)) {
    return kiln_error_set(error, KILN_ERROR_FORMAT,
        "The change of lever '%s' in the ledger '%s' is no object with an id.", entry->lever, name);
  }
  kiln_buf_init(&text);
  kiln_json_init(&json, &text, false);
  kiln_json_copy(value, &json);
  entry->change = kiln_arena_strdup(&ledger->arena, kiln_buf_text(&text));
  kiln_buf_release(&text);
  return KILN_OK;
}

static enum kiln_verdict
read_verdict(const struct cJSON *value)
{
  const char *name = kiln_json_get_string(value, "verdict", NULL);
  for (int i = KILN_VERDICT_INCONCLUSIVE; i <= KILN_VERDICT_REGRESSED; i++) {
    if (kiln_text_equal(name, kiln_verdict_name((enum kiln_verdict)i))) {
      return (enum kiln_verdict)i;
    }
  }
  return KILN_VERDICT_INCONCLUSIVE;
}

static void
read_seconds(struct kiln_ledger *ledger, struct kiln_ledger_effect *effect, int side, const struct cJSON *list)
{
  double *seconds = kiln_arena_alloc(&ledger->arena, (KILN_SEQUENTIAL_MAX + 1) * sizeof *seconds);
  size_t n = 0;
  for (const struct cJSON *at = kiln_json_first(list); seconds && at && n < KILN_SEQUENTIAL_MAX;
       at = kiln_json_next(at)) {
    seconds[n++] = kiln_json_as_double(at, 0);
  }
  effect->seconds[side] = seconds;
  effect->pairs_raw = !seconds ? 0 : side == 0 || n < effect->pairs_raw ? n : effect->pairs_raw;
}

static void
read_effect(struct kiln_ledger *ledger, struct kiln_ledger_entry *entry, const struct cJSON *value)
{
  struct kiln_ledger_effect *effect;
  if (!KILN_GROW(entry->effects, entry->effect_count, entry->effect_capacity)) {
    ledger->arena.failed = true;
    return;
  }
  effect = &entry->effects[entry->effect_count++];
  *effect = (struct kiln_ledger_effect){.metric = text_or_empty(ledger, value, "metric"),
      .before_s = seconds_of(value, "before_s"),
      .after_s = seconds_of(value, "after_s"),
      .pairs = count_of(value, "pairs"),
      .look = kiln_json_get(value, "percent") != NULL,
      .percent = kiln_json_get_double(value, "percent", 0),
      .low = kiln_json_get_double(value, "low_percent", 0),
      .high = kiln_json_get_double(value, "high_percent", 0),
      .verdict = read_verdict(value)};
  read_seconds(ledger, effect, 0, kiln_json_get(value, "without_s"));
  read_seconds(ledger, effect, 1, kiln_json_get(value, "with_s"));
}

static void
read_module(struct kiln_ledger *ledger, struct kiln_ledger_entry *entry, const struct cJSON *value)
{
  if (entry->module_count >= MODULES_MOST) {
    return;
  }
  if (!KILN_GROW(entry->modules, entry->module_count, entry->module_capacity)) {
    ledger->arena.failed = true;
    return;
  }
  entry->modules[entry->module_count++] = (struct kiln_ledger_module){.module = text_or_empty(ledger, value, "module"),
      .device = text_of(ledger, value, "device"),
      .block_dim = number_of(value, "block_dim"),
      .before = text_of(ledger, value, "before"),
      .after = text_of(ledger, value, "after"),
      .arrived = kiln_json_get_bool(value, "arrived", false),
      .because = text_of(ledger, value, "because")};
}

static void
read_lists(struct kiln_ledger *ledger, struct kiln_ledger_entry *entry, const struct cJSON *value)
{
  const struct cJSON *at;
  for (at = kiln_json_first(kiln_json_get(value, "effects")); at; at = kiln_json_next(at)) {
    read_effect(ledger, entry, at);
  }
  for (at = kiln_json_first(kiln_json_get(value, "modules")); at; at = kiln_json_next(at)) {
    read_module(ledger, entry, at);
  }
  for (at = kiln_json_first(kiln_json_get(value, "lines")); at; at = kiln_json_next(at)) {
    kiln_ledger_line(ledger, entry, kiln_json_get_string(at, "where", ""), kiln_json_get_string(at, "text", ""));
  }
  for (at = kiln_json_first(kiln_json_get(value, "evidence")); at; at = kiln_json_next(at)) {
    kiln_ledger_evidence(ledger, entry, kiln_json_as_string(at, ""));
  }
}

static void
read_words(struct kiln_ledger *ledger, struct kiln_ledger_entry *entry, const struct cJSON *value)
{
  entry->title = text_or_empty(ledger, value, "title");
  entry->mechanisms = text_or_empty(ledger, value, "mechanisms");
  entry->combination = kiln_json_get_bool(value, "combination", false);
  entry->changes_kernels = kiln_json_get_bool(value, "changes_kernels", false);
  entry->forced = kiln_json_get_bool(value, "forced", false);
  entry->why = text_or_empty(ledger, value, "why");
  entry->supports = text_of(ledger, value, "supports");
  entry->work = text_of(ledger, value, "work");
  entry->decided_by = text_of(ledger, value, "decided_by");
  entry->missed = count_of(value, "missed");
  entry->output = text_of(ledger, value, "output");
  entry->launches = text_of(ledger, value, "launches");
  entry->removed = text_of(ledger, value, "removed");
  entry->undo = text_of(ledger, value, "undo");
  entry->would_buy = text_of(ledger, value, "would_buy");
}

static enum kiln_status
read_entry(struct kiln_ledger *ledger, const struct cJSON *value, const char *name, struct kiln_error *error)
{
  const char *lever = kiln_json_get_string(value, "lever", NULL), *state = kiln_json_get_string(value, "state", "");
  enum kiln_ledger_state known;
  struct kiln_ledger_entry *entry;
  if (!lever || !*lever) {
    return kiln_error_set(
        error, KILN_ERROR_FORMAT, "Entry %zu of the ledger '%s' names no lever.", ledger->entry_count + 1, name);
  }
  if (!read_state(state, &known)) {
    return kiln_error_set(error, KILN_ERROR_FORMAT,
        "The state '%s' of lever '%s' in the ledger '%s' is not applied, declined, refused or inconclusive.", state,
        lever, name);
  }
  entry = kiln_ledger_add(ledger, lever);
  if (!entry) {
    return KILN_OK; /* said at the end */
  }
  entry->state = known;
  read_words(ledger, entry, value);
  read_lists(ledger, entry, value);
  return read_change(ledger, entry, kiln_json_get(value, "change"), name, error);
}

static enum kiln_status
read_entries(struct kiln_ledger *ledger, const struct cJSON *list, const char *name, struct kiln_error *error)
{
  enum kiln_status status = KILN_OK;
  if (!kiln_json_is_array(list)) {
    return kiln_error_set(error, KILN_ERROR_FORMAT, "The ledger '%s' has no list of entries.", name);
  }
  if (kiln_json_count(list) > KILN_LEDGER_ENTRIES) {
    return kiln_error_set(error, KILN_ERROR_FORMAT, "The ledger '%s' has %zu entries; %d are the most.", name,
        kiln_json_count(list), KILN_LEDGER_ENTRIES);
  }
  for (const struct cJSON *at = kiln_json_first(list); at && status == KILN_OK; at = kiln_json_next(at)) {
    status = read_entry(ledger, at, name, error);
  }
  return status;
}

static void
read_command(struct kiln_ledger *ledger, const struct cJSON *list)
{
  const size_t count = kiln_json_count(list);
  ledger->command = kiln_arena_alloc(&ledger->arena, ((count < WORDS_MOST ? count : WORDS_MOST) + 1) * sizeof(char *));
  for (const struct cJSON *at = kiln_json_first(list); ledger->command && at && ledger->command_count < WORDS_MOST;
       at = kiln_json_next(at)) {
    ledger->command[ledger->command_count++] = kiln_arena_strdup(&ledger->arena, kiln_json_as_string(at, "?"));
  }
}

static void
read_ceiling(struct kiln_ledger *ledger, const struct cJSON *value)
{
  ledger->ceiling = (struct kiln_ledger_ceiling){.builds = count_of(value, "builds"),
      .sum_s = seconds_of(value, "sum_s"),
      .largest_s = seconds_of(value, "largest_s"),
      .header_s = seconds_of(value, "header_s"),
      .largest = text_of(ledger, value, "largest"),
      .speedup = seconds_of(value, "speedup"),
      .elapsed_s = seconds_of(value, "elapsed_s"),
      .cores = number_of(value, "cores")};
}

static void
read_head(struct kiln_ledger *ledger, const struct cJSON *tree)
{
  const struct cJSON *environment = kiln_json_get(tree, "environment"), *base = kiln_json_get(tree, "baseline");
  ledger->date = text_of(ledger, tree, "date");
  ledger->version = text_of(ledger, tree, "kiln");
  ledger->goal = text_of(ledger, tree, "goal");
  ledger->consent = kiln_json_get_bool(tree, "consent", false);
  ledger->compared = text_of(ledger, tree, "compared");
  ledger->cpu = text_of(ledger, environment, "cpu");
  ledger->kernel = text_of(ledger, environment, "kernel");
  ledger->python = text_of(ledger, environment, "python");
  ledger->framework = text_of(ledger, environment, "framework");
  ledger->cores = number_of(environment, "cores");
  ledger->cold_elapsed_s = seconds_of(base, "cold_elapsed_s");
  ledger->cold_cpu_s = seconds_of(base, "cold_cpu_s");
  ledger->warm_elapsed_s = seconds_of(base, "warm_elapsed_s");
  ledger->warm_cpu_s = seconds_of(base, "warm_cpu_s");
  ledger->builds = count_of(base, "builds");
  ledger->identities = count_of(base, "identities");
  ledger->source_bytes = count_of(base, "source_bytes");
  ledger->lto = count_of(base, "lto");
  read_command(ledger, kiln_json_get(tree, "command"));
  read_ceiling(ledger, kiln_json_get(tree, "ceiling"));
}

static void
read_tail(struct kiln_ledger *ledger, const struct cJSON *tree)
{
  const struct cJSON *remaining = kiln_json_get(tree, "remaining");
  ledger->remain_elapsed_s = kiln_json_get_double(remaining, "cold_elapsed_s", -1);
  ledger->remain_cpu_s = kiln_json_get_double(remaining, "cold_cpu_s", -1);
  ledger->remain = text_of(ledger, remaining, "sentence");
  for (const struct cJSON *at = kiln_json_first(kiln_json_get(tree, "notes")); at; at = kiln_json_next(at)) {
    kiln_ledger_note(ledger, kiln_json_as_string(at, ""));
  }
}

static enum kiln_status
read_tree(struct kiln_ledger *ledger, const struct cJSON *tree, const char *name, struct kiln_error *error)
{
  const char *schema = kiln_json_get_string(tree, "schema", NULL);
  enum kiln_status status;
  if (!kiln_text_equal(schema, KILN_LEDGER_SCHEMA)) {
    kiln_error_set(error, KILN_ERROR_FORMAT, "'%s' is no ledger: its schema is '%s', not '" KILN_LEDGER_SCHEMA "'.",
        name, schema ? schema : "missing");
    kiln_error_advise(error, "Write one with: kiln try -o ledger.json -- COMMAND");
    return KILN_ERROR_FORMAT;
  }
  read_head(ledger, tree);
  status = read_entries(ledger, kiln_json_get(tree, "entries"), name, error);
  if (status == KILN_OK) {
    read_tail(ledger, tree);
  }
  if (status == KILN_OK && ledger->arena.failed) {
    status = kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short for the ledger '%s'.", name);
  }
  return status;
}

enum kiln_status
kiln_ledger_parse(const char *data, size_t len, const char *name, struct kiln_ledger **ledger, struct kiln_error *error)
{
  struct cJSON *tree = NULL;
  struct kiln_ledger *read;
  enum kiln_status status = kiln_json_parse(data, len, name, &tree, error);
  *ledger = NULL;
  if (status != KILN_OK) {
    return status;
  }
  read = kiln_ledger_new();
  status = read ? read_tree(read, tree, name, error) : kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short.");
  kiln_json_free(tree);
  if (status == KILN_OK) {
    *ledger = read;
  } else {
    kiln_ledger_free(read);
  }
  return status;
}

enum kiln_status
kiln_ledger_read(const char *path, struct kiln_ledger **ledger, struct kiln_error *error)
{
  struct kiln_buf text;
  enum kiln_status status;
  *ledger = NULL;
  kiln_buf_init(&text);
  status = kiln_file_read(path, KILN_LEDGER_BYTES, &text, error);
  if (status == KILN_OK) {
    status = kiln_ledger_parse(kiln_buf_text(&text), text.len, path, ledger, error);
  }
  kiln_buf_release(&text);
  return status;
}
