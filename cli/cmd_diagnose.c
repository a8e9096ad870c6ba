#include <stdio.h>

#include "base/text.h"
#include "cli.h"
#include "measuring.h"
#include "os/file.h"
#include "outputs.h"
#include "parts.h"
#include "probe/diagnose.h"
#include "probe/record.h"
#include "probe/report_read.h"

#define OUTPUTS KILN_CLI_MEASURING_COUNT

static const struct kiln_cli_option options[] = {KILN_CLI_MEASURING_ROWS(0), KILN_CLI_OUTPUT_ROWS(OUTPUTS)};

struct diagnose_request {
  struct kiln_cli_measuring measuring;
  struct kiln_cli_outputs outputs;
};

static int
set_option(struct diagnose_request *request, size_t option, const char *value)
{
  if (option >= OUTPUTS) {
    return kiln_cli_outputs_set(&request->outputs, (enum kiln_cli_output_option)(option - OUTPUTS), value);
  }
  return kiln_cli_measuring_set(&request->measuring, (enum kiln_cli_measuring_option)option, value);
}

/* hindered: code of what hindered the measurement, and was said already. */
static int
deliver(const struct diagnose_request *request, struct kiln_report *report, int hindered)
{
  int code;
  kiln_diagnosis_fill(report);
  code = kiln_cli_outputs_prepare(&request->outputs, report);
  if (code) {
    return code;
  }
  if (report->failure && !hindered) {
    fprintf(stderr, "kiln: %s\n", report->failure);
  }
  return kiln_cli_outputs_deliver(&request->outputs, report, kiln_cli_measuring_has_runs(report));
}

/* The rules ask for it only where modules should be merged or split. */
static void
measure_floor(const struct diagnose_request *request, struct kiln_report *report)
{
  struct kiln_cli_parts parts;
  struct kiln_measure_options measure = {0};
  if (report->state != KILN_REPORT_COMPLETE || !kiln_diagnosis_wants_floor(report)) {
    return;
  }
  if (!request->outputs.quiet) {
    fputs("kiln: Measuring what a module of one small kernel costs.\n", stderr);
  }
  if (kiln_cli_parts_find(&parts, NULL) == KILN_OK) {
    measure.preload = kiln_buf_text(&parts.preload);
    measure.supervisor = kiln_buf_text(&parts.supervisor);
    kiln_diagnosis_measure_floor(report, &measure);
  }
  kiln_cli_parts_release(&parts);
}

static int
measure_and_deliver(struct diagnose_request *request)
{
  struct kiln_report *report;
  int delivered = 0, code = kiln_cli_measuring_run(&request->measuring, &request->outputs, &report);
  if (report) {
    measure_floor(request, report);
    delivered = deliver(request, report, code);
    code = code ? code : kiln_report_exit(report);
  }
  kiln_report_free(report);
  return code ? code : delivered;
}

/* A folder is a record, a file whose name ends so is a report: no program is called like that. */
static bool
is_report(const char *word)
{
  struct kiln_file_info info;
  return kiln_text_ends(word, ".json") ||
         (kiln_file_target_info(word, &info, NULL) == KILN_OK && info.kind == KILN_FILE_FOLDER);
}

static int
read_and_deliver(const struct diagnose_request *request, const char *path)
{
  struct kiln_file_info info;
  struct kiln_error error = {0};
  struct kiln_report *report = NULL;
  enum kiln_status status;
  int code = kiln_cli_outputs_check(&request->outputs);
  if (code) {
    return code;
  }
  status = kiln_file_target_info(path, &info, &error);
  if (status == KILN_OK) {
    status = info.kind == KILN_FILE_FOLDER ? kiln_record_read(path, &report, &error)
                                           : kiln_report_read(path, &report, &error);
  }
  code = status == KILN_OK ? deliver(request, report, 0) : kiln_cli_complain(&error);
  kiln_report_free(report);
  return code;
}

static int
parse_and_run(struct diagnose_request *request, const struct kiln_cli_command *command, int argc, char **argv)
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
  if (argc - parser.at == 1 && !kiln_text_equal(argv[parser.at - 1], "--") && is_report(argv[parser.at])) {
    return read_and_deliver(request, argv[parser.at]);
  }
  code = kiln_cli_measuring_take(&request->measuring, command, argc - parser.at, argv + parser.at);
  return code ? code : measure_and_deliver(request);
}

static int
run_diagnose(const struct kiln_cli_command *command, int argc, char **argv)
{
  struct diagnose_request request;
  int code;
  kiln_cli_measuring_init(&request.measuring);
  kiln_cli_outputs_init(&request.outputs);
  code = parse_and_run(&request, command, argc, argv);
  kiln_cli_measuring_release(&request.measuring);
  return code;
}

static const char examples[] = "  kiln diagnose -- python sim.py --frames 10\n"
                               "  kiln diagnose report.json            # of 'kiln measure -o report.json'\n"
                               "  kiln diagnose run1                   # the folder of 'kiln record -o run1'\n"
                               "  kiln diagnose --html page.html -- python sim.py\n"
                               "  kiln diagnose --json -- python sim.py | jq '.findings[] | {id, state}'\n";

const struct kiln_cli_command kiln_cmd_diagnose = {"diagnose", "why a first run is slow, mechanism by mechanism",
    "[options] [--] COMMAND [ARGUMENT…] | REPORT.json | DIR", examples, options, sizeof options / sizeof *options, NULL,
    run_diagnose};
