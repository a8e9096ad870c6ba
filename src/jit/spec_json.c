/* A spec from JSON. The schema is one table: what a member is called and what its elements are added with. */
#include <string.h>

#include "base/json_read.h"
#include "jit/spec.h"

#define MOST_BYTES ((size_t)16 << 20)

typedef enum kiln_status add_text(struct kiln_spec *spec, const char *text, struct kiln_error *error);

static const struct {
  const char *name;
  add_text *add;
} lists[] = {
    {"flags", kiln_spec_add_flag},
    {"defines", kiln_spec_add_define},
    {"includes", kiln_spec_add_include},
    {"archs", kiln_spec_add_arch},
    {"supports", kiln_spec_add_support},
    {"links", kiln_spec_add_link},
    {"entry_points", kiln_spec_add_entry_point},
};
#define LIST_COUNT (sizeof lists / sizeof *lists)

static enum kiln_status
wrong(struct kiln_error *error, const char *member, const char *wanted)
{
  kiln_error_set(error, KILN_ERROR_ARGUMENT, "member '%s' of the spec is not %s", member, wanted);
  kiln_error_advise(error, "See the form of a spec in kiln/spec.h.");
  return KILN_ERROR_ARGUMENT;
}

static enum kiln_status
unknown(struct kiln_error *error, const char *member, const char *known)
{
  kiln_error_set(error, KILN_ERROR_ARGUMENT, "a spec has no member '%s'", member);
  kiln_error_advise(error, "Members are %s.", known);
  return KILN_ERROR_ARGUMENT;
}

static add_text *
list_of(const char *member)
{
  for (size_t i = 0; i < LIST_COUNT; i++)
    if (strcmp(lists[i].name, member) == 0)
      return lists[i].add;
  return NULL;
}

/* Only known members, and each once. */
static enum kiln_status
check_members(const struct cJSON *root, struct kiln_error *error)
{
  for (const struct cJSON *at = kiln_json_first(root); at; at = kiln_json_next(at)) {
    const char *name = kiln_json_member_name(at);
    if (strcmp(name, "name") != 0 && strcmp(name, "toolchain") != 0 && strcmp(name, "sources") != 0 && !list_of(name))
      return unknown(
          error, name, "name, toolchain, sources, flags, defines, includes, archs, supports, links and entry_points");
    for (const struct cJSON *other = kiln_json_next(at); other; other = kiln_json_next(other))
      if (strcmp(kiln_json_member_name(other), name) == 0)
        return kiln_error_set(error, KILN_ERROR_ARGUMENT, "member '%s' of the spec is there twice", name);
  }
  return KILN_OK;
}

static enum kiln_status
take_list(struct kiln_spec *spec, const struct cJSON *root, size_t index, struct kiln_error *error)
{
  const struct cJSON *list = kiln_json_get(root, lists[index].name);
  enum kiln_status status = KILN_OK;
  if (list && !kiln_json_is_array(list))
    return wrong(error, lists[index].name, "a list of strings");
  for (const struct cJSON *at = kiln_json_first(list); at && status == KILN_OK; at = kiln_json_next(at)) {
    const char *text = kiln_json_as_string(at, NULL);
    status = text ? lists[index].add(spec, text, error) : wrong(error, lists[index].name, "a list of strings");
  }
  return status;
}

static enum kiln_status
take_source(struct kiln_spec *spec, const struct cJSON *source, struct kiln_error *error)
{
  const char *path = kiln_json_get_string(source, "path", NULL);
  const char *name = kiln_json_get_string(source, "name", NULL);
  const char *text = kiln_json_get_string(source, "text", NULL);
  const size_t count = kiln_json_is_object(source) ? kiln_json_count(source) : 0;
  if (path && count == 1)
    return kiln_spec_add_source_file(spec, path, error);
  if (name && text && count == 2)
    return kiln_spec_add_source(spec, name, text, strlen(text), error);
  return wrong(error, "sources", "a list of {\"path\"} or {\"name\", \"text\"}");
}

static enum kiln_status
take_sources(struct kiln_spec *spec, const struct cJSON *root, struct kiln_error *error)
{
  const struct cJSON *list = kiln_json_get(root, "sources");
  enum kiln_status status = KILN_OK;
  if (!kiln_json_is_array(list))
    return wrong(error, "sources", "a list of {\"path\"} or {\"name\", \"text\"}");
  for (const struct cJSON *at = kiln_json_first(list); at && status == KILN_OK; at = kiln_json_next(at))
    status = take_source(spec, at, error);
  return status;
}

static enum kiln_status
take_root(const struct cJSON *root, struct kiln_spec **spec, struct kiln_error *error)
{
  const char *name = kiln_json_get_string(root, "name", NULL);
  const char *toolchain = kiln_json_get_string(root, "toolchain", NULL);
  if (!kiln_json_is_object(root))
    return kiln_error_set(error, KILN_ERROR_ARGUMENT, "the spec is not a JSON object");
  enum kiln_status status = check_members(root, error);
  if (status == KILN_OK && !name)
    status = wrong(error, "name", "a string");
  if (status == KILN_OK && !toolchain)
    status = wrong(error, "toolchain", "a string");
  if (status == KILN_OK)
    status = kiln_spec_new(name, toolchain, spec, error);
  if (status == KILN_OK)
    status = take_sources(*spec, root, error);
  for (size_t i = 0; i < LIST_COUNT && status == KILN_OK; i++)
    status = take_list(*spec, root, i, error);
  return status;
}

enum kiln_status
kiln_spec_parse(const char *json, size_t len, struct kiln_spec **spec, struct kiln_error *error)
{
  struct cJSON *root = NULL;
  *spec = NULL;
  if (len > MOST_BYTES)
    return kiln_error_set(error, KILN_ERROR_ARGUMENT, "a spec of %zu bytes is too large, at most 16 MiB", len);
  enum kiln_status status = kiln_json_parse(json, len, "the spec", &root, error);
  if (status == KILN_OK)
    status = take_root(root, spec, error);
  kiln_json_free(root);
  if (status != KILN_OK) {
    kiln_spec_free(*spec);
    *spec = NULL;
  }
  return status;
}
