#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli.h"
#include "measuring.h"
#include "os/file.h"
#include "os/process.h"
#include "os/terminal.h"
#include "outputs.h"
#include "parts.h"
#include "probe/report/render.h"
#include "probe/trial.h"
#include "progress.h"

#define STDOUT 1
#define NAMES_MOST 32

enum {
  OPTION_GOAL,
  OPTION_LEVER,
  OPTION_ALLOW,
  OPTION_FORCE,
  OPTION_CHECK,
  OPTION_FILES,
  OPTION_SAMPLES,
  OPTION_SERIAL,
  OPTION_MAX_PAIRS,
  OPTION_MAX_TIME,
  OPTION_RESOLUTION,
  OPTION_TIMEOUT,
  OPTION_UNTIL_OUTPUT,
  OPTION_UNTIL_PORT,
  OPTION_UNTIL_LAUNCHES,
  OPTION_IGNORE_FAILURE,
  OPTION_OUTPUT,
  OPTION_HTML,
  OPTION_JSON,
  OPTION_QUIET,
  OPTION_COLOR
};

static const struct kiln_cli_option options[] = {
    [OPTION_GOAL] = {"goal", 0, "edit-loop|production", "what the user waits for (default: edit-loop)"},
    [OPTION_LEVER] = {"lever", 0, "ID[=VALUE]", "try this one; may be repeated (default: all that the run supports)"},
    [OPTION_ALLOW] = {"allow-kernel-changes", 0, NULL, "also levers that change kernels or numerics"},
    [OPTION_FORCE] = {"force", 0, NULL, "check named levers also where they are refused as unsafe"},
    [OPTION_CHECK] = {"check", 0, "COMMAND", "exit 0 means that a run was right; see KILN_CHECK_STDOUT"},
    [OPTION_FILES] = {"compare-files", 0, "FILE", "compare this file that the program writes; may be repeated"},
    [OPTION_SAMPLES] = {"samples", 0, "N", "samples without levers, each a cold and a warm run (default: 3)"},
    [OPTION_SERIAL] = {"serial", 0, NULL, "all pairs one after the other"},
    [OPTION_MAX_PAIRS] = {"max-pairs", 0, "N", "pairs of each lever at most (default: 45)"},
    [OPTION_MAX_TIME] = {"max-time", 0, "SECONDS", "begin no pair of a group later than this"},
    [OPTION_RESOLUTION] = {"resolution", 0, "PERCENT", "a smaller effect is none (default: 5)"},
    [OPTION_TIMEOUT] = {"timeout", 0, "SECONDS", "end a run after this time"},
    [OPTION_UNTIL_OUTPUT] = {"until-output", 0, "RE", "ready when a line it prints matches; the run ends then"},
    [OPTION_UNTIL_PORT] = {"until-port", 0, "PORT", "ready when something listens on this TCP port"},
    [OPTION_UNTIL_LAUNCHES] = {"until-launches", 0, "N", "ready when N kernels were launched"},
    [OPTION_IGNORE_FAILURE] = {"ignore-failure", 0, NULL, "a non-zero exit of the command is no failure"},
    [OPTION_OUTPUT] = {"output", 'o', "FILE", "write the ledger as JSON to FILE, for 'kiln apply'"},
    [OPTION_HTML] = {"html", 0, "FILE", "write the report with the ledger as one HTML page to FILE"},
    [OPTION_JSON] = {"json", 0, NULL, "the ledger on standard output as JSON"},
    [OPTION_QUIET] = {"quiet", 0, NULL, "no progress and no notes on standard error"},
    [OPTION_COLOR] = {"color", 0, "auto|always|never", "colour on standard output (default: auto)"},
};

struct try_request {
  struct kiln_cli_measuring measuring;
  struct kiln_try_options trial;
  const char *levers[NAMES_MOST], *files[NAMES_MOST];
  const char *output, *html;
  bool json, quiet, color;
  struct kiln_cli_progress progress;
};

static int
add_name(const char **names, size_t *count, const char *option, const char *value)
{
  if (*count == NAMES_MOST) {
    return kiln_cli_usage("--%s can be given %d times; '%s' is one more.", option, NAMES_MOST, value);
  }
  names[(*count)++] = value;
  return 0;
}

static int
set_goal(struct try_request *request, const char *value)
{
  request->trial.production = kiln_text_equal(value, "production");
  if (!request->trial.production && !kiln_text_equal(value, "edit-loop")) {
    return kiln_cli_usage("--goal is edit-loop or production, not '%s'.", value);
  }
  return 0;
}

/* The row of the shared table that an option of ours stands for. */
static enum kiln_cli_measuring_option
measuring_option(size_t option)
{
  static const enum kiln_cli_measuring_option rows[] = {[OPTION_SAMPLES] = KILN_CLI_MEASURING_SAMPLES,
      [OPTION_SERIAL] = KILN_CLI_MEASURING_SERIAL,
      [OPTION_MAX_PAIRS] = KILN_CLI_MEASURING_MAX_PAIRS,
      [OPTION_MAX_TIME] = KILN_CLI_MEASURING_MAX_TIME,
      [OPTION_RESOLUTION] = KILN_CLI_MEASURING_RESOLUTION,
      [OPTION_TIMEOUT] = KILN_CLI_MEASURING_TIMEOUT,
      [OPTION_UNTIL_OUTPUT] = KILN_CLI_MEASURING_UNTIL_OUTPUT,
      [OPTION_UNTIL_PORT] = KILN_CLI_MEASURING_UNTIL_PORT,
      [OPTION_UNTIL_LAUNCHES] = KILN_CLI_MEASURING_UNTIL_LAUNCHES,
      [OPTION_IGNORE_FAILURE] = KILN_CLI_MEASURING_IGNORE_FAILURE};
  return rows[option];
}

static int
set_lever_option(struct try_request *request, size_t option, const char *value)
{
  switch (option) {
  case OPTION_GOAL:
    return set_goal(request, value);
  case OPTION_LEVER:
    return add_name(request->levers, &request->trial.lever_count, "lever", value);
  case OPTION_FILES:
    return add_name(request->files, &request->trial.file_count, "compare-files", value);
  case OPTION_ALLOW:
    request->trial.allow_kernels = true;
    break;
  case OPTION_FORCE:
    request->trial.force = true;
    break;
  default:
    request->trial.check = value;
  }
  return 0;
}

static int
set_output_option(struct try_request *request, size_t option, const char *value)
{
  switch (option) {
  case OPTION_OUTPUT:
    request->output = value;
    break;
  case OPTION_HTML:
    request->html = value;
    break;
  case OPTION_JSON:
    request->json = true;
    break;
  case OPTION_QUIET:
    request->quiet = true;
    break;
  default:
    if (!kiln_cli_color(value, &request->color)) {
      return kiln_cli_usage("--color is auto, always or never, not '%s'.", value);
    }
  }
  return 0;
}

static int
set_option(struct try_request *request, size_t option, const char *value)
{
  if (option < OPTION_SAMPLES) {
    return set_lever_option(request, option, value);
  }
  if (option >= OPTION_OUTPUT) {
    return set_output_option(request, option, value);
  }
  return kiln_cli_measuring_set(&request->measuring, measuring_option(option), value);
}

static int
check_outputs(const struct try_request *request)
{
  const char *paths[] = {request->output, request->html};
  struct kiln_error error = {0};
  for (int i = 0; i < 2; i++) {
    if (paths[i] && kiln_file_check_writable(paths[i], &error) != KILN_OK) {
      kiln_cli_complain(&error);
      return KILN_EXIT_ENVIRONMENT;
    }
  }
  if (request->output && request->html && kiln_text_equal(request->output, request->html)) {
    return kiln_cli_usage("-o and --html name the same file '%s'. Give each its own.", request->output);
  }
  return 0;
}

static void
say(void *context, const char *sentence)
{
  struct try_request *request = context;
  kiln_cli_progress_end(&request->progress);
  fprintf(stderr, "kiln: %s\n", sentence);
}

static int
write_file(const struct try_request *request, const char *path, const struct kiln_buf *text, const char *what)
{
  struct kiln_error error = {0};
  if (text->failed) {
    kiln_error_set(&error, KILN_ERROR_MEMORY, "Memory is short.");
  } else if (kiln_file_write(path, kiln_buf_text(text), text->len, &error) == KILN_OK && !request->quiet) {
    fprintf(stderr, "kiln: The %s is in '%s'.\n", what, path);
  }
  if (error.status == KILN_OK) {
    return 0;
  }
  kiln_cli_complain(&error);
  return KILN_EXIT_ENVIRONMENT;
}

static int
write_page(const struct try_request *request, struct kiln_try_result *result)
{
  struct kiln_buf page;
  int code;
  if (!request->html || !result->report) {
    return 0;
  }
  kiln_buf_init(&page);
  result->report->ledger = result->ledger;
  kiln_report_html(result->report, &page);
  code = write_file(request, request->html, &page, "page");
  kiln_buf_release(&page);
  return code;
}

/* Files first: whoever reads standard output may be gone. */
static int
deliver(const struct try_request *request, struct kiln_try_result *result)
{
  struct kiln_buf json, out;
  int code = write_page(request, result), written = 0, printed;
  if (!result->ledger) {
    return code;
  }
  kiln_buf_init(&json);
  kiln_buf_init(&out);
  kiln_ledger_json(result->ledger, &json);
  if (request->output) {
    written = write_file(request, request->output, &json, "ledger");
  }
  if (!request->json) {
    kiln_ledger_render(result->ledger, kiln_terminal_columns(STDOUT), request->color, &out);
  }
  printed = kiln_cli_print(request->json ? &json : &out);
  kiln_buf_release(&json);
  kiln_buf_release(&out);
  return code ? code : written ? written : printed;
}

static int
try_and_deliver(struct try_request *request)
{
  struct kiln_try_result result;
  struct kiln_error error = {0};
  struct kiln_buf tail;
  enum kiln_status status;
  int code, delivered;
  kiln_buf_init(&tail);
  kiln_interrupt_watch();
  status = kiln_try(&request->trial, &result, &tail, &error);
  if (!request->quiet) {
    kiln_cli_progress_end(&request->progress);
  }
  fputs(kiln_buf_text(&tail), stderr);
  kiln_buf_release(&tail);
  if (status != KILN_OK) {
    code = kiln_cli_complain(&error);
  } else {
    code = kiln_try_exit(&result);
    if (result.failure) {
      fprintf(stderr, "kiln: %s\n", result.failure);
    }
  }
  delivered = deliver(request, &result);
  kiln_try_result_release(&result);
  return delivered ? delivered : code;
}

static int
run_request(struct try_request *request)
{
  struct kiln_cli_parts parts;
  struct kiln_error error = {0};
  int code = check_outputs(request);
  if (code) {
    return code;
  }
  if (kiln_cli_parts_find(&parts, &error) != KILN_OK) {
    code = kiln_cli_complain(&error);
  } else {
    request->trial.measure = request->measuring.measure;
    request->trial.measure.preload = kiln_buf_text(&parts.preload);
    request->trial.measure.supervisor = kiln_buf_text(&parts.supervisor);
    if (!request->quiet) {
      kiln_cli_progress_init(&request->progress, false);
      request->trial.measure.progress = kiln_cli_progress_show;
      request->trial.measure.context = &request->progress;
      request->trial.say = say;
      request->trial.say_context = request;
    }
    code = try_and_deliver(request);
  }
  kiln_cli_parts_release(&parts);
  return code;
}

static int
parse_and_run(struct try_request *request, const struct kiln_cli_command *command, int argc, char **argv)
{
  struct kiln_cli_parser parser = {command, argc, argv, 1, NULL};
  struct kiln_measure_options *measure = &request->measuring.measure;
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
  if (parser.at >= argc) {
    return kiln_cli_usage("'kiln try' needs a command to run, as in: kiln try -- python sim.py");
  }
  measure->command = argv + parser.at;
  measure->max_pairs = measure->max_pairs ? measure->max_pairs : KILN_TRY_PAIRS;
  measure->resolution = measure->resolution > 0 ? measure->resolution : KILN_SEQUENTIAL_RESOLUTION;
  return run_request(request);
}

static int
run_try(const struct kiln_cli_command *command, int argc, char **argv)
{
  struct try_request request;
  int code;
  memset(&request, 0, sizeof request);
  kiln_cli_measuring_init(&request.measuring);
  kiln_cli_color("auto", &request.color);
  request.trial.levers = request.levers;
  request.trial.files = request.files;
  code = parse_and_run(&request, command, argc, argv);
  kiln_cli_measuring_release(&request.measuring);
  return code;
}

static const char examples[] = "  kiln try -- python sim.py\n"
                               "  kiln try -o ledger.json --html ledger.html -- python sim.py\n"
                               "  kiln try --lever enable_backward --lever prebuild -- python sim.py\n"
                               "  kiln try --check 'python check.py out.npy' -- python sim.py out.npy\n"
                               "  kiln try --goal production --allow-kernel-changes -- python serve.py\n";

const struct kiln_cli_command kiln_cmd_try = {"try", "what would make a first run cheaper, measured lever by lever",
    "[options] [--] COMMAND [ARGUMENT…]", examples, options, sizeof options / sizeof *options, NULL, run_try};
