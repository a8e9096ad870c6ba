#include "measuring.h"

#include <stdio.h>

#include "base/text.h"
#include "os/pattern.h"
#include "os/process.h"
#include "parts.h"
#include "progress.h"

#define MAX_SAMPLES 1000
#define MAX_TIMEOUT_S 1e7
#define MAX_PORT 65535

void
kiln_cli_measuring_init(struct kiln_cli_measuring *measuring)
{
  *measuring = (struct kiln_cli_measuring){0};
  measuring->measure.samples = 3;
  measuring->measure.warmup = 1;
}

static int
set_samples(struct kiln_cli_measuring *measuring, const char *value)
{
  uint64_t samples;
  if (!kiln_text_parse_uint(value, &samples) || samples < 1 || samples > MAX_SAMPLES) {
    return kiln_cli_usage("--samples is a whole number from 1 to %d, not '%s'.", MAX_SAMPLES, value);
  }
  measuring->measure.samples = (int)samples;
  measuring->samples_given = true;
  return 0;
}

static int
set_warmup(struct kiln_cli_measuring *measuring, const char *value)
{
  if (!kiln_text_equal(value, "0") && !kiln_text_equal(value, "1")) {
    return kiln_cli_usage("--warmup is 0 or 1, not '%s'.", value);
  }
  measuring->measure.warmup = value[0] - '0';
  return 0;
}

static int
set_timeout(struct kiln_cli_measuring *measuring, const char *value)
{
  double seconds;
  if (!kiln_text_parse_seconds(value, &seconds) || !(seconds > 0) || seconds > MAX_TIMEOUT_S) {
    return kiln_cli_usage("--timeout is a number of seconds above 0, not '%s'.", value);
  }
  measuring->measure.timeout_s = seconds;
  return 0;
}

/* Two of them would leave open which one the time is about. */
static int
set_until(struct kiln_cli_measuring *measuring, enum kiln_cli_measuring_option option, const char *value)
{
  struct kiln_measure_until *until = &measuring->measure.until;
  struct kiln_pattern *pattern;
  struct kiln_error error = {0};
  uint64_t number = 0;
  if (until->output || until->port || until->launches) {
    return kiln_cli_usage("Only one of --until-output, --until-port and --until-launches can be given.");
  }
  if (option == KILN_CLI_MEASURING_UNTIL_OUTPUT) {
    if (kiln_pattern_new(value, &pattern, &error) != KILN_OK) {
      return kiln_cli_complain(&error);
    }
    kiln_pattern_free(pattern);
    until->output = value;
    return 0;
  }
  if (!kiln_text_parse_uint(value, &number) || number < 1 ||
      (option == KILN_CLI_MEASURING_UNTIL_PORT && number > MAX_PORT)) {
    return option == KILN_CLI_MEASURING_UNTIL_PORT
               ? kiln_cli_usage("--until-port is a TCP port from 1 to %d, not '%s'.", MAX_PORT, value)
               : kiln_cli_usage("--until-launches is a whole number above 0, not '%s'.", value);
  }
  if (option == KILN_CLI_MEASURING_UNTIL_PORT) {
    until->port = (int)number;
  } else {
    until->launches = number;
  }
  return 0;
}

int
kiln_cli_measuring_set(struct kiln_cli_measuring *measuring, enum kiln_cli_measuring_option option, const char *value)
{
  switch (option) {
  case KILN_CLI_MEASURING_SAMPLES:
    return set_samples(measuring, value);
  case KILN_CLI_MEASURING_ARM:
    return kiln_cli_arms_add(&measuring->arms, value);
  case KILN_CLI_MEASURING_MAX_PAIRS:
    return kiln_cli_arms_max_pairs(&measuring->measure, value);
  case KILN_CLI_MEASURING_MAX_TIME:
    return kiln_cli_arms_max_time(&measuring->measure, value);
  case KILN_CLI_MEASURING_RESOLUTION:
    return kiln_cli_arms_resolution(&measuring->measure, value);
  case KILN_CLI_MEASURING_SERIAL:
    measuring->measure.serial = true;
    break;
  case KILN_CLI_MEASURING_WARMUP:
    return set_warmup(measuring, value);
  case KILN_CLI_MEASURING_TIMEOUT:
    return set_timeout(measuring, value);
  case KILN_CLI_MEASURING_UNTIL_OUTPUT:
  case KILN_CLI_MEASURING_UNTIL_PORT:
  case KILN_CLI_MEASURING_UNTIL_LAUNCHES:
    return set_until(measuring, option, value);
  case KILN_CLI_MEASURING_IGNORE_FAILURE:
    measuring->measure.ignore_failure = true;
    break;
  case KILN_CLI_MEASURING_TTY:
    measuring->measure.terminal_input = true;
    break;
  case KILN_CLI_MEASURING_COUNT:
    break;
  }
  return 0;
}

int
kiln_cli_measuring_take(
    struct kiln_cli_measuring *measuring, const struct kiln_cli_command *command, int argc, char **argv)
{
  const int code = kiln_cli_arms_take(&measuring->arms, &measuring->measure, measuring->samples_given, argc);
  if (code) {
    return code;
  }
  if (measuring->arms.count == 0 && argc == 0) {
    return kiln_cli_usage(
        "'kiln %s' needs a command to run, as in: kiln %s -- python sim.py", command->name, command->name);
  }
  measuring->measure.command = argv;
  return 0;
}

bool
kiln_cli_measuring_has_runs(const struct kiln_report *report)
{
  return report->arms[0].sample_count > 0 && report->arms[0].samples[0].cold.present;
}

/* The command's own words may hold any name. */
static void
show_tail(const struct kiln_cli_outputs *outputs, const struct kiln_buf *tail)
{
  if (!outputs->anonymise) {
    fputs(kiln_buf_text(tail), stderr);
  } else if (tail->len > 0) {
    fputs("kiln: What the command printed is not shown, because of --anonymise.\n", stderr);
  }
}

static int
measure(const struct kiln_cli_measuring *measuring, const struct kiln_cli_outputs *outputs, struct kiln_report **report)
{
  struct kiln_error error = {0};
  struct kiln_buf tail;
  enum kiln_status status;
  kiln_buf_init(&tail);
  kiln_interrupt_watch();
  status = kiln_measure(&measuring->measure, report, &tail, &error);
  if (measuring->measure.context) {
    kiln_cli_progress_end(measuring->measure.context);
  }
  show_tail(outputs, &tail);
  kiln_buf_release(&tail);
  return status == KILN_OK ? 0 : kiln_cli_complain(&error);
}

int
kiln_cli_measuring_run(
    struct kiln_cli_measuring *measuring, const struct kiln_cli_outputs *outputs, struct kiln_report **report)
{
  struct kiln_cli_parts parts;
  struct kiln_cli_progress progress;
  struct kiln_error error = {0};
  int code = kiln_cli_outputs_check(outputs);
  *report = NULL;
  if (code) {
    return code;
  }
  if (kiln_cli_parts_find(&parts, &error) != KILN_OK) {
    code = kiln_cli_complain(&error);
  } else {
    measuring->measure.preload = kiln_buf_text(&parts.preload);
    measuring->measure.supervisor = kiln_buf_text(&parts.supervisor);
    if (!outputs->quiet) {
      kiln_cli_progress_init(&progress, outputs->anonymise);
      measuring->measure.progress = kiln_cli_progress_show;
      measuring->measure.context = &progress;
    }
    code = measure(measuring, outputs, report);
  }
  kiln_cli_parts_release(&parts);
  return code;
}

void
kiln_cli_measuring_release(struct kiln_cli_measuring *measuring)
{
  kiln_cli_arms_release(&measuring->arms);
}
