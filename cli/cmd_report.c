#include "cli.h"
#include "os/terminal.h"
#include "outputs.h"
#include "probe/ledger.h"

#define STDOUT 1

#define OPTION_LEDGER KILN_CLI_OUTPUT_COUNT

static const struct kiln_cli_option options[] = {
    KILN_CLI_OUTPUT_ROWS(0),
    [OPTION_LEDGER] = {"ledger", 0, "FILE", "show this ledger of 'kiln try' in the report too"},
};

struct report_request {
  struct kiln_cli_outputs outputs;
  const char *path, *ledger;
};

/* Behind the report: the pages that hold both have it already. */
static int
print_ledger(const struct report_request *request, const struct kiln_ledger *ledger)
{
  struct kiln_buf out;
  int code;
  if (!ledger || request->outputs.print_json || request->outputs.print_markdown) {
    return 0;
  }
  kiln_buf_init(&out);
  kiln_buf_text_append(&out, "\n");
  kiln_ledger_render(ledger, kiln_terminal_columns(STDOUT), request->outputs.color, &out);
  code = kiln_cli_print(&out);
  kiln_buf_release(&out);
  return code;
}

static int
deliver(const struct report_request *request, struct kiln_report *report, const struct kiln_ledger *ledger)
{
  int code = kiln_cli_outputs_prepare(&request->outputs, report);
  if (code == 0) {
    report->ledger = ledger;
    code = kiln_cli_outputs_deliver(&request->outputs, report, true);
  }
  return code ? code : print_ledger(request, ledger);
}

static int
read_and_deliver(const struct report_request *request)
{
  struct kiln_error error = {0};
  struct kiln_report *report = NULL;
  struct kiln_ledger *ledger = NULL;
  enum kiln_status status = KILN_OK;
  int code;
  if (request->ledger) {
    status = kiln_ledger_read(request->ledger, &ledger, &error);
  }
  if (status == KILN_OK) {
    status = kiln_cli_report_read(request->path, &report, &error);
  }
  code = status == KILN_OK ? deliver(request, report, ledger) : kiln_cli_complain(&error);
  kiln_report_free(report);
  kiln_ledger_free(ledger);
  return code;
}

static int
set_option(struct report_request *request, size_t option, const char *value)
{
  if (option < OPTION_LEDGER) {
    return kiln_cli_outputs_set(&request->outputs, (enum kiln_cli_output_option)option, value);
  }
  request->ledger = value;
  return 0;
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
  if (request.ledger && request.outputs.anonymise) {
    return kiln_cli_usage(
        "A ledger has names in it: --anonymise and '--ledger %s' do not go together.", request.ledger);
  }
  request.path = argv[parser.at];
  code = kiln_cli_outputs_check(&request.outputs);
  return code ? code : read_and_deliver(&request);
}

static const char examples[] = "  kiln report run1                     # the folder of 'kiln record -o run1'\n"
                               "  kiln report --html page.html report.json\n"
                               "  kiln report --against before.json after.json\n"
                               "  kiln report --markdown --anonymise report.json > issue.md\n"
                               "  kiln report --markdown --ledger ledger.json --against before.json after.json\n"
                               "  kiln report --json run1 | jq '.processes[] | {pid, builds}'\n";

const struct kiln_cli_command kiln_cmd_report = {"report", "show a recorded run, or a report file again",
    "[options] DIR | FILE", examples, options, sizeof options / sizeof *options, NULL, run_report};
