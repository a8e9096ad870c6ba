#include <string.h>

#include "base/text.h"
#include "cli.h"

const struct kiln_cli_command *const kiln_cli_commands[] = {
    &kiln_cmd_measure,
    &kiln_cmd_compare,
    &kiln_cmd_version,
    &kiln_cmd_completion,
    &kiln_cmd_help,
};
const size_t kiln_cli_command_count = sizeof kiln_cli_commands / sizeof kiln_cli_commands[0];

const struct kiln_cli_command *
kiln_cli_command_find(const char *name)
{
  size_t i;
  for (i = 0; i < kiln_cli_command_count; i++) {
    if (kiln_text_equal(kiln_cli_commands[i]->name, name)) {
      return kiln_cli_commands[i];
    }
  }
  return NULL;
}

static const char *
command_name(const void *context, size_t i)
{
  (void)context;
  return kiln_cli_commands[i]->name;
}

int
kiln_cli_refuse_command(const char *word)
{
  size_t dashes = strspn(word, "-");
  const char *near = kiln_cli_nearest(word + dashes, kiln_cli_command_count, command_name, NULL);
  const char *kind = dashes ? "option" : "command";
  /* Only these two have a spelling with dashes. */
  if (dashes && !kiln_text_equal(near, "version") && !kiln_text_equal(near, "help")) {
    near = NULL;
  }
  if (near) {
    return kiln_cli_usage("There is no %s '%s'; did you mean '%s%s'?", kind, word, dashes ? "--" : "", near);
  }
  return kiln_cli_usage("There is no %s '%s'; 'kiln help' lists the commands.", kind, word);
}

int
main(int argc, char **argv)
{
  const char *word = argc > 1 ? argv[1] : NULL;
  const struct kiln_cli_command *command;
  if (!word) {
    return kiln_cli_usage("A command is missing; 'kiln help' lists the commands.");
  }
  if (kiln_text_equal(word, "--version")) {
    word = "version";
  } else if (kiln_text_equal(word, "--help") || kiln_text_equal(word, "-h")) {
    word = "help";
  }
  command = kiln_cli_command_find(word);
  return command ? command->run(command, argc - 1, argv + 1) : kiln_cli_refuse_command(word);
}
