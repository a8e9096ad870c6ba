/* Help texts, made from the tables. */
#include <string.h>

#include "cli.h"

#define HELP_COLUMN 28

static void
two_columns(struct kiln_buf *out, const char *left, const char *right)
{
  int pad = HELP_COLUMN - (int)strlen(left);
  if (pad < 1) {
    kiln_buf_printf(out, "  %s\n  %*s%s\n", left, HELP_COLUMN, "", right);
  } else {
    kiln_buf_printf(out, "  %s%*s%s\n", left, pad, "", right);
  }
}

static void
option_line(struct kiln_buf *out, const struct kiln_cli_option *option)
{
  struct kiln_buf left;
  kiln_buf_init(&left);
  if (option->letter) {
    kiln_buf_printf(&left, "-%c, ", option->letter);
  }
  kiln_buf_printf(
      &left, "--%s%s%s", option->name, option->argument ? " " : "", option->argument ? option->argument : "");
  two_columns(out, kiln_buf_text(&left), option->help);
  kiln_buf_release(&left);
}

void
kiln_cli_command_help(const struct kiln_cli_command *command, struct kiln_buf *out)
{
  size_t i;
  kiln_buf_printf(out, "kiln %s: %s\n\nUsage: kiln %s %s\n\nOptions:\n", command->name, command->summary, command->name,
      command->synopsis);
  for (i = 0; i < command->option_count; i++) {
    option_line(out, &command->options[i]);
  }
  two_columns(out, "-h, --help", "this text");
  if (command->examples) {
    kiln_buf_printf(out, "\nExamples:\n%s", command->examples);
  }
}

void
kiln_cli_overview(struct kiln_buf *out)
{
  size_t i;
  kiln_buf_text_append(out, "kiln: what the first run of a program that compiles GPU kernels costs, and why\n\n"
                            "Usage: kiln COMMAND [options] [arguments]\n\nCommands:\n");
  for (i = 0; i < kiln_cli_command_count; i++) {
    two_columns(out, kiln_cli_commands[i]->name, kiln_cli_commands[i]->summary);
  }
  for (i = 0; i < kiln_cli_group_count; i++) {
    two_columns(out, kiln_cli_groups[i]->name, kiln_cli_groups[i]->summary);
  }
  kiln_buf_text_append(out, "\n'kiln COMMAND --help' says more, with examples.\n"
                            "Exit codes: 0 yes, 1 no, 2 usage, 3 invalid, 4 the command failed, 5 the environment does "
                            "not allow it, 130 interrupted.\n");
}

void
kiln_cli_group_help(const struct kiln_cli_group *group, struct kiln_buf *out)
{
  size_t i;
  kiln_buf_printf(out, "kiln %s: %s\n\nUsage: kiln %s COMMAND [options] [arguments]\n\nCommands:\n", group->name,
      group->summary, group->name);
  for (i = 0; i < group->count; i++) {
    two_columns(out, kiln_cli_short_name(group->commands[i]), group->commands[i]->summary);
  }
  kiln_buf_printf(out, "\n'kiln %s COMMAND --help' says more, with examples.\n", group->name);
}
