/* The rules that FlashInfer-Bench's schema and FlashInfer's loader have for a definition. */
#include <string.h>

#include "base/json_read.h"
#include "base/text.h"
#include "op/tool/page.h"

#define REFUSE(...) kiln_error_set(error, KILN_ERROR_FORMAT, "the definition " __VA_ARGS__)

static bool
known_dtype(const char *name)
{
  static const char *const names[] = {"float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "float4_e2m1",
      "int64", "int32", "int16", "int8", "bool"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (kiln_text_equal(names[i], name))
      return true;
  return false;
}

static enum kiln_status
check_texts(const struct cJSON *tree, struct kiln_error *error)
{
  static const char *const members[] = {"name", "description", "op_type", "reference"};
  for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
    const char *text = kiln_json_get_string(tree, members[i], NULL);
    if (!text || !*text)
      return REFUSE("has no %s", members[i]);
  }
  return KILN_OK;
}

static enum kiln_status
check_axes(const struct cJSON *axes, struct kiln_error *error)
{
  for (const struct cJSON *axis = kiln_json_first(axes); axis; axis = kiln_json_next(axis)) {
    const char *type = kiln_json_get_string(axis, "type", ""), *name = kiln_json_member_name(axis);
    if (!kiln_text_equal(type, "var") && !kiln_text_equal(type, "const"))
      return REFUSE("has an axis '%s' that is neither var nor const", name);
    if (kiln_text_equal(type, "const") && kiln_json_get_int(axis, "value", -1) < 0)
      return REFUSE("has an axis '%s' of type const without a value", name);
    if (!*kiln_json_get_string(axis, "description", ""))
      return REFUSE("does not describe the axis '%s'", name);
  }
  return KILN_OK;
}

static enum kiln_status
check_values(const struct cJSON *tree, const char *which, struct kiln_error *error)
{
  const struct cJSON *axes = kiln_json_get(tree, "axes"), *values = kiln_json_get(tree, which);
  if (!kiln_json_is_object(values) || kiln_json_count(values) == 0)
    return REFUSE("has no %s", which);
  for (const struct cJSON *value = kiln_json_first(values); value; value = kiln_json_next(value)) {
    const char *name = kiln_json_member_name(value), *dtype = kiln_json_get_string(value, "dtype", "");
    const struct cJSON *shape = kiln_json_get(value, "shape");
    if (!known_dtype(dtype))
      return REFUSE("gives '%s' the dtype '%s', which its readers do not know", name, dtype);
    if (!*kiln_json_get_string(value, "description", ""))
      return REFUSE("does not describe '%s'", name);
    if (!kiln_json_is_array(shape) && !kiln_json_is_null(shape))
      return REFUSE("has no shape for '%s'", name);
    for (const struct cJSON *extent = kiln_json_first(shape); extent; extent = kiln_json_next(extent))
      if (!kiln_json_get(axes, kiln_json_as_string(extent, "")))
        return REFUSE("has an extent '%s' of '%s' that is no declared axis", kiln_json_as_string(extent, ""), name);
  }
  return KILN_OK;
}

static enum kiln_status
check_apart(const struct cJSON *tree, struct kiln_error *error)
{
  const struct cJSON *outputs = kiln_json_get(tree, "outputs");
  const struct cJSON *value = kiln_json_first(kiln_json_get(tree, "inputs"));
  for (; value; value = kiln_json_next(value))
    if (kiln_json_get(outputs, kiln_json_member_name(value)))
      return REFUSE("has '%s' as input and as output", kiln_json_member_name(value));
  return KILN_OK;
}

/* The next parameter of a Python function: its name without annotation and default. NULL at the end. */
static const char *
next_parameter(const char *at, const char **name, size_t *len)
{
  int depth = 0;
  at += strspn(at, " \t\n");
  if (*at == ')' || *at == '\0')
    return NULL;
  *name = at;
  *len = strcspn(at, " \t\n:=,)");
  for (; *at && (depth > 0 || (*at != ',' && *at != ')')); at++)
    depth += (*at == '(' || *at == '[') - (*at == ')' || *at == ']');
  return *at == ',' ? at + 1 : at;
}

/* Substitution passes inputs by name, the benchmark by order: both must be those of `run`. */
static enum kiln_status
check_run(const struct cJSON *tree, struct kiln_error *error)
{
  const char *reference = kiln_json_get_string(tree, "reference", "");
  const char *at = strncmp(reference, "def run(", 8) == 0 ? reference : strstr(reference, "\ndef run(");
  const struct cJSON *input = kiln_json_first(kiln_json_get(tree, "inputs"));
  const char *name;
  size_t len;
  if (!at)
    return REFUSE("has a reference without a function 'run' at its top level");
  at = strchr(at, '(') + 1;
  while ((at = next_parameter(at, &name, &len)) != NULL) {
    const char *wanted = kiln_json_member_name(input);
    if (!input || strlen(wanted) != len || strncmp(wanted, name, len) != 0)
      return REFUSE(
          "has '%.*s' as parameter of run where its inputs have '%s'", (int)len, name, input ? wanted : "nothing");
    input = kiln_json_next(input);
  }
  return input ? REFUSE("has an input '%s' that is no parameter of run", kiln_json_member_name(input)) : KILN_OK;
}

enum kiln_status
kiln_definition_check(const char *text, size_t len, struct kiln_error *error)
{
  struct cJSON *tree;
  enum kiln_status status = kiln_json_parse(text, len, "definition", &tree, error);
  if (status != KILN_OK)
    return status;
  status = check_texts(tree, error);
  if (status == KILN_OK)
    status = check_axes(kiln_json_get(tree, "axes"), error);
  if (status == KILN_OK)
    status = check_values(tree, "inputs", error);
  if (status == KILN_OK)
    status = check_values(tree, "outputs", error);
  if (status == KILN_OK)
    status = check_apart(tree, error);
  if (status == KILN_OK)
    status = check_run(tree, error);
  kiln_json_free(tree);
  return status;
}
