/* All about one entry: found by a key or its first digits, told from its manifest. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_write.h"
#include "base/text.h"
#include "jit/cache_item.h"
#include "jit/cache_spec.h"
#include "os/clock.h"

#define LEAST_DIGITS 6

/* ---- finding ---- */

struct search {
  const char *digits;
  size_t len;
  char *path; /* of the first that fits; malloc'd */
  char key[KILN_DIGEST_HEX];
  char other[KILN_DIGEST_HEX]; /* another key that fits as well; "" */
  bool in_layer, failed;
};

static bool
consider(void *context, const char *path, bool in_layer)
{
  struct search *search = context;
  const char *name = kiln_text_base_name(path);
  struct kiln_digest key;
  size_t len = strlen(path) + 1;
  if (strncmp(name, search->digits, search->len) != 0 || !kiln_digest_parse(name, &key))
    return true;
  if (search->path) { /* the same key in a layer is the same entry */
    if (kiln_text_equal(name, search->key))
      return true;
    memcpy(search->other, name, sizeof search->other);
    return false;
  }
  search->path = malloc(len);
  search->failed = !search->path;
  if (search->failed)
    return false;
  memcpy(search->path, path, len);
  memcpy(search->key, name, sizeof search->key);
  search->in_layer = in_layer;
  return search->len < KILN_DIGEST_HEX - 1;
}

static enum kiln_status
find(struct kiln *kiln, const char *digits, struct search *search, struct kiln_error *error)
{
  enum kiln_status status;
  search->digits = digits;
  search->len = strlen(digits);
  if (search->len < LEAST_DIGITS || search->len >= KILN_DIGEST_HEX ||
      strspn(digits, "0123456789abcdef") != search->len) {
    status = kiln_error_set(
        error, KILN_ERROR_ARGUMENT, "'%.80s' is no key: a key is 64 hex digits, or at least the first 6.", digits);
    kiln_error_advise(error, "'kiln cache ls' lists the keys.");
    return status;
  }
  status = kiln_cache_walk(kiln, consider, search, error);
  if (status != KILN_OK)
    return status;
  if (search->failed)
    return kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short for the entry '%s'.", digits);
  if (*search->other) {
    status = kiln_error_set(error, KILN_ERROR_ARGUMENT, "'%s' fits more than one entry: %.16s and %.16s.", digits,
        search->key, search->other);
    kiln_error_advise(error, "Give more digits.");
    return status;
  }
  if (!search->path) {
    status = kiln_error_set(error, KILN_ERROR_NOT_FOUND, "No entry has the key '%s'.", digits);
    kiln_error_advise(error, "'kiln cache ls' lists the keys.");
  }
  return status;
}

/* ---- telling ---- */

struct telling {
  const struct search *search;
  const struct kiln_cache_item *item;
  struct kiln_buf reproduce; /* the command */
};

static const char *
member(const struct telling *telling, const char *name)
{
  return kiln_json_get_string(telling->item->manifest, name, "");
}

static void
date(struct kiln_buf *out, uint64_t seconds)
{
  char text[21];
  kiln_clock_format(seconds * 1000000000u, text);
  kiln_buf_text_append(out, text);
}

static void
text_list(struct kiln_buf *out, const char *label, const struct cJSON *list)
{
  const struct cJSON *item;
  kiln_buf_printf(out, "  %-14s", label);
  for (item = kiln_json_first(list); item; item = kiln_json_next(item))
    kiln_buf_printf(out, "%s%s", item == kiln_json_first(list) ? "" : " ", kiln_json_as_string(item, "?"));
  kiln_buf_text_append(out, kiln_json_count(list) ? "\n" : "-\n");
}

static void
text_head(struct kiln_buf *out, const struct telling *telling)
{
  const struct cJSON *manifest = telling->item->manifest, *spec = kiln_json_get(manifest, "spec");
  static const char *const lists[] = {"flags", "defines", "includes", "archs", "supports", "links", "entry_points"};
  size_t i;
  kiln_buf_printf(out, "%s %s\n", member(telling, "name"), telling->item->key);
  kiln_buf_printf(out, "  %-14s%s\n", "file", telling->search->path);
  kiln_buf_printf(out, "  %-14s", "size");
  kiln_text_bytes(out, (double)telling->item->info.size);
  kiln_buf_printf(out, ", %s\n", telling->search->in_layer ? "in a read-only layer" : "in the store");
  kiln_buf_printf(out, "  %-14s", "built");
  date(out, (uint64_t)kiln_json_get_int(manifest, "built", 0));
  kiln_buf_text_append(out, " in ");
  kiln_text_duration(out, kiln_json_get_double(manifest, "build_ms", 0) / 1000);
  kiln_buf_printf(out, " by kiln %s\n  %-14s", member(telling, "kiln"), "used");
  date(out, telling->item->info.mtime_ns / 1000000000u);
  kiln_buf_printf(out, "\n  %-14s%s\n", "toolchain", member(telling, "toolchain"));
  for (i = 0; i < sizeof lists / sizeof *lists; i++)
    text_list(out, strcmp(lists[i], "entry_points") == 0 ? "entry points" : lists[i], kiln_json_get(spec, lists[i]));
}

/* Each line of a text, indented; control characters of a compiler or a planted file must not reach the terminal. */
static void
text_block(struct kiln_buf *out, const char *text)
{
  bool begin = true;
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    if (begin)
      kiln_buf_text_append(out, "  ");
    begin = c == '\n';
    kiln_buf_append(out, (c < 32 && c != '\n' && c != '\t') || c == 127 ? "?" : text, 1);
  }
  if (!begin)
    kiln_buf_text_append(out, "\n");
}

static void
text_sources(struct kiln_buf *out, const struct cJSON *sources)
{
  const struct cJSON *source;
  for (source = kiln_json_first(sources); source; source = kiln_json_next(source)) {
    const char *text = kiln_json_get_string(source, "text", NULL);
    kiln_buf_printf(out, "\nSource %s (", kiln_json_get_string(source, "name", "?"));
    kiln_text_bytes(out, (double)kiln_json_get_int(source, "size", 0));
    kiln_buf_printf(out, ", blake2b:%.16s…)\n", kiln_json_get_string(source, "content", ""));
    text_block(out, text ? text : "(too large to keep)");
  }
}

static void
text_fields(struct kiln_buf *out, const struct cJSON *manifest)
{
  const struct cJSON *fields = kiln_json_get(manifest, "fields"), *field;
  size_t kept = kiln_json_count(fields), all = (size_t)kiln_json_get_int(manifest, "field_count", 0);
  kiln_buf_text_append(out, "\nKey\n");
  for (field = kiln_json_first(fields); field; field = kiln_json_next(field))
    kiln_buf_printf(
        out, "  %s = %s\n", kiln_json_get_string(field, "tag", "?"), kiln_json_get_string(field, "value", "?"));
  if (all > kept)
    kiln_buf_printf(out, "  … and %zu more\n", all - kept);
}

static void
write_text(struct kiln_buf *out, const struct telling *telling)
{
  const struct cJSON *manifest = telling->item->manifest;
  text_head(out, telling);
  kiln_buf_text_append(out, "\nToolchain\n");
  text_block(out, member(telling, "toolchain_identity"));
  text_fields(out, manifest);
  kiln_buf_text_append(out, "\nCommand\n");
  text_block(out, member(telling, "command"));
  text_sources(out, kiln_json_get(manifest, "sources"));
  kiln_buf_text_append(out, "\nLog\n");
  text_block(out, *member(telling, "log") ? member(telling, "log") : "(the compiler said nothing)");
  kiln_buf_printf(out, "\nBuild it again\n  %s\n", kiln_buf_text(&telling->reproduce));
}

static void
json_texts(struct kiln_json *json, const struct telling *telling)
{
  static const char *const names[] = {"name", "toolchain", "toolchain_identity", "kiln", "command", "log"};
  size_t i;
  for (i = 0; i < sizeof names / sizeof *names; i++) {
    kiln_json_key(json, names[i]);
    kiln_json_string(json, kiln_json_get_string(telling->item->manifest, names[i], NULL));
  }
}

/* A list of objects that hold texts, and perhaps a size. */
static void
json_records(struct kiln_json *json, const struct cJSON *manifest, const char *name, const char *const *members)
{
  const struct cJSON *record, *list = kiln_json_get(manifest, name);
  size_t i;
  kiln_json_key(json, name);
  kiln_json_array(json);
  for (record = kiln_json_first(list); record; record = kiln_json_next(record)) {
    kiln_json_object(json);
    for (i = 0; members[i]; i++) {
      kiln_json_key(json, members[i]);
      if (kiln_text_equal(members[i], "size"))
        kiln_json_int(json, kiln_json_get_int(record, "size", 0));
      else
        kiln_json_string(json, kiln_json_get_string(record, members[i], NULL));
    }
    kiln_json_object_end(json);
  }
  kiln_json_array_end(json);
}

static void
json_numbers(struct kiln_json *json, const struct telling *telling)
{
  const struct cJSON *manifest = telling->item->manifest;
  kiln_json_key(json, "built");
  kiln_json_int(json, kiln_json_get_int(manifest, "built", 0));
  kiln_json_key(json, "build_ms");
  kiln_json_double(json, kiln_json_get_double(manifest, "build_ms", 0));
  kiln_json_key(json, "used");
  kiln_json_uint(json, telling->item->info.mtime_ns / 1000000000u);
  kiln_json_key(json, "size");
  kiln_json_uint(json, telling->item->info.size);
  kiln_json_key(json, "payload_size");
  kiln_json_uint(json, telling->item->entry.payload_len);
  kiln_json_key(json, "writable");
  kiln_json_bool(json, !telling->search->in_layer);
  kiln_json_key(json, "field_count");
  kiln_json_int(json, kiln_json_get_int(manifest, "field_count", 0));
}

static void
write_json(struct kiln_buf *out, const struct telling *telling)
{
  static const char *const fields[] = {"tag", "value", NULL}, *const dependencies[] = {"path", "content", NULL},
                           *const sources[] = {"name", "content", "size", "text", NULL};
  const struct cJSON *manifest = telling->item->manifest, *point;
  struct kiln_json json;
  kiln_json_init(&json, out, true);
  kiln_json_object(&json);
  kiln_json_key(&json, "key");
  kiln_json_string(&json, telling->item->key);
  kiln_json_key(&json, "path");
  kiln_json_string(&json, telling->search->path);
  json_texts(&json, telling);
  json_numbers(&json, telling);
  kiln_json_key(&json, "entry_points");
  kiln_json_array(&json);
  for (point = kiln_json_first(kiln_json_get(manifest, "entry_points")); point; point = kiln_json_next(point))
    kiln_json_string(&json, kiln_json_as_string(point, NULL));
  kiln_json_array_end(&json);
  json_records(&json, manifest, "fields", fields);
  json_records(&json, manifest, "dependencies", dependencies);
  kiln_json_key(&json, "spec");
  kiln_cache_spec_write(manifest, &json);
  json_records(&json, manifest, "sources", sources);
  kiln_json_key(&json, "reproduce");
  kiln_json_string(&json, kiln_buf_text(&telling->reproduce));
  kiln_json_object_end(&json);
  kiln_buf_text_append(out, "\n");
}

/* The command names this store, since another terminal may have another default. */
static void
reproduce(struct kiln *kiln, const char *key, struct kiln_buf *command)
{
  const char *folder = kiln->options.cache_folder;
  struct kiln_buf store;
  kiln_buf_init(&store);
  if (folder) {
    kiln_buf_text_append(&store, " --cache ");
    kiln_text_shell_word(&store, folder);
  }
  kiln_buf_printf(command, "kiln cache show%s --spec %.16s | KILN_CACHE=off kiln cache build%s -",
      kiln_buf_text(&store), key, kiln_buf_text(&store));
  kiln_buf_release(&store);
}

static enum kiln_status
tell(struct kiln *kiln, const struct search *search, bool json, char **text, struct kiln_error *error)
{
  struct kiln_cache_item item;
  struct telling telling = {search, &item, {0}};
  char reason[KILN_CACHE_REASON_SIZE];
  struct kiln_buf out;
  enum kiln_status status;
  switch (kiln_cache_item_read(search->path, false, &item, reason, error)) {
  case KILN_CACHE_ITEM_READ:
    break;
  case KILN_CACHE_ITEM_FAILED:
    return error ? error->status : KILN_ERROR_IO;
  case KILN_CACHE_ITEM_GONE:
    return kiln_error_set(error, KILN_ERROR_NOT_FOUND, "The entry '%s' was removed meanwhile.", search->path);
  default:
    status = kiln_error_set(error, KILN_ERROR_FORMAT, "The entry '%s' cannot be used: %s.", search->path, reason);
    kiln_error_advise(error, "'kiln cache verify' puts damaged entries aside.");
    return status;
  }
  kiln_buf_init(&out);
  kiln_buf_init(&telling.reproduce);
  reproduce(kiln, item.key, &telling.reproduce);
  (json ? write_json : write_text)(&out, &telling);
  kiln_buf_release(&telling.reproduce);
  kiln_cache_item_release(&item);
  return kiln_cache_text_take(&out, text, error);
}

enum kiln_status
kiln_cache_show(struct kiln *kiln, const char *key, bool json, char **text, struct kiln_error *error)
{
  struct search search = {0};
  enum kiln_status status = find(kiln, key, &search, error);
  if (status == KILN_OK)
    status = tell(kiln, &search, json, text, error);
  free(search.path);
  return status;
}
