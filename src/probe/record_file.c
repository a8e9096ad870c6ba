#include "probe/record_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json_read.h"
#include "base/json_write.h"
#include "base/text.h"
#include "kiln/version.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/host.h"

#define LARGEST_FILE ((size_t)4 * 1024 * 1024)

static const struct {
  enum kiln_run_end end;
  const char *name;
} ends[] = {
    {KILN_RUN_ENDED, "ended"},
    {KILN_RUN_NOT_STARTED, "not_started"},
    {KILN_RUN_TIMEOUT, "timeout"},
    {KILN_RUN_INTERRUPTED, "interrupted"},
};
#define END_COUNT (sizeof ends / sizeof *ends)

/* ---- writing ---- */

/* Beyond 104 days of uptime nanoseconds are no double any more: text. */
static void
put_time(struct kiln_json *json, const char *key, uint64_t t)
{
  char text[24];
  snprintf(text, sizeof text, "%" PRIu64, t);
  kiln_json_member_filled(json, key, text);
}

static void
put_host(struct kiln_json *json)
{
  struct kiln_host host;
  kiln_host_read(&host);
  kiln_json_member_object(json, "environment");
  kiln_json_member_filled(json, "cpu", host.cpu);
  kiln_json_member_uint(json, "cores", (uint64_t)(host.cores > 0 ? host.cores : 0));
  kiln_json_member_uint(json, "memory_bytes", host.memory_bytes);
  kiln_json_member_filled(json, "kernel", host.kernel);
  kiln_json_member_filled(json, "system", host.system);
  kiln_json_member_known(json, "load_1m", host.load_1m);
  kiln_json_object_end(json);
}

static void
put_usage(struct kiln_json *json, const struct kiln_usage *usage)
{
  kiln_json_member_uint(json, "user_ns", usage->user_ns);
  kiln_json_member_uint(json, "system_ns", usage->system_ns);
  kiln_json_member_uint(json, "max_rss_bytes", usage->max_rss_bytes);
  kiln_json_member_uint(json, "minor_faults", usage->minor_faults);
  kiln_json_member_uint(json, "major_faults", usage->major_faults);
  kiln_json_member_uint(json, "voluntary_switches", usage->voluntary_switches);
  kiln_json_member_uint(json, "involuntary_switches", usage->involuntary_switches);
}

static void
put_result(struct kiln_json *json, const struct kiln_run_result *result)
{
  kiln_json_key(json, "run");
  if (!result) {
    kiln_json_null(json);
    return;
  }
  kiln_json_object(json);
  for (size_t i = 0; i < END_COUNT; i++)
    if (ends[i].end == result->end)
      kiln_json_member_filled(json, "end", ends[i].name);
  kiln_json_member_uint(json, "pid", (uint64_t)result->pid);
  kiln_json_member_uint(json, "exit_code", (uint64_t)result->exit_code);
  kiln_json_member_uint(json, "signal", (uint64_t)result->signal);
  kiln_json_member_uint(json, "start_errno", (uint64_t)result->start_errno);
  put_time(json, "begin_ns", result->begin_ns);
  put_time(json, "end_ns", result->end_ns);
  put_usage(json, &result->usage);
  kiln_json_member_uint(json, "reaped", (uint64_t)result->reaped);
  kiln_json_member_uint(json, "killed", (uint64_t)result->killed);
  kiln_json_object_end(json);
}

static void
write_all(struct kiln_buf *out, const struct kiln_record_options *options, const struct kiln_run_result *result)
{
  struct kiln_json json;
  char date[21];
  kiln_clock_format(kiln_clock_real() - (result ? kiln_clock_now() - result->begin_ns : 0), date); /* of the begin */
  kiln_json_init(&json, out, true);
  kiln_json_object(&json);
  kiln_json_member_filled(&json, "schema", KILN_RECORD_SCHEMA);
  kiln_json_member_filled(&json, "kiln_version", kiln_version());
  kiln_json_member_filled(&json, "date", date);
  kiln_json_member_array(&json, "command");
  for (char *const *word = options->command; *word; word++)
    kiln_json_string(&json, *word);
  kiln_json_array_end(&json);
  kiln_json_member_double(&json, "timeout_s", options->timeout_s);
  put_host(&json);
  put_result(&json, result);
  kiln_json_object_end(&json);
  kiln_buf_text_append(out, "\n");
}

enum kiln_status
kiln_record_file_write(
    const struct kiln_record_options *options, const struct kiln_run_result *result, struct kiln_error *error)
{
  struct kiln_buf path, out;
  enum kiln_status status;
  kiln_buf_init(&path);
  kiln_buf_init(&out);
  write_all(&out, options, result);
  kiln_text_join(&path, options->folder, KILN_RECORD_FILE);
  if (out.failed || path.failed)
    status = kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short.");
  else
    status = kiln_file_write(kiln_buf_text(&path), out.data, out.len, error);
  kiln_buf_release(&out);
  kiln_buf_release(&path);
  return status;
}

/* ---- reading ---- */

static void
take_name(char *text, size_t size, const struct cJSON *object, const char *key)
{
  snprintf(text, size, "%s", kiln_json_get_string(object, key, ""));
}

static uint64_t
take_uint(const struct cJSON *object, const char *key)
{
  const int64_t value = kiln_json_get_int(object, key, 0);
  return value > 0 ? (uint64_t)value : 0;
}

static int
take_int(const struct cJSON *object, const char *key)
{
  const int64_t value = kiln_json_get_int(object, key, 0);
  return value > 0 && value <= INT32_MAX ? (int)value : 0;
}

static void
take_host(struct kiln_host *host, const struct cJSON *object)
{
  take_name(host->cpu, sizeof host->cpu, object, "cpu");
  take_name(host->kernel, sizeof host->kernel, object, "kernel");
  take_name(host->system, sizeof host->system, object, "system");
  host->cores = take_int(object, "cores");
  host->memory_bytes = take_uint(object, "memory_bytes");
  host->load_1m = kiln_json_get_double(object, "load_1m", -1);
}

static void
take_usage(struct kiln_usage *usage, const struct cJSON *run)
{
  usage->user_ns = take_uint(run, "user_ns");
  usage->system_ns = take_uint(run, "system_ns");
  usage->max_rss_bytes = take_uint(run, "max_rss_bytes");
  usage->minor_faults = take_uint(run, "minor_faults");
  usage->major_faults = take_uint(run, "major_faults");
  usage->voluntary_switches = take_uint(run, "voluntary_switches");
  usage->involuntary_switches = take_uint(run, "involuntary_switches");
}

/* false: it claims a result and has none. */
static bool
take_result(struct kiln_record_file *file, const struct cJSON *run)
{
  struct kiln_run_result *result = &file->result;
  const char *end = kiln_json_get_string(run, "end", NULL);
  size_t i = 0;
  if (!run || kiln_json_is_null(run))
    return true;
  while (i < END_COUNT && !kiln_text_equal(ends[i].name, end))
    i++;
  if (i == END_COUNT || !kiln_text_parse_uint(kiln_json_get_string(run, "begin_ns", ""), &result->begin_ns) ||
      !kiln_text_parse_uint(kiln_json_get_string(run, "end_ns", ""), &result->end_ns) ||
      result->end_ns < result->begin_ns)
    return false;
  result->end = ends[i].end;
  result->pid = take_int(run, "pid");
  result->exit_code = take_int(run, "exit_code");
  result->signal = take_int(run, "signal");
  result->start_errno = take_int(run, "start_errno");
  result->reaped = take_int(run, "reaped");
  result->killed = take_int(run, "killed");
  take_usage(&result->usage, run);
  file->finished = true;
  return true;
}

static bool
take_command(struct kiln_record_file *file, const struct cJSON *words, struct kiln_arena *arena)
{
  const size_t count = kiln_json_is_array(words) ? kiln_json_count(words) : 0;
  if (count == 0)
    return false;
  file->command = kiln_arena_alloc(arena, (count + 1) * sizeof *file->command);
  if (!file->command)
    return true; /* the arena remembers */
  for (const struct cJSON *word = kiln_json_first(words); word; word = kiln_json_next(word))
    file->command[file->command_count++] = kiln_arena_strdup(arena, kiln_json_as_string(word, ""));
  return true;
}

static enum kiln_status
take_file(struct kiln_record_file *file, const struct cJSON *tree, const char *path, struct kiln_arena *arena,
    struct kiln_error *error)
{
  if (!kiln_text_equal(kiln_json_get_string(tree, "schema", NULL), KILN_RECORD_SCHEMA) ||
      !take_command(file, kiln_json_get(tree, "command"), arena) || !take_result(file, kiln_json_get(tree, "run")))
    return kiln_error_set(error, KILN_ERROR_FORMAT, "'%s' is no record of a run (%s).", path, KILN_RECORD_SCHEMA);
  file->date = kiln_arena_strdup(arena, kiln_json_get_string(tree, "date", NULL));
  file->timeout_s = kiln_json_get_double(tree, "timeout_s", 0);
  take_host(&file->host, kiln_json_get(tree, "environment"));
  file->present = true;
  return arena->failed ? kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short.") : KILN_OK;
}

enum kiln_status
kiln_record_file_read(
    const char *folder, struct kiln_arena *arena, struct kiln_record_file *file, struct kiln_error *error)
{
  struct kiln_buf path, text;
  struct cJSON *tree = NULL;
  memset(file, 0, sizeof *file);
  file->host.load_1m = -1;
  kiln_buf_init(&path);
  kiln_buf_init(&text);
  kiln_text_join(&path, folder, KILN_RECORD_FILE);
  enum kiln_status status = kiln_file_read(kiln_buf_text(&path), LARGEST_FILE, &text, error);
  if (status == KILN_OK)
    status = kiln_json_parse(kiln_buf_text(&text), text.len, kiln_buf_text(&path), &tree, error);
  if (status == KILN_OK)
    status = take_file(file, tree, kiln_buf_text(&path), arena, error);
  if (status == KILN_ERROR_NOT_FOUND)
    status = KILN_OK;
  kiln_json_free(tree);
  kiln_buf_release(&text);
  kiln_buf_release(&path);
  return status;
}
