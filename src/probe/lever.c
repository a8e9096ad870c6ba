#include "probe/lever.h"

#include <string.h>

#include "base/json_copy.h"
#include "base/text.h"
#include "registry/probe.h"

const struct kiln_lever *
kiln_lever_find(const char *word)
{
  const size_t len = strcspn(word, "=");
  for (size_t i = 0; i < kiln_registered_lever_count; i++) {
    const char *id = kiln_registered_levers[i]->id;
    if (strlen(id) == len && memcmp(id, word, len) == 0) {
      return kiln_registered_levers[i];
    }
  }
  return NULL;
}

static void
begin_file(struct kiln_json *json, struct kiln_buf *out)
{
  kiln_json_init(json, out, true);
  kiln_json_object(json);
  kiln_json_member_text(json, "schema", KILN_LEVER_SCHEMA);
  kiln_json_member_array(json, "levers");
}

static void
end_file(struct kiln_json *json, struct kiln_buf *out)
{
  kiln_json_array_end(json);
  kiln_json_object_end(json);
  kiln_buf_text_append(out, "\n");
}

enum kiln_status
kiln_lever_file(const char *const *objects, size_t count, struct kiln_buf *out, struct kiln_error *error)
{
  struct kiln_json json;
  enum kiln_status status = KILN_OK;
  begin_file(&json, out);
  for (size_t i = 0; i < count && status == KILN_OK; i++) {
    if (!objects[i] || objects[i][0] != '{') {
      status =
          kiln_error_set(error, KILN_ERROR_FORMAT, "'%s' is no object of a lever file.", objects[i] ? objects[i] : "");
    } else {
      status = kiln_json_copy_text(objects[i], &json, error);
    }
  }
  end_file(&json, out);
  return status;
}
