#include "base/json_read.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#define MAX_DEPTH 64
#define LARGEST_INT 4611686018427387904.0 /* 2^62 */

static bool
is_space(char byte)
{
  return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

static enum kiln_status
refuse(struct kiln_error *error, const char *name, size_t at, const char *why)
{
  kiln_error_set(error, KILN_ERROR_FORMAT, "%s is not usable JSON: %s at byte %zu", name, why, at);
  kiln_error_advise(error, "Check that the file is complete and was written by kiln.");
  return KILN_ERROR_FORMAT;
}

/* What must be known before the library recurses or treats a NUL as the end. Strings are skipped by the same rule that
 * the library uses, so up to its first error both see the same brackets. */
static enum kiln_status
check_before_parse(const char *data, size_t len, const char *name, struct kiln_error *error)
{
  int depth = 0;
  bool in_string = false;
  size_t string_start = 0;
  for (size_t i = 0; i < len; i++) {
    char byte = data[i];
    if (byte == '\0')
      return refuse(error, name, i, "there is a NUL byte");
    if (in_string) {
      if (byte == '\\' && i + 1 < len && data[i + 1] != '\0')
        i++;
      else if (byte == '"')
        in_string = false;
    } else if (byte == '"') {
      in_string = true;
      string_start = i;
    } else if (byte == '[' || byte == '{') {
      if (++depth > MAX_DEPTH)
        return refuse(error, name, i, "there are more than 64 levels of nesting");
    } else if (byte == ']' || byte == '}') {
      depth--;
    }
  }
  if (in_string)
    return refuse(error, name, string_start, "a string is not closed");
  return KILN_OK;
}

enum kiln_status
kiln_json_parse(const char *data, size_t len, const char *name, struct cJSON **tree, struct kiln_error *error)
{
  *tree = NULL;
  if (!name)
    name = "the text";
  enum kiln_status status = check_before_parse(data, len, name, error);
  if (status != KILN_OK)
    return status;
  const char *end = NULL;
  cJSON *parsed = len > 0 ? cJSON_ParseWithLengthOpts(data, len, &end, 0) : NULL;
  size_t at = end ? (size_t)(end - data) : 0;
  if (!parsed)
    return refuse(error, name, at, at >= len || at + 1 == len ? "it ends early" : "there is a syntax error");
  while (at < len && is_space(data[at]))
    at++;
  if (at < len) {
    cJSON_Delete(parsed);
    return refuse(error, name, at, "there is something behind the value");
  }
  *tree = parsed;
  return KILN_OK;
}

void
kiln_json_free(struct cJSON *tree)
{
  cJSON_Delete(tree);
}

const struct cJSON *
kiln_json_get(const struct cJSON *object, const char *key)
{
  return cJSON_IsObject(object) ? cJSON_GetObjectItemCaseSensitive(object, key) : NULL;
}

const char *
kiln_json_get_string(const struct cJSON *object, const char *key, const char *fallback)
{
  return kiln_json_as_string(kiln_json_get(object, key), fallback);
}

double
kiln_json_get_double(const struct cJSON *object, const char *key, double fallback)
{
  return kiln_json_as_double(kiln_json_get(object, key), fallback);
}

int64_t
kiln_json_get_int(const struct cJSON *object, const char *key, int64_t fallback)
{
  const struct cJSON *value = kiln_json_get(object, key);
  if (!cJSON_IsNumber(value))
    return fallback;
  double number = value->valuedouble;
  if (!(number >= -LARGEST_INT && number <= LARGEST_INT) || number != (double)(int64_t)number)
    return fallback;
  return (int64_t)number;
}

bool
kiln_json_get_bool(const struct cJSON *object, const char *key, bool fallback)
{
  return kiln_json_as_bool(kiln_json_get(object, key), fallback);
}

bool
kiln_json_is_object(const struct cJSON *value)
{
  return cJSON_IsObject(value) != 0;
}

bool
kiln_json_is_array(const struct cJSON *value)
{
  return cJSON_IsArray(value) != 0;
}

bool
kiln_json_is_null(const struct cJSON *value)
{
  return cJSON_IsNull(value) != 0;
}

const char *
kiln_json_as_string(const struct cJSON *value, const char *fallback)
{
  return cJSON_IsString(value) && value->valuestring ? value->valuestring : fallback;
}

double
kiln_json_as_double(const struct cJSON *value, double fallback)
{
  return cJSON_IsNumber(value) && isfinite(value->valuedouble) ? value->valuedouble : fallback;
}

bool
kiln_json_as_bool(const struct cJSON *value, bool fallback)
{
  return cJSON_IsBool(value) ? cJSON_IsTrue(value) != 0 : fallback;
}

const struct cJSON *
kiln_json_first(const struct cJSON *value)
{
  return cJSON_IsArray(value) || cJSON_IsObject(value) ? value->child : NULL;
}

const struct cJSON *
kiln_json_next(const struct cJSON *element)
{
  return element ? element->next : NULL;
}

const char *
kiln_json_member_name(const struct cJSON *element)
{
  return element ? element->string : NULL;
}

size_t
kiln_json_count(const struct cJSON *value)
{
  size_t count = 0;
  for (const struct cJSON *at = kiln_json_first(value); at; at = at->next)
    count++;
  return count;
}
