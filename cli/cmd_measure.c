#include <stdio.h>
#include <string.h>

#include "arms.h"
#include "base/text.h"
#include "cli.h"
#include "os/pattern.h"
#include "os/process.h"
#include "os/terminal.h"
#include "outputs.h"
#include "parts.h"
#include "probe/measure.h"
#include "probe/report/render.h"
#include "progress.h"

#define MAX_SAMPLES 1000
#define MAX_TIMEOUT_S 1e7
#define MAX_PORT 65535
#define STDOUT 1

enum {
  OPTION_SAMPLES,
  OPTION_ARM,
  OPTION_SERIAL,
  OPTION_MAX_PAIRS,
  OPTION_MAX_TIME,
  OPTION_RESOLUTION,
  OPTION_WARMUP,
  OPTION_TIMEOUT,
  OPTION_UNTIL_OUTPUT,
  OPTION_UNTIL_PORT,
  OPTION_UNTIL_LAUNCHES,
  OPTION_IGNORE_FAILURE,
  OPTION_TTY,
  OPTION_OUTPUT,
  OPTION_HTML,
  OPTION_TRACE,
  OPTION_ANONYMISE,
  OPTION_JSON,
  OPTION_QUIET,
  OPTION_COLOR
};

static const struct kiln_cli_option options[] = {
    [OPTION_SAMPLES] = {"samples", 0, "N", "samples, each a cold and a warm run (default: 3)"},
    [OPTION_ARM] = {"arm", 0, "NAME=COMMAND", "compare commands in pairs; the first arm is the baseline"},
    [OPTION_SERIAL] = {"serial", 0, NULL, "pairs one after the other (default: side by side)"},
    [OPTION_MAX_PAIRS] = {"max-pairs", 0, "N", "pairs of arms at most (default: 181)"},
    [OPTION_MAX_TIME] = {"max-time", 0, "SECONDS", "begin no pair later than this"},
    [OPTION_RESOLUTION] = {"resolution", 0, "PERCENT", "SAME excludes such a change of time (default: 5)"},
    [OPTION_WARMUP] = {"warmup", 0, "0|1", "unmeasured samples first (default: 1)"},
    [OPTION_TIMEOUT] = {"timeout", 0, "SECONDS", "end a run after this time; the measurement is then invalid"},
    [OPTION_UNTIL_OUTPUT] = {"until-output", 0, "RE", "ready when a line it prints matches; the run ends then"},
    [OPTION_UNTIL_PORT] = {"until-port", 0, "PORT", "ready when something listens on this TCP port"},
    [OPTION_UNTIL_LAUNCHES] = {"until-launches", 0, "N", "ready when N kernels were launched"},
    [OPTION_IGNORE_FAILURE] = {"ignore-failure", 0, NULL, "a non-zero exit of the command is no failure"},
    [OPTION_TTY] = {"tty", 0, NULL, "the command reads this terminal (default: /dev/null)"},
    [OPTION_OUTPUT] = {"output", 'o', "FILE", "write the report as JSON to FILE"},
    [OPTION_HTML] = {"html", 0, "FILE", "write the report as one HTML page to FILE"},
    [OPTION_TRACE] = {"trace", 0, "FILE", "write a trace for Perfetto to FILE"},
    [OPTION_ANONYMISE] = {"anonymise", 0, NULL, "paths and names become pseudonyms in every output"},
    [OPTION_JSON] = {"json", 0, NULL, "the report on standard output as JSON"},
    [OPTION_QUIET] = {"quiet", 0, NULL, "no progress and no notes on standard error"},
    [OPTION_COLOR] = {"color", 0, "auto|always|never", "colour on standard output (default: auto)"},
};

/* What was asked for, beside what the library is told. */
struct measure_request {
  struct kiln_measure_options measure;
  struct kiln_cli_arms arms;
  bool samples_given;
  struct kiln_cli_outputs outputs;
  bool json, quiet, color;
};

static int
set_samples(struct measure_request *request, const char *value)
{
  uint64_t samples;
  if (!kiln_text_parse_uint(value, &samples) || samples < 1 || samples > MAX_SAMPLES) {
    return kiln_cli_usage("--samples is a whole number from 1 to %d, not '%s'.", MAX_SAMPLES, value);
  }
  request->measure.samples = (int)samples;
  request->samples_given = true;
  return 0;
}

static int
set_warmup(struct measure_request *request, const char *value)
{
  if (!kiln_text_equal(value, "0") && !kiln_text_equal(value, "1")) {
    return kiln_cli_usage("--warmup is 0 or 1, not '%s'.", value);
  }
  request->measure.warmup = value[0] - '0';
  return 0;
}

static int
set_timeout(struct measure_request *request, const char *value)
{
  double seconds;
  if (!kiln_text_parse_seconds(value, &seconds) || !(seconds > 0) || seconds > MAX_TIMEOUT_S) {
    return kiln_cli_usage("--timeout is a number of seconds above 0, not '%s'.", value);
  }
  request->measure.timeout_s = seconds;
  return 0;
}

/* Two of them would leave open which one the time is about. */
static int
set_until(struct measure_request *request, size_t option, const char *value)
{
  struct kiln_measure_until *until = &request->measure.until;
  struct kiln_pattern *pattern;
  struct kiln_error error = {0};
  uint64_t number = 0;
  if (until->output || until->port || until->launches) {
    return kiln_cli_usage("Only one of --until-output, --until-port and --until-launches can be given.");
  }
  if (option == OPTION_UNTIL_OUTPUT) {
    if (kiln_pattern_new(value, &pattern, &error) != KILN_OK) {
      return kiln_cli_complain(&error);
    }
    kiln_pattern_free(pattern);
    until->output = value;
    return 0;
  }
  if (!kiln_text_parse_uint(value, &number) || number < 1 || (option == OPTION_UNTIL_PORT && number > MAX_PORT)) {
    return option == OPTION_UNTIL_PORT
               ? kiln_cli_usage("--until-port is a TCP port from 1 to %d, not '%s'.", MAX_PORT, value)
               : kiln_cli_usage("--until-launches is a whole number above 0, not '%s'.", value);
  }
  if (option == OPTION_UNTIL_PORT) {
    until->port = (int)number;
  } else {
    until->launches = number;
  }
  return 0;
}

static int
set_option(struct measure_request *request, size_t option, const char *value)
{
  switch (option) {
  case OPTION_SAMPLES:
    return set_samples(request, value);
  case OPTION_ARM:
    return kiln_cli_arms_add(&request->arms, value);
  case OPTION_MAX_PAIRS:
    return kiln_cli_arms_max_pairs(&request->measure, value);
  case OPTION_MAX_TIME:
    return kiln_cli_arms_max_time(&request->measure, value);
  case OPTION_RESOLUTION:
    return kiln_cli_arms_resolution(&request->measure, value);
  case OPTION_SERIAL:
    request->measure.serial = true;
    break;
  case OPTION_WARMUP:
    return set_warmup(request, value);
  case OPTION_TIMEOUT:
    return set_timeout(request, value);
  case OPTION_UNTIL_OUTPUT:
  case OPTION_UNTIL_PORT:
  case OPTION_UNTIL_LAUNCHES:
    return set_until(request, option, value);
  case OPTION_IGNORE_FAILURE:
    request->measure.ignore_failure = true;
    break;
  case OPTION_TTY:
    request->measure.terminal_input = true;
    break;
  case OPTION_OUTPUT:
    request->outputs.json = value;
    break;
  case OPTION_HTML:
    request->outputs.html = value;
    break;
  case OPTION_TRACE:
    request->outputs.trace = value;
    break;
  case OPTION_ANONYMISE:
    request->outputs.anonymise = true;
    break;
  case OPTION_JSON:
    request->json = true;
    break;
  case OPTION_QUIET:
    request->quiet = request->outputs.quiet = true;
    break;
  default:
    if (!kiln_cli_color(value, &request->color)) {
      return kiln_cli_usage("--color is auto, always or never, not '%s'.", value);
    }
  }
  return 0;
}

static bool
has_runs(const struct kiln_report *report)
{
  return report->arms[0].sample_count > 0 && report->arms[0].samples[0].cold.present;
}

/* The files first: whoever reads stdout may be gone. A page without any run would say nothing. */
static int
deliver(const struct measure_request *request, struct kiln_report *report)
{
  struct kiln_buf out;
  int printed, code = kiln_cli_outputs_prepare(&request->outputs, report);
  if (code) {
    return code;
  }
  code = kiln_cli_outputs_write(&request->outputs, report);
  kiln_buf_init(&out);
  if (request->json) {
    kiln_report_json(report, &out);
  } else if (has_runs(report)) {
    kiln_report_text(report, kiln_terminal_columns(STDOUT), request->color, &out);
  }
  printed = kiln_cli_print(&out);
  kiln_buf_release(&out);
  return code ? code : printed;
}

static int
measure_and_deliver(const struct measure_request *request)
{
  struct kiln_error error = {0};
  struct kiln_report *report = NULL;
  struct kiln_buf tail;
  enum kiln_status status;
  int code, delivered = 0;
  kiln_buf_init(&tail);
  status = kiln_measure(&request->measure, &report, &tail, &error);
  if (request->measure.context) {
    kiln_cli_progress_end(request->measure.context);
  }
  fputs(kiln_buf_text(&tail), stderr);
  kiln_buf_release(&tail);
  if (status != KILN_OK) {
    code = kiln_cli_complain(&error);
  } else {
    code = kiln_report_exit(report);
    if (report->failure) {
      fprintf(stderr, "kiln: %s\n", report->failure);
    }
  }
  if (report) {
    delivered = deliver(request, report);
  }
  kiln_report_free(report);
  return code ? code : delivered;
}

static int
run_request(struct measure_request *request, struct kiln_cli_progress *progress)
{
  struct kiln_cli_parts parts;
  struct kiln_error error = {0};
  int code = kiln_cli_outputs_check(&request->outputs);
  if (code) {
    return code;
  }
  if (kiln_cli_parts_find(&parts, &error) != KILN_OK) {
    code = kiln_cli_complain(&error);
  } else {
    request->measure.preload = kiln_buf_text(&parts.preload);
    request->measure.supervisor = kiln_buf_text(&parts.supervisor);
    if (!request->quiet) {
      kiln_cli_progress_init(progress);
      request->measure.progress = kiln_cli_progress_show;
      request->measure.context = progress;
    }
    kiln_interrupt_watch();
    code = measure_and_deliver(request);
  }
  kiln_cli_parts_release(&parts);
  return code;
}

static int
parse_and_run(struct measure_request *request, const struct kiln_cli_command *command, int argc, char **argv)
{
  struct kiln_cli_parser parser = {command, argc, argv, 1, NULL};
  struct kiln_cli_progress progress;
  enum kiln_cli_step step;
  size_t option;
  int code;
  while ((step = kiln_cli_next(&parser, &option)) == KILN_CLI_OPTION) {
    code = set_option(request, option, parser.value);
    if (code) {
      return code;
    }
  }
  if (step != KILN_CLI_END) {
    return kiln_cli_step_exit(command, step);
  }
  code = kiln_cli_arms_take(&request->arms, &request->measure, request->samples_given, argc - parser.at);
  if (code) {
    return code;
  }
  if (request->arms.count == 0 && parser.at >= argc) {
    return kiln_cli_usage("'kiln measure' needs a command to run, as in: kiln measure -- python sim.py");
  }
  request->measure.command = argv + parser.at;
  return run_request(request, &progress);
}

static int
run_measure(const struct kiln_cli_command *command, int argc, char **argv)
{
  struct measure_request request = {0};
  int code;
  request.measure.samples = 3;
  request.measure.warmup = 1;
  kiln_cli_color("auto", &request.color);
  code = parse_and_run(&request, command, argc, argv);
  kiln_cli_arms_release(&request.arms);
  return code;
}

static const char examples[] = "  kiln measure -- python sim.py --frames 10\n"
                               "  kiln measure --samples 5 -o report.json -- python sim.py\n"
                               "  kiln measure --json --quiet -- python sim.py | jq .state\n"
                               "  kiln measure --timeout 120 --warmup 0 --samples 1 -- ./train\n"
                               "  kiln measure --arm old='python sim.py' --arm new='python sim2.py'\n"
                               "  kiln measure --timeout 120 --until-port 8000 -- python serve.py\n";

const struct kiln_cli_command kiln_cmd_measure = {"measure", "what a cold first run costs against a warm one, and why",
    "[options] [--] COMMAND [ARGUMENT…] | --arm NAME=COMMAND --arm NAME=COMMAND …", examples, options,
    sizeof options / sizeof *options, NULL, run_measure};
