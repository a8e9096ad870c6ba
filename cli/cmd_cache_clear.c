#include <inttypes.h>

#include "base/json_write.h"
#include "cache.h"
#include "cmd_cache.h"

static const struct kiln_cli_option options[] = {KILN_CLI_CACHE_OPTIONS};

static int
clear(struct kiln_cli_cache *cache)
{
  struct kiln_error error = {0};
  struct kiln_json json;
  struct kiln_buf out;
  uint64_t removed = 0;
  if (kiln_cache_clear(cache->kiln, &removed, &error) != KILN_OK) {
    return kiln_cli_complain(&error);
  }
  kiln_buf_init(&out);
  if (cache->json) {
    kiln_json_init(&json, &out, false);
    kiln_json_object(&json);
    kiln_json_key(&json, "removed");
    kiln_json_uint(&json, removed);
    kiln_json_object_end(&json);
    kiln_buf_text_append(&out, "\n");
  } else {
    kiln_buf_printf(&out, "removed %" PRIu64 " %s\n", removed, removed == 1 ? "entry" : "entries");
  }
  return kiln_cli_cache_say(&out, 0);
}

static int
run_clear(const struct kiln_cli_command *command, int argc, char **argv)
{
  struct kiln_cli_cache cache = {0};
  struct kiln_error error = {0};
  int code;
  if (!kiln_cli_cache_parse(&cache, command, argc, argv, NULL, NULL, &code)) {
    return code;
  }
  code = kiln_cli_cache_open(&cache, NULL, &error) == KILN_OK ? clear(&cache) : kiln_cli_complain(&error);
  kiln_cli_cache_close(&cache);
  return code;
}

static const char examples[] = "  kiln cache clear\n";

const struct kiln_cli_command kiln_cmd_cache_clear = {"cache clear",
    "remove every entry of the store, not of its layers", "[options]", examples, options,
    sizeof options / sizeof *options, NULL, run_clear};
