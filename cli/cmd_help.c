#include "cli.h"

static int
run_help(const struct kiln_cli_command *command, int argc, char **argv)
{
  struct kiln_cli_parser parser = {command, argc, argv, 1, NULL};
  const struct kiln_cli_command *about = NULL;
  const struct kiln_cli_group *group = NULL;
  struct kiln_buf out;
  size_t option;
  int code;
  enum kiln_cli_step step = kiln_cli_next(&parser, &option);
  if (step != KILN_CLI_END) {
    return kiln_cli_step_exit(command, step);
  }
  if (parser.at < argc) {
    about = kiln_cli_command_find(argv[parser.at]);
    group = about ? NULL : kiln_cli_group_find(argv[parser.at]);
    if (!about && !group) {
      return kiln_cli_refuse_command(argv[parser.at]);
    }
    if (group && parser.at + 1 < argc) {
      about = kiln_cli_group_command(group, argv[parser.at + 1]);
      if (!about) {
        return kiln_cli_refuse_member(group, argv[parser.at + 1]);
      }
    }
  }
  kiln_buf_init(&out);
  if (about) {
    kiln_cli_command_help(about, &out);
  } else if (group) {
    kiln_cli_group_help(group, &out);
  } else {
    kiln_cli_overview(&out);
  }
  code = kiln_cli_print(&out);
  kiln_buf_release(&out);
  return code;
}

const struct kiln_cli_command kiln_cmd_help = {
    "help", "say what kiln, or one command, does", "[COMMAND]", NULL, NULL, 0, NULL, run_help};
