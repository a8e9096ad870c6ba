#include "probe/report_read.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "os/file.h"
#include "probe/why.h"

#define LARGEST_REPORT ((size_t)1 << 30)
#define MOST_ARMS 1000
#define MOST_SAMPLES 1000000
#define LONGEST_S 3.2e9

static enum kiln_status
no_memory(struct kiln_error *error)
{
  return kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short.");
}

uint64_t
kiln_report_read_ns(const struct cJSON *object, const char *key)
{
  const double seconds = kiln_json_get_double(object, key, 0);
  return seconds > 0 && seconds < LONGEST_S ? (uint64_t)(seconds * 1e9 + 0.5) : 0;
}

static uint64_t
read_uint(const struct cJSON *object, const char *key)
{
  const int64_t value = kiln_json_get_int(object, key, 0);
  return value > 0 ? (uint64_t)value : 0;
}

static int
read_int(const struct cJSON *object, const char *key, int fallback)
{
  const int64_t value = kiln_json_get_int(object, key, fallback);
  return value >= INT32_MIN && value <= INT32_MAX ? (int)value : fallback;
}

static const char *
read_text(struct kiln_report *report, const struct cJSON *object, const char *key)
{
  return kiln_arena_strdup(&report->arena, kiln_json_get_string(object, key, NULL));
}

/* NULL-terminated; *count receives the number. */
static const char **
read_texts(struct kiln_report *report, const struct cJSON *array, size_t *count)
{
  const char **texts = kiln_arena_alloc(&report->arena, (kiln_json_count(array) + 1) * sizeof *texts);
  *count = 0;
  for (const struct cJSON *value = kiln_json_first(array); texts && value; value = kiln_json_next(value))
    texts[(*count)++] = kiln_arena_strdup(&report->arena, kiln_json_as_string(value, ""));
  return texts;
}

/* ---- runs ---- */

static void
read_end(struct kiln_run_result *result, const struct cJSON *run)
{
  static const struct {
    const char *name;
    enum kiln_run_end end;
  } ends[] = {
      {"not_started", KILN_RUN_NOT_STARTED},
      {"timeout", KILN_RUN_TIMEOUT},
      {"interrupted", KILN_RUN_INTERRUPTED},
      {"ready", KILN_RUN_READY},
  };
  const char *name = kiln_json_get_string(run, "end", "ended");
  result->end = KILN_RUN_ENDED;
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    if (strcmp(ends[i].name, name) == 0)
      result->end = ends[i].end;
}

static void
read_result(struct kiln_report_run *run, const struct cJSON *value)
{
  struct kiln_run_result *result = &run->result;
  read_end(result, value);
  result->exit_code = read_int(value, "exit_code", 0);
  result->signal = read_int(value, "signal", 0);
  result->reaped = read_int(value, "reaped", 0);
  result->killed = read_int(value, "killed", 0);
  result->end_ns = kiln_report_read_ns(value, "elapsed_s");
  result->ready = kiln_json_get_double(value, "ready_s", -1) >= 0;
  result->ready_ns = kiln_report_read_ns(value, "ready_s");
  result->stdout_bytes = read_uint(value, "stdout_bytes");
  result->stderr_bytes = read_uint(value, "stderr_bytes");
  result->output_cut = kiln_json_get_bool(value, "output_cut", false);
  result->output_lost = kiln_json_get_bool(value, "output_lost", false);
  result->usage.user_ns = kiln_report_read_ns(value, "user_s");
  result->usage.system_ns = kiln_report_read_ns(value, "system_s");
  result->usage.max_rss_bytes = read_uint(value, "max_rss_bytes");
  result->usage.minor_faults = read_uint(value, "minor_faults");
  result->usage.major_faults = read_uint(value, "major_faults");
  result->usage.voluntary_switches = read_uint(value, "voluntary_switches");
  result->usage.involuntary_switches = read_uint(value, "involuntary_switches");
}

static void
read_counts(struct kiln_model *model, const struct cJSON *value)
{
  struct kiln_counts *counts = &model->counts;
  uint64_t *const fields[KILN_COUNT_COUNT] = {[KILN_COUNT_BUILDS] = &counts->builds,
      [KILN_COUNT_LOADS] = &counts->loads,
      [KILN_COUNT_MODULES] = &counts->modules,
      [KILN_COUNT_IDENTITIES] = &counts->identities,
      [KILN_COUNT_LAUNCHES] = &counts->launches,
      [KILN_COUNT_PROCESSES] = &counts->processes,
      [KILN_COUNT_LTO] = &counts->lto,
      [KILN_COUNT_SOURCE_BYTES] = &counts->source_bytes};
  for (int i = 0; i < KILN_COUNT_COUNT; i++)
    *fields[i] = read_uint(value, kiln_count_name((enum kiln_count)i));
  model->launch_overflow = read_uint(value, "launches_uncounted");
  model->events = read_uint(value, "events");
  model->event_bytes = read_uint(value, "event_bytes");
  model->bad_lines = read_uint(value, "bad_lines");
  model->overlap = kiln_json_get_double(value, "overlap", 0);
}

static bool
read_run(struct kiln_report_run *run, const struct cJSON *value)
{
  if (!kiln_json_is_object(value))
    return true;
  run->model = kiln_model_new();
  if (!run->model)
    return false;
  run->present = true;
  run->elapsed_s = kiln_json_get_double(value, "elapsed_s", 0);
  run->cpu_s = kiln_json_get_double(value, "cpu_s", 0);
  run->from_file = true;
  run->native_s = kiln_json_get_double(value, "native_s", 0);
  run->module_work_s = kiln_json_get_double(value, "module_work_s", 0);
  run->artefacts_new = read_uint(value, "artefacts_new");
  read_result(run, value);
  read_counts(run->model, value);
  const struct cJSON *phases = kiln_json_get(value, "phases");
  for (int i = 0; i < KILN_PHASE_COUNT; i++) {
    const struct cJSON *phase = kiln_json_get(phases, kiln_phase_name((enum kiln_phase)i));
    run->phase[i] =
        (struct kiln_span_time){kiln_report_read_ns(phase, "elapsed_s"), kiln_report_read_ns(phase, "cpu_s")};
  }
  return true;
}

/* ---- arms ---- */

static bool
read_sample(struct kiln_report *report, struct kiln_report_arm *arm, const struct cJSON *value)
{
  struct kiln_report_sample *sample = &arm->samples[arm->sample_count++];
  sample->index = read_int(value, "index", 0);
  sample->valid = kiln_json_get_bool(value, "valid", false);
  sample->invalid_because = read_text(report, value, "invalid_because");
  return read_run(&sample->cold, kiln_json_get(value, "cold")) && read_run(&sample->warm, kiln_json_get(value, "warm"));
}

static uint64_t
read_digest(const struct cJSON *arm)
{
  const char *text = kiln_json_get_string(arm, "inputs", "");
  unsigned long long digest = 0;
  return strlen(text) == 16 && sscanf(text, "%16llx", &digest) == 1 ? digest : 0;
}

static bool
read_arm(struct kiln_report *report, struct kiln_report_arm *arm, const struct cJSON *value)
{
  const struct cJSON *samples = kiln_json_get(value, "samples");
  arm->samples = kiln_arena_alloc(&report->arena, (kiln_json_count(samples) + 1) * sizeof *arm->samples);
  arm->name = read_text(report, value, "name");
  arm->command = read_texts(report, kiln_json_get(value, "command"), &arm->command_count);
  arm->inputs = read_digest(value);
  if (!arm->samples || report->arena.failed)
    return false;
  for (const struct cJSON *sample = kiln_json_first(samples); sample; sample = kiln_json_next(sample))
    if (!read_sample(report, arm, sample))
      return false;
  if (!arm->name)
    arm->name = "base";
  return true;
}

static enum kiln_status
read_arms(struct kiln_report *report, const struct cJSON *tree, const char *path, struct kiln_error *error)
{
  const struct cJSON *arms = kiln_json_get(tree, "arms");
  const size_t count = kiln_json_is_array(arms) ? kiln_json_count(arms) : 0;
  if (count == 0 || count > MOST_ARMS)
    return kiln_error_set(error, KILN_ERROR_FORMAT, "The report '%s' has %zu arms.", path, count);
  if (!kiln_report_arms_make(report, count, 1))
    return no_memory(error);
  struct kiln_report_arm *arm = report->arms;
  for (const struct cJSON *value = kiln_json_first(arms); value; value = kiln_json_next(value)) {
    const struct cJSON *samples = kiln_json_get(value, "samples");
    if (!kiln_json_is_array(samples) || kiln_json_count(samples) > MOST_SAMPLES)
      return kiln_error_set(error, KILN_ERROR_FORMAT, "An arm of the report '%s' has no list of samples.", path);
    if (!read_arm(report, arm++, value))
      return no_memory(error);
  }
  return KILN_OK;
}

size_t
kiln_report_arm_named(const struct kiln_report *report, const char *name)
{
  for (size_t i = 0; i < report->arm_count; i++)
    if (kiln_text_equal(report->arms[i].name, name))
      return i;
  return report->arm_count;
}

/* ---- the head, findings, warnings ---- */

static void
copy_name(char *text, size_t size, const struct cJSON *object, const char *key)
{
  snprintf(text, size, "%s", kiln_json_get_string(object, key, ""));
}

static void
read_environment(struct kiln_report *report, const struct cJSON *value)
{
  struct kiln_host *host = &report->host;
  copy_name(host->cpu, sizeof host->cpu, value, "cpu");
  copy_name(host->kernel, sizeof host->kernel, value, "kernel");
  copy_name(host->system, sizeof host->system, value, "system");
  host->cores = read_int(value, "cores", 0);
  host->memory_bytes = read_uint(value, "memory_bytes");
  host->load_1m = kiln_json_get_double(value, "load_1m", -1);
  report->python = read_text(report, value, "python");
  report->framework = read_text(report, value, "framework");
}

static bool
read_head(struct kiln_report *report, const struct cJSON *tree)
{
  const char *state = kiln_json_get_string(tree, "state", "");
  bool known = false;
  for (int i = KILN_REPORT_COMPLETE; i <= KILN_REPORT_INVALID; i++)
    if (kiln_text_equal(kiln_report_state_name((enum kiln_report_state)i), state)) {
      report->state = (enum kiln_report_state)i;
      known = true;
    }
  report->recorded = kiln_text_equal(kiln_json_get_string(tree, "kind", NULL), "record");
  report->unfinished = kiln_json_get_bool(tree, "unfinished", false);
  report->date = read_text(report, tree, "date");
  report->command = read_texts(report, kiln_json_get(tree, "command"), &report->command_count);
  report->failure = read_text(report, tree, "failure");
  report->until = read_text(report, tree, "until");
  report->samples_wanted = read_int(tree, "samples_wanted", 0);
  report->warmup = read_int(tree, "warmup", 0);
  read_environment(report, kiln_json_get(tree, "environment"));
  return known;
}

static enum kiln_status
read_tree(struct kiln_report *report, const struct cJSON *tree, const char *path, struct kiln_error *error)
{
  const char *schema = kiln_json_get_string(tree, "schema", NULL);
  if (!kiln_text_equal(schema, KILN_REPORT_SCHEMA) || !read_head(report, tree)) {
    kiln_error_set(error, KILN_ERROR_FORMAT, "'%s' is no report of this kiln: its schema is '%s', not '%s'.", path,
        schema ? schema : "missing", KILN_REPORT_SCHEMA);
    kiln_error_advise(error, "Name a file that 'kiln measure -o FILE' wrote, or the folder of 'kiln record'.");
    return KILN_ERROR_FORMAT;
  }
  enum kiln_status status = read_arms(report, tree, path, error);
  if (status == KILN_OK && (!kiln_report_read_tables(report, tree) || !kiln_report_read_findings(report, tree) ||
                               !kiln_report_read_identities(report, tree)))
    status = no_memory(error);
  if (status != KILN_OK)
    return status;
  report->why = kiln_why_read(kiln_json_get(tree, "why"), &report->arena);
  if (report->arena.failed)
    return no_memory(error);
  kiln_report_summarise(report);
  return kiln_report_read_pairs(report, tree, error);
}

enum kiln_status
kiln_report_parse(const char *data, size_t len, const char *name, struct kiln_report **report, struct kiln_error *error)
{
  struct cJSON *tree = NULL;
  *report = NULL;
  enum kiln_status status = kiln_json_parse(data, len, name, &tree, error);
  if (status == KILN_OK) {
    *report = kiln_report_new();
    status = *report ? read_tree(*report, tree, name, error) : no_memory(error);
  }
  kiln_json_free(tree);
  if (status != KILN_OK) {
    kiln_report_free(*report);
    *report = NULL;
  }
  return status;
}

enum kiln_status
kiln_report_read(const char *path, struct kiln_report **report, struct kiln_error *error)
{
  struct kiln_buf text;
  kiln_buf_init(&text);
  *report = NULL;
  enum kiln_status status = kiln_file_read(path, LARGEST_REPORT, &text, error);
  if (status == KILN_OK)
    status = kiln_report_parse(kiln_buf_text(&text), text.len, path, report, error);
  kiln_buf_release(&text);
  return status;
}
