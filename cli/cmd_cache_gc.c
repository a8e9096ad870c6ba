#include <inttypes.h>
#include <string.h>

#include "base/json_write.h"
#include "base/text.h"
#include "cache.h"
#include "cmd_cache.h"

enum { OPTION_LIMIT = KILN_CLI_CACHE_OWN, OPTION_YOUNG };

static const struct kiln_cli_option options[] = {
    KILN_CLI_CACHE_OPTIONS,
    [OPTION_LIMIT] = {"limit", 0, "SIZE", "what may stay, as 500M or 8G (default: KILN_CACHE_LIMIT, 8G)"},
    [OPTION_YOUNG] = {"young", 0, NULL, "also entries used in the last two days"},
};

struct gc_request {
  uint64_t limit;
  bool young;
};

/* Digits and K, M, G or T (powers of 1024). */
static bool
parse_size(const char *text, uint64_t *bytes)
{
  static const char units[] = "KMGT";
  char digits[24];
  size_t len = strspn(text, "0123456789");
  const char *unit = text[len] ? strchr(units, text[len]) : NULL;
  unsigned shift = unit ? 10u * (unsigned)(unit - units + 1) : 0;
  if (len == 0 || len >= sizeof digits || (text[len] && (!unit || text[len + 1]))) {
    return false;
  }
  memcpy(digits, text, len);
  digits[len] = '\0';
  if (!kiln_text_parse_uint(digits, bytes) || *bytes == 0 || *bytes > UINT64_MAX >> shift) {
    return false;
  }
  *bytes <<= shift;
  return true;
}

static int
take(void *context, size_t option, const char *value)
{
  struct gc_request *request = context;
  if (option == OPTION_YOUNG) {
    request->young = true;
  } else if (!parse_size(value, &request->limit)) {
    return kiln_cli_usage("--limit is a size above 0 as 500M or 8G, not '%s'.", value);
  }
  return 0;
}

static int
collect(struct kiln_cli_cache *cache, const struct gc_request *request)
{
  struct kiln_error error = {0};
  struct kiln_json json;
  struct kiln_buf out;
  uint64_t removed = 0, freed = 0;
  if (kiln_cache_collect(cache->kiln, request->limit, request->young, &removed, &freed, &error) != KILN_OK) {
    return kiln_cli_complain(&error);
  }
  kiln_buf_init(&out);
  if (cache->json) {
    kiln_json_init(&json, &out, false);
    kiln_json_object(&json);
    kiln_json_key(&json, "removed");
    kiln_json_uint(&json, removed);
    kiln_json_key(&json, "freed_bytes");
    kiln_json_uint(&json, freed);
    kiln_json_object_end(&json);
    kiln_buf_text_append(&out, "\n");
  } else {
    kiln_buf_printf(&out, "removed %" PRIu64 " %s, ", removed, removed == 1 ? "entry" : "entries");
    kiln_text_bytes(&out, (double)freed);
    kiln_buf_text_append(&out, "\n");
  }
  return kiln_cli_cache_say(&out, 0);
}

static int
run_gc(const struct kiln_cli_command *command, int argc, char **argv)
{
  struct kiln_cli_cache cache = {0};
  struct gc_request request = {0};
  struct kiln_error error = {0};
  int code;
  if (!kiln_cli_cache_parse(&cache, command, argc, argv, take, &request, &code)) {
    return code;
  }
  code = kiln_cli_cache_open(&cache, NULL, &error) == KILN_OK ? collect(&cache, &request) : kiln_cli_complain(&error);
  kiln_cli_cache_close(&cache);
  return code;
}

static const char examples[] = "  kiln cache gc\n"
                               "  kiln cache gc --limit 500M --young\n";

const struct kiln_cli_command kiln_cmd_cache_gc = {"cache gc",
    "remove what was used least lately, and what crashed builds left", "[options]", examples, options,
    sizeof options / sizeof *options, NULL, run_gc};
