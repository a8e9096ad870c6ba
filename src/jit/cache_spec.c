#include "jit/cache_spec.h"

#include "base/text.h"
#include "store/digest.h"

static void
copy_text(struct kiln_json *json, const struct cJSON *object, const char *name)
{
  kiln_json_key(json, name);
  kiln_json_string(json, kiln_json_get_string(object, name, NULL));
}

static void
copy_list(struct kiln_json *json, const struct cJSON *object, const char *name)
{
  const struct cJSON *item;
  kiln_json_key(json, name);
  kiln_json_array(json);
  for (item = kiln_json_first(kiln_json_get(object, name)); item; item = kiln_json_next(item))
    kiln_json_string(json, kiln_json_as_string(item, ""));
  kiln_json_array_end(json);
}

static bool
unchanged(const char *path, const struct cJSON *kept)
{
  struct kiln_digest now, then;
  return kiln_digest_parse(kiln_json_get_string(kept, "content", ""), &then) &&
         kiln_digest_file(path, &now, NULL) == KILN_OK && kiln_digest_equal(&now, &then);
}

/* source: of the spec; kept: of the manifest's "sources". */
static void
write_source(struct kiln_json *json, const struct cJSON *source, const struct cJSON *kept)
{
  const char *path = kiln_json_get_string(source, "path", NULL);
  bool by_path = path && (unchanged(path, kept) || !kiln_json_get_string(kept, "text", NULL));
  kiln_json_object(json);
  if (by_path) {
    kiln_json_key(json, "path");
    kiln_json_string(json, path);
  } else {
    copy_text(json, kept, "name");
    copy_text(json, kept, "text");
  }
  kiln_json_object_end(json);
}

void
kiln_cache_spec_write(const struct cJSON *manifest, struct kiln_json *json)
{
  static const char *const lists[] = {"flags", "defines", "includes", "archs", "supports", "links", "entry_points"};
  const struct cJSON *spec = kiln_json_get(manifest, "spec"), *source;
  const struct cJSON *kept = kiln_json_first(kiln_json_get(manifest, "sources"));
  size_t i;
  if (!kiln_json_is_object(spec)) {
    kiln_json_null(json);
    return;
  }
  kiln_json_object(json);
  copy_text(json, spec, "name");
  copy_text(json, spec, "toolchain");
  kiln_json_key(json, "sources");
  kiln_json_array(json);
  for (source = kiln_json_first(kiln_json_get(spec, "sources")); source; source = kiln_json_next(source)) {
    write_source(json, source, kept);
    kept = kept ? kiln_json_next(kept) : NULL;
  }
  kiln_json_array_end(json);
  for (i = 0; i < sizeof lists / sizeof *lists; i++)
    copy_list(json, spec, lists[i]);
  kiln_json_object_end(json);
}
