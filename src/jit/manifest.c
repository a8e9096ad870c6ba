#include "jit/manifest.h"

#include "base/json_write.h"
#include "kiln/version.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/path.h"

/* How much of what is long is kept. */
struct bounds {
  size_t sources, log, fields, dependencies;
};
/* The first that fits is written. A field has at most 4 KiB of path; the last bounds fit always. */
static const struct bounds bounds[] = {
    {(size_t)256 << 10, (size_t)64 << 10, 4096, 4096},
    {(size_t)16 << 10, (size_t)16 << 10, 512, 0},
    {0, (size_t)4 << 10, 64, 0},
};

static void
key_string(struct kiln_json *json, const char *key, const char *text)
{
  kiln_json_key(json, key);
  kiln_json_string(json, text);
}

static void
key_list(struct kiln_json *json, const char *key, const struct kiln_text_list *list)
{
  size_t i;
  kiln_json_key(json, key);
  kiln_json_array(json);
  for (i = 0; i < list->count; i++)
    kiln_json_string(json, list->items[i]);
  kiln_json_array_end(json);
}

/* A path that also holds in another current folder. */
static void
absolute(struct kiln_json *json, const char *path)
{
  struct kiln_buf resolved;
  kiln_buf_init(&resolved);
  kiln_json_string(json, kiln_path_resolve(path, &resolved) ? kiln_buf_text(&resolved) : path);
  kiln_buf_release(&resolved);
}

/* Texts are not repeated here: the i-th is that of the i-th of "sources". */
static void
write_spec_sources(struct kiln_json *json, const struct kiln_spec *spec)
{
  size_t i;
  kiln_json_key(json, "sources");
  kiln_json_array(json);
  for (i = 0; i < spec->source_count; i++) {
    const struct kiln_spec_source *source = &spec->sources[i];
    kiln_json_object(json);
    if (source->path) {
      kiln_json_key(json, "path");
      absolute(json, source->path);
    } else {
      key_string(json, "name", source->name);
    }
    kiln_json_object_end(json);
  }
  kiln_json_array_end(json);
}

static void
write_spec(struct kiln_json *json, const struct kiln_spec *spec)
{
  size_t i;
  kiln_json_key(json, "spec");
  kiln_json_object(json);
  key_string(json, "name", spec->name);
  key_string(json, "toolchain", spec->toolchain);
  write_spec_sources(json, spec);
  key_list(json, "flags", &spec->flags);
  key_list(json, "defines", &spec->defines);
  kiln_json_key(json, "includes");
  kiln_json_array(json);
  for (i = 0; i < spec->includes.count; i++)
    absolute(json, spec->includes.items[i]);
  kiln_json_array_end(json);
  key_list(json, "archs", &spec->archs);
  key_list(json, "supports", &spec->supports);
  key_list(json, "links", &spec->links);
  key_list(json, "entry_points", &spec->entry_points);
  kiln_json_object_end(json);
}

static void
write_fields(struct kiln_json *json, const struct kiln_key *key, size_t most)
{
  size_t i, count = key->count < most ? key->count : most;
  kiln_json_key(json, "fields");
  kiln_json_array(json);
  for (i = 0; i < count; i++) {
    kiln_json_object(json);
    key_string(json, "tag", key->fields[i].tag);
    key_string(json, "value", key->fields[i].value);
    kiln_json_object_end(json);
  }
  kiln_json_array_end(json);
  kiln_json_key(json, "field_count");
  kiln_json_uint(json, key->count);
}

static void
content(struct kiln_json *json, const struct kiln_digest *digest)
{
  char hex[KILN_DIGEST_HEX];
  kiln_digest_hex(digest, hex);
  key_string(json, "content", hex);
}

static void
write_dependencies(struct kiln_json *json, const struct kiln_request_record *record, size_t most)
{
  size_t i, count = record->count < most ? record->count : most;
  kiln_json_key(json, "dependencies");
  kiln_json_array(json);
  for (i = 0; i < count; i++) {
    if (kiln_dependency_is_absence(&record->dependencies[i]))
      continue;
    kiln_json_object(json);
    key_string(json, "path", record->dependencies[i].path);
    content(json, &record->dependencies[i].content);
    kiln_json_object_end(json);
  }
  kiln_json_array_end(json);
}

static void
write_source(struct kiln_json *json, const char *name, const struct kiln_buf *text, size_t *budget)
{
  struct kiln_digest digest = kiln_digest_of(kiln_buf_text(text), text->len);
  kiln_json_object(json);
  key_string(json, "name", name);
  content(json, &digest);
  kiln_json_key(json, "size");
  kiln_json_uint(json, text->len);
  kiln_json_key(json, "text");
  if (text->len <= *budget) {
    kiln_json_string_n(json, kiln_buf_text(text), text->len);
    *budget -= text->len;
  } else
    kiln_json_null(json);
  kiln_json_object_end(json);
}

static void
write_sources(struct kiln_json *json, const struct kiln_manifest_facts *facts, size_t budget)
{
  size_t i;
  kiln_json_key(json, "sources");
  kiln_json_array(json);
  for (i = 0; i < facts->spec->source_count && i < facts->plan->text_count; i++)
    write_source(json, facts->spec->sources[i].name, &facts->plan->texts[i], &budget);
  kiln_json_array_end(json);
}

static void
write_head(struct kiln_json *json, const struct kiln_manifest_facts *facts)
{
  char hex[KILN_DIGEST_HEX];
  kiln_digest_hex(&facts->plan->entry, hex);
  key_string(json, "key", hex);
  key_string(json, "name", facts->spec->name);
  key_string(json, "toolchain", facts->spec->toolchain);
  key_string(json, "toolchain_identity", kiln_buf_text(&facts->plan->toolchain_text));
  key_string(json, "kiln", kiln_version());
  kiln_json_key(json, "built");
  kiln_json_uint(json, kiln_clock_real() / 1000000000u);
  kiln_json_key(json, "build_ms");
  kiln_json_double(json, facts->build_ms);
  key_list(json, "entry_points", &facts->spec->entry_points);
  key_string(json, "command", kiln_buf_text(&facts->output->command));
}

static void
write_within(const struct kiln_manifest_facts *facts, const struct bounds *most, struct kiln_buf *out)
{
  const struct kiln_buf *log = &facts->output->log;
  struct kiln_json json;
  kiln_json_init(&json, out, false);
  kiln_json_object(&json);
  write_head(&json, facts);
  write_fields(&json, &facts->plan->key, most->fields);
  write_dependencies(&json, &facts->output->dependencies, most->dependencies);
  write_spec(&json, facts->spec);
  write_sources(&json, facts, most->sources);
  kiln_json_key(&json, "log");
  kiln_json_string_n(&json, kiln_buf_text(log), log->len < most->log ? log->len : most->log);
  kiln_json_object_end(&json);
}

enum kiln_status
kiln_manifest_write(const struct kiln_manifest_facts *facts, struct kiln_buf *out, struct kiln_error *error)
{
  size_t i;
  for (i = 0; i < sizeof bounds / sizeof *bounds; i++) {
    kiln_buf_clear(out);
    write_within(facts, &bounds[i], out);
    if (out->failed || out->len <= KILN_ENTRY_MAX_MANIFEST)
      break;
  }
  if (out->failed)
    return kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for the manifest of '%s'", facts->spec->name);
  return KILN_OK;
}
