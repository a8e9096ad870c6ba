#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/json_write.h"
#include "base/text.h"
#include "cache.h"
#include "cmd_cache.h"
#include "os/clock.h"

static const struct kiln_cli_option options[] = {KILN_CLI_CACHE_OPTIONS};

/* Entries seen so far; texts are in the arena. */
struct listing {
  struct kiln_arena arena;
  struct kiln_cache_entry *entries;
  size_t count, capacity;
  bool failed;
};

static bool
collect(void *context, const struct kiln_cache_entry *entry)
{
  struct listing *listing = context;
  struct kiln_cache_entry *copy;
  if (!KILN_GROW(listing->entries, listing->count, listing->capacity)) {
    listing->failed = true;
    return false;
  }
  copy = &listing->entries[listing->count++];
  *copy = *entry;
  copy->key = kiln_arena_strdup(&listing->arena, entry->key);
  copy->name = kiln_arena_strdup(&listing->arena, entry->name);
  copy->toolchain = kiln_arena_strdup(&listing->arena, entry->toolchain);
  copy->path = kiln_arena_strdup(&listing->arena, entry->path);
  listing->failed = listing->arena.failed;
  return !listing->failed;
}

/* The last used first; equal times by key, so that a listing does not change by itself. */
static int
by_use(const void *a, const void *b)
{
  const struct kiln_cache_entry *x = a, *y = b;
  if (x->used_s != y->used_s) {
    return x->used_s < y->used_s ? 1 : -1;
  }
  return strcmp(x->key, y->key);
}

static void
date(struct kiln_buf *out, uint64_t seconds)
{
  char text[21];
  kiln_clock_format(seconds * 1000000000u, text);
  kiln_buf_printf(out, "%.10s %.5s", text, text + 11);
}

static void
write_text(const struct listing *listing, struct kiln_buf *out)
{
  struct kiln_buf size;
  size_t i;
  kiln_buf_init(&size);
  if (listing->count > 0) {
    kiln_buf_printf(
        out, "%-12s  %9s  %-16s  %-16s  %-9s  %s\n", "KEY", "SIZE", "BUILT (UTC)", "USED (UTC)", "TOOLCHAIN", "NAME");
  }
  for (i = 0; i < listing->count; i++) {
    const struct kiln_cache_entry *entry = &listing->entries[i];
    kiln_buf_clear(&size);
    kiln_text_bytes(&size, (double)entry->size);
    kiln_buf_printf(out, "%.12s  %9s  ", entry->key, kiln_buf_text(&size));
    date(out, entry->built_s);
    kiln_buf_text_append(out, "  ");
    date(out, entry->used_s);
    kiln_buf_printf(out, "  %-9s  %s%s\n", entry->toolchain, entry->name, entry->writable ? "" : " (layer)");
  }
  kiln_buf_release(&size);
}

static void
write_entry(struct kiln_json *json, const struct kiln_cache_entry *entry)
{
  kiln_json_object(json);
  kiln_json_key(json, "key");
  kiln_json_string(json, entry->key);
  kiln_json_key(json, "name");
  kiln_json_string(json, entry->name);
  kiln_json_key(json, "toolchain");
  kiln_json_string(json, entry->toolchain);
  kiln_json_key(json, "path");
  kiln_json_string(json, entry->path);
  kiln_json_key(json, "size");
  kiln_json_uint(json, entry->size);
  kiln_json_key(json, "built");
  kiln_json_uint(json, entry->built_s);
  kiln_json_key(json, "used");
  kiln_json_uint(json, entry->used_s);
  kiln_json_key(json, "writable");
  kiln_json_bool(json, entry->writable);
  kiln_json_object_end(json);
}

static void
write_json(const struct listing *listing, struct kiln_buf *out)
{
  struct kiln_json json;
  size_t i;
  kiln_json_init(&json, out, true);
  kiln_json_array(&json);
  for (i = 0; i < listing->count; i++) {
    write_entry(&json, &listing->entries[i]);
  }
  kiln_json_array_end(&json);
  kiln_buf_text_append(out, "\n");
}

static int
list(struct kiln_cli_cache *cache)
{
  struct listing listing = {0};
  struct kiln_error error = {0};
  struct kiln_buf out;
  enum kiln_status status;
  int code;
  kiln_arena_init(&listing.arena);
  status = kiln_cache_list(cache->kiln, collect, &listing, &error);
  if (status == KILN_OK && listing.failed) {
    status = kiln_error_set(&error, KILN_ERROR_MEMORY, "Memory is short for %zu entries.", listing.count);
  }
  if (status == KILN_OK) {
    if (listing.count > 0) {
      qsort(listing.entries, listing.count, sizeof *listing.entries, by_use);
    }
    kiln_buf_init(&out);
    (cache->json ? write_json : write_text)(&listing, &out);
    code = kiln_cli_cache_say(&out, 0);
  } else {
    code = kiln_cli_complain(&error);
  }
  free(listing.entries);
  kiln_arena_release(&listing.arena);
  return code;
}

static int
run_ls(const struct kiln_cli_command *command, int argc, char **argv)
{
  struct kiln_cli_cache cache = {0};
  struct kiln_error error = {0};
  int code;
  if (!kiln_cli_cache_parse(&cache, command, argc, argv, NULL, NULL, &code)) {
    return code;
  }
  code = kiln_cli_cache_open(&cache, NULL, &error) == KILN_OK ? list(&cache) : kiln_cli_complain(&error);
  kiln_cli_cache_close(&cache);
  return code;
}

static const char examples[] = "  kiln cache ls\n"
                               "  kiln cache ls --json | jq -r '.[] | select(.name == \"scale\") | .key'\n";

const struct kiln_cli_command kiln_cmd_cache_ls = {"cache ls", "the entries of the store and of its layers",
    "[options]", examples, options, sizeof options / sizeof *options, NULL, run_ls};
