#include "probe/compare.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "probe/compare_launches.h"
#include "probe/compare_load.h"

/* The first of these that differs decides. */
static const enum kiln_count deciding[] = {
    KILN_COUNT_BUILDS, KILN_COUNT_IDENTITIES, KILN_COUNT_LTO, KILN_COUNT_SOURCE_BYTES, KILN_COUNT_LOADS};
#define DECIDING_COUNT (sizeof deciding / sizeof *deciding)

static const char *const run_names[2] = {"cold", "warm"};

const char *
kiln_work_name(enum kiln_work work)
{
  static const char *const names[] = {"SAME", "FEWER", "MORE", "UNSTABLE", "UNLIKE"};
  return (unsigned)work < sizeof names / sizeof *names ? names[work] : "UNKNOWN";
}

void
kiln_comparison_release(struct kiln_comparison *comparison)
{
  for (size_t i = 0; i < comparison->note_count; i++)
    free(comparison->notes[i]);
  free(comparison->notes);
  comparison->notes = NULL;
  comparison->note_count = comparison->note_capacity = 0;
}

bool
kiln_comparison_note(struct kiln_comparison *comparison, const char *format, ...)
{
  struct kiln_buf text;
  kiln_buf_init(&text);
  va_list args;
  va_start(args, format);
  kiln_buf_vprintf(&text, format, args);
  va_end(args);
  bool known = false; /* a report compared with itself would say everything twice */
  for (size_t i = 0; i < comparison->note_count && !known; i++)
    known = strcmp(comparison->notes[i], kiln_buf_text(&text)) == 0;
  if (known) {
    kiln_buf_release(&text);
    return true;
  }
  char *copy = text.failed ? NULL : malloc(text.len + 1);
  const bool kept = copy && KILN_GROW(comparison->notes, comparison->note_count, comparison->note_capacity);
  if (kept) {
    memcpy(copy, kiln_buf_text(&text), text.len + 1);
    comparison->notes[comparison->note_count++] = copy;
  } else {
    free(copy);
  }
  kiln_buf_release(&text);
  return kept;
}

/* The first deciding count in which a sample differs from the first one. */
static bool
find_unstable(const struct kiln_loaded_report *report, enum kiln_count *count, int *run, size_t *sample)
{
  for (*run = 0; *run < 2; (*run)++)
    for (size_t i = 0; i < DECIDING_COUNT; i++)
      for (*sample = 1; *sample < report->sample_count; (*sample)++) {
        *count = deciding[i];
        const struct kiln_loaded_run *first = &report->samples[0].run[*run];
        const struct kiln_loaded_run *other = &report->samples[*sample].run[*run];
        if (first->present && other->present && first->count[*count] != other->count[*count])
          return true;
      }
  return false;
}

static bool
judge_stability(struct kiln_comparison *comparison, const struct kiln_loaded_report *report, bool *kept)
{
  enum kiln_count count;
  int run;
  size_t sample;
  if (!find_unstable(report, &count, &run, &sample))
    return true;
  *kept = *kept &&
          kiln_comparison_note(comparison,
              "the samples of '%s' disagree: %s %s is %llu in sample %lld and %llu in sample %lld", report->name,
              run_names[run], kiln_count_name(count), (unsigned long long)report->samples[0].run[run].count[count],
              (long long)report->samples[0].index, (unsigned long long)report->samples[sample].run[run].count[count],
              (long long)report->samples[sample].index);
  if (comparison->work != KILN_WORK_UNSTABLE) {
    comparison->work = KILN_WORK_UNSTABLE;
    comparison->decided_by = kiln_count_name(count);
    comparison->decided_warm = run == 1;
  }
  return false;
}

/* Count by count, cold before warm: a build that the warm run no longer needs outranks a line more of source. */
static void
judge_counts(struct kiln_comparison *comparison, bool warm_too)
{
  comparison->work = KILN_WORK_SAME;
  for (size_t i = 0; i < DECIDING_COUNT; i++)
    for (int warm = 0; warm < (warm_too ? 2 : 1); warm++) {
      const uint64_t a = warm ? comparison->warm[0][deciding[i]] : comparison->cold[0][deciding[i]];
      const uint64_t b = warm ? comparison->warm[1][deciding[i]] : comparison->cold[1][deciding[i]];
      if (a == b)
        continue;
      comparison->work = b < a ? KILN_WORK_FEWER : KILN_WORK_MORE;
      comparison->decided_by = kiln_count_name(deciding[i]);
      comparison->decided_warm = warm;
      return;
    }
}

static double
median_of(const struct kiln_loaded_report *report, double *values, bool cpu)
{
  for (size_t i = 0; i < report->sample_count; i++)
    values[i] = cpu ? report->samples[i].run[0].cpu_s : report->samples[i].run[0].elapsed_s;
  return kiln_interval_of(values, report->sample_count).median;
}

static bool
take_numbers(struct kiln_comparison *comparison, const struct kiln_loaded_report *report, int side)
{
  const struct kiln_loaded_sample *first = &report->samples[0];
  memcpy(comparison->cold[side], first->run[0].count, sizeof comparison->cold[side]);
  memcpy(comparison->warm[side], first->run[1].count, sizeof comparison->warm[side]);
  comparison->samples[side] = (int)report->sample_count;
  double *values = malloc(report->sample_count * sizeof *values);
  if (!values)
    return false;
  comparison->cold_elapsed_s[side] = median_of(report, values, false);
  comparison->cold_cpu_s[side] = median_of(report, values, true);
  free(values);
  return true;
}

static bool
note_environments(
    struct kiln_comparison *comparison, const struct kiln_loaded_report *a, const struct kiln_loaded_report *b)
{
  bool kept = true;
  for (int i = 0; i < KILN_LOADED_FACTS; i++)
    if (strcmp(a->facts[i], b->facts[i]) != 0)
      kept = kept && kiln_comparison_note(comparison, "the environments differ: %s is '%s' in '%s' and '%s' in '%s'",
                         kiln_loaded_fact_names[i], a->facts[i], a->name, b->facts[i], b->name);
  return kept;
}

static bool
note_samples(struct kiln_comparison *comparison, const struct kiln_loaded_report *report)
{
  return report->sample_count != 1 ||
         kiln_comparison_note(comparison, "'%s' holds one sample: nothing says that its counts repeat", report->name);
}

static bool
judge(struct kiln_comparison *comparison, const struct kiln_loaded_report *a, const struct kiln_loaded_report *b)
{
  bool kept = take_numbers(comparison, a, 0) && take_numbers(comparison, b, 1);
  const bool warm_too = a->samples[0].run[1].present && b->samples[0].run[1].present;
  bool alike = kiln_compare_launches(comparison, run_names[0], a, b, 0, &kept);
  if (warm_too && alike) /* the same differences once more would tell nothing */
    alike = kiln_compare_launches(comparison, run_names[1], a, b, 1, &kept);
  if (!warm_too)
    kept = kept && kiln_comparison_note(comparison, "only the cold runs are compared: a warm run is missing");
  if (alike) {
    bool stable = judge_stability(comparison, a, &kept);
    stable = judge_stability(comparison, b, &kept) && stable;
    if (stable)
      judge_counts(comparison, warm_too);
    kept = kept && kiln_compare_names(comparison, a, b);
  } else {
    comparison->work = KILN_WORK_UNLIKE;
  }
  return kept && note_environments(comparison, a, b) && note_samples(comparison, a) && note_samples(comparison, b);
}

enum kiln_status
kiln_compare(const struct kiln_loaded_report *a, const struct kiln_loaded_report *b, struct kiln_comparison *comparison,
    struct kiln_error *error)
{
  *comparison = (struct kiln_comparison){.work = KILN_WORK_SAME};
  if (judge(comparison, a, b))
    return KILN_OK;
  kiln_comparison_release(comparison);
  return kiln_error_set(error, KILN_ERROR_MEMORY, "memory ran out while two reports were compared");
}

int
kiln_comparison_exit(const struct kiln_comparison *comparison)
{
  const bool timed = comparison->recorded != KILN_RECORDED_APART;
  if (comparison->work == KILN_WORK_UNLIKE)
    return 3;
  if (comparison->work == KILN_WORK_MORE || (timed && comparison->verdict == KILN_VERDICT_REGRESSED))
    return 1;
  if (comparison->work == KILN_WORK_UNSTABLE || (timed && comparison->verdict == KILN_VERDICT_INCONCLUSIVE))
    return 3;
  return 0;
}
