/* A report for an issue or a pull request: plain words, no ids of rules, nothing that needs kiln to be read. */
#include <stdlib.h>

#include "base/text.h"
#include "kiln/version.h"
#include "probe/report/markdown_parts.h"
#include "probe/report/modules.h"
#include "probe/report/render.h"
#include "probe/report/time_parts.h"
#include "probe/report/work.h"

#define MOST_MODULES 8

static void
append_command(struct kiln_buf *out, const struct kiln_report_arm *arm)
{
  struct kiln_buf words;
  kiln_buf_init(&words);
  for (size_t i = 0; i < arm->command_count; i++) {
    kiln_buf_text_append(&words, i ? " " : "");
    kiln_text_shell_word(&words, arm->command[i]);
  }
  kiln_markdown_code(out, kiln_buf_text(&words));
  kiln_buf_release(&words);
}

/* The command of a report is that of its only arm, or of its baseline. */
static struct kiln_report_arm
first_arm(const struct kiln_report *report)
{
  struct kiln_report_arm arm = report->arms[0];
  if (report->arm_count == 1) {
    arm.command = report->command;
    arm.command_count = report->command_count;
  }
  return arm;
}

/* ---- the first lines ---- */

static void
write_title(struct kiln_buf *out, const struct kiln_report *report)
{
  const struct kiln_report_arm arm = first_arm(report);
  kiln_buf_text_append(out, report->recorded ? "## A recorded run of " : "## Cold start of ");
  append_command(out, &arm);
  if (report->arm_count == 2) {
    kiln_buf_text_append(out, " against ");
    append_command(out, &report->arms[1]);
  } else if (report->arm_count > 2) {
    kiln_buf_printf(out, " against %zu others", report->arm_count - 1);
  }
  kiln_buf_text_append(out, "\n\n");
  if (report->state == KILN_REPORT_COMPLETE)
    return;
  kiln_buf_printf(out, "> **%s.** ",
      report->state == KILN_REPORT_FAILED        ? "The command failed"
      : report->state == KILN_REPORT_INTERRUPTED ? "The measurement was interrupted"
                                                 : "The measurement is not valid");
  kiln_markdown_text(out, report->failure ? report->failure : "No reason was recorded.");
  kiln_buf_text_append(out, "\n\n");
}

static void
write_single(struct kiln_buf *out, const struct kiln_report *report, const struct kiln_report_arm *arm)
{
  const char *verb = report->until ? "is ready after" : "takes";
  if (arm->cold.elapsed_s.n == 0) {
    kiln_buf_text_append(out, "No valid sample was measured, so there is no number.\n\n");
    return;
  }
  kiln_buf_printf(out, "%s %s **", report->recorded ? "The recorded run" : "A first run, with empty caches,", verb);
  kiln_text_duration(out, arm->cold.elapsed_s.median);
  kiln_buf_text_append(out, "**");
  if (arm->warm.elapsed_s.n) {
    kiln_buf_printf(out, "; the next one, which finds everything compiled, %s **", verb);
    kiln_text_duration(out, arm->warm.elapsed_s.median);
    kiln_buf_text_append(out, "**. Compiling costs **");
    kiln_markdown_interval(out, arm->compile_elapsed_s);
    kiln_buf_text_append(out, "** of the first run");
  }
  kiln_buf_text_append(out, ".\n");
  if (report->diagnosis.made && report->diagnosis.sentence) {
    kiln_markdown_text(out, report->diagnosis.sentence);
    kiln_buf_text_append(out, "\n");
  }
  kiln_buf_text_append(out, "\n");
}

static const char *
work_words(const char *work)
{
  return kiln_text_equal(work, "SAME")       ? "the same work"
         : kiln_text_equal(work, "FEWER")    ? "less work"
         : kiln_text_equal(work, "MORE")     ? "more work"
         : kiln_text_equal(work, "UNSTABLE") ? "work that differs from run to run"
                                             : "work that cannot be compared, since it launches otherwise";
}

static const char *
time_words(enum kiln_verdict verdict)
{
  return verdict == KILN_VERDICT_IMPROVED    ? "faster"
         : verdict == KILN_VERDICT_REGRESSED ? "slower"
         : verdict == KILN_VERDICT_SAME      ? "as fast"
                                             : "not decided";
}

static void
write_verdicts(struct kiln_buf *out, const struct kiln_report *report)
{
  for (size_t i = 0; i < report->verdict_count; i++) {
    const struct kiln_report_verdict *verdict = &report->verdicts[i];
    struct kiln_buf time;
    kiln_buf_init(&time);
    kiln_time_sentence(&verdict->time, &time);
    kiln_buf_text_append(out, "- ");
    kiln_markdown_code(out, report->arms[verdict->candidate].name);
    kiln_buf_printf(out, " does %s", verdict->work ? work_words(verdict->work) : "what no valid pair tells");
    if (verdict->decided_by)
      kiln_buf_printf(out, " (`%s` of the %s runs)", verdict->decided_by, verdict->decided_warm ? "warm" : "cold");
    kiln_buf_printf(out, "; time: **%s** (", time_words(verdict->time.sequence.verdict));
    kiln_markdown_text(out, kiln_buf_text(&time));
    kiln_buf_text_append(out, ").\n");
    for (size_t j = 0; j < verdict->note_count; j++) {
      kiln_buf_text_append(out, "  - ");
      kiln_markdown_text(out, verdict->notes[j]);
      kiln_buf_text_append(out, "\n");
    }
    kiln_buf_release(&time);
  }
  if (report->verdict_count)
    kiln_buf_text_append(out, "\n");
}

/* ---- what it costs ---- */

static void
append_count(struct kiln_buf *out, enum kiln_count count, struct kiln_interval interval)
{
  void (*const bytes)(struct kiln_buf *, double) = count == KILN_COUNT_SOURCE_BYTES ? kiln_text_bytes : NULL;
  const double ends[2] = {interval.lo, interval.hi};
  if (interval.n == 0) {
    kiln_buf_text_append(out, "-");
    return;
  }
  for (int i = 0; i < (interval.lo < interval.hi ? 2 : 1); i++) {
    kiln_buf_text_append(out, i ? " to " : "");
    if (bytes)
      bytes(out, ends[i]);
    else
      kiln_buf_printf(out, "%.0f", ends[i]);
  }
}

static void
write_counts(struct kiln_buf *out, const struct kiln_report_arm *arm)
{
  static const struct {
    enum kiln_count count;
    const char *words;
  } rows[] = {{KILN_COUNT_BUILDS, "modules compiled"}, {KILN_COUNT_IDENTITIES, "distinct identities"},
      {KILN_COUNT_LOADS, "modules loaded"}, {KILN_COUNT_LTO, "link-time objects"},
      {KILN_COUNT_SOURCE_BYTES, "generated source"}, {KILN_COUNT_LAUNCHES, "launches"},
      {KILN_COUNT_PROCESSES, "processes"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    kiln_buf_printf(out, "| %s | ", rows[i].words);
    append_count(out, rows[i].count, arm->cold.count[rows[i].count]);
    kiln_buf_text_append(out, " | ");
    append_count(out, rows[i].count, arm->warm.count[rows[i].count]);
    kiln_buf_text_append(out, " |\n");
  }
}

static void
write_time(struct kiln_buf *out, const char *words, struct kiln_interval cold, struct kiln_interval warm)
{
  kiln_buf_printf(out, "| %s | ", words);
  kiln_markdown_interval(out, cold);
  kiln_buf_text_append(out, " | ");
  kiln_markdown_interval(out, warm);
  kiln_buf_text_append(out, " |\n");
}

static void
write_table(struct kiln_buf *out, const struct kiln_report *report, const struct kiln_report_arm *arm)
{
  if (arm->cold.elapsed_s.n == 0)
    return;
  if (report->arm_count > 1) {
    kiln_buf_text_append(out, arm == report->arms ? "" : "\n");
    kiln_markdown_code(out, arm->name);
    kiln_buf_text_append(out, "\n\n");
  }
  kiln_buf_printf(out, "| | %s | warm run |\n| --- | --- | --- |\n", report->recorded ? "the run" : "cold run");
  write_time(out, report->until ? "until ready" : "elapsed", arm->cold.elapsed_s, arm->warm.elapsed_s);
  write_time(out, "CPU time", arm->cold.cpu_s, arm->warm.cpu_s);
  write_time(out, "compiling and loading", arm->cold.module_work_s, arm->warm.module_work_s);
  write_time(out, "native compiler", arm->cold.native_s, arm->warm.native_s);
  write_counts(out, arm);
  if (arm->compile_elapsed_s.n) {
    kiln_buf_text_append(out, "\nCold − warm of the same sample: ");
    kiln_markdown_interval(out, arm->compile_elapsed_s);
    kiln_buf_text_append(out, " elapsed, ");
    kiln_markdown_interval(out, arm->compile_cpu_s);
    kiln_buf_text_append(out, " of CPU time.\n");
  }
}

static void
write_module(struct kiln_buf *out, const struct kiln_report *report, const struct kiln_module_cost *cost)
{
  char label[KILN_DEVICE_LABEL];
  kiln_buf_text_append(out, "| ");
  kiln_markdown_code(out, cost->module);
  kiln_buf_text_append(out, " | ");
  kiln_markdown_text(out, kiln_device_label(label, cost->device, cost->block_dim));
  kiln_buf_printf(out, " | %.0f | ", cost->builds);
  kiln_markdown_interval(out, cost->own_s);
  kiln_buf_text_append(out, " | ");
  if (cost->where.file)
    kiln_markdown_place(out, report, cost->where);
  kiln_buf_text_append(out, " |\n");
}

static void
write_modules(struct kiln_buf *out, const struct kiln_report *report, const struct kiln_report_arm *arm)
{
  size_t count, shown = 0;
  bool failed = false;
  struct kiln_module_cost *costs = kiln_module_costs(arm, &count, &failed);
  out->failed = out->failed || failed;
  for (size_t i = 0; i < count && shown < MOST_MODULES; i++) {
    if (costs[i].builds <= 0)
      continue;
    if (shown++ == 0)
      kiln_buf_text_append(out, "\nThe dearest modules, without the precompiled header:\n\n"
                                "| module | where it runs | builds | building it | asked for at |\n"
                                "| --- | --- | --- | --- | --- |\n");
    write_module(out, report, &costs[i]);
  }
  if (shown == MOST_MODULES && count > shown)
    kiln_buf_printf(out, "\n%zu more are in the report.\n", count - shown);
  free(costs);
}

/* Of the first arm: what is no compiling is the real cost of a program that compiles little. */
static void
write_phases(struct kiln_buf *out, const struct kiln_report_arm *arm)
{
  if (!arm->cold.elapsed_s.n || !kiln_arm_is_split(arm))
    return;
  kiln_buf_text_append(out, "\n<details><summary>Where the time of the first run goes</summary>\n\n"
                            "| phase of the main thread | elapsed | CPU time |\n| --- | --- | --- |\n");
  for (int i = 0; i < KILN_PHASE_COUNT; i++) {
    kiln_buf_text_append(out, "| ");
    kiln_markdown_text(out, kiln_phase_name((enum kiln_phase)i));
    kiln_buf_text_append(out, " | ");
    kiln_markdown_interval(out, arm->cold.phase_wall_s[i]);
    kiln_buf_text_append(out, " | ");
    kiln_markdown_interval(out, arm->cold.phase_cpu_s[i]);
    kiln_buf_text_append(out, " |\n");
  }
  kiln_buf_text_append(out, "\n</details>\n");
}

static void
write_cost(struct kiln_buf *out, const struct kiln_report *report)
{
  kiln_buf_text_append(out, "### What it costs\n\n");
  for (size_t i = 0; i < report->arm_count; i++)
    write_table(out, report, &report->arms[i]);
  write_modules(out, report, &report->arms[report->arm_count - 1]);
  write_phases(out, &report->arms[0]);
  kiln_buf_text_append(out, "\n");
}

/* ---- how it was measured ---- */

static void
write_method(struct kiln_buf *out, const struct kiln_report *report)
{
  size_t runs = 0;
  for (size_t i = 0; i < report->arms[0].sample_count; i++)
    runs += report->arms[0].samples[i].valid;
  kiln_buf_text_append(out, "### How it was measured\n\n");
  if (report->recorded) {
    kiln_buf_text_append(out, "One run in its own surroundings was observed; its caches were as they were.\n");
  } else {
    kiln_buf_text_append(out,
        "Each sample is a cold run in fresh private caches (the framework's and the driver's), then "
        "a warm run on what it left; caches in use were not touched. ");
    kiln_buf_printf(out, "%zu valid sample%s, %s unmeasured one before. ", runs, runs == 1 ? "" : "s",
        report->warmup ? "one" : "no");
    kiln_buf_text_append(out, "Numbers are medians; in brackets the 95 % interval of the median from six samples on, "
                              "below that the smallest and the largest.");
    kiln_buf_text_append(out, report->arm_count > 1
                                  ? " The arms ran in pairs, in an order by coin, so their times can be compared.\n"
                                  : " Times of other machines or other days cannot be compared with these.\n");
  }
  if (report->until) {
    kiln_buf_text_append(out, "A run counts as ready when ");
    kiln_markdown_text(out, report->until);
    kiln_buf_text_append(out, ".\n");
  }
  kiln_buf_printf(out, "Measured with kiln %s", kiln_version());
  if (report->date)
    kiln_buf_printf(out, " on %s", report->date);
  kiln_buf_text_append(out, ".\n\n");
}

static void
write_fact(struct kiln_buf *out, const char *name, const char *value)
{
  if (!value || !value[0])
    return;
  kiln_buf_printf(out, "- %s: ", name);
  kiln_markdown_text(out, value);
  kiln_buf_text_append(out, "\n");
}

static void
write_environment(struct kiln_buf *out, const struct kiln_report *report)
{
  struct kiln_buf text;
  kiln_buf_init(&text);
  kiln_buf_text_append(out, "### Environment\n\n");
  write_fact(out, "framework", report->framework);
  write_fact(out, "Python", report->python);
  if (report->host.cores > 0)
    kiln_buf_printf(&text, "%s, %d usable cores", report->host.cpu[0] ? report->host.cpu : "processor not known",
        report->host.cores);
  write_fact(out, "processor", kiln_buf_text(&text));
  kiln_buf_clear(&text);
  if (report->host.memory_bytes)
    kiln_text_bytes(&text, (double)report->host.memory_bytes);
  write_fact(out, "memory", kiln_buf_text(&text));
  write_fact(out, "system", report->host.system);
  write_fact(out, "kernel", report->host.kernel);
  kiln_buf_release(&text);
}

static void
write_limits(struct kiln_buf *out, const struct kiln_report *report)
{
  if (!report->warning_count)
    return;
  kiln_buf_text_append(out, "### What limits these numbers\n\n");
  for (size_t i = 0; i < report->warning_count; i++) {
    kiln_buf_text_append(out, "- ");
    kiln_markdown_text(out, report->warnings[i]);
    kiln_buf_text_append(out, "\n");
  }
  kiln_buf_text_append(out, "\n");
}

void
kiln_report_markdown(const struct kiln_report *report, struct kiln_buf *out)
{
  const struct kiln_report_arm arm = first_arm(report);
  write_title(out, report);
  if (report->arm_count == 1)
    write_single(out, report, &arm);
  write_verdicts(out, report);
  kiln_markdown_findings(out, report);
  kiln_markdown_why(out, report);
  kiln_markdown_ledger(out, report);
  write_cost(out, report);
  kiln_markdown_others(out, report);
  write_limits(out, report);
  write_method(out, report);
  write_environment(out, report);
}
