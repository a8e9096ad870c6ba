#include "probe/compare_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json_read.h"
#include "base/text.h"
#include "os/file.h"

/* A report of a thousand processes has tens of megabytes; more is no report of a person's run. */
#define MAX_REPORT_BYTES ((size_t)1 << 30)

const char *const kiln_loaded_fact_names[KILN_LOADED_FACTS + 1] = {
    "cpu", "cores", "memory_bytes", "kernel", "system", "python", "framework", "kiln_version", NULL};

int
kiln_loaded_launch_order(const struct kiln_loaded_launch *a, const struct kiln_loaded_launch *b)
{
  int order = strcmp(a->kernel, b->kernel);
  order = order ? order : strcmp(a->device, b->device);
  order = order ? order : strcmp(a->direction, b->direction);
  order = order ? order : (a->block_dim > b->block_dim) - (a->block_dim < b->block_dim);
  return order ? order : (a->dim > b->dim) - (a->dim < b->dim);
}

int
kiln_loaded_name_order(const struct kiln_loaded_name *a, const struct kiln_loaded_name *b)
{
  const int order = strcmp(a->kernel, b->kernel);
  return order ? order : strcmp(a->module, b->module);
}

static int
compare_launches(const void *a, const void *b)
{
  return kiln_loaded_launch_order(a, b);
}

static int
compare_names(const void *a, const void *b)
{
  return kiln_loaded_name_order(a, b);
}

static const char *
copy_text(struct kiln_loaded_report *report, const struct cJSON *object, const char *key)
{
  return kiln_arena_strdup(&report->arena, kiln_json_get_string(object, key, ""));
}

static enum kiln_status
no_memory(struct kiln_error *error)
{
  return kiln_error_set(error, KILN_ERROR_MEMORY, "memory ran out while a report was read");
}

static enum kiln_status
refuse(const struct kiln_loaded_report *report, struct kiln_error *error, const char *what)
{
  kiln_error_set(error, KILN_ERROR_FORMAT, "report '%s' is not complete: %s", report->name, what);
  kiln_error_advise(error, "Write it anew with `kiln measure --json -o FILE -- COMMAND`.");
  return KILN_ERROR_FORMAT;
}

/* A count of the report; false when it is absent, negative or no integer. */
static bool
read_count(const struct cJSON *object, const char *key, uint64_t *count)
{
  const int64_t value = kiln_json_get_int(object, key, -1);
  *count = value < 0 ? 0 : (uint64_t)value;
  return value >= 0;
}

static enum kiln_status
read_run(const struct kiln_loaded_report *report, const struct cJSON *value, struct kiln_loaded_run *run,
    struct kiln_error *error)
{
  if (!kiln_json_is_object(value))
    return KILN_OK; /* null: this run was not made */
  for (int i = 0; i < KILN_COUNT_COUNT; i++)
    if (!read_count(value, kiln_count_name((enum kiln_count)i), &run->count[i])) {
      char what[120];
      snprintf(what, sizeof what, "a run has no count '%s'", kiln_count_name((enum kiln_count)i));
      return refuse(report, error, what);
    }
  run->elapsed_s = kiln_json_get_double(value, "elapsed_s", 0);
  run->cpu_s = kiln_json_get_double(value, "cpu_s", 0);
  run->overlap = kiln_json_get_double(value, "overlap", 0);
  run->present = true;
  return KILN_OK;
}

static enum kiln_status
read_samples(struct kiln_loaded_report *report, const struct cJSON *arm, struct kiln_error *error)
{
  const struct cJSON *samples = kiln_json_get(arm, "samples");
  if (!kiln_json_is_array(samples))
    return refuse(report, error, "its arm has no list 'samples'");
  for (const struct cJSON *value = kiln_json_first(samples); value; value = kiln_json_next(value)) {
    if (!kiln_json_get_bool(value, "valid", false))
      continue;
    if (!KILN_GROW(report->samples, report->sample_count, report->sample_capacity))
      return no_memory(error);
    struct kiln_loaded_sample *sample = &report->samples[report->sample_count++];
    *sample = (struct kiln_loaded_sample){.index = kiln_json_get_int(value, "index", 0)};
    enum kiln_status status = read_run(report, kiln_json_get(value, "cold"), &sample->run[0], error);
    if (status == KILN_OK)
      status = read_run(report, kiln_json_get(value, "warm"), &sample->run[1], error);
    if (status == KILN_OK && !sample->run[0].present)
      status = refuse(report, error, "a valid sample has no cold run");
    if (status != KILN_OK)
      return status;
  }
  if (report->sample_count == 0)
    return refuse(report, error, "it holds no valid sample");
  return KILN_OK;
}

static struct kiln_loaded_run *
find_run(struct kiln_loaded_report *report, const struct cJSON *row)
{
  const int64_t index = kiln_json_get_int(row, "sample", -1);
  const bool warm = kiln_text_equal(kiln_json_get_string(row, "run", "cold"), "warm");
  if (!kiln_text_equal(kiln_json_get_string(row, "arm", report->arm), report->arm))
    return NULL;
  for (size_t i = 0; i < report->sample_count; i++) {
    const size_t at = (report->last_sample + i) % report->sample_count;
    if (report->samples[at].index == index) {
      report->last_sample = at;
      return &report->samples[at].run[warm];
    }
  }
  return NULL;
}

bool
kiln_loaded_launch_add(struct kiln_loaded_run *run, const struct kiln_loaded_launch *launch, const char *module)
{
  if (!KILN_GROW(run->launches, run->launch_count, run->launch_capacity) ||
      !KILN_GROW(run->names, run->name_count, run->name_capacity))
    return false;
  run->launches[run->launch_count++] = *launch;
  run->names[run->name_count++] = (struct kiln_loaded_name){launch->kernel, module};
  return true;
}

static bool
add_launch(struct kiln_loaded_report *report, struct kiln_loaded_run *run, const struct cJSON *row)
{
  const char *kernel = copy_text(report, row, "kernel"), *module = copy_text(report, row, "module");
  const char *device = copy_text(report, row, "device"), *direction = copy_text(report, row, "direction");
  if (!kernel || !module || !device || !direction)
    return false;
  const int64_t count = kiln_json_get_int(row, "count", 0);
  const struct kiln_loaded_launch launch = {kernel, device, direction, kiln_json_get_int(row, "block_dim", 0),
      kiln_json_get_int(row, "dim", -1), count < 0 ? 0 : (uint64_t)count};
  return kiln_loaded_launch_add(run, &launch, module);
}

void
kiln_loaded_run_settle(struct kiln_loaded_run *run)
{
  size_t kept = 0;
  if (run->launch_count)
    qsort(run->launches, run->launch_count, sizeof *run->launches, compare_launches);
  for (size_t i = 0; i < run->launch_count; i++) {
    if (kept && compare_launches(&run->launches[kept - 1], &run->launches[i]) == 0)
      run->launches[kept - 1].count += run->launches[i].count;
    else
      run->launches[kept++] = run->launches[i];
  }
  run->launch_count = kept;
  kept = 0;
  if (run->name_count)
    qsort(run->names, run->name_count, sizeof *run->names, compare_names);
  for (size_t i = 0; i < run->name_count; i++)
    if (!kept || compare_names(&run->names[kept - 1], &run->names[i]) != 0)
      run->names[kept++] = run->names[i];
  run->name_count = kept;
}

static enum kiln_status
read_launches(struct kiln_loaded_report *report, const struct cJSON *tree, struct kiln_error *error)
{
  const struct cJSON *launches = kiln_json_get(tree, "launches");
  if (!kiln_json_is_array(launches))
    return refuse(report, error, "it has no list 'launches'");
  for (const struct cJSON *row = kiln_json_first(launches); row; row = kiln_json_next(row)) {
    struct kiln_loaded_run *run = find_run(report, row);
    if (run && !add_launch(report, run, row))
      return no_memory(error);
  }
  for (size_t i = 0; i < report->sample_count; i++) {
    kiln_loaded_run_settle(&report->samples[i].run[0]);
    kiln_loaded_run_settle(&report->samples[i].run[1]);
  }
  return KILN_OK;
}

/* Facts as text, whatever their type, since they are only compared and shown. */
static enum kiln_status
read_environment(struct kiln_loaded_report *report, const struct cJSON *tree, struct kiln_error *error)
{
  const struct cJSON *environment = kiln_json_get(tree, "environment");
  for (int i = 0; i < KILN_LOADED_FACTS; i++) {
    const char *name = kiln_loaded_fact_names[i];
    const struct cJSON *object = kiln_json_get(environment, name) ? environment : tree;
    const int64_t number = kiln_json_get_int(object, name, -1);
    char digits[24];
    snprintf(digits, sizeof digits, "%lld", (long long)number);
    const char *text = kiln_json_get_string(object, name, number < 0 ? "" : digits);
    report->facts[i] = kiln_arena_strdup(&report->arena, text);
    if (!report->facts[i])
      return no_memory(error);
  }
  return KILN_OK;
}

static enum kiln_status
check_schema(const struct kiln_loaded_report *report, const struct cJSON *tree, struct kiln_error *error)
{
  const char *schema = kiln_json_get_string(tree, "schema", NULL);
  if (kiln_text_equal(schema, KILN_REPORT_SCHEMA))
    return KILN_OK;
  if (schema)
    kiln_error_set(error, KILN_ERROR_FORMAT, "report '%s' has the schema '%.80s', which this kiln does not read",
        report->name, schema);
  else
    kiln_error_set(error, KILN_ERROR_FORMAT, "'%s' is no report: it has no 'schema'", report->name);
  kiln_error_advise(error, "Give a file that `kiln measure` of this version wrote (schema '%s').", KILN_REPORT_SCHEMA);
  return KILN_ERROR_FORMAT;
}

/* The words as for a shell; the command of the whole report when the arm has none of its own. */
static bool
read_command(struct kiln_loaded_report *report, const struct cJSON *tree, const struct cJSON *arm)
{
  const struct cJSON *words = kiln_json_get(arm, "command");
  struct kiln_buf text;
  kiln_buf_init(&text);
  for (const struct cJSON *word = kiln_json_first(words ? words : kiln_json_get(tree, "command")); word;
       word = kiln_json_next(word)) {
    kiln_buf_text_append(&text, text.len ? " " : "");
    kiln_text_shell_word(&text, kiln_json_as_string(word, "?"));
  }
  report->command = kiln_arena_strdup(&report->arena, kiln_buf_text(&text));
  report->inputs = copy_text(report, arm, "inputs");
  kiln_buf_release(&text);
  return report->command && report->inputs;
}

static enum kiln_status
fill(struct kiln_loaded_report *report, const struct cJSON *tree, const struct cJSON *arm, struct kiln_error *error)
{
  enum kiln_status status = check_schema(report, tree, error);
  if (status != KILN_OK)
    return status;
  arm = arm ? arm : kiln_json_first(kiln_json_get(tree, "arms"));
  if (!kiln_json_is_object(arm))
    return refuse(report, error, "it has no arm");
  report->arm = copy_text(report, arm, "name");
  if (!report->arm || !read_command(report, tree, arm))
    return no_memory(error);
  status = read_samples(report, arm, error);
  if (status == KILN_OK)
    status = read_launches(report, tree, error);
  return status == KILN_OK ? read_environment(report, tree, error) : status;
}

enum kiln_status
kiln_loaded_report_make(const struct cJSON *tree, const struct cJSON *arm, const char *name,
    struct kiln_loaded_report **report, struct kiln_error *error)
{
  *report = NULL;
  struct kiln_loaded_report *loaded = calloc(1, sizeof *loaded);
  if (!loaded)
    return no_memory(error);
  kiln_arena_init(&loaded->arena);
  loaded->name = kiln_arena_strdup(&loaded->arena, name);
  const enum kiln_status status = loaded->name ? fill(loaded, tree, arm, error) : no_memory(error);
  if (status == KILN_OK)
    *report = loaded;
  else
    kiln_loaded_report_free(loaded);
  return status;
}

enum kiln_status
kiln_loaded_report_parse(
    const char *data, size_t len, const char *name, struct kiln_loaded_report **report, struct kiln_error *error)
{
  *report = NULL;
  struct cJSON *tree = NULL;
  enum kiln_status status = kiln_json_parse(data, len, name, &tree, error);
  if (status == KILN_OK)
    status = kiln_loaded_report_make(tree, NULL, name, report, error);
  kiln_json_free(tree);
  return status;
}

enum kiln_status
kiln_loaded_report_read(const char *path, struct kiln_loaded_report **report, struct kiln_error *error)
{
  *report = NULL;
  struct kiln_buf text;
  kiln_buf_init(&text);
  enum kiln_status status = kiln_file_read(path, MAX_REPORT_BYTES, &text, error);
  if (status == KILN_OK)
    status = kiln_loaded_report_parse(kiln_buf_text(&text), text.len, path, report, error);
  kiln_buf_release(&text);
  return status;
}

void
kiln_loaded_report_free(struct kiln_loaded_report *report)
{
  if (!report)
    return;
  for (size_t i = 0; i < report->sample_count; i++)
    for (int j = 0; j < 2; j++) {
      free(report->samples[i].run[j].launches);
      free(report->samples[i].run[j].names);
    }
  free(report->samples);
  kiln_arena_release(&report->arena);
  free(report);
}
