#include <stdio.h>

#include "base/text.h"
#include "cli.h"
#include "os/process.h"
#include "parts.h"
#include "probe/record.h"

#define MAX_TIMEOUT_S 1e7

enum { OPTION_OUTPUT, OPTION_ENV, OPTION_TIMEOUT, OPTION_QUIET };

static const struct kiln_cli_option options[] = {
    [OPTION_OUTPUT] = {"output", 'o', "DIR", "the folder of the record (default: kiln-record-TIME here)"},
    [OPTION_ENV] = {"env", 0, "DIR", "print what makes a shell script record into DIR, and run nothing"},
    [OPTION_TIMEOUT] = {"timeout", 0, "SECONDS", "end the run after this time"},
    [OPTION_QUIET] = {"quiet", 0, NULL, "say nothing on standard error when all is well"},
};

struct record_request {
  struct kiln_record_options record;
  const char *output, *env;
  bool quiet;
};

static int
set_option(struct record_request *request, size_t option, const char *value)
{
  switch (option) {
  case OPTION_OUTPUT:
    request->output = value;
    break;
  case OPTION_ENV:
    request->env = value;
    break;
  case OPTION_QUIET:
    request->quiet = true;
    break;
  default:
    if (!kiln_text_parse_seconds(value, &request->record.timeout_s) || !(request->record.timeout_s > 0) ||
        request->record.timeout_s > MAX_TIMEOUT_S) {
      return kiln_cli_usage("--timeout is a number of seconds above 0, not '%s'.", value);
    }
  }
  return 0;
}

static int
state_exit(enum kiln_report_state state)
{
  switch (state) {
  case KILN_REPORT_COMPLETE:
    return KILN_EXIT_YES;
  case KILN_REPORT_FAILED:
    return KILN_EXIT_COMMAND;
  case KILN_REPORT_INVALID:
    return KILN_EXIT_INVALID;
  case KILN_REPORT_INTERRUPTED:
    break;
  }
  return KILN_EXIT_INTERRUPTED;
}

/* Talk comes behind the command's own output. */
static int
conclude(const struct record_request *request, const struct kiln_run_result *result)
{
  enum kiln_report_state state;
  struct kiln_buf text;
  kiln_buf_init(&text);
  if (kiln_record_complaint(request->record.command[0], request->record.timeout_s, result, &state, &text)) {
    fprintf(stderr, "kiln: %s\n", kiln_buf_text(&text));
  }
  if (result->killed > 0) {
    fprintf(stderr, "kiln: Processes that outlived the command were killed: %d.\n", result->killed);
  }
  if (!request->quiet) {
    kiln_buf_clear(&text);
    kiln_text_shell_word(&text, request->record.folder);
    fprintf(stderr, "kiln: Recorded; read it with: kiln report %s\n", kiln_buf_text(&text));
  }
  kiln_buf_release(&text);
  return state_exit(state);
}

static int
record_command(struct record_request *request, const struct kiln_cli_parts *parts)
{
  struct kiln_error error = {0};
  struct kiln_run_result result;
  struct kiln_buf folder;
  int code;
  kiln_buf_init(&folder);
  request->record.preload = kiln_buf_text(&parts->preload);
  request->record.supervisor = kiln_buf_text(&parts->supervisor);
  if (kiln_record_folder(request->output, true, &folder, &error) != KILN_OK) {
    code = kiln_cli_complain(&error);
  } else {
    request->record.folder = kiln_buf_text(&folder);
    kiln_interrupt_watch();
    code = kiln_record_run(&request->record, &result, &error) == KILN_OK ? conclude(request, &result)
                                                                         : kiln_cli_complain(&error);
  }
  kiln_buf_release(&folder);
  return code;
}

static int
print_env(const struct record_request *request, const struct kiln_cli_parts *parts)
{
  struct kiln_error error = {0};
  struct kiln_buf folder, lines;
  int code;
  kiln_buf_init(&folder);
  kiln_buf_init(&lines);
  if (kiln_record_folder(request->env, false, &folder, &error) == KILN_OK &&
      kiln_record_shell(kiln_buf_text(&folder), kiln_buf_text(&parts->preload), &lines, &error) == KILN_OK) {
    code = kiln_cli_print(&lines);
  } else {
    code = kiln_cli_complain(&error);
  }
  kiln_buf_release(&lines);
  kiln_buf_release(&folder);
  return code;
}

static int
run_request(struct record_request *request)
{
  struct kiln_cli_parts parts;
  struct kiln_error error = {0};
  int code;
  if (kiln_cli_parts_find(&parts, &error) != KILN_OK) {
    code = kiln_cli_complain(&error);
  } else {
    code = request->env ? print_env(request, &parts) : record_command(request, &parts);
  }
  kiln_cli_parts_release(&parts);
  return code;
}

static int
run_record(const struct kiln_cli_command *command, int argc, char **argv)
{
  struct kiln_cli_parser parser = {command, argc, argv, 1, NULL};
  struct record_request request = {0};
  enum kiln_cli_step step;
  size_t option;
  while ((step = kiln_cli_next(&parser, &option)) == KILN_CLI_OPTION) {
    int code = set_option(&request, option, parser.value);
    if (code) {
      return code;
    }
  }
  if (step != KILN_CLI_END) {
    return kiln_cli_step_exit(command, step);
  }
  if (request.env && (parser.at < argc || request.output || request.record.timeout_s > 0)) {
    return kiln_cli_usage("'kiln record --env DIR' runs nothing: it takes no command, no -o and no --timeout.");
  }
  if (!request.env && parser.at >= argc) {
    return kiln_cli_usage("'kiln record' needs a command to run, as in: kiln record -- python sim.py");
  }
  request.record.command = argv + parser.at;
  return run_request(&request);
}

static const char examples[] = "  kiln record -- python sim.py\n"
                               "  kiln record -o run1 --timeout 3600 -- python train.py\n"
                               "  eval \"$(kiln record --env run1)\"     # in a job script\n"
                               "  kiln report run1\n";

const struct kiln_cli_command kiln_cmd_record = {"record", "observe one run as it is, without private caches",
    "[options] [--] COMMAND [ARGUMENT…] | --env DIR", examples, options, sizeof options / sizeof *options, NULL,
    run_record};
