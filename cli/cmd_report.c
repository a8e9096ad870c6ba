#include "base/text.h"
#include "cli.h"
#include "os/file.h"
#include "os/terminal.h"
#include "outputs.h"
#include "probe/record.h"
#include "probe/report/render.h"
#include "probe/report_read.h"

#define STDOUT 1

enum { OPTION_OUTPUT, OPTION_HTML, OPTION_TRACE, OPTION_ANONYMISE, OPTION_JSON, OPTION_QUIET, OPTION_COLOR };

static const struct kiln_cli_option options[] = {
    [OPTION_OUTPUT] = {"output", 'o', "FILE", "write the report as JSON to FILE"},
    [OPTION_HTML] = {"html", 0, "FILE", "write the report as one HTML page to FILE"},
    [OPTION_TRACE] = {"trace", 0, "FILE", "write a trace for Perfetto to FILE"},
    [OPTION_ANONYMISE] = {"anonymise", 0, NULL, "replace names by numbers, to show it to others"},
    [OPTION_JSON] = {"json", 0, NULL, "the report on standard output as JSON"},
    [OPTION_QUIET] = {"quiet", 0, NULL, "no notes on standard error"},
    [OPTION_COLOR] = {"color", 0, "auto|always|never", "colour on standard output (default: auto)"},
};

struct report_request {
  struct kiln_cli_outputs outputs;
  const char *path;
  bool json, color;
};

static int
set_option(struct report_request *request, size_t option, const char *value)
{
  switch (option) {
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
    request->outputs.quiet = true;
    break;
  default:
    if (!kiln_cli_color(value, &request->color)) {
      return kiln_cli_usage("--color is auto, always or never, not '%s'.", value);
    }
  }
  return 0;
}

static int
deliver(const struct report_request *request, struct kiln_report *report)
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
  } else {
    kiln_report_text(report, kiln_terminal_columns(STDOUT), request->color, &out);
  }
  printed = kiln_cli_print(&out);
  kiln_buf_release(&out);
  return code ? code : printed;
}

/* A folder is a record, anything else the file of a report. */
static int
read_and_deliver(const struct report_request *request)
{
  struct kiln_file_info info;
  struct kiln_error error = {0};
  struct kiln_report *report = NULL;
  enum kiln_status status = kiln_file_target_info(request->path, &info, &error);
  int code;
  if (status == KILN_OK) {
    status = info.kind == KILN_FILE_FOLDER ? kiln_record_read(request->path, &report, &error)
                                           : kiln_report_read(request->path, &report, &error);
  }
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
  kiln_cli_color("auto", &request.color);
  while ((step = kiln_cli_next(&parser, &option)) == KILN_CLI_OPTION) {
    code = set_option(&request, option, parser.value);
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
                               "  kiln report --json run1 | jq '.processes[] | {pid, builds}'\n";

const struct kiln_cli_command kiln_cmd_report = {"report", "show a recorded run, or a report file again",
    "[options] DIR | FILE", examples, options, sizeof options / sizeof *options, NULL, run_report};
