#include "outputs.h"

#include <stdio.h>

#include "base/text.h"
#include "cli.h"
#include "os/file.h"
#include "probe/report/anonymise.h"
#include "probe/report/render.h"

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

int
kiln_cli_outputs_check(const struct kiln_cli_outputs *outputs)
{
  const char *paths[] = {outputs->json, outputs->html, outputs->trace};
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
  return 0;
}

int
kiln_cli_outputs_prepare(const struct kiln_cli_outputs *outputs, struct kiln_report *report)
{
  struct kiln_error error = {0};
  if (outputs->anonymise && kiln_report_anonymise(report, &error) != KILN_OK) {
    return kiln_cli_complain(&error);
  }
  return 0;
}

typedef void render(const struct kiln_report *report, struct kiln_buf *out);

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
    fprintf(stderr, "kiln: The %s is in '%s'.\n", what, path);
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
