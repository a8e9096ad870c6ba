#include "cli.h"
#include "os/terminal.h"
#include "outputs.h"
#include "probe/compare.h"
#include "probe/why.h"

#define STDOUT 1

enum { OPTION_BASELINE, OPTION_ARM, OPTION_ALLOW_ENVIRONMENT, OPTION_JSON, OPTION_COLOR };

static const struct kiln_cli_option options[] = {
    [OPTION_BASELINE] = {"baseline", 0, "FILE", "a stored report to compare with, as if it were the first"},
    [OPTION_ARM] = {"arm", 0, "NAME", "compare this arm"},
    [OPTION_ALLOW_ENVIRONMENT] = {"allow-environment", 0, NULL, "compare the work of unlike environments too"},
    [OPTION_JSON] = {"json", 0, NULL, "the comparison as JSON"},
    [OPTION_COLOR] = {"color", 0, "auto|always|never", "colour on standard output (default: auto)"},
};

/* What was asked for. */
struct compare_request {
  bool json, color, allow_environment;
  const char *baseline, *arm;
  const char *paths[2];
  int path_count;
  struct kiln_report *reports[2]; /* the same files in full, for why they compile anew; NULL: not readable so */
};

/* Arms that the full report does not have cannot be: both readers read the same file. */
static const struct kiln_why *
find_why(const struct compare_request *request, const struct kiln_comparison *comparison, struct kiln_arena *arena)
{
  const struct kiln_report *const a = request->reports[0], *const b = request->reports[request->path_count - 1];
  const bool arms = request->path_count == 1;
  struct kiln_why *why = NULL;
  if (a && b && comparison->arms[0] < a->arm_count && comparison->arms[1] < b->arm_count) {
    kiln_why_find(b, comparison->arms[1], a, comparison->arms[0],
        arms ? a->arms[comparison->arms[0]].name : request->paths[0], arena, &why, NULL);
  }
  return why;
}

static void
render(const struct compare_request *request, struct kiln_comparison *comparison, struct kiln_buf *out)
{
  struct kiln_arena arena;
  const struct kiln_why *why;
  kiln_arena_init(&arena);
  why = find_why(request, comparison, &arena);
  comparison->why = why && (request->json || why->module_count > 0) ? why : NULL;
  if (request->json) {
    kiln_comparison_json(comparison, out);
  } else {
    kiln_comparison_text(comparison, kiln_terminal_columns(STDOUT), request->color, out);
  }
  comparison->why = NULL;
  kiln_arena_release(&arena);
}

/* 1 before 3 before 0: a "no" is certain, whatever else is open. */
static int
worse(int a, int b)
{
  if (a == KILN_EXIT_NO || b == KILN_EXIT_NO) {
    return KILN_EXIT_NO;
  }
  return a > b ? a : b;
}

static enum kiln_status
compare_candidate(const struct compare_request *request, const struct kiln_loaded_file *file, size_t candidate,
    struct kiln_buf *out, int *code, struct kiln_error *error)
{
  struct kiln_comparison comparison = {0};
  const enum kiln_status status = kiln_compare_arms(file, candidate, &comparison, error);
  if (status == KILN_OK) {
    render(request, &comparison, out);
    *code = worse(*code, kiln_comparison_exit(&comparison));
    kiln_comparison_release(&comparison);
  }
  return status;
}

/* The arms of one report: one candidate, or all; as JSON an array when there are several. */
static enum kiln_status
compare_arms(const struct compare_request *request, const struct kiln_loaded_file *file, struct kiln_buf *out,
    int *code, struct kiln_error *error)
{
  size_t i, first = 1, last = kiln_loaded_file_candidates(file);
  enum kiln_status status = KILN_OK;
  if (request->arm) {
    status = kiln_loaded_file_arm(file, request->arm, &first, error);
    last = first;
    if (status == KILN_OK && first == 0) {
      kiln_error_set(error, KILN_ERROR_ARGUMENT, "The arm '%s' is the baseline.", request->arm);
      kiln_error_advise(error, "Name a candidate.");
      status = KILN_ERROR_ARGUMENT;
    }
  }
  if (request->json && last > first) {
    kiln_buf_text_append(out, "[\n");
  }
  for (i = first; i <= last && status == KILN_OK; i++) {
    if (i > first) {
      kiln_buf_text_append(out, request->json ? ",\n" : "\n");
    }
    status = compare_candidate(request, file, i, out, code, error);
  }
  if (request->json && last > first) {
    kiln_buf_text_append(out, "]\n");
  }
  return status;
}

static enum kiln_status
compare_loaded(const struct compare_request *request, struct kiln_loaded_file *files[2], struct kiln_buf *out,
    int *code, struct kiln_error *error)
{
  struct kiln_comparison comparison = {0};
  enum kiln_status status;
  if (request->path_count == 1) {
    if (kiln_loaded_file_candidates(files[0]) > 0) {
      return compare_arms(request, files[0], out, code, error);
    }
    kiln_error_set(error, KILN_ERROR_ARGUMENT, "Report '%s' has one arm, so there is nothing to compare it with.",
        request->paths[0]);
    kiln_error_advise(error, "Give a second report, or measure two arms: kiln measure --arm base='…' --arm cand='…'");
    return KILN_ERROR_ARGUMENT;
  }
  status = kiln_compare_files(files[0], files[1], request->arm, request->allow_environment, &comparison, error);
  if (status == KILN_OK) {
    render(request, &comparison, out);
    *code = kiln_comparison_exit(&comparison);
    kiln_comparison_release(&comparison);
  }
  return status;
}

static int
compare_and_print(const struct compare_request *request, struct kiln_loaded_file *files[2])
{
  struct kiln_error error = {0};
  struct kiln_buf out;
  int code = 0, printed;
  enum kiln_status status;
  kiln_buf_init(&out);
  status = compare_loaded(request, files, &out, &code, &error);
  if (status != KILN_OK) {
    code = kiln_cli_complain(&error);
    code = status == KILN_ERROR_NOT_FOUND ? KILN_EXIT_USAGE : code;
  } else {
    printed = kiln_cli_print(&out);
    code = printed ? printed : code;
  }
  kiln_buf_release(&out);
  return code;
}

static int
read_and_compare(struct compare_request *request)
{
  struct kiln_loaded_file *files[2] = {NULL, NULL};
  struct kiln_error error = {0};
  int i, code = 0;
  for (i = 0; i < request->path_count && code == 0; i++) {
    if (kiln_loaded_file_read(request->paths[i], &files[i], &error) != KILN_OK) {
      kiln_cli_complain(&error);
      code = KILN_EXIT_USAGE;
    }
  }
  for (i = 0; i < request->path_count && code == 0; i++) {
    kiln_cli_report_read(request->paths[i], &request->reports[i], NULL);
  }
  if (code == 0) {
    code = compare_and_print(request, files);
  }
  kiln_loaded_file_free(files[0]);
  kiln_loaded_file_free(files[1]);
  kiln_report_free(request->reports[0]);
  kiln_report_free(request->reports[1]);
  return code;
}

static int
set_option(struct compare_request *request, size_t option, const char *value)
{
  switch (option) {
  case OPTION_BASELINE:
    request->baseline = value;
    break;
  case OPTION_ARM:
    request->arm = value;
    break;
  case OPTION_ALLOW_ENVIRONMENT:
    request->allow_environment = true;
    break;
  case OPTION_JSON:
    request->json = true;
    break;
  default:
    if (!kiln_cli_color(value, &request->color)) {
      return kiln_cli_usage("--color is auto, always or never, not '%s'.", value);
    }
  }
  return 0;
}

static int
set_paths(struct compare_request *request, int count, char **paths)
{
  if (count < 1 || count > (request->baseline ? 1 : 2)) {
    return kiln_cli_usage("'kiln compare' needs %s, but got %d; 'kiln measure -o FILE' writes one.",
        request->baseline ? "one report beside the baseline" : "one report with arms, or two reports", count);
  }
  if (request->baseline) {
    request->paths[request->path_count++] = request->baseline;
  }
  for (int i = 0; i < count; i++) {
    request->paths[request->path_count++] = paths[i];
  }
  return 0;
}

static int
run_compare(const struct kiln_cli_command *command, int argc, char **argv)
{
  struct kiln_cli_parser parser = {command, argc, argv, 1, NULL};
  struct compare_request request = {0};
  enum kiln_cli_step step;
  size_t option;
  int code = 0;
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
  code = set_paths(&request, argc - parser.at, argv + parser.at);
  return code ? code : read_and_compare(&request);
}

static const char examples[] = "  kiln measure --arm old='python sim.py' --arm new='python sim2.py' -o both.json\n"
                               "  kiln compare both.json\n"
                               "  kiln compare before.json after.json\n"
                               "  kiln compare --baseline stored.json after.json\n";

const struct kiln_cli_command kiln_cmd_compare = {"compare", "did work or time change between arms or reports",
    "[options] A.json [B.json]", examples, options, sizeof options / sizeof *options, NULL, run_compare};
