#include "base/json_copy.h"

#include <math.h>
#include <string.h>

#define WHOLE_MOST 9007199254740992.0 /* 2^53: beyond it a double skips whole numbers */

static void
copy_members(const struct cJSON *value, struct kiln_json *json)
{
  const bool object = kiln_json_is_object(value);
  if (object) {
    kiln_json_object(json);
  } else {
    kiln_json_array(json);
  }
  for (const struct cJSON *at = kiln_json_first(value); at; at = kiln_json_next(at)) {
    if (object) {
      kiln_json_key(json, kiln_json_member_name(at));
    }
    kiln_json_copy(at, json);
  }
  if (object) {
    kiln_json_object_end(json);
  } else {
    kiln_json_array_end(json);
  }
}

static void
copy_scalar(const struct cJSON *value, struct kiln_json *json)
{
  const double number = kiln_json_as_double(value, NAN);
  const char *text = kiln_json_as_string(value, NULL);
  if (text) {
    kiln_json_string(json, text);
  } else if (kiln_json_as_bool(value, true) == kiln_json_as_bool(value, false)) {
    kiln_json_bool(json, kiln_json_as_bool(value, false));
  } else if (isfinite(number) && fabs(number) <= WHOLE_MOST && number == (double)(int64_t)number) {
    kiln_json_int(json, (int64_t)number);
  } else if (isfinite(number)) {
    kiln_json_double(json, number);
  } else {
    kiln_json_null(json);
  }
}

void
kiln_json_copy(const struct cJSON *value, struct kiln_json *json)
{
  const bool nests = kiln_json_is_object(value) || kiln_json_is_array(value);
  if (nests && json->depth < KILN_JSON_MAX_DEPTH - 1) {
    copy_members(value, json);
  } else {
    copy_scalar(value, json);
  }
}

enum kiln_status
kiln_json_copy_text(const char *text, struct kiln_json *json, struct kiln_error *error)
{
  struct cJSON *tree = NULL;
  const enum kiln_status status = kiln_json_parse(text, strlen(text), NULL, &tree, error);
  if (status == KILN_OK) {
    kiln_json_copy(tree, json);
  }
  kiln_json_free(tree);
  return status;
}
