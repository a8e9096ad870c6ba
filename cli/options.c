/* Options from one table a command. */
#include <string.h>

#include "base/text.h"
#include "cli.h"

static const char *
option_name(const void *context, size_t i)
{
  return ((const struct kiln_cli_command *)context)->options[i].name;
}

static enum kiln_cli_step
refuse_option(const struct kiln_cli_command *command, const char *word)
{
  char name[40];
  size_t dashes = strspn(word, "-"), len = strcspn(word + dashes, "=");
  const char *near = NULL;
  if (len < sizeof name) {
    memcpy(name, word + dashes, len);
    name[len] = '\0';
    near = kiln_cli_nearest(name, command->option_count, option_name, command);
  }
  if (near) {
    kiln_cli_usage("'kiln %s' has no option '%s'; did you mean '--%s'?", command->name, word, near);
  } else {
    kiln_cli_usage("'kiln %s' has no option '%s'; 'kiln %s --help' lists them.", command->name, word, command->name);
  }
  return KILN_CLI_BAD;
}

/* Index in the table; option_count when there is none. *attached: text behind "=" or behind the letter, or NULL. */
static size_t
find_option(const struct kiln_cli_command *command, const char *word, const char **attached)
{
  size_t i, len;
  *attached = NULL;
  if (word[1] != '-') {
    for (i = 0; i < command->option_count; i++) {
      if (command->options[i].letter && command->options[i].letter == word[1]) {
        *attached = word[2] ? word + 2 : NULL;
        return i;
      }
    }
    return command->option_count;
  }
  len = strcspn(word + 2, "=");
  for (i = 0; i < command->option_count; i++) {
    if (strlen(command->options[i].name) == len && strncmp(command->options[i].name, word + 2, len) == 0) {
      *attached = word[2 + len] ? word + 2 + len + 1 : NULL;
      return i;
    }
  }
  return command->option_count;
}

static enum kiln_cli_step
take_value(struct kiln_cli_parser *parser, const struct kiln_cli_option *option, const char *word, const char *attached)
{
  parser->value = attached;
  if (!option->argument && attached) {
    kiln_cli_usage("The option '--%s' takes no value, but '%s' gives one.", option->name, word);
    return KILN_CLI_BAD;
  }
  if (option->argument && !attached) {
    if (parser->at >= parser->argc) {
      kiln_cli_usage("The option '%s' needs a value: %s.", word, option->argument);
      return KILN_CLI_BAD;
    }
    parser->value = parser->argv[parser->at++];
  }
  return KILN_CLI_OPTION;
}

enum kiln_cli_step
kiln_cli_next(struct kiln_cli_parser *parser, size_t *option)
{
  const char *word, *attached;
  if (parser->at >= parser->argc) {
    return KILN_CLI_END;
  }
  word = parser->argv[parser->at];
  if (word[0] != '-' || word[1] == '\0') {
    return KILN_CLI_END;
  }
  parser->at++;
  if (kiln_text_equal(word, "--")) {
    return KILN_CLI_END;
  }
  if (kiln_text_equal(word, "-h") || kiln_text_equal(word, "--help")) {
    return KILN_CLI_HELP;
  }
  *option = find_option(parser->command, word, &attached);
  if (*option == parser->command->option_count) {
    return refuse_option(parser->command, word);
  }
  return take_value(parser, &parser->command->options[*option], word, attached);
}

int
kiln_cli_step_exit(const struct kiln_cli_command *command, enum kiln_cli_step step)
{
  struct kiln_buf help;
  int code = KILN_EXIT_USAGE;
  if (step == KILN_CLI_HELP) {
    kiln_buf_init(&help);
    kiln_cli_command_help(command, &help);
    code = kiln_cli_print(&help);
    kiln_buf_release(&help);
  }
  return code;
}
