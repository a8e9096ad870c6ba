#include <inttypes.h>

#include "base/json_write.h"
#include "cache.h"
#include "cmd_cache.h"

static const struct kiln_cli_option options[] = {KILN_CLI_CACHE_OPTIONS};

static int
verify(struct kiln_cli_cache *cache)
{
  struct kiln_error error = {0};
  struct kiln_json json;
  struct kiln_buf out;
  uint64_t good = 0, damaged = 0;
  if (kiln_cache_verify(cache->kiln, &good, &damaged, &error) != KILN_OK) {
    return kiln_cli_complain(&error);
  }
  kiln_buf_init(&out);
  if (cache->json) {
    kiln_json_init(&json, &out, false);
    kiln_json_object(&json);
    kiln_json_key(&json, "good");
    kiln_json_uint(&json, good);
    kiln_json_key(&json, "damaged");
    kiln_json_uint(&json, damaged);
    kiln_json_object_end(&json);
    kiln_buf_text_append(&out, "\n");
  } else {
    kiln_buf_printf(&out, "%" PRIu64 " good, %" PRIu64 " damaged%s\n", good, damaged,
        damaged ? "; those of the store were moved to quarantine" : "");
  }
  return kiln_cli_cache_say(&out, damaged ? KILN_EXIT_NO : KILN_EXIT_YES);
}

static int
run_verify(const struct kiln_cli_command *command, int argc, char **argv)
{
  struct kiln_cli_cache cache = {0};
  struct kiln_error error = {0};
  int code;
  if (!kiln_cli_cache_parse(&cache, command, argc, argv, NULL, NULL, &code)) {
    return code;
  }
  code = kiln_cli_cache_open(&cache, NULL, &error) == KILN_OK ? verify(&cache) : kiln_cli_complain(&error);
  kiln_cli_cache_close(&cache);
  return code;
}

static const char examples[] = "  kiln cache verify\n";

const struct kiln_cli_command kiln_cmd_cache_verify = {"cache verify",
    "check every entry with its cryptographic digest; exit code 1 when one is damaged", "[options]", examples, options,
    sizeof options / sizeof *options, NULL, run_verify};
