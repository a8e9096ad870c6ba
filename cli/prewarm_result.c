#include "prewarm_result.h"

#include "base/json_write.h"
#include "base/text.h"
#include "cli.h"
#include "os/process.h"

void
kiln_prewarm_sentence(const struct kiln_error *error, struct kiln_buf *out)
{
  kiln_buf_text_append(out, error->what);
  if (*error->remedy) {
    kiln_buf_printf(out, "%s %s", kiln_text_ends(error->what, ".") ? "" : ".", error->remedy);
  }
}

static void
write_item(struct kiln_json *json, const struct kiln_prewarm_item *item)
{
  kiln_json_object(json);
  kiln_json_key(json, "spec");
  kiln_json_string(json, item->file);
  kiln_json_key(json, "result");
  kiln_json_string(json, item->result ? item->result : "skipped");
  kiln_json_key(json, "key");
  kiln_json_string(json, item->key);
  kiln_json_key(json, "path");
  kiln_json_string(json, item->path);
  kiln_json_key(json, "ms");
  kiln_json_double(json, item->ms);
  kiln_json_key(json, "error");
  kiln_json_string(json, item->error);
  kiln_json_object_end(json);
}

static void
write_count(struct kiln_json *json, const char *name, size_t count)
{
  kiln_json_key(json, name);
  kiln_json_uint(json, count);
}

void
kiln_prewarm_json(
    const struct kiln_prewarm_item *items, const struct kiln_prefetch_summary *summary, struct kiln_buf *out)
{
  struct kiln_json json;
  size_t i;
  kiln_json_init(&json, out, true);
  kiln_json_object(&json);
  write_count(&json, "total", summary->total);
  write_count(&json, "built", summary->built);
  write_count(&json, "hit", summary->hit);
  write_count(&json, "failed", summary->failed);
  write_count(&json, "skipped", summary->skipped);
  kiln_json_key(&json, "seconds");
  kiln_json_double(&json, summary->seconds);
  kiln_json_key(&json, "specs");
  kiln_json_array(&json);
  for (i = 0; i < summary->total; i++) {
    write_item(&json, &items[i]);
  }
  kiln_json_array_end(&json);
  kiln_json_object_end(&json);
  kiln_buf_text_append(out, "\n");
}

void
kiln_prewarm_text(const struct kiln_prefetch_summary *summary, struct kiln_buf *out)
{
  kiln_buf_printf(out, "%zu spec%s: %zu built, %zu hit, %zu failed", summary->total, summary->total == 1 ? "" : "s",
      summary->built, summary->hit, summary->failed);
  if (summary->skipped > 0) {
    kiln_buf_printf(out, ", %zu skipped", summary->skipped);
  }
  kiln_buf_text_append(out, " in ");
  kiln_text_duration(out, summary->seconds);
  kiln_buf_text_append(out, "\n");
}

/* That of the first failure in the order of the list. A spec that was read and is not found lacks a compiler. */
int
kiln_prewarm_exit(const struct kiln_prewarm_item *items, size_t count)
{
  size_t i;
  if (kiln_interrupt_seen()) {
    return KILN_EXIT_INTERRUPTED;
  }
  for (i = 0; i < count; i++) {
    const struct kiln_prewarm_item *item = &items[i];
    if (item->error) {
      return item->spec && item->status == KILN_ERROR_NOT_FOUND ? KILN_EXIT_ENVIRONMENT
                                                                : kiln_cli_status_exit(item->status);
    }
  }
  return KILN_EXIT_YES;
}
