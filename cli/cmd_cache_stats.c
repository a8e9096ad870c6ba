#include <inttypes.h>

#include "base/json_write.h"
#include "base/text.h"
#include "cache.h"
#include "cmd_cache.h"

static const struct kiln_cli_option options[] = {KILN_CLI_CACHE_OPTIONS};

/* One row of both renderings. */
struct row {
  const char *name, *label;
  uint64_t value;
};

static const char *
cache_folder(const struct kiln *kiln, const char **source)
{
  const struct kiln_setting *setting;
  size_t i;
  for (i = 0; (setting = kiln_setting_at(kiln, i)) != NULL; i++) {
    if (kiln_text_equal(setting->name, "cache_folder")) {
      *source = setting->source;
      return setting->value;
    }
  }
  *source = "";
  return "";
}

static void
write_json(const struct kiln_cache_stats *stats, const struct row *rows, size_t count, const char *folder,
    struct kiln_buf *out)
{
  struct kiln_json json;
  size_t i;
  kiln_json_init(&json, out, true);
  kiln_json_object(&json);
  kiln_json_key(&json, "folder");
  kiln_json_string(&json, folder);
  for (i = 0; i < count; i++) {
    kiln_json_key(&json, rows[i].name);
    kiln_json_uint(&json, rows[i].value);
  }
  kiln_json_key(&json, "writable");
  kiln_json_bool(&json, stats->writable);
  kiln_json_key(&json, "network");
  kiln_json_bool(&json, stats->network);
  kiln_json_key(&json, "noexec");
  kiln_json_bool(&json, stats->noexec);
  kiln_json_object_end(&json);
  kiln_buf_text_append(out, "\n");
}

static void
write_text(const struct kiln_cache_stats *stats, const struct row *rows, size_t count, struct kiln_buf *out)
{
  size_t i;
  for (i = 0; i < count; i++) {
    if (kiln_text_equal(rows[i].name, "bytes")) {
      kiln_buf_printf(out, "  %-22s", rows[i].label);
      kiln_text_bytes(out, (double)rows[i].value);
      kiln_buf_text_append(out, "\n");
    } else {
      kiln_buf_printf(out, "  %-22s%" PRIu64 "\n", rows[i].label, rows[i].value);
    }
  }
  kiln_buf_printf(out, "  %-22s%s%s%s\n", "place", stats->writable ? "writable" : "not writable",
      stats->network ? ", on a network file system" : "",
      stats->noexec ? ", noexec: modules are loaded from memory" : "");
}

static int
stats_print(struct kiln_cli_cache *cache)
{
  struct kiln_cache_stats stats;
  struct kiln_error error = {0};
  struct kiln_buf out;
  const char *source, *folder = cache_folder(cache->kiln, &source);
  if (kiln_cache_stats(cache->kiln, &stats, &error) != KILN_OK) {
    return kiln_cli_complain(&error);
  }
  {
    const struct row rows[] = {
        {"entries", "entries", stats.entries},
        {"bytes", "size", stats.bytes},
        {"layer_entries", "entries of layers", stats.layer_entries},
        {"failed", "remembered failures", stats.failed},
        {"quarantined", "in quarantine", stats.quarantined},
        {"toolchains", "known toolchains", stats.toolchains},
        {"building", "builds now", stats.building},
    };
    kiln_buf_init(&out);
    if (cache->json) {
      write_json(&stats, rows, sizeof rows / sizeof *rows, folder, &out);
    } else {
      kiln_buf_printf(&out, "%s (from %s)\n", *folder ? folder : "no store", source);
      write_text(&stats, rows, sizeof rows / sizeof *rows, &out);
    }
  }
  return kiln_cli_cache_say(&out, 0);
}

static int
run_stats(const struct kiln_cli_command *command, int argc, char **argv)
{
  struct kiln_cli_cache cache = {0};
  struct kiln_error error = {0};
  int code;
  if (!kiln_cli_cache_parse(&cache, command, argc, argv, NULL, NULL, &code)) {
    return code;
  }
  code = kiln_cli_cache_open(&cache, NULL, &error) == KILN_OK ? stats_print(&cache) : kiln_cli_complain(&error);
  kiln_cli_cache_close(&cache);
  return code;
}

static const char examples[] = "  kiln cache stats\n"
                               "  kiln cache stats --json | jq .bytes\n";

const struct kiln_cli_command kiln_cmd_cache_stats = {"cache stats", "where the store is and what it holds",
    "[options]", examples, options, sizeof options / sizeof *options, NULL, run_stats};
