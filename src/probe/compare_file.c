#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json_read.h"
#include "base/text.h"
#include "os/file.h"
#include "probe/compare_load.h"

#define MAX_REPORT_BYTES ((size_t)1 << 30)
#define MOST_ARMS 64
#define MOST_PAIRS 4096 /* more than eight arms can have; each is looked for among the samples */

static enum kiln_status
no_memory(struct kiln_error *error)
{
  return kiln_error_set(error, KILN_ERROR_MEMORY, "memory ran out while a report was read");
}

static enum kiln_status
read_arms(struct kiln_loaded_file *file, const struct cJSON *tree, const char *name, struct kiln_error *error)
{
  const struct cJSON *arm = kiln_json_first(kiln_json_get(tree, "arms"));
  do {
    if (file->arm_count == MOST_ARMS)
      return kiln_error_set(error, KILN_ERROR_FORMAT, "report '%s' has more than %d arms", name, MOST_ARMS);
    if (!KILN_GROW(file->arms, file->arm_count, file->arm_capacity))
      return no_memory(error);
    /* Without any arm the first call says so. */
    const enum kiln_status status = kiln_loaded_report_make(tree, arm, name, &file->arms[file->arm_count], error);
    if (status != KILN_OK)
      return status;
    file->arm_count++;
    arm = kiln_json_next(arm);
  } while (arm);
  return KILN_OK;
}

static size_t
find_arm(const struct kiln_loaded_file *file, const char *name)
{
  for (size_t i = 0; i < file->arm_count; i++)
    if (kiln_text_equal(file->arms[i]->arm, name))
      return i;
  return file->arm_count;
}

static enum kiln_status
read_pairs(struct kiln_loaded_file *file, const struct cJSON *tree, const char *name, struct kiln_error *error)
{
  const struct cJSON *pairs = kiln_json_get(tree, "pairs");
  for (const struct cJSON *pair = kiln_json_first(pairs); pair; pair = kiln_json_next(pair)) {
    const size_t candidate = find_arm(file, kiln_json_get_string(pair, "candidate", NULL));
    if (!kiln_json_get_bool(pair, "valid", false) || candidate == 0 || candidate == file->arm_count)
      continue;
    if (file->pair_count == MOST_PAIRS)
      return kiln_error_set(error, KILN_ERROR_FORMAT, "report '%s' has more than %d pairs", name, MOST_PAIRS);
    if (!KILN_GROW(file->pairs, file->pair_count, file->pair_capacity))
      return no_memory(error);
    file->pairs[file->pair_count++] = (struct kiln_loaded_pair){candidate, kiln_json_get_int(pair, "index", -1)};
  }
  return KILN_OK;
}

/* Only these two ever decide. */
static enum kiln_metric
metric_by_name(const char *name)
{
  return kiln_text_equal(name, kiln_metric_name(KILN_METRIC_COLD_ELAPSED)) ? KILN_METRIC_COLD_ELAPSED
                                                                           : KILN_METRIC_COLD_CPU;
}

static void
read_time(struct kiln_loaded_file *file, const struct cJSON *time, size_t candidate)
{
  const double resolution = kiln_json_get_double(kiln_json_get(time, "constants"), "resolution", 0);
  const char *seed = kiln_json_get_string(time, "seed", "");
  if (!kiln_json_is_object(time))
    return;
  file->metrics[candidate] = metric_by_name(kiln_json_get_string(time, "metric", NULL));
  file->other_rule =
      file->other_rule || !kiln_text_equal(kiln_json_get_string(time, "rule", NULL), KILN_SEQUENTIAL_RULE);
  file->resolution = resolution > 0 && resolution <= 1 ? resolution : file->resolution;
  file->serial = kiln_text_equal(kiln_json_get_string(time, "mode", NULL), "serial");
  if (sscanf(seed, "0x%" SCNx64, &file->seed) != 1)
    file->seed = 0;
}

static enum kiln_status
fill(struct kiln_loaded_file *file, const struct cJSON *tree, const char *name, struct kiln_error *error)
{
  enum kiln_status status = read_arms(file, tree, name, error);
  if (status == KILN_OK)
    status = read_pairs(file, tree, name, error);
  if (status != KILN_OK)
    return status;
  file->resolution = KILN_SEQUENTIAL_RESOLUTION;
  file->metrics = calloc(file->arm_count, sizeof *file->metrics);
  if (!file->metrics)
    return no_memory(error);
  const struct cJSON *verdicts = kiln_json_get(tree, "verdicts");
  for (const struct cJSON *verdict = kiln_json_first(verdicts); verdict; verdict = kiln_json_next(verdict)) {
    const size_t candidate = find_arm(file, kiln_json_get_string(verdict, "candidate", NULL));
    if (candidate > 0 && candidate < file->arm_count)
      read_time(file, kiln_json_get(verdict, "time"), candidate);
  }
  return KILN_OK;
}

enum kiln_status
kiln_loaded_file_parse(
    const char *data, size_t len, const char *name, struct kiln_loaded_file **file, struct kiln_error *error)
{
  struct cJSON *tree = NULL;
  *file = NULL;
  enum kiln_status status = kiln_json_parse(data, len, name, &tree, error);
  if (status != KILN_OK)
    return status;
  struct kiln_loaded_file *loaded = calloc(1, sizeof *loaded);
  status = loaded ? fill(loaded, tree, name, error) : no_memory(error);
  kiln_json_free(tree);
  if (status == KILN_OK)
    *file = loaded;
  else
    kiln_loaded_file_free(loaded);
  return status;
}

enum kiln_status
kiln_loaded_file_read(const char *path, struct kiln_loaded_file **file, struct kiln_error *error)
{
  struct kiln_buf text;
  *file = NULL;
  kiln_buf_init(&text);
  enum kiln_status status = kiln_file_read(path, MAX_REPORT_BYTES, &text, error);
  if (status == KILN_OK)
    status = kiln_loaded_file_parse(kiln_buf_text(&text), text.len, path, file, error);
  kiln_buf_release(&text);
  return status;
}

void
kiln_loaded_file_free(struct kiln_loaded_file *file)
{
  if (!file)
    return;
  for (size_t i = 0; i < file->arm_count; i++)
    kiln_loaded_report_free(file->arms[i]);
  free(file->arms);
  free(file->pairs);
  free(file->metrics);
  free(file);
}

size_t
kiln_loaded_file_candidates(const struct kiln_loaded_file *file)
{
  return file->arm_count - 1;
}

enum kiln_status
kiln_loaded_file_arm(const struct kiln_loaded_file *file, const char *name, size_t *arm, struct kiln_error *error)
{
  struct kiln_buf names;
  *arm = find_arm(file, name);
  if (*arm < file->arm_count)
    return KILN_OK;
  kiln_buf_init(&names);
  for (size_t i = 0; i < file->arm_count; i++)
    kiln_buf_printf(&names, "%s'%s'", i ? ", " : "", file->arms[i]->arm);
  kiln_error_set(error, KILN_ERROR_NOT_FOUND, "report '%s' has no arm '%s'", file->arms[0]->name, name);
  kiln_error_advise(error, "Its arms are %s.", kiln_buf_text(&names));
  kiln_buf_release(&names);
  return KILN_ERROR_NOT_FOUND;
}
