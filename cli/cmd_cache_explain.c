#include "cache.h"
#include "cmd_cache.h"

static const struct kiln_cli_option options[] = {KILN_CLI_CACHE_OPTIONS};

static int
explain(struct kiln_cli_cache *cache, const struct kiln_spec *spec)
{
  struct kiln_error error = {0};
  struct kiln_buf out;
  char *text = NULL;
  bool hit = false;
  enum kiln_status status = kiln_cache_explain(cache->kiln, spec, cache->json, &hit, &text, &error);
  if (status != KILN_OK) {
    kiln_cli_complain(&error);
    return status == KILN_ERROR_NOT_FOUND ? KILN_EXIT_ENVIRONMENT : kiln_cli_status_exit(status);
  }
  kiln_buf_init(&out);
  kiln_buf_text_append(&out, text);
  kiln_cache_text_free(text);
  return kiln_cli_cache_say(&out, hit ? KILN_EXIT_YES : KILN_EXIT_NO);
}

static int
run_explain(const struct kiln_cli_command *command, int argc, char **argv)
{
  struct kiln_cli_cache cache = {.needs = "a spec: a file, or - for standard input"};
  struct kiln_spec *spec = NULL;
  struct kiln_error error = {0};
  int code;
  if (!kiln_cli_cache_parse(&cache, command, argc, argv, NULL, NULL, &code)) {
    return code;
  }
  if (kiln_cli_spec_read(cache.argument, &spec, &error) != KILN_OK) {
    kiln_cli_complain(&error);
    return error.status == KILN_ERROR_MEMORY ? KILN_EXIT_ENVIRONMENT : KILN_EXIT_USAGE;
  }
  code = kiln_cli_cache_open(&cache, NULL, &error) == KILN_OK ? explain(&cache, spec) : kiln_cli_complain(&error);
  kiln_cli_cache_close(&cache);
  kiln_spec_free(spec);
  return code;
}

static const char examples[] = "  kiln cache explain scale.json\n"
                               "  kiln cache explain scale.json --json | jq .nearest.differs\n";

const struct kiln_cli_command kiln_cmd_cache_explain = {"cache explain",
    "would a spec hit (exit code 0) or miss (1), and why", "[options] SPEC|-", examples, options,
    sizeof options / sizeof *options, NULL, run_explain};
