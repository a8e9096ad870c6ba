#include <stdio.h>

#include "cli.h"
#include "measuring.h"
#include "outputs.h"

#define OUTPUTS KILN_CLI_MEASURING_COUNT

static const struct kiln_cli_option options[] = {KILN_CLI_MEASURING_ROWS(0), KILN_CLI_OUTPUT_ROWS(OUTPUTS)};

struct measure_request {
  struct kiln_cli_measuring measuring;
  struct kiln_cli_outputs outputs;
};

static int
set_option(struct measure_request *request, size_t option, const char *value)
{
  if (option >= OUTPUTS) {
    return kiln_cli_outputs_set(&request->outputs, (enum kiln_cli_output_option)(option - OUTPUTS), value);
  }
  return kiln_cli_measuring_set(&request->measuring, (enum kiln_cli_measuring_option)option, value);
}

/* hindered: code of what hindered the measurement, and was said already. */
static int
deliver(const struct measure_request *request, struct kiln_report *report, int hindered)
{
  const int code = kiln_cli_outputs_prepare(&request->outputs, report);
  if (code) {
    return code;
  }
  if (report->failure && !hindered) {
    fprintf(stderr, "kiln: %s\n", report->failure);
  }
  return kiln_cli_outputs_deliver(&request->outputs, report, kiln_cli_measuring_has_runs(report));
}

static int
measure_and_deliver(struct measure_request *request)
{
  struct kiln_report *report;
  int delivered = 0, code = kiln_cli_measuring_run(&request->measuring, &request->outputs, &report);
  if (report) {
    delivered = deliver(request, report, code);
    code = code ? code : kiln_report_exit(report);
  }
  kiln_report_free(report);
  return code ? code : delivered;
}

static int
parse_and_run(struct measure_request *request, const struct kiln_cli_command *command, int argc, char **argv)
{
  struct kiln_cli_parser parser = {command, argc, argv, 1, NULL};
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
  code = kiln_cli_measuring_take(&request->measuring, command, argc - parser.at, argv + parser.at);
  return code ? code : measure_and_deliver(request);
}

static int
run_measure(const struct kiln_cli_command *command, int argc, char **argv)
{
  struct measure_request request;
  int code;
  kiln_cli_measuring_init(&request.measuring);
  kiln_cli_outputs_init(&request.outputs);
  code = parse_and_run(&request, command, argc, argv);
  kiln_cli_measuring_release(&request.measuring);
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
