#include <stdio.h>

#include "base/text.h"
#include "cli.h"
#include "measuring.h"
#include "os/file.h"
#include "outputs.h"
#include "probe/gate.h"

/* Rows: the rules, what is measured, then these. */
enum {
  MEASURING = KILN_GATE_KIND_COUNT,
  OPTION_REPORT = MEASURING + KILN_CLI_MEASURING_COUNT,
  OPTION_JUNIT,
  OPTION_OUTPUT,
  OPTION_HTML,
  OPTION_JSON,
  OPTION_QUIET,
  OPTION_COLOR
};

#define RULE_ROW(kind, name, argument, help) [kind] = {name, 0, argument, help},
static const struct kiln_cli_option options[] = {
    KILN_GATE_RULES(RULE_ROW) KILN_CLI_MEASURING_ROWS(MEASURING),
    [OPTION_REPORT] = {"report", 0, "FILE|DIR", "judge this report or record, and run nothing"},
    [OPTION_JUNIT] = {"junit", 0, "FILE", "write the result as JUnit's XML to FILE"},
    [OPTION_OUTPUT] = {"output", 'o', "FILE", "write the report as JSON to FILE"},
    [OPTION_HTML] = {"html", 0, "FILE", "write the report as one HTML page to FILE"},
    [OPTION_JSON] = {"json", 0, NULL, "the result on standard output as JSON"},
    [OPTION_QUIET] = {"quiet", 0, NULL, "no progress and no notes on standard error"},
    [OPTION_COLOR] = {"color", 0, "auto|always|never", "colour on standard output (default: auto)"},
};
#undef RULE_ROW

struct gate_request {
  struct kiln_gate gate;
  struct kiln_cli_measuring measuring;
  struct kiln_cli_outputs outputs;
  const char *rules, *report, *junit;
  bool measures; /* an option of a measurement was given */
};

static int
add_rule(struct gate_request *request, enum kiln_gate_kind kind, const char *value)
{
  struct kiln_error error = {0};
  char *words[] = {(char *)(uintptr_t)value};
  const enum kiln_status status = kiln_gate_add(&request->gate, kind, words, value ? 1 : 0, 0, &error);
  return status == KILN_OK ? 0 : kiln_cli_complain(&error);
}

static int
set_option(struct gate_request *request, size_t option, const char *value)
{
  static const enum kiln_cli_output_option output_of[] = {[OPTION_OUTPUT] = KILN_CLI_OUTPUT_FILE,
      [OPTION_HTML] = KILN_CLI_OUTPUT_HTML,
      [OPTION_JSON] = KILN_CLI_OUTPUT_JSON,
      [OPTION_QUIET] = KILN_CLI_OUTPUT_QUIET,
      [OPTION_COLOR] = KILN_CLI_OUTPUT_COLOR};
  if (option < MEASURING) {
    return add_rule(request, (enum kiln_gate_kind)option, value);
  }
  if (option < OPTION_REPORT) {
    request->measures = true;
    return kiln_cli_measuring_set(&request->measuring, (enum kiln_cli_measuring_option)(option - MEASURING), value);
  }
  if (option == OPTION_REPORT) {
    request->report = value;
  } else if (option == OPTION_JUNIT) {
    request->junit = value;
  } else {
    return kiln_cli_outputs_set(&request->outputs, output_of[option], value);
  }
  return 0;
}

/* Options and the name of the rules file in any order, up to "--" or the end. */
static int
parse(struct gate_request *request, struct kiln_cli_parser *parser)
{
  for (;;) {
    const int before = parser->at;
    enum kiln_cli_step step;
    size_t option;
    int code;
    step = kiln_cli_next(parser, &option);
    if (step == KILN_CLI_OPTION) {
      code = set_option(request, option, parser->value);
      if (code) {
        return code;
      }
    } else if (step != KILN_CLI_END) {
      return kiln_cli_step_exit(parser->command, step) == 0 ? -1 : KILN_EXIT_USAGE;
    } else if (parser->at > before || parser->at >= parser->argc) {
      return 0; /* "--", or nothing is left */
    } else if (request->rules) {
      return kiln_cli_usage("'%s' is one word too many: '%s' is the rules file, and a command stands behind '--'.",
          parser->argv[parser->at], request->rules);
    } else {
      request->rules = parser->argv[parser->at++];
    }
  }
}

static int
read_rules(struct gate_request *request)
{
  struct kiln_error error = {0};
  if (request->rules && kiln_gate_read(&request->gate, request->rules, &error) != KILN_OK) {
    return kiln_cli_complain(&error);
  }
  if (request->gate.count == 0) {
    return kiln_cli_usage("'kiln gate' has no rule; name a rules file or a rule, as in: kiln gate --no-build-when-warm "
                          "-- python sim.py");
  }
  for (size_t i = 0; i < request->gate.count; i++) {
    if (request->gate.rules[i].kind == KILN_GATE_NOT_SLOWER && !request->report && request->measuring.arms.count < 2) {
      return kiln_cli_usage("not-slower needs two arms measured together, as in: --arm base='…' --arm cand='…'");
    }
  }
  return 0;
}

static int
check_junit(const struct gate_request *request)
{
  struct kiln_error error = {0};
  if (request->junit && kiln_file_check_writable(request->junit, &error) != KILN_OK) {
    kiln_cli_complain(&error);
    return KILN_EXIT_ENVIRONMENT;
  }
  return 0;
}

static int
write_junit(const struct gate_request *request, const struct kiln_report *report)
{
  struct kiln_error error = {0};
  struct kiln_buf xml;
  if (!request->junit) {
    return 0;
  }
  kiln_buf_init(&xml);
  kiln_gate_junit(&request->gate, report, &xml);
  if (xml.failed) {
    kiln_error_set(&error, KILN_ERROR_MEMORY, "Memory is short.");
  } else {
    kiln_file_write(request->junit, xml.data, xml.len, &error);
  }
  kiln_buf_release(&xml);
  if (error.status == KILN_OK) {
    return 0;
  }
  kiln_cli_complain(&error);
  return KILN_EXIT_ENVIRONMENT;
}

static void
show_warnings(const struct gate_request *request, const struct kiln_report *report)
{
  for (size_t i = 0; i < report->warning_count && !request->outputs.quiet; i++) {
    fprintf(stderr, "kiln: %s\n", report->warnings[i]);
  }
}

/* The files first: whoever reads stdout may be gone. */
static int
judge_and_deliver(struct gate_request *request, const struct kiln_report *report)
{
  struct kiln_error error = {0};
  struct kiln_buf out;
  int code, files, junit, printed;
  if (kiln_gate_judge(&request->gate, report, &error) != KILN_OK) {
    return kiln_cli_complain(&error);
  }
  show_warnings(request, report);
  code = kiln_gate_exit(&request->gate, report);
  files = kiln_cli_outputs_write(&request->outputs, report);
  junit = write_junit(request, report);
  kiln_buf_init(&out);
  if (request->outputs.print_json) {
    kiln_gate_json(&request->gate, report, &out);
  } else {
    kiln_gate_text(&request->gate, request->outputs.color, &out);
  }
  printed = kiln_cli_print(&out);
  kiln_buf_release(&out);
  return code ? code : files ? files : junit ? junit : printed;
}

static int
read_stored(const struct gate_request *request, struct kiln_report **report)
{
  struct kiln_error error = {0};
  const enum kiln_status status = kiln_cli_report_read(request->report, report, &error);
  if (status == KILN_OK) {
    return kiln_cli_outputs_check(&request->outputs);
  }
  kiln_cli_complain(&error);
  return KILN_EXIT_USAGE;
}

static int
run_request(struct gate_request *request, const struct kiln_cli_command *command, int argc, char **argv)
{
  struct kiln_report *report = NULL;
  int code = read_rules(request);
  if (!code && request->report && (argc > 0 || request->measures)) {
    code = kiln_cli_usage("With --report nothing is run: leave out '%s'.", argc > 0 ? argv[0] : "the options of a run");
  } else if (!code && !request->report) {
    code = kiln_cli_measuring_take(&request->measuring, command, argc, argv);
  }
  code = code ? code : check_junit(request);
  if (code) {
    return code;
  }
  code = request->report ? read_stored(request, &report)
                         : kiln_cli_measuring_run(&request->measuring, &request->outputs, &report);
  if (report && !code) {
    code = judge_and_deliver(request, report);
  }
  kiln_report_free(report);
  return code;
}

static int
run_gate(const struct kiln_cli_command *command, int argc, char **argv)
{
  struct kiln_cli_parser parser = {command, argc, argv, 1, NULL};
  struct gate_request request = {0};
  int code;
  kiln_gate_init(&request.gate);
  kiln_cli_measuring_init(&request.measuring);
  kiln_cli_outputs_init(&request.outputs);
  code = parse(&request, &parser);
  if (code == 0) {
    code = run_request(&request, command, argc - parser.at, argv + parser.at);
  }
  kiln_cli_measuring_release(&request.measuring);
  kiln_gate_release(&request.gate);
  return code < 0 ? 0 : code;
}

static const char examples[] = "  kiln gate --no-build-when-warm -- python sim.py\n"
                               "  kiln gate kiln.gate --junit gate.xml -- python sim.py\n"
                               "  kiln gate --not-above stored.json -- python sim.py\n"
                               "  kiln gate --not-slower --arm base='python old.py' --arm cand='python sim.py'\n"
                               "  kiln gate kiln.gate --report report.json\n";

const struct kiln_cli_command kiln_cmd_gate = {"gate",
    "does a program keep the rules you set, for continuous integration",
    "[RULES-FILE] [options] -- COMMAND [ARGUMENT…] | --arm NAME=COMMAND … | --report FILE", examples, options,
    sizeof options / sizeof *options, NULL, run_gate};
