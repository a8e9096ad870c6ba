/* Why a spec hits or misses: its key, field by field, and for a miss the nearest entry. */
#include "base/json_write.h"
#include "jit/build.h"
#include "jit/cache_item.h"
#include "jit/cache_nearest.h"
#include "store/negative.h"

#define PATIENCE_NS UINT64_C(3000000000) /* for the nearest entry in a large store */

struct explanation {
  const struct kiln_spec *spec;
  struct kiln_plan plan;
  struct kiln_nearest nearest;
  bool hit;
  const char *reason;
  char *path;             /* of a hit */
  struct kiln_buf memory; /* a remembered failure */
};

/* Is it there? Damaged entries are put aside by the lookup, as a load would. */
static enum kiln_status
look(struct kiln *kiln, struct explanation *why, struct kiln_found *found, struct kiln_error *error)
{
  enum kiln_status status;
  if (kiln->options.reuse == KILN_OFF) {
    why->reason = "KILN_CACHE=off: nothing is looked up";
    return KILN_OK;
  }
  if (!kiln->store) {
    why->reason = "there is no store: neither KILN_CACHE_DIR nor a home names one";
    return KILN_OK;
  }
  if (!why->plan.entry_known) {
    why->reason = why->plan.identity_known ? "this was never built with this toolchain"
                                           : "this was never built, and there is no compiler to ask";
    return KILN_OK;
  }
  status = kiln_store_find(kiln->store, &why->plan.entry, found, error);
  why->hit = status == KILN_OK;
  why->reason = why->hit ? "the entry is there" : "no entry has this key";
  return status == KILN_ERROR_NOT_FOUND ? KILN_OK : status;
}

static enum kiln_status
find_nearest(struct kiln *kiln, struct explanation *why, struct kiln_error *error)
{
  struct kiln_nearest_request request = {&why->plan.key, why->spec->name, !why->plan.entry_known, PATIENCE_NS};
  if (kiln->store)
    kiln_negative_read(kiln->store, &why->plan.request, &why->memory);
  return kiln_nearest_find(kiln, &request, &why->nearest, error);
}

/* ---- for people ---- */

static void
text_difference(struct kiln_buf *out, const struct kiln_field_difference *difference)
{
  kiln_buf_printf(out, "  %s\n    here   %s\n    there  %s\n", difference->tag,
      difference->here ? difference->here : "(not given)", difference->there ? difference->there : "(not given)");
}

static void
text_nearest(struct kiln_buf *out, const struct kiln_nearest *nearest)
{
  size_t i;
  if (!nearest->found) {
    kiln_buf_text_append(out, "\nThe store has no entry to compare with.\n");
    return;
  }
  kiln_buf_printf(out, "\nNearest entry: %s %.16s, %zu fields equal, %zu differ\n", nearest->name, nearest->key,
      nearest->equal, nearest->count);
  if (nearest->cut)
    kiln_buf_printf(out, "  (of the first %zu entries; there are more)\n", nearest->looked_at - 1);
  for (i = 0; i < nearest->count; i++)
    text_difference(out, &nearest->differences[i]);
}

static void
write_text(struct kiln_buf *out, const struct explanation *why)
{
  const struct kiln_key *key = &why->plan.key;
  char hex[KILN_DIGEST_HEX];
  size_t i;
  kiln_digest_hex(why->plan.entry_known ? &why->plan.entry : &why->plan.request, hex);
  kiln_buf_printf(out, "%s: %s, %s\n", why->hit ? "hit" : "miss", why->spec->name, why->reason);
  kiln_buf_printf(out, "  %-9s%s\n", why->plan.entry_known ? "key" : "request", hex);
  if (why->path)
    kiln_buf_printf(out, "  %-9s%s\n", "file", why->path);
  if (why->memory.len > 0)
    kiln_buf_printf(out, "  %-9s%s\n", "failed", kiln_buf_text(&why->memory));
  kiln_buf_text_append(out, "\nFields\n");
  for (i = 0; i < key->count; i++)
    kiln_buf_printf(out, "  %s = %s\n", key->fields[i].tag, key->fields[i].value);
  if (!why->hit)
    text_nearest(out, &why->nearest);
}

/* ---- for programs ---- */

static void
json_text(struct kiln_json *json, const char *key, const char *text)
{
  kiln_json_key(json, key);
  kiln_json_string(json, text);
}

static void
json_nearest(struct kiln_json *json, const struct kiln_nearest *nearest)
{
  size_t i;
  kiln_json_key(json, "nearest");
  if (!nearest->found) {
    kiln_json_null(json);
    return;
  }
  kiln_json_object(json);
  json_text(json, "key", nearest->key);
  json_text(json, "name", nearest->name);
  json_text(json, "path", nearest->path);
  kiln_json_key(json, "looked_at");
  kiln_json_uint(json, nearest->looked_at - nearest->cut);
  kiln_json_key(json, "cut");
  kiln_json_bool(json, nearest->cut);
  kiln_json_key(json, "equal");
  kiln_json_uint(json, nearest->equal);
  kiln_json_key(json, "differs");
  kiln_json_array(json);
  for (i = 0; i < nearest->count; i++) {
    kiln_json_object(json);
    json_text(json, "tag", nearest->differences[i].tag);
    json_text(json, "here", nearest->differences[i].here);
    json_text(json, "there", nearest->differences[i].there);
    kiln_json_object_end(json);
  }
  kiln_json_array_end(json);
  kiln_json_object_end(json);
}

static void
json_fields(struct kiln_json *json, const struct kiln_key *key)
{
  size_t i;
  kiln_json_key(json, "fields");
  kiln_json_array(json);
  for (i = 0; i < key->count; i++) {
    kiln_json_object(json);
    json_text(json, "tag", key->fields[i].tag);
    json_text(json, "value", key->fields[i].value);
    kiln_json_object_end(json);
  }
  kiln_json_array_end(json);
}

static void
write_json(struct kiln_buf *out, const struct explanation *why)
{
  struct kiln_json json;
  char hex[KILN_DIGEST_HEX];
  kiln_json_init(&json, out, true);
  kiln_json_object(&json);
  json_text(&json, "result", why->hit ? "hit" : "miss");
  json_text(&json, "name", why->spec->name);
  json_text(&json, "reason", why->reason);
  kiln_digest_hex(&why->plan.entry, hex);
  json_text(&json, "key", why->plan.entry_known ? hex : NULL);
  kiln_digest_hex(&why->plan.request, hex);
  json_text(&json, "request", hex);
  json_text(&json, "path", why->path);
  json_text(&json, "failed", why->memory.len > 0 ? kiln_buf_text(&why->memory) : NULL);
  json_fields(&json, &why->plan.key);
  json_nearest(&json, &why->nearest);
  kiln_json_object_end(&json);
  kiln_buf_text_append(out, "\n");
}

static enum kiln_status
explain(struct kiln *kiln, struct explanation *why, bool json, char **text, struct kiln_error *error)
{
  struct kiln_found found = {0};
  struct kiln_buf out;
  enum kiln_status status = look(kiln, why, &found, error);
  if (status == KILN_OK && !why->hit)
    status = find_nearest(kiln, why, error);
  if (status == KILN_OK) {
    why->path = why->hit ? found.path : NULL;
    kiln_buf_init(&out);
    (json ? write_json : write_text)(&out, why);
    status = kiln_cache_text_take(&out, text, error);
  }
  if (why->hit)
    kiln_found_release(&found);
  return status;
}

enum kiln_status
kiln_cache_explain(
    struct kiln *kiln, const struct kiln_spec *spec, bool json, bool *hit, char **text, struct kiln_error *error)
{
  struct explanation why = {.spec = spec};
  enum kiln_status status = kiln_cache_plan(kiln, spec, &why.plan, error);
  if (status != KILN_OK)
    return status;
  kiln_buf_init(&why.memory);
  status = explain(kiln, &why, json, text, error);
  if (status == KILN_OK)
    *hit = why.hit;
  kiln_nearest_release(&why.nearest);
  kiln_buf_release(&why.memory);
  kiln_plan_release(&why.plan);
  return status;
}
