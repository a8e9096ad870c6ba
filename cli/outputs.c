#include "outputs.h"

#include <stdio.h>

#include "base/text.h"
#include "cli.h"
#include "os/file.h"
#include "os/terminal.h"
#include "probe/record.h"
#include "probe/report/anonymise.h"
#include "probe/report/render.h"
#include "probe/report_read.h"
#include "probe/why.h"

#define STDOUT 1

void
kiln_cli_outputs_init(struct kiln_cli_outputs *outputs)
{
  *outputs = (struct kiln_cli_outputs){0};
  kiln_cli_color("auto", &outputs->color);
}

int
kiln_cli_outputs_set(struct kiln_cli_outputs *outputs, enum kiln_cli_output_option option, const char *value)
{
  switch (option) {
  case KILN_CLI_OUTPUT_FILE:
    outputs->json = value;
    break;
  case KILN_CLI_OUTPUT_HTML:
    outputs->html = value;
    break;
  case KILN_CLI_OUTPUT_TRACE:
    outputs->trace = value;
    break;
  case KILN_CLI_OUTPUT_AGAINST:
    outputs->against = value;
    break;
  case KILN_CLI_OUTPUT_ANONYMISE:
    outputs->anonymise = true;
    break;
  case KILN_CLI_OUTPUT_JSON:
    outputs->print_json = true;
    break;
  case KILN_CLI_OUTPUT_MARKDOWN:
    outputs->print_markdown = true;
    break;
  case KILN_CLI_OUTPUT_QUIET:
    outputs->quiet = true;
    break;
  default:
    if (!kiln_cli_color(value, &outputs->color)) {
      return kiln_cli_usage("--color is auto, always or never, not '%s'.", value);
    }
  }
  return 0;
}

enum kiln_status
kiln_cli_report_read(const char *path, struct kiln_report **report, struct kiln_error *error)
{
  struct kiln_file_info info;
  enum kiln_status status = kiln_file_target_info(path, &info, error);
  *report = NULL;
  if (status == KILN_OK) {
    status =
        info.kind == KILN_FILE_FOLDER ? kiln_record_read(path, report, error) : kiln_report_read(path, report, error);
  }
  return status;
}

static int
check_file(const char *path)
{
  struct kiln_error error = {0};
  if (path && kiln_file_check_writable(path, &error) != KILN_OK) {
    kiln_cli_complain(&error);
    return KILN_EXIT_ENVIRONMENT;
  }
  return 0;
}

static int
check_earlier(const char *path)
{
  struct kiln_error error = {0};
  struct kiln_report *report;
  if (!path) {
    return 0;
  }
  if (kiln_cli_report_read(path, &report, &error) != KILN_OK) {
    kiln_cli_complain(&error);
    return KILN_EXIT_USAGE;
  }
  kiln_report_free(report);
  return 0;
}

int
kiln_cli_outputs_check(const struct kiln_cli_outputs *outputs)
{
  const char *paths[] = {outputs->json, outputs->html, outputs->trace};
  if (outputs->print_json && outputs->print_markdown) {
    return kiln_cli_usage("Only one of --json and --markdown can be printed; -o FILE writes JSON to a file.");
  }
  for (int i = 0; i < 3; i++) {
    int code = check_file(paths[i]);
    if (code) {
      return code;
    }
    for (int j = 0; j < i; j++) {
      if (paths[i] && kiln_text_equal(paths[i], paths[j]) && !kiln_text_starts(paths[i], "/dev/")) {
        return kiln_cli_usage("Two of -o, --html and --trace name the same file '%s'. Give each its own.", paths[i]);
      }
    }
  }
  return check_earlier(outputs->against);
}

/* The last arm is the candidate, or the only one. */
static enum kiln_status
find_why(const struct kiln_cli_outputs *outputs, struct kiln_report *report, struct kiln_error *error)
{
  struct kiln_report *earlier;
  enum kiln_status status = kiln_cli_report_read(outputs->against, &earlier, error);
  if (status == KILN_OK) {
    status = kiln_why_find(report, report->arm_count - 1, earlier, earlier->arm_count - 1, outputs->against,
        &report->arena, &report->why, error);
  }
  kiln_report_free(earlier);
  return status;
}

int
kiln_cli_outputs_prepare(const struct kiln_cli_outputs *outputs, struct kiln_report *report)
{
  struct kiln_error error = {0};
  if (outputs->against && report->arm_count > 0 && find_why(outputs, report, &error) != KILN_OK) {
    return kiln_cli_complain(&error);
  }
  if (outputs->anonymise && kiln_report_anonymise(report, &error) != KILN_OK) {
    return kiln_cli_complain(&error);
  }
  return 0;
}

typedef void render(const struct kiln_report *report, struct kiln_buf *out);

/* A path has names in it. */
static void
say_where(const struct kiln_cli_outputs *outputs, const char *path, const char *what)
{
  if (outputs->anonymise) {
    fprintf(stderr, "kiln: The %s was written.\n", what);
  } else {
    fprintf(stderr, "kiln: The %s is in '%s'.\n", what, path);
  }
}

static int
write_file(const struct kiln_cli_outputs *outputs, const struct kiln_report *report, const char *path,
    render *render_report, const char *what)
{
  struct kiln_error error = {0};
  struct kiln_buf out;
  int code = 0;
  if (!path) {
    return 0;
  }
  kiln_buf_init(&out);
  render_report(report, &out);
  if (out.failed) {
    kiln_error_set(&error, KILN_ERROR_MEMORY, "Memory is short.");
  } else if (kiln_file_write(path, out.data, out.len, &error) == KILN_OK && !outputs->quiet) {
    say_where(outputs, path, what);
  }
  if (error.status != KILN_OK) {
    kiln_cli_complain(&error);
    code = KILN_EXIT_ENVIRONMENT;
  }
  kiln_buf_release(&out);
  return code;
}

int
kiln_cli_outputs_write(const struct kiln_cli_outputs *outputs, const struct kiln_report *report)
{
  int json = write_file(outputs, report, outputs->json, kiln_report_json, "report");
  int html = write_file(outputs, report, outputs->html, kiln_report_html, "page");
  int trace = write_file(outputs, report, outputs->trace, kiln_report_trace, "trace");
  return json ? json : html ? html : trace;
}

/* The files first: whoever reads stdout may be gone. */
int
kiln_cli_outputs_deliver(const struct kiln_cli_outputs *outputs, const struct kiln_report *report, bool page)
{
  struct kiln_buf out;
  int printed, code = kiln_cli_outputs_write(outputs, report);
  kiln_buf_init(&out);
  if (outputs->print_json) {
    kiln_report_json(report, &out);
  } else if (outputs->print_markdown) {
    kiln_report_markdown(report, &out);
  } else if (page) {
    kiln_report_text(report, kiln_terminal_columns(STDOUT), outputs->color, &out);
  }
  printed = kiln_cli_print(&out);
  kiln_buf_release(&out);
  return code ? code : printed;
}
