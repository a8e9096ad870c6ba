/* Pairs of a report with several arms, and the verdicts that follow from them. */
#include <string.h>

#include "base/text.h"
#include "probe/judge.h"
#include "probe/report_read.h"

#define DEFAULT_RESOLUTION 0.05

static struct kiln_conditions
read_conditions(const struct cJSON *value)
{
  return (struct kiln_conditions){.load_1m = kiln_json_get_double(value, "load_1m", -1),
      .cpu_pressure = kiln_json_get_double(value, "cpu_pressure", -1),
      .io_pressure = kiln_json_get_double(value, "io_pressure", -1),
      .memory_pressure = kiln_json_get_double(value, "memory_pressure", -1),
      .steal = kiln_json_get_double(value, "steal", -1)};
}

/* Position of the sample with this index; false when the arm has none. */
static bool
find_sample(const struct kiln_report_arm *arm, int index, size_t *at)
{
  for (*at = 0; *at < arm->sample_count; ++*at)
    if (arm->samples[*at].index == index)
      return true;
  return false;
}

/* A pair whose samples are not there is left out. */
static void
read_pair(struct kiln_report *report, const struct cJSON *value)
{
  struct kiln_report_pair pair = {.index = (int)kiln_json_get_int(value, "index", 0)};
  pair.candidate = kiln_report_arm_named(report, kiln_json_get_string(value, "candidate", NULL));
  if (pair.candidate == 0 || pair.candidate == report->arm_count ||
      !find_sample(&report->arms[0], pair.index, &pair.sample[0]) ||
      !find_sample(&report->arms[pair.candidate], pair.index, &pair.sample[1]))
    return;
  pair.candidate_first = kiln_text_equal(kiln_json_get_string(value, "first", NULL), report->arms[pair.candidate].name);
  pair.valid = kiln_json_get_bool(value, "valid", false);
  pair.invalid_because = kiln_arena_strdup(&report->arena, kiln_json_get_string(value, "invalid_because", NULL));
  pair.cold = read_conditions(kiln_json_get(value, "cold"));
  pair.warm = read_conditions(kiln_json_get(value, "warm"));
  report->pairs[report->pair_count++] = pair;
}

static uint64_t
read_seed(const struct cJSON *time)
{
  const char *text = kiln_json_get_string(time, "seed", "");
  uint64_t seed = 0;
  if (!kiln_text_starts(text, "0x"))
    return 0;
  for (text += 2; *text; text++) {
    const char *digits = "0123456789abcdef", *digit = strchr(digits, *text);
    if (!digit)
      return 0;
    seed = seed << 4 | (uint64_t)(digit - digits);
  }
  return seed;
}

static void
read_plan(struct kiln_report *report, const struct cJSON *tree)
{
  const struct cJSON *time = kiln_json_get(tree, "time"), *constants = kiln_json_get(time, "constants");
  report->plan.serial = kiln_text_equal(kiln_json_get_string(time, "mode", NULL), "serial");
  report->plan.seed = read_seed(time);
  report->plan.max_pairs = (int)kiln_json_get_int(tree, "max_pairs", 0);
  report->plan.max_time_s = kiln_json_get_double(tree, "max_time_s", 0);
  report->plan.resolution = kiln_json_get_double(constants, "resolution", DEFAULT_RESOLUTION);
}

static enum kiln_status
judge(struct kiln_report *report, struct kiln_error *error)
{
  enum kiln_status status = KILN_OK;
  for (size_t i = 0; i < report->verdict_count && status == KILN_OK; i++) {
    struct kiln_report_verdict *verdict = &report->verdicts[i];
    verdict->candidate = i + 1;
    verdict->time.resolution = report->plan.resolution;
    status = kiln_report_judge_work(report, verdict, error);
    if (status == KILN_OK)
      status = kiln_report_judge_time(report, verdict, error);
  }
  return status;
}

enum kiln_status
kiln_report_read_pairs(struct kiln_report *report, const struct cJSON *tree, struct kiln_error *error)
{
  const struct cJSON *pairs = kiln_json_get(tree, "pairs");
  if (report->arm_count < 2)
    return KILN_OK;
  read_plan(report, tree);
  report->pairs = kiln_arena_alloc(&report->arena, (kiln_json_count(pairs) + 1) * sizeof *report->pairs);
  report->verdicts = kiln_arena_alloc(&report->arena, (report->arm_count - 1) * sizeof *report->verdicts);
  if (!report->pairs || !report->verdicts)
    return kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short.");
  for (const struct cJSON *value = kiln_json_first(pairs); value; value = kiln_json_next(value))
    read_pair(report, value);
  report->verdict_count = report->arm_count - 1;
  return judge(report, error);
}
