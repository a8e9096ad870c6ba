#include "os/supervisor.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "os/process.h"

#define FIXED_WORDS 24 /* more than kiln-spawn has options, with their values, "--" and the NULL */
#define PRELOAD "LD_PRELOAD"

struct supervisor_words {
  const char **argv;
  size_t count;
  char owner[16], status[16], limit[24];
};

static void
word(struct supervisor_words *words, const char *text)
{
  words->argv[words->count++] = text;
}

static void
option(struct supervisor_words *words, const char *name, const char *value)
{
  if (value == NULL)
    return;
  word(words, name);
  word(words, value);
}

static const char *
variable_value(const char *entry, const char *name)
{
  const size_t len = strlen(name);
  return strncmp(entry, name, len) == 0 && entry[len] == '=' ? entry + len + 1 : NULL;
}

const char *
kiln_supervisor_variable(char *const *environment, const char *name)
{
  for (; *environment != NULL; environment++) {
    const char *value = variable_value(*environment, name);
    if (value != NULL)
      return value;
  }
  return NULL;
}

static bool
words_build(struct supervisor_words *words, const struct kiln_run_options *options, int owner, int status)
{
  size_t count = 0;
  while (options->command[count] != NULL)
    count++;
  words->count = 0;
  words->argv = calloc(count + FIXED_WORDS, sizeof *words->argv);
  if (words->argv == NULL)
    return false;
  snprintf(words->owner, sizeof words->owner, "%d", owner);
  snprintf(words->status, sizeof words->status, "%d", status);
  snprintf(words->limit, sizeof words->limit, "%" PRIu64, options->output_limit);
  word(words, options->supervisor);
  option(words, "--owner", words->owner);
  option(words, "--status", words->status);
  option(words, "--stdout", options->stdout_path);
  option(words, "--stderr", options->stderr_path);
  option(words, "--limit", options->output_limit > 0 ? words->limit : NULL);
  option(words, "--remove", options->remove_on_owner_death);
  option(words, "--preload", kiln_supervisor_variable(options->environment, PRELOAD));
  if (options->ready != NULL)
    option(words, "--until-output", options->ready->output);
  if (options->late_output)
    word(words, "--late-output");
  if (options->plain_output)
    word(words, "--plain-output");
  if (options->inherit)
    word(words, "--inherit");
  if (options->low_priority)
    word(words, "--low-priority");
  if (options->terminal_input)
    word(words, "--tty");
  word(words, "--");
  for (size_t i = 0; i < count; i++)
    word(words, options->command[i]);
  return true;
}

/* The command's environment without its preloaded libraries, which the supervisor must not load; borrowed strings. */
static char **
supervisor_environment(char *const *environment)
{
  size_t count = 0, kept = 0;
  while (environment[count] != NULL)
    count++;
  char **copy = calloc(count + 1, sizeof *copy);
  for (size_t i = 0; copy != NULL && i < count; i++)
    if (variable_value(environment[i], PRELOAD) == NULL)
      copy[kept++] = environment[i];
  return copy;
}

enum kiln_status
kiln_supervisor_start(const struct kiln_run_options *options, int owner, int status, int *pid, struct kiln_error *error)
{
  struct supervisor_words words;
  char **environment = supervisor_environment(options->environment);
  enum kiln_status answer;
  if (environment == NULL || !words_build(&words, options, owner, status)) {
    free(environment);
    return kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for the arguments of the supervisor");
  }
  const struct kiln_spawn_options spawn = {.program = options->supervisor,
      .argv = (char *const *)words.argv,
      .environment = environment,
      .stdin_fd = options->terminal_input ? 0 : -1,
      .keep = {owner, status},
      .keep_count = 2,
      /* kiln-spawn closes what it is not to have: one system call there, a look at every open file here. */
      .inherit = true};
  answer = kiln_process_spawn(&spawn, pid, error);
  free(words.argv);
  free(environment);
  return answer == KILN_OK || answer == KILN_ERROR_MEMORY ? answer : KILN_ERROR_ENVIRONMENT;
}
