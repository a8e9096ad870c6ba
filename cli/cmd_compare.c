#include "cli.h"
#include "os/terminal.h"
#include "probe/compare.h"

#define STDOUT 1

enum { OPTION_JSON, OPTION_COLOR };

static const struct kiln_cli_option options[] = {
    [OPTION_JSON] = {"json", 0, NULL, "the comparison as JSON"},
    [OPTION_COLOR] = {"color", 0, "auto|always|never", "colour on standard output (default: auto)"},
};

/* What was asked for. */
struct compare_request {
  bool json, color;
  const char *paths[2];
};

static int
compare_reports(const struct compare_request *request, struct kiln_loaded_report *reports[2])
{
  struct kiln_comparison comparison = {0};
  struct kiln_error error = {0};
  struct kiln_buf out;
  int code, printed;
  if (kiln_compare(reports[0], reports[1], &comparison, &error) != KILN_OK) {
    return kiln_cli_complain(&error);
  }
  kiln_buf_init(&out);
  if (request->json) {
    kiln_comparison_json(&comparison, &out);
  } else {
    kiln_comparison_text(&comparison, kiln_terminal_columns(STDOUT), request->color, &out);
  }
  code = kiln_comparison_exit(&comparison);
  printed = kiln_cli_print(&out);
  kiln_buf_release(&out);
  kiln_comparison_release(&comparison);
  return printed ? printed : code;
}

static int
read_and_compare(const struct compare_request *request)
{
  struct kiln_loaded_report *reports[2] = {NULL, NULL};
  struct kiln_error error = {0};
  int i, code = 0;
  for (i = 0; i < 2 && code == 0; i++) {
    if (kiln_loaded_report_read(request->paths[i], &reports[i], &error) != KILN_OK) {
      kiln_cli_complain(&error);
      code = KILN_EXIT_USAGE;
    }
  }
  if (code == 0) {
    code = compare_reports(request, reports);
  }
  kiln_loaded_report_free(reports[0]);
  kiln_loaded_report_free(reports[1]);
  return code;
}

static int
run_compare(const struct kiln_cli_command *command, int argc, char **argv)
{
  struct kiln_cli_parser parser = {command, argc, argv, 1, NULL};
  struct compare_request request = {0};
  enum kiln_cli_step step;
  size_t option;
  kiln_cli_color("auto", &request.color);
  while ((step = kiln_cli_next(&parser, &option)) == KILN_CLI_OPTION) {
    if (option == OPTION_JSON) {
      request.json = true;
    } else if (!kiln_cli_color(parser.value, &request.color)) {
      return kiln_cli_usage("--color is auto, always or never, not '%s'.", parser.value);
    }
  }
  if (step != KILN_CLI_END) {
    return kiln_cli_step_exit(command, step);
  }
  if (argc - parser.at != 2) {
    return kiln_cli_usage(
        "'kiln compare' needs two reports, but got %d; 'kiln measure -o FILE' writes one.", argc - parser.at);
  }
  request.paths[0] = argv[parser.at];
  request.paths[1] = argv[parser.at + 1];
  return read_and_compare(&request);
}

static const char examples[] = "  kiln measure -o before.json -- python sim.py\n"
                               "  kiln measure -o after.json -- python sim.py\n"
                               "  kiln compare before.json after.json\n";

const struct kiln_cli_command kiln_cmd_compare = {"compare", "is the work of two reports the same, less or more",
    "[options] A.json B.json", examples, options, sizeof options / sizeof *options, NULL, run_compare};
