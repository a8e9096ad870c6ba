#include "cli.h"
#include "outputs.h"

static const struct kiln_cli_option options[] = {KILN_CLI_OUTPUT_ROWS(0)};

struct report_request {
  struct kiln_cli_outputs outputs;
  const char *path;
};

static int
deliver(const struct report_request *request, struct kiln_report *report)
{
  const int code = kiln_cli_outputs_prepare(&request->outputs, report);
  return code ? code : kiln_cli_outputs_deliver(&request->outputs, report, true);
}

static int
read_and_deliver(const struct report_request *request)
{
  struct kiln_error error = {0};
  struct kiln_report *report;
  const enum kiln_status status = kiln_cli_report_read(request->path, &report, &error);
  int code;
  code = status == KILN_OK ? deliver(request, report) : kiln_cli_complain(&error);
  kiln_report_free(report);
  return code;
}

static int
run_report(const struct kiln_cli_command *command, int argc, char **argv)
{
  struct kiln_cli_parser parser = {command, argc, argv, 1, NULL};
  struct report_request request = {0};
  enum kiln_cli_step step;
  size_t option;
  int code;
  kiln_cli_outputs_init(&request.outputs);
  while ((step = kiln_cli_next(&parser, &option)) == KILN_CLI_OPTION) {
    code = kiln_cli_outputs_set(&request.outputs, (enum kiln_cli_output_option)option, parser.value);
    if (code) {
      return code;
    }
  }
  if (step != KILN_CLI_END) {
    return kiln_cli_step_exit(command, step);
  }
  if (argc - parser.at != 1) {
    return kiln_cli_usage(
        "'kiln report' needs one folder of 'kiln record' or one report file, but got %d arguments.", argc - parser.at);
  }
  request.path = argv[parser.at];
  code = kiln_cli_outputs_check(&request.outputs);
  return code ? code : read_and_deliver(&request);
}

static const char examples[] = "  kiln report run1                     # the folder of 'kiln record -o run1'\n"
                               "  kiln report --html page.html report.json\n"
                               "  kiln report --against before.json after.json\n"
                               "  kiln report --markdown --anonymise report.json > issue.md\n"
                               "  kiln report --json run1 | jq '.processes[] | {pid, builds}'\n";

const struct kiln_cli_command kiln_cmd_report = {"report", "show a recorded run, or a report file again",
    "[options] DIR | FILE", examples, options, sizeof options / sizeof *options, NULL, run_report};
