#include "probe/report/pseudonyms.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define FIRST_SLOTS 64
#define LONGEST_EXTENSION 4

void
kiln_pseudonyms_init(struct kiln_pseudonyms *names, struct kiln_arena *arena)
{
  *names = (struct kiln_pseudonyms){.arena = arena};
}

void
kiln_pseudonyms_release(struct kiln_pseudonyms *names)
{
  free(names->rows);
  free(names->slots);
}

/* FNV-1a. */
static uint64_t
hash_of(const char *name, size_t len)
{
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < len; i++)
    hash = (hash ^ (unsigned char)name[i]) * 1099511628211u;
  return hash;
}

/* The slot of this name, or the free one where it belongs. There is always a free one. */
static size_t *
slot_of(const struct kiln_pseudonyms *names, const char *name, size_t len)
{
  size_t at = (size_t)hash_of(name, len) & (names->slot_count - 1);
  while (names->slots[at]) {
    const struct kiln_pseudonym *row = &names->rows[names->slots[at] - 1];
    if (row->len == len && memcmp(row->name, name, len) == 0)
      break;
    at = (at + 1) & (names->slot_count - 1);
  }
  return &names->slots[at];
}

static const struct kiln_pseudonym *
find(const struct kiln_pseudonyms *names, const char *name, size_t len)
{
  const size_t row = names->slot_count ? *slot_of(names, name, len) : 0;
  return row ? &names->rows[row - 1] : NULL;
}

static bool
make_room(struct kiln_pseudonyms *names)
{
  if (names->slot_count && 2 * (names->count + 1) <= names->slot_count)
    return true;
  const size_t wanted = names->slot_count ? 2 * names->slot_count : FIRST_SLOTS;
  size_t *slots = calloc(wanted, sizeof *slots);
  if (!slots)
    return false;
  free(names->slots);
  names->slots = slots;
  names->slot_count = wanted;
  for (size_t i = 0; i < names->count; i++)
    *slot_of(names, names->rows[i].name, names->rows[i].len) = i + 1;
  return true;
}

static void
add(struct kiln_pseudonyms *names, const char *name, const char *stands_for_it)
{
  if (!stands_for_it || !make_room(names) || !KILN_GROW(names->rows, names->count, names->capacity)) {
    names->failed = true;
    return;
  }
  const char *copy = kiln_arena_strdup(names->arena, name);
  if (!copy) {
    names->failed = true;
    return;
  }
  names->rows[names->count++] = (struct kiln_pseudonym){copy, stands_for_it, strlen(copy)};
  *slot_of(names, copy, strlen(copy)) = names->count;
}

/* ".py" of "app.py": what kind of file it was may be known. */
static const char *
extension_of(const char *name)
{
  const char *dot = strrchr(kiln_text_base_name(name), '.');
  if (!dot || strlen(dot) > LONGEST_EXTENSION)
    return "";
  for (const char *at = dot + 1; *at; at++)
    if (!isalpha((unsigned char)*at))
      return "";
  return dot;
}

static const char *
make(struct kiln_pseudonyms *names, enum kiln_name_kind kind, const char *name)
{
  static const char *const words[KILN_NAME_KIND_COUNT] = {
      [KILN_NAME_MODULE] = "module",
      [KILN_NAME_KERNEL] = "kernel",
      [KILN_NAME_OVERLOAD] = "overload",
      [KILN_NAME_SYMBOL] = "symbol",
      [KILN_NAME_FILE] = "file",
      [KILN_NAME_PATH] = "path",
      [KILN_NAME_WORD] = "word",
      [KILN_NAME_ARM] = "arm",
      [KILN_NAME_IMPORT] = "import",
      [KILN_NAME_USER] = "user",
  };
  const unsigned number = ++names->next[kind];
  struct kiln_buf text;
  kiln_buf_init(&text);
  if (kind == KILN_NAME_HASH)
    kiln_buf_printf(&text, "h%06u", number);
  else
    kiln_buf_printf(&text, "%s-%u%s", words[kind], number, kind == KILN_NAME_FILE ? extension_of(name) : "");
  const char *made = text.failed ? NULL : kiln_arena_strdup(names->arena, kiln_buf_text(&text));
  kiln_buf_release(&text);
  return made;
}

const char *
kiln_pseudonym_of(struct kiln_pseudonyms *names, enum kiln_name_kind kind, const char *name)
{
  if (!name || !*name)
    return name;
  const struct kiln_pseudonym *known = find(names, name, strlen(name));
  if (known)
    return known->stands_for_it;
  const char *made = make(names, kind, name);
  add(names, name, made);
  return made;
}

void
kiln_pseudonym_alias(struct kiln_pseudonyms *names, const char *alias, const char *stands_for_it)
{
  if (alias && *alias && !find(names, alias, strlen(alias)))
    add(names, alias, stands_for_it);
}

static bool
is_word(char c)
{
  return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static bool
is_quote(char c)
{
  return c == '`' || c == '\'' || c == '"';
}

/* May it be replaced where no quotes say that it is a name? A count must stay a count, and a sentence readable. */
static bool
is_telling(const struct kiln_pseudonym *row)
{
  static const char *const own_words[] = {"module", "modules", "kernel", "kernels", "identity", "process", "option",
      "overload", "build", "builds", "built", "load", "loads", "loaded", "cold", "warm", "sample", "command", "cache",
      "header", "launch", "launches", "compiled", "declared", "changed", "first", "after", "before", "with", "that"};
  bool letters = false, others = false;
  for (size_t i = 0; i < row->len; i++) {
    letters = letters || isalpha((unsigned char)row->name[i]);
    others = others || !isalpha((unsigned char)row->name[i]);
  }
  for (size_t i = 0; i < sizeof own_words / sizeof *own_words; i++)
    if (strcmp(row->name, own_words[i]) == 0)
      return false;
  return letters && (others || row->len >= 4);
}

/* The longest known name at this place that is not the middle of a word. */
static const struct kiln_pseudonym *
longest_at(const struct kiln_pseudonyms *names, const char *at, bool quoted)
{
  const struct kiln_pseudonym *best = NULL;
  for (size_t i = 0; i < names->count; i++) {
    const struct kiln_pseudonym *row = &names->rows[i];
    if ((best && row->len <= best->len) || *row->name != *at || strncmp(row->name, at, row->len) != 0)
      continue;
    if (is_word(row->name[row->len - 1]) && is_word(at[row->len]))
      continue;
    if (quoted || is_telling(row))
      best = row;
  }
  return best;
}

/* Length of the absolute path here. Within quotes a path goes up to the closing one: it may hold spaces. */
static size_t
path_length(const char *at, char before)
{
  if (is_quote(before)) {
    const char *end = strchr(at, before);
    if (end)
      return (size_t)(end - at);
  }
  size_t len = strcspn(at, " \t\n'\"`,;()[]<>|");
  while (len > 1 && strchr(".:", at[len - 1])) /* the end of the sentence */
    len--;
  return len;
}

/* A path that no table knows, with the line number behind it kept. */
static size_t
replace_path(struct kiln_pseudonyms *names, const char *at, char before, struct kiln_buf *out)
{
  const size_t len = path_length(at, before);
  const char *colon = memchr(at, ':', len);
  const size_t bare = colon && isdigit((unsigned char)colon[1]) ? (size_t)(colon - at) : len;
  char *path = kiln_arena_copy(names->arena, at, bare);
  const char *made = kiln_pseudonym_of(names, KILN_NAME_PATH, path);
  if (made)
    kiln_buf_text_append(out, made);
  return bare;
}

void
kiln_pseudonyms_replace(struct kiln_pseudonyms *names, const char *sentence, struct kiln_buf *out)
{
  char before = ' ';
  for (const char *at = sentence; *at;) {
    const bool begins = !is_word(before);
    const struct kiln_pseudonym *known = begins || !is_word(*at) ? longest_at(names, at, is_quote(before)) : NULL;
    const bool path = *at == '/' && begins && at[1] && at[1] != ' ';
    size_t taken = 1;
    if (known && (!path || known->len >= path_length(at, before) || at[known->len] == ':')) {
      kiln_buf_text_append(out, known->stands_for_it);
      taken = known->len;
    } else if (path) {
      taken = replace_path(names, at, before, out);
    } else {
      kiln_buf_append(out, at, 1);
    }
    before = at[taken - 1];
    at += taken;
  }
}
