#include <string.h>

#include "base/text.h"
#include "cli.h"

const struct kiln_cli_command *const kiln_cli_commands[] = {
    &kiln_cmd_measure,
    &kiln_cmd_compare,
    &kiln_cmd_diagnose,
    &kiln_cmd_try,
    &kiln_cmd_apply,
    &kiln_cmd_gate,
    &kiln_cmd_record,
    &kiln_cmd_report,
    &kiln_cmd_doctor,
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

const struct kiln_cli_group *const kiln_cli_groups[] = {&kiln_group_cache, &kiln_group_op};
const size_t kiln_cli_group_count = sizeof kiln_cli_groups / sizeof kiln_cli_groups[0];

const struct kiln_cli_group *
kiln_cli_group_find(const char *name)
{
  size_t i;
  for (i = 0; i < kiln_cli_group_count; i++) {
    if (kiln_text_equal(kiln_cli_groups[i]->name, name)) {
      return kiln_cli_groups[i];
    }
  }
  return NULL;
}

const char *
kiln_cli_short_name(const struct kiln_cli_command *command)
{
  const char *space = strchr(command->name, ' ');
  return space ? space + 1 : command->name;
}

const struct kiln_cli_command *
kiln_cli_group_command(const struct kiln_cli_group *group, const char *word)
{
  size_t i;
  for (i = 0; i < group->count; i++) {
    if (kiln_text_equal(kiln_cli_short_name(group->commands[i]), word)) {
      return group->commands[i];
    }
  }
  return NULL;
}

/* Commands first, then groups. */
static const char *
command_name(const void *context, size_t i)
{
  (void)context;
  return i < kiln_cli_command_count ? kiln_cli_commands[i]->name : kiln_cli_groups[i - kiln_cli_command_count]->name;
}

int
kiln_cli_refuse_command(const char *word)
{
  size_t dashes = strspn(word, "-");
  const char *near = kiln_cli_nearest(word + dashes, kiln_cli_command_count + kiln_cli_group_count, command_name, NULL);
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

static const char *
member_name(const void *context, size_t i)
{
  return kiln_cli_short_name(((const struct kiln_cli_group *)context)->commands[i]);
}

int
kiln_cli_refuse_member(const struct kiln_cli_group *group, const char *word)
{
  const char *near = kiln_cli_nearest(word + strspn(word, "-"), group->count, member_name, group);
  if (near && *word != '-') {
    return kiln_cli_usage("There is no command '%s %s'; did you mean '%s'?", group->name, word, near);
  }
  return kiln_cli_usage(
      "There is no command '%s %s'; 'kiln %s --help' lists the commands.", group->name, word, group->name);
}

static int
run_group(const struct kiln_cli_group *group, int argc, char **argv)
{
  const char *word = argc > 1 ? argv[1] : NULL;
  const struct kiln_cli_command *command;
  struct kiln_buf help;
  int code;
  if (!word) {
    return kiln_cli_usage("A command behind '%s' is missing; 'kiln %s --help' lists them.", group->name, group->name);
  }
  if (kiln_text_equal(word, "--help") || kiln_text_equal(word, "-h")) {
    kiln_buf_init(&help);
    kiln_cli_group_help(group, &help);
    code = kiln_cli_print(&help);
    kiln_buf_release(&help);
    return code;
  }
  command = kiln_cli_group_command(group, word);
  return command ? command->run(command, argc - 1, argv + 1) : kiln_cli_refuse_member(group, word);
}

int
main(int argc, char **argv)
{
  const char *word = argc > 1 ? argv[1] : NULL;
  const struct kiln_cli_command *command;
  const struct kiln_cli_group *group;
  if (!word) {
    return kiln_cli_usage("A command is missing; 'kiln help' lists the commands.");
  }
  if (kiln_text_equal(word, "--version")) {
    word = "version";
  } else if (kiln_text_equal(word, "--help") || kiln_text_equal(word, "-h")) {
    word = "help";
  }
  group = kiln_cli_group_find(word);
  if (group) {
    return run_group(group, argc - 1, argv + 1);
  }
  command = kiln_cli_command_find(word);
  return command ? command->run(command, argc - 1, argv + 1) : kiln_cli_refuse_command(word);
}
