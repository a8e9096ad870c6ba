#include "base/json_write.h"
#include "cli.h"
#include "kiln/version.h"
#include "probe/report.h"

enum { OPTION_JSON };

static const struct kiln_cli_option options[] = {
    [OPTION_JSON] = {"json", 0, NULL, "as JSON"},
};

static void
write_json(struct kiln_buf *out)
{
  struct kiln_json json;
  kiln_json_init(&json, out, true);
  kiln_json_object(&json);
  kiln_json_key(&json, "version");
  kiln_json_string(&json, kiln_version());
  kiln_json_key(&json, "report");
  kiln_json_string(&json, KILN_REPORT_SCHEMA);
  kiln_json_object_end(&json);
  kiln_buf_text_append(out, "\n");
}

static int
run_version(const struct kiln_cli_command *command, int argc, char **argv)
{
  struct kiln_cli_parser parser = {command, argc, argv, 1, NULL};
  struct kiln_buf out;
  enum kiln_cli_step step;
  bool json = false;
  size_t option;
  int code;
  while ((step = kiln_cli_next(&parser, &option)) == KILN_CLI_OPTION) {
    json = true;
  }
  if (step != KILN_CLI_END) {
    return kiln_cli_step_exit(command, step);
  }
  if (parser.at < argc) {
    return kiln_cli_usage("'kiln version' takes no argument, but got '%s'.", argv[parser.at]);
  }
  kiln_buf_init(&out);
  if (json) {
    write_json(&out);
  } else {
    kiln_buf_printf(&out, "kiln %s\n", kiln_version());
  }
  code = kiln_cli_print(&out);
  kiln_buf_release(&out);
  return code;
}

const struct kiln_cli_command kiln_cmd_version = {
    "version", "print the version", "[--json]", NULL, options, sizeof options / sizeof *options, NULL, run_version};
