#include "probe/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "probe/report/work.h"

const char *
kiln_count_name(enum kiln_count count)
{
  static const char *const names[KILN_COUNT_COUNT] = {
      "builds", "loads", "modules", "identities", "launches", "processes", "lto", "source_bytes"};
  return (unsigned)count < KILN_COUNT_COUNT ? names[count] : "unknown";
}

uint64_t
kiln_count_of(const struct kiln_counts *counts, enum kiln_count count)
{
  switch (count) {
  case KILN_COUNT_BUILDS:
    return counts->builds;
  case KILN_COUNT_LOADS:
    return counts->loads;
  case KILN_COUNT_MODULES:
    return counts->modules;
  case KILN_COUNT_IDENTITIES:
    return counts->identities;
  case KILN_COUNT_LAUNCHES:
    return counts->launches;
  case KILN_COUNT_PROCESSES:
    return counts->processes;
  case KILN_COUNT_LTO:
    return counts->lto;
  case KILN_COUNT_SOURCE_BYTES:
    return counts->source_bytes;
  case KILN_COUNT_COUNT:
    break;
  }
  return 0;
}

const char *
kiln_report_state_name(enum kiln_report_state state)
{
  static const char *const names[] = {"complete", "failed", "interrupted", "invalid"};
  return (unsigned)state < sizeof names / sizeof *names ? names[state] : "unknown";
}

const char *
kiln_finding_state_name(enum kiln_finding_state state)
{
  static const char *const names[] = {"fired", "ruled_out", "not_reached"};
  return (unsigned)state < sizeof names / sizeof *names ? names[state] : "unknown";
}

struct kiln_report *
kiln_report_new(void)
{
  struct kiln_report *report = calloc(1, sizeof *report);
  if (report)
    kiln_arena_init(&report->arena);
  return report;
}

static void
release_findings(struct kiln_finding *findings, size_t *count)
{
  for (size_t i = 0; i < *count; i++) {
    free(findings[i].evidence);
    free(findings[i].cited);
    free(findings[i].otherwise);
    free(findings[i].where);
  }
  *count = 0;
}

void
kiln_report_forget_findings(struct kiln_report *report)
{
  release_findings(report->findings, &report->finding_count);
  release_findings(report->others, &report->other_count);
}

void
kiln_report_free(struct kiln_report *report)
{
  if (!report)
    return;
  for (size_t i = 0; i < report->arm_count; i++)
    for (size_t j = 0; j < report->arms[i].sample_count; j++) {
      kiln_model_free(report->arms[i].samples[j].cold.model);
      kiln_model_free(report->arms[i].samples[j].warm.model);
    }
  /* Growing arrays are malloc'd, because an arena cannot grow a block. */
  kiln_report_forget_findings(report);
  free(report->findings);
  free(report->others);
  free(report->warnings);
  kiln_arena_release(&report->arena);
  free(report);
}

void
kiln_report_warn(struct kiln_report *report, const char *format, ...)
{
  struct kiln_buf text;
  kiln_buf_init(&text);
  va_list args;
  va_start(args, format);
  kiln_buf_vprintf(&text, format, args);
  va_end(args);
  bool known = false;
  for (size_t i = 0; i < report->warning_count; i++)
    known = known || kiln_text_equal(report->warnings[i], kiln_buf_text(&text));
  if (!known && KILN_GROW(report->warnings, report->warning_count, report->warning_capacity)) {
    const char *copy = kiln_arena_strdup(&report->arena, kiln_buf_text(&text));
    if (copy)
      report->warnings[report->warning_count++] = copy;
  }
  kiln_buf_release(&text);
}

/* A number of one run; `which` chooses among several of its kind. */
typedef double run_value(const struct kiln_report_run *run, int which);

static double
value_count(const struct kiln_report_run *run, int which)
{
  return run->model ? (double)kiln_count_of(&run->model->counts, (enum kiln_count)which) : 0;
}

static double
value_phase_wall(const struct kiln_report_run *run, int which)
{
  return (double)run->phase[which].wall_ns / 1e9;
}

static double
value_phase_cpu(const struct kiln_report_run *run, int which)
{
  return (double)run->phase[which].cpu_ns / 1e9;
}

enum scalar { ELAPSED, CPU, OVERLAP, NATIVE, MODULE_WORK };

static double
value_scalar(const struct kiln_report_run *run, int which)
{
  switch ((enum scalar)which) {
  case ELAPSED:
    return run->elapsed_s;
  case CPU:
    return run->cpu_s;
  case OVERLAP:
    return run->model ? run->model->overlap : 0;
  case NATIVE:
    return kiln_run_native_s(run);
  case MODULE_WORK:
    return kiln_run_module_work_s(run);
  }
  return 0;
}

struct collector {
  const struct kiln_report_arm *arm;
  double *values; /* room for one value a sample */
  bool warm;
};

static struct kiln_interval
collect(const struct collector *collector, run_value *value, int which)
{
  size_t n = 0;
  for (size_t i = 0; i < collector->arm->sample_count; i++) {
    const struct kiln_report_sample *sample = &collector->arm->samples[i];
    const struct kiln_report_run *run = collector->warm ? &sample->warm : &sample->cold;
    if (sample->valid && run->present)
      collector->values[n++] = value(run, which);
  }
  return kiln_interval_of(collector->values, n);
}

/* Cold minus warm of the same sample: what a machine that drifts does to both cancels. */
static struct kiln_interval
collect_paired(const struct collector *collector, enum scalar which)
{
  size_t n = 0;
  for (size_t i = 0; i < collector->arm->sample_count; i++) {
    const struct kiln_report_sample *sample = &collector->arm->samples[i];
    if (sample->valid && sample->cold.present && sample->warm.present)
      collector->values[n++] = value_scalar(&sample->cold, which) - value_scalar(&sample->warm, which);
  }
  return kiln_interval_of(collector->values, n);
}

static void
summarise_runs(const struct collector *collector, struct kiln_report_summary *summary)
{
  for (int i = 0; i < KILN_COUNT_COUNT; i++)
    summary->count[i] = collect(collector, value_count, i);
  summary->elapsed_s = collect(collector, value_scalar, ELAPSED);
  summary->cpu_s = collect(collector, value_scalar, CPU);
  summary->overlap = collect(collector, value_scalar, OVERLAP);
  summary->native_s = collect(collector, value_scalar, NATIVE);
  summary->module_work_s = collect(collector, value_scalar, MODULE_WORK);
  for (int i = 0; i < KILN_PHASE_COUNT; i++) {
    summary->phase_wall_s[i] = collect(collector, value_phase_wall, i);
    summary->phase_cpu_s[i] = collect(collector, value_phase_cpu, i);
  }
}

static void
summarise_arm(struct kiln_report *report, struct kiln_report_arm *arm)
{
  struct collector collector = {arm, kiln_arena_alloc(&report->arena, (arm->sample_count + 1) * sizeof(double)), false};
  if (!collector.values)
    return;
  summarise_runs(&collector, &arm->cold);
  collector.warm = true;
  summarise_runs(&collector, &arm->warm);
  arm->compile_elapsed_s = collect_paired(&collector, ELAPSED);
  arm->compile_cpu_s = collect_paired(&collector, CPU);
}

void
kiln_report_summarise(struct kiln_report *report)
{
  for (size_t i = 0; i < report->arm_count; i++)
    summarise_arm(report, &report->arms[i]);
}

bool
kiln_report_arms_make(struct kiln_report *report, size_t count, size_t samples)
{
  report->arms = kiln_arena_alloc(&report->arena, count * sizeof *report->arms);
  for (size_t i = 0; report->arms && i < count; i++) {
    report->arms[i].samples = kiln_arena_alloc(&report->arena, samples * sizeof *report->arms[i].samples);
    if (!report->arms[i].samples)
      return false;
    report->arm_count++;
  }
  return report->arms != NULL;
}
