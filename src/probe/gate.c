/* The rules of a gate: the list, flags and files. */
#include "probe/gate.h"

#include <stdlib.h>
#include <string.h>

#include "base/command.h"
#include "base/text.h"
#include "os/file.h"
#include "probe/report/page.h"

#define MOST_BYTES 65536 /* of a rules file */
#define MOST_RULES 256
#define MOST_SECONDS 1e7

#define NAME_OF(kind, name, argument, help) name,
#define ARGUMENT_OF(kind, name, argument, help) argument,
static const char *const names[] = {KILN_GATE_RULES(NAME_OF)};
static const char *const arguments_of[] = {KILN_GATE_RULES(ARGUMENT_OF)};
#undef NAME_OF
#undef ARGUMENT_OF

const char *
kiln_gate_kind_name(enum kiln_gate_kind kind)
{
  return (unsigned)kind < KILN_GATE_KIND_COUNT ? names[kind] : "unknown";
}

const char *
kiln_gate_state_name(enum kiln_gate_state state)
{
  static const char *const state_names[] = {"kept", "broken", "open"};
  return (unsigned)state < sizeof state_names / sizeof *state_names ? state_names[state] : "unknown";
}

void
kiln_gate_init(struct kiln_gate *gate)
{
  *gate = (struct kiln_gate){0};
  kiln_arena_init(&gate->arena);
}

void
kiln_gate_release(struct kiln_gate *gate)
{
  for (size_t i = 0; i < gate->count; i++)
    kiln_loaded_file_free(gate->rules[i].stored);
  free(gate->rules);
  kiln_arena_release(&gate->arena);
  *gate = (struct kiln_gate){0};
}

size_t
kiln_gate_count(const struct kiln_gate *gate, enum kiln_gate_state state)
{
  size_t count = 0;
  for (size_t i = 0; i < gate->count; i++)
    count += gate->rules[i].state == state;
  return count;
}

/* A rule that is being added. */
struct adding {
  struct kiln_gate *gate;
  struct kiln_gate_rule rule;
  char *const *arguments;
  size_t count;
};

static enum kiln_status
no_memory(struct kiln_error *error)
{
  return kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short.");
}

/* "The rules file 'ci.gate', line 3: <sentence>", or "--<sentence>" of a flag. */
static enum kiln_status refuse(
    const struct kiln_gate *gate, int line, struct kiln_error *error, const char *format, ...) KILN_PRINTF(4, 5);

static enum kiln_status
refuse(const struct kiln_gate *gate, int line, struct kiln_error *error, const char *format, ...)
{
  struct kiln_buf text, clean;
  va_list args;
  kiln_buf_init(&text);
  kiln_buf_init(&clean);
  if (line)
    kiln_buf_printf(&text, "The rules file '%s', line %d: ", gate->file, line);
  else
    kiln_buf_text_append(&text, "--");
  va_start(args, format);
  kiln_buf_vprintf(&text, format, args);
  va_end(args);
  kiln_page_clean(&clean, kiln_buf_text(&text));
  kiln_error_set(error, KILN_ERROR_ARGUMENT, "%s", kiln_buf_text(&clean));
  kiln_buf_release(&text);
  kiln_buf_release(&clean);
  return KILN_ERROR_ARGUMENT;
}

static bool
is_number(enum kiln_gate_kind kind)
{
  return kind == KILN_GATE_MAX_BUILDS || kind == KILN_GATE_NO_BUILD_AFTER_LAUNCH;
}

static bool
is_limit(enum kiln_gate_kind kind)
{
  return kind >= KILN_GATE_MAX_COLD_ELAPSED && kind <= KILN_GATE_MAX_WARM_CPU;
}

static enum kiln_status
take_value(struct adding *adding, int line, struct kiln_error *error)
{
  struct kiln_gate_rule *rule = &adding->rule;
  const char *name = names[rule->kind], *value = adding->arguments[0];
  rule->argument = kiln_arena_strdup(&adding->gate->arena, value);
  if (is_number(rule->kind)) {
    const bool launch = rule->kind == KILN_GATE_NO_BUILD_AFTER_LAUNCH;
    if (!kiln_text_parse_uint(value, &rule->number) || (launch && rule->number == 0))
      return refuse(
          adding->gate, line, error, "%s is a whole number%s, not '%s'.", name, launch ? " above 0" : "", value);
  } else if (is_limit(rule->kind)) {
    if (!kiln_text_parse_seconds(value, &rule->seconds) || !(rule->seconds > 0) || rule->seconds > MOST_SECONDS)
      return refuse(adding->gate, line, error, "%s is a number of seconds above 0, as 12.5, not '%s'.", name, value);
  } else if (value[0] == '\0') {
    return refuse(adding->gate, line, error, "%s needs a name, not ''.", name);
  }
  return KILN_OK;
}

/* The counts behind the path; all four when none is named. */
static enum kiln_status
take_counts(struct adding *adding, int line, struct kiln_error *error)
{
  static const enum kiln_count allowed[] = {
      KILN_COUNT_BUILDS, KILN_COUNT_IDENTITIES, KILN_COUNT_LTO, KILN_COUNT_SOURCE_BYTES};
  const size_t allowed_count = sizeof allowed / sizeof *allowed;
  for (size_t i = 0; adding->count == 1 && i < allowed_count; i++)
    adding->rule.counts |= 1u << allowed[i];
  for (size_t i = 1; i < adding->count; i++) {
    size_t at = 0;
    while (at < allowed_count && !kiln_text_equal(kiln_count_name(allowed[at]), adding->arguments[i]))
      at++;
    if (at == allowed_count)
      return refuse(adding->gate, line, error,
          "not-above knows the counts builds, identities, lto and source_bytes, not '%s'.", adding->arguments[i]);
    adding->rule.counts |= 1u << allowed[at];
  }
  return KILN_OK;
}

/* A path in a rules file is taken from the file's folder. */
static enum kiln_status
read_stored(struct adding *adding, int line, struct kiln_error *error)
{
  struct kiln_gate_rule *rule = &adding->rule;
  const char *file = line ? adding->gate->file : NULL, *base = file ? kiln_text_base_name(file) : NULL;
  struct kiln_buf path;
  kiln_buf_init(&path);
  if (file && rule->argument[0] != '/')
    kiln_buf_append(&path, file, (size_t)(base - file));
  kiln_buf_text_append(&path, rule->argument);
  enum kiln_status status = kiln_loaded_file_read(kiln_buf_text(&path), &rule->stored, error);
  kiln_buf_release(&path);
  return status;
}

static enum kiln_status
check_arguments(const struct adding *adding, int line, struct kiln_error *error)
{
  const enum kiln_gate_kind kind = adding->rule.kind;
  const char *argument = arguments_of[kind];
  const size_t most = kind == KILN_GATE_NOT_ABOVE ? adding->count : argument ? 1 : 0;
  if (argument && adding->count == 0)
    return refuse(adding->gate, line, error, "%s needs a value: %s.", names[kind], argument);
  if (adding->count > most)
    return refuse(adding->gate, line, error, "%s takes %s, but '%s' follows.", names[kind],
        argument ? "one value" : "no value", adding->arguments[most]);
  for (size_t i = 0; i < adding->gate->count; i++) {
    const struct kiln_gate_rule *other = &adding->gate->rules[i];
    if (other->kind == kind && kind != KILN_GATE_NOT_ABOVE && kind != KILN_GATE_NO_BUILD_AFTER_MARK)
      return other->line
                 ? refuse(adding->gate, line, error, "%s was asked for already, in line %d.", names[kind], other->line)
                 : refuse(adding->gate, line, error, "%s was asked for already.", names[kind]);
  }
  if (adding->gate->count == MOST_RULES)
    return refuse(adding->gate, line, error, "%s is one rule too many: there are at most %d.", names[kind], MOST_RULES);
  return KILN_OK;
}

static const char *
text_of(struct adding *adding)
{
  struct kiln_buf text;
  kiln_buf_init(&text);
  kiln_buf_text_append(&text, names[adding->rule.kind]);
  for (size_t i = 0; i < adding->count; i++) {
    kiln_buf_text_append(&text, " ");
    kiln_page_clean(&text, adding->arguments[i]);
  }
  const char *kept = text.failed ? NULL : kiln_arena_strdup(&adding->gate->arena, kiln_buf_text(&text));
  kiln_buf_release(&text);
  return kept;
}

enum kiln_status
kiln_gate_add(struct kiln_gate *gate, enum kiln_gate_kind kind, char *const *arguments, size_t count, int line,
    struct kiln_error *error)
{
  struct adding adding = {gate, {.kind = kind, .line = line, .state = KILN_GATE_OPEN}, arguments, count};
  enum kiln_status status = check_arguments(&adding, line, error);
  if (status == KILN_OK && count > 0)
    status = take_value(&adding, line, error);
  if (status == KILN_OK && kind == KILN_GATE_NOT_ABOVE) {
    status = take_counts(&adding, line, error);
    if (status == KILN_OK && !gate->arena.failed)
      status = read_stored(&adding, line, error);
  }
  if (status != KILN_OK)
    return status;
  adding.rule.text = text_of(&adding);
  if (gate->arena.failed || !adding.rule.text || !KILN_GROW(gate->rules, gate->count, gate->capacity)) {
    kiln_loaded_file_free(adding.rule.stored);
    return no_memory(error);
  }
  gate->rules[gate->count++] = adding.rule;
  return KILN_OK;
}

/* ---- rules files ---- */

static enum kiln_status
add_words(struct kiln_gate *gate, char **words, size_t count, int line, struct kiln_error *error)
{
  for (int kind = 0; kind < KILN_GATE_KIND_COUNT; kind++)
    if (kiln_text_equal(names[kind], words[0]))
      return kiln_gate_add(gate, (enum kiln_gate_kind)kind, words + 1, count - 1, line, error);
  refuse(gate, line, error, "there is no rule '%s'.", words[0]);
  kiln_error_advise(error, "'kiln gate --help' lists the rules; they stand there as --RULE.");
  return KILN_ERROR_ARGUMENT;
}

/* Where a comment begins: at a "#" in front of which a word cannot have begun. */
static size_t
comment_at(const char *text)
{
  char quote = '\0';
  size_t i;
  for (i = 0; text[i]; i++) {
    if (quote)
      quote = text[i] == quote ? '\0' : quote;
    else if (text[i] == '\'' || text[i] == '"')
      quote = text[i];
    else if (text[i] == '#' && (i == 0 || text[i - 1] == ' ' || text[i - 1] == '\t'))
      break;
  }
  return i;
}

static enum kiln_status
parse_line(struct kiln_gate *gate, char *text, int line, struct kiln_error *error)
{
  struct kiln_error refused = {0};
  char **words = NULL;
  size_t count = 0;
  text[comment_at(text)] = '\0';
  enum kiln_status status = kiln_command_split(text, &words, &count, &refused);
  if (status == KILN_ERROR_MEMORY)
    return no_memory(error);
  if (status != KILN_OK) {
    refuse(gate, line, error, "%s", refused.what);
    kiln_error_advise(error, "%s", refused.remedy);
    return status;
  }
  if (count > 0)
    status = add_words(gate, words, count, line, error);
  free(words);
  return status;
}

enum kiln_status
kiln_gate_parse(struct kiln_gate *gate, const char *data, size_t len, const char *path, struct kiln_error *error)
{
  enum kiln_status status = KILN_OK;
  int line = 0;
  gate->file = kiln_arena_strdup(&gate->arena, path);
  if (!gate->file)
    return no_memory(error);
  for (size_t at = 0; at < len && status == KILN_OK;) {
    const char *end = memchr(data + at, '\n', len - at);
    const size_t size = end ? (size_t)(end - data) - at : len - at;
    line++;
    if (memchr(data + at, '\0', size))
      return refuse(gate, line, error, "it holds a zero byte, so this is no text.");
    char *text = kiln_arena_copy(&gate->arena, data + at, size > 0 && data[at + size - 1] == '\r' ? size - 1 : size);
    status = text ? parse_line(gate, text, line, error) : no_memory(error);
    at += size + 1;
  }
  if (status == KILN_OK && gate->count == 0) {
    kiln_error_set(error, KILN_ERROR_FORMAT, "The rules file '%s' holds no rule.", path);
    kiln_error_advise(error, "Write one a line, as: no-build-when-warm");
    status = KILN_ERROR_FORMAT;
  }
  return status;
}

enum kiln_status
kiln_gate_read(struct kiln_gate *gate, const char *path, struct kiln_error *error)
{
  struct kiln_buf text;
  kiln_buf_init(&text);
  enum kiln_status status = kiln_file_read(path, MOST_BYTES, &text, error);
  if (status == KILN_OK)
    status = kiln_gate_parse(gate, kiln_buf_text(&text), text.len, path, error);
  kiln_buf_release(&text);
  return status;
}
