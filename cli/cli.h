/*
 * What the commands of `kiln` share: the command table, options, output and exit codes.
 *
 * Results go to stdout, talk goes to stderr. A command is one constant table and one function; help and completion are
 * made from the tables.
 */
#ifndef KILN_CLI_CLI_H
#define KILN_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "kiln/error.h"

/* docs/exit-codes.md */
enum kiln_exit_code {
  KILN_EXIT_YES = 0,
  KILN_EXIT_NO = 1,
  KILN_EXIT_USAGE = 2,
  KILN_EXIT_INVALID = 3,
  KILN_EXIT_COMMAND = 4,
  KILN_EXIT_ENVIRONMENT = 5,
  KILN_EXIT_INTERRUPTED = 130
};

struct kiln_cli_option {
  const char *name;     /* without the dashes */
  char letter;          /* 0: none */
  const char *argument; /* placeholder of its value, choices as "a|b|c"; NULL: a flag */
  const char *help;
};

struct kiln_cli_command {
  const char *name, *summary;
  const char *synopsis; /* behind "kiln <name> " */
  const char *examples; /* whole lines; NULL when there are none */
  const struct kiln_cli_option *options;
  size_t option_count;
  const char *choices; /* values of the first argument, "a|b|c"; NULL: no list */
  /* argv[0] is the command's name. Returns the exit code. */
  int (*run)(const struct kiln_cli_command *command, int argc, char **argv);
};

/* The table of main.c. */
extern const struct kiln_cli_command *const kiln_cli_commands[];
extern const size_t kiln_cli_command_count;
/* NULL when there is none of that name. */
const struct kiln_cli_command *kiln_cli_command_find(const char *name);
/* The sentence for a command that does not exist, with the nearest one. Returns KILN_EXIT_USAGE. */
int kiln_cli_refuse_command(const char *word);

/* Commands under one name: "kiln cache ls". Each bears its whole name, "cache ls". */
struct kiln_cli_group {
  const char *name, *summary;
  const struct kiln_cli_command *const *commands;
  size_t count;
};
extern const struct kiln_cli_group *const kiln_cli_groups[];
extern const size_t kiln_cli_group_count;
/* NULL when there is none of that name. */
const struct kiln_cli_group *kiln_cli_group_find(const char *name);
const struct kiln_cli_command *kiln_cli_group_command(const struct kiln_cli_group *group, const char *word);
/* What a group is called by itself within: "ls" of "cache ls". */
const char *kiln_cli_short_name(const struct kiln_cli_command *command);
/* As kiln_cli_refuse_command, for a word behind a group's name. */
int kiln_cli_refuse_member(const struct kiln_cli_group *group, const char *word);

/* Options, one after the other. Set command, argc, argv and at = 1, then call next until it is not OPTION. */
struct kiln_cli_parser {
  const struct kiln_cli_command *command;
  int argc;
  char **argv;
  int at;            /* at END: the first argument that is no option */
  const char *value; /* of the option just read; NULL for a flag */
};
enum kiln_cli_step {
  KILN_CLI_OPTION,
  KILN_CLI_END,
  KILN_CLI_HELP,
  KILN_CLI_BAD /* a sentence was printed */
};
/* *option receives the index in the command's table. "--" and the first word that is no option end the options. */
enum kiln_cli_step kiln_cli_next(struct kiln_cli_parser *parser, size_t *option);
/* Exit code for END's alternatives: help is printed for HELP (0), BAD is 2. */
int kiln_cli_step_exit(const struct kiln_cli_command *command, enum kiln_cli_step step);

/* The nearest of `count` names to a mistyped one; NULL when none is near. name_of(context, i) gives a name. */
const char *kiln_cli_nearest(
    const char *word, size_t count, const char *(*name_of)(const void *context, size_t i), const void *context);

/* Help of one command, of all, of a group; appended to out. */
void kiln_cli_command_help(const struct kiln_cli_command *command, struct kiln_buf *out);
void kiln_cli_overview(struct kiln_buf *out);
void kiln_cli_group_help(const struct kiln_cli_group *group, struct kiln_buf *out);

/* Write to stdout and flush: exit code 0, or 5 with a sentence when stdout refuses. A reader that went away is fine. */
int kiln_cli_print(const struct kiln_buf *out);
/* "kiln: <sentence> <remedy>" on stderr. Returns the exit code that belongs to the status. */
int kiln_cli_complain(const struct kiln_error *error);
/* The exit code that belongs to a status. */
int kiln_cli_status_exit(enum kiln_status status);
/* A usage error: "kiln: <sentence>" on stderr. Returns KILN_EXIT_USAGE. */
int kiln_cli_usage(const char *format, ...) KILN_PRINTF(1, 2);

/* Colour on stdout? choice is "auto", "always", "never". false when it is none of them. */
bool kiln_cli_color(const char *choice, bool *color);

extern const struct kiln_cli_command kiln_cmd_diagnose;
extern const struct kiln_cli_command kiln_cmd_try;
extern const struct kiln_cli_command kiln_cmd_gate;
extern const struct kiln_cli_command kiln_cmd_apply;
extern const struct kiln_cli_command kiln_cmd_measure, kiln_cmd_compare, kiln_cmd_record, kiln_cmd_report,
    kiln_cmd_doctor, kiln_cmd_version, kiln_cmd_completion, kiln_cmd_help;
extern const struct kiln_cli_group kiln_group_op, kiln_group_cache;

#endif
