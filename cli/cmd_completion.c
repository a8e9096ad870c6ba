#include <string.h>

#include "base/text.h"
#include "cli.h"

/* "a|b|c" as "a b c". */
static void
choices_append(struct kiln_buf *out, const char *choices)
{
  for (; *choices; choices++) {
    kiln_buf_append(out, *choices == '|' ? " " : choices, 1);
  }
}

static void
option_words(struct kiln_buf *out, const struct kiln_cli_command *command)
{
  size_t i;
  for (i = 0; i < command->option_count; i++) {
    kiln_buf_printf(out, "--%s ", command->options[i].name);
  }
  kiln_buf_text_append(out, "--help");
}

static void
command_words(struct kiln_buf *out)
{
  size_t i;
  for (i = 0; i < kiln_cli_command_count; i++) {
    kiln_buf_printf(out, "%s%s", i ? " " : "", kiln_cli_commands[i]->name);
  }
  for (i = 0; i < kiln_cli_group_count; i++) {
    kiln_buf_printf(out, " %s", kiln_cli_groups[i]->name);
  }
}

/* What the first argument of a command may be; false when that is anything. */
static bool
argument_words(struct kiln_buf *out, const struct kiln_cli_command *command)
{
  if (command == &kiln_cmd_help) {
    command_words(out);
  } else if (command->choices) {
    choices_append(out, command->choices);
  }
  return command == &kiln_cmd_help || command->choices;
}

/* `kiln measure -- python sim.py`: what follows is completed as a command line of its own. */
static bool
takes_command(const struct kiln_cli_command *command)
{
  return strstr(command->synopsis, "-- COMMAND") || strstr(command->synopsis, "[--] COMMAND");
}

static void
member_words(struct kiln_buf *out, const struct kiln_cli_group *group)
{
  size_t i;
  for (i = 0; i < group->count; i++) {
    kiln_buf_printf(out, "%s%s", i ? " " : "", kiln_cli_short_name(group->commands[i]));
  }
}

/* The values of one command's options, as cases over the word before the cursor. */
static void
bash_values(struct kiln_buf *out, const struct kiln_cli_command *command)
{
  size_t i;
  for (i = 0; i < command->option_count; i++) {
    const struct kiln_cli_option *option = &command->options[i];
    if (option->argument && strchr(option->argument, '|')) {
      kiln_buf_printf(out, "      [ \"$before\" = --%s ] && words='", option->name);
      choices_append(out, option->argument);
      kiln_buf_text_append(out, "'\n");
    }
  }
}

/* One case over the word of a command; its arguments begin at word number `position`. */
static void
bash_case(struct kiln_buf *out, const struct kiln_cli_command *command, int position)
{
  kiln_buf_printf(out, "    %s)\n      case $word in -*) words='", kiln_cli_short_name(command));
  option_words(out, command);
  kiln_buf_text_append(out, "' ;; esac\n");
  struct kiln_buf words;
  kiln_buf_init(&words);
  if (argument_words(&words, command)) {
    kiln_buf_printf(out, "      [ \"$COMP_CWORD\" -eq %d ] && words='%s'\n", position, kiln_buf_text(&words));
  }
  kiln_buf_release(&words);
  if (takes_command(command)) {
    kiln_buf_text_append(out, "      [ \"$before\" = -- ] && words=$(compgen -c -- \"$word\")\n");
  }
  bash_values(out, command);
  kiln_buf_text_append(out, "      ;;\n");
}

static void
bash_group(struct kiln_buf *out, const struct kiln_cli_group *group)
{
  size_t i;
  kiln_buf_printf(out, "    %s)\n    [ \"$COMP_CWORD\" -eq 2 ] && words='", group->name);
  member_words(out, group);
  kiln_buf_text_append(out, " --help'\n    [ \"$COMP_CWORD\" -gt 2 ] && case ${COMP_WORDS[2]} in\n");
  for (i = 0; i < group->count; i++) {
    bash_case(out, group->commands[i], 3);
  }
  kiln_buf_text_append(out, "    esac\n      ;;\n");
}

static void
write_bash(struct kiln_buf *out)
{
  size_t i;
  kiln_buf_text_append(out, "# kiln completion bash\n_kiln() {\n"
                            "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=''\n"
                            "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n    words='");
  command_words(out);
  kiln_buf_text_append(out, " --version --help'\n  else\n    case ${COMP_WORDS[1]} in\n");
  for (i = 0; i < kiln_cli_command_count; i++) {
    bash_case(out, kiln_cli_commands[i], 2);
  }
  for (i = 0; i < kiln_cli_group_count; i++) {
    bash_group(out, kiln_cli_groups[i]);
  }
  kiln_buf_text_append(out, "    esac\n  fi\n  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n}\n"
                            "complete -o bashdefault -o default -F _kiln kiln\n");
}

/* A text between single quotes. */
static void
quoted(struct kiln_buf *out, const char *text)
{
  for (; *text; text++) {
    if (*text == '\'') {
      kiln_buf_text_append(out, "'\\''");
    } else {
      kiln_buf_append(out, text, 1);
    }
  }
}

static bool
names_a_file(const char *argument)
{
  return strstr(argument, "FILE") || strstr(argument, "FOLDER") || strstr(argument, "DIR");
}

static void
zsh_options(struct kiln_buf *out, const struct kiln_cli_command *command)
{
  size_t i;
  for (i = 0; i < command->option_count; i++) {
    const struct kiln_cli_option *option = &command->options[i];
    kiln_buf_printf(out, " \\\n      '--%s%s[", option->name, option->argument ? "=" : "");
    quoted(out, option->help);
    kiln_buf_text_append(out, "]");
    if (option->argument && strchr(option->argument, '|')) {
      kiln_buf_printf(out, ":%s:(", option->name);
      choices_append(out, option->argument);
      kiln_buf_text_append(out, ")");
    } else if (option->argument) {
      kiln_buf_printf(out, ":%s:%s", option->argument, names_a_file(option->argument) ? "_files" : " ");
    }
    kiln_buf_text_append(out, "'");
  }
}

static void
zsh_described(struct kiln_buf *out, const char *name, const char *summary)
{
  kiln_buf_printf(out, "      '%s:", name);
  quoted(out, summary);
  kiln_buf_text_append(out, "'\n");
}

static void
zsh_case(struct kiln_buf *out, const struct kiln_cli_command *command)
{
  kiln_buf_printf(out, "  %s)\n    _arguments -S '--help[this text]'", kiln_cli_short_name(command));
  zsh_options(out, command);
  struct kiln_buf words;
  kiln_buf_init(&words);
  if (argument_words(&words, command)) {
    kiln_buf_printf(out, " \\\n      '1:argument:(%s)'", kiln_buf_text(&words));
  } else if (takes_command(command)) {
    kiln_buf_text_append(out, " \\\n      '(-)1:command:_command_names -e' '*::argument:_normal'");
  } else {
    kiln_buf_text_append(out, " \\\n      '*:argument:_files'");
  }
  kiln_buf_release(&words);
  kiln_buf_text_append(out, "\n    ;;\n");
}

static void
zsh_group(struct kiln_buf *out, const struct kiln_cli_group *group)
{
  size_t i;
  kiln_buf_printf(out, "  %s)\n  if (( CURRENT == 2 )); then\n    local -a members\n    members=(\n", group->name);
  for (i = 0; i < group->count; i++) {
    zsh_described(out, kiln_cli_short_name(group->commands[i]), group->commands[i]->summary);
  }
  kiln_buf_text_append(out, "    )\n    _describe command members\n    return\n  fi\n  local member=$words[2]\n"
                            "  shift words\n  (( CURRENT-- ))\n  case $member in\n");
  for (i = 0; i < group->count; i++) {
    zsh_case(out, group->commands[i]);
  }
  kiln_buf_text_append(out, "  esac\n    ;;\n");
}

static void
write_zsh(struct kiln_buf *out)
{
  size_t i;
  kiln_buf_text_append(out, "#compdef kiln\n# kiln completion zsh\n_kiln() {\n  if (( CURRENT == 2 )); then\n"
                            "    local -a commands\n    commands=(\n");
  for (i = 0; i < kiln_cli_command_count; i++) {
    zsh_described(out, kiln_cli_commands[i]->name, kiln_cli_commands[i]->summary);
  }
  for (i = 0; i < kiln_cli_group_count; i++) {
    zsh_described(out, kiln_cli_groups[i]->name, kiln_cli_groups[i]->summary);
  }
  kiln_buf_text_append(out, "    )\n    _describe command commands\n    return\n  fi\n  local command=$words[2]\n"
                            "  shift words\n  (( CURRENT-- ))\n  case $command in\n");
  for (i = 0; i < kiln_cli_command_count; i++) {
    zsh_case(out, kiln_cli_commands[i]);
  }
  for (i = 0; i < kiln_cli_group_count; i++) {
    zsh_group(out, kiln_cli_groups[i]);
  }
  kiln_buf_text_append(out, "  esac\n}\ncompdef _kiln kiln\n");
}

/* The condition of everything behind a command's word; a member needs its group's word too. */
static void
fish_begin(struct kiln_buf *out, const struct kiln_cli_command *command)
{
  const char *member = kiln_cli_short_name(command);
  if (member == command->name) {
    kiln_buf_printf(out, "complete -c kiln -n '__fish_seen_subcommand_from %s'", command->name);
  } else {
    kiln_buf_printf(out, "complete -c kiln -n '__fish_seen_subcommand_from %.*s; and __fish_seen_subcommand_from %s'",
        (int)(member - command->name - 1), command->name, member);
  }
}

static void
fish_options(struct kiln_buf *out, const struct kiln_cli_command *command)
{
  size_t i;
  for (i = 0; i < command->option_count; i++) {
    const struct kiln_cli_option *option = &command->options[i];
    fish_begin(out, command);
    kiln_buf_printf(out, " -l %s -d '", option->name);
    quoted(out, option->help);
    kiln_buf_text_append(out, "'");
    if (option->letter) {
      kiln_buf_printf(out, " -s %c", option->letter);
    }
    if (option->argument && strchr(option->argument, '|')) {
      kiln_buf_text_append(out, " -xa '");
      choices_append(out, option->argument);
      kiln_buf_text_append(out, "'");
    } else if (option->argument) {
      kiln_buf_text_append(out, " -r");
    }
    kiln_buf_text_append(out, "\n");
  }
  struct kiln_buf words;
  kiln_buf_init(&words);
  if (argument_words(&words, command)) {
    fish_begin(out, command);
    kiln_buf_printf(out, " -xa '%s'\n", kiln_buf_text(&words));
  }
  kiln_buf_release(&words);
}

static void
fish_word(struct kiln_buf *out, const char *condition, const char *word, const char *summary)
{
  kiln_buf_printf(out, "complete -c kiln -n %s -xa %s -d '", condition, word);
  quoted(out, summary);
  kiln_buf_text_append(out, "'\n");
}

static void
fish_group(struct kiln_buf *out, const struct kiln_cli_group *group)
{
  struct kiln_buf condition;
  size_t i;
  kiln_buf_init(&condition);
  kiln_buf_printf(&condition, "'__fish_seen_subcommand_from %s; and not __fish_seen_subcommand_from ", group->name);
  member_words(&condition, group);
  kiln_buf_text_append(&condition, "'");
  fish_word(out, "__fish_use_subcommand", group->name, group->summary);
  for (i = 0; i < group->count; i++) {
    fish_word(out, kiln_buf_text(&condition), kiln_cli_short_name(group->commands[i]), group->commands[i]->summary);
    fish_options(out, group->commands[i]);
  }
  kiln_buf_release(&condition);
}

static void
write_fish(struct kiln_buf *out)
{
  size_t i;
  kiln_buf_text_append(out, "# kiln completion fish\n");
  for (i = 0; i < kiln_cli_command_count; i++) {
    fish_word(out, "__fish_use_subcommand", kiln_cli_commands[i]->name, kiln_cli_commands[i]->summary);
    fish_options(out, kiln_cli_commands[i]);
  }
  for (i = 0; i < kiln_cli_group_count; i++) {
    fish_group(out, kiln_cli_groups[i]);
  }
}

static int
run_completion(const struct kiln_cli_command *command, int argc, char **argv)
{
  struct kiln_cli_parser parser = {command, argc, argv, 1, NULL};
  struct kiln_buf out;
  size_t option;
  const char *shell;
  int code;
  enum kiln_cli_step step = kiln_cli_next(&parser, &option);
  if (step != KILN_CLI_END) {
    return kiln_cli_step_exit(command, step);
  }
  if (argc - parser.at != 1) {
    return kiln_cli_usage("'kiln completion' needs one shell: bash, zsh or fish.");
  }
  shell = argv[parser.at];
  kiln_buf_init(&out);
  if (kiln_text_equal(shell, "bash")) {
    write_bash(&out);
  } else if (kiln_text_equal(shell, "zsh")) {
    write_zsh(&out);
  } else if (kiln_text_equal(shell, "fish")) {
    write_fish(&out);
  } else {
    kiln_buf_release(&out);
    return kiln_cli_usage("'kiln completion' knows bash, zsh and fish, not '%s'.", shell);
  }
  code = kiln_cli_print(&out);
  kiln_buf_release(&out);
  return code;
}

static const char examples[] = "  eval \"$(kiln completion bash)\"\n"
                               "  kiln completion fish > ~/.config/fish/completions/kiln.fish\n";

const struct kiln_cli_command kiln_cmd_completion = {"completion", "print a completion script for a shell",
    "bash|zsh|fish", examples, NULL, 0, "bash|zsh|fish", run_completion};
