#include <string.h>

#include "base/json_read.h"
#include "base/json_write.h"
#include "base/text.h"
#include "cache.h"
#include "cmd_cache.h"

enum { OPTION_SPEC = KILN_CLI_CACHE_OWN };

static const struct kiln_cli_option options[] = {
    KILN_CLI_CACHE_OPTIONS,
    [OPTION_SPEC] = {"spec", 0, NULL, "only the spec, as 'kiln cache build' reads it"},
};

static int
take(void *context, size_t option, const char *value)
{
  (void)option;
  (void)value;
  *(bool *)context = true;
  return 0;
}

/* A spec holds objects, lists and texts only. Its depth is bounded by the reader. */
static void
copy_value(struct kiln_json *json, const struct cJSON *value)
{
  const struct cJSON *item;
  bool object = kiln_json_is_object(value);
  if (!object && !kiln_json_is_array(value)) {
    kiln_json_string(json, kiln_json_as_string(value, NULL));
    return;
  }
  (object ? kiln_json_object : kiln_json_array)(json);
  for (item = kiln_json_first(value); item; item = kiln_json_next(item)) {
    if (object) {
      kiln_json_key(json, kiln_json_member_name(item));
    }
    copy_value(json, item);
  }
  (object ? kiln_json_object_end : kiln_json_array_end)(json);
}

static enum kiln_status
write_spec(const char *text, struct kiln_buf *out, struct kiln_error *error)
{
  struct cJSON *tree = NULL;
  const struct cJSON *spec;
  struct kiln_json json;
  enum kiln_status status = kiln_json_parse(text, strlen(text), "the entry's description", &tree, error);
  if (status != KILN_OK) {
    return status;
  }
  spec = kiln_json_get(tree, "spec");
  if (kiln_json_is_object(spec)) {
    kiln_json_init(&json, out, true);
    copy_value(&json, spec);
    kiln_buf_text_append(out, "\n");
  } else {
    status = kiln_error_set(
        error, KILN_ERROR_FORMAT, "The entry '%.64s' holds no spec.", kiln_json_get_string(tree, "key", ""));
  }
  kiln_json_free(tree);
  return status;
}

static int
show(struct kiln_cli_cache *cache, bool spec)
{
  struct kiln_error error = {0};
  struct kiln_buf out;
  char *text = NULL;
  enum kiln_status status = kiln_cache_show(cache->kiln, cache->argument, cache->json || spec, &text, &error);
  kiln_buf_init(&out);
  if (status == KILN_OK && spec) {
    status = write_spec(text, &out, &error);
  } else if (status == KILN_OK) {
    kiln_buf_text_append(&out, text);
  }
  kiln_cache_text_free(text);
  if (status != KILN_OK) {
    kiln_buf_release(&out);
    return kiln_cli_complain(&error);
  }
  return kiln_cli_cache_say(&out, 0);
}

static int
run_show(const struct kiln_cli_command *command, int argc, char **argv)
{
  struct kiln_cli_cache cache = {.needs = "a key, or at least its first 6 digits; 'kiln cache ls' lists them"};
  struct kiln_error error = {0};
  bool spec = false;
  int code;
  if (!kiln_cli_cache_parse(&cache, command, argc, argv, take, &spec, &code)) {
    return code;
  }
  code = kiln_cli_cache_open(&cache, NULL, &error) == KILN_OK ? show(&cache, spec) : kiln_cli_complain(&error);
  kiln_cli_cache_close(&cache);
  return code;
}

static const char examples[] = "  kiln cache show 3f2a91\n"
                               "  kiln cache show 3f2a91 --json | jq -r .command\n"
                               "  kiln cache show 3f2a91 --spec | KILN_CACHE=off kiln cache build -\n";

const struct kiln_cli_command kiln_cmd_cache_show = {"cache show", "all about one entry: sources, flags, command, log",
    "[options] KEY", examples, options, sizeof options / sizeof *options, NULL, run_show};
