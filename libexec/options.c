#include "libexec/options.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "base/text.h"

#define LIMIT_DEFAULT (64u * 1024u * 1024u)

static enum kiln_status
refuse(struct kiln_error *error, const char *option, const char *value)
{
  return kiln_error_set(error, KILN_ERROR_ARGUMENT, "kiln-spawn cannot use '%s' as value of %s", value, option);
}

static enum kiln_status
take_fd(const char *option, const char *value, int *fd, struct kiln_error *error)
{
  uint64_t number = 0;
  if (!kiln_text_parse_uint(value, &number) || number > INT_MAX)
    return refuse(error, option, value);
  *fd = (int)number;
  return KILN_OK;
}

static enum kiln_status
take_value(const char *option, const char *value, struct kiln_supervisor_options *options, struct kiln_error *error)
{
  if (strcmp(option, "--owner") == 0)
    return take_fd(option, value, &options->owner, error);
  if (strcmp(option, "--status") == 0)
    return take_fd(option, value, &options->status, error);
  if (strcmp(option, "--stdout") == 0)
    options->stdout_path = value;
  else if (strcmp(option, "--stderr") == 0)
    options->stderr_path = value;
  else if (strcmp(option, "--preload") == 0)
    options->preload = value;
  else if (strcmp(option, "--until-output") == 0)
    options->until_output = value;
  else if (strcmp(option, "--limit") == 0) {
    if (!kiln_text_parse_uint(value, &options->limit) || options->limit < 2)
      return refuse(error, option, value);
  } else if (strcmp(option, "--remove") == 0) {
    /* What is removed must be named beyond doubt. */
    if (value[0] != '/' || value[1] == '\0')
      return refuse(error, option, value);
    options->remove = value;
  } else
    return kiln_error_set(error, KILN_ERROR_ARGUMENT, "kiln-spawn does not know the option '%s'", option);
  return KILN_OK;
}

/* Words without a value; false when it is none of them. */
static bool
take_flag(const char *word, struct kiln_supervisor_options *options)
{
  if (strcmp(word, "--tty") == 0)
    options->terminal_input = true;
  else if (strcmp(word, "--inherit") == 0)
    options->inherit = true;
  else if (strcmp(word, "--low-priority") == 0)
    options->low_priority = true;
  else if (strcmp(word, "--plain-output") == 0)
    options->plain_output = true;
  else if (strcmp(word, "--late-output") == 0)
    options->late_output = true;
  else
    return false;
  return true;
}

static enum kiln_status
check_complete(const struct kiln_supervisor_options *options, struct kiln_error *error)
{
  const bool files = options->stdout_path != NULL && options->stderr_path != NULL;
  if (options->owner < 0 || options->status < 0 || (!files && !options->plain_output))
    return kiln_error_set(error, KILN_ERROR_ARGUMENT, "kiln-spawn needs --owner, --status, --stdout and --stderr");
  if (options->command == NULL || options->command[0] == NULL)
    return kiln_error_set(error, KILN_ERROR_ARGUMENT, "kiln-spawn needs a command after '--'");
  return KILN_OK;
}

enum kiln_status
kiln_supervisor_options_parse(char *const *argv, struct kiln_supervisor_options *options, struct kiln_error *error)
{
  *options = (struct kiln_supervisor_options){.owner = -1, .status = -1, .limit = LIMIT_DEFAULT};
  for (char *const *word = argv + 1; *word != NULL; word++) {
    if (strcmp(*word, "--") == 0) {
      options->command = word + 1;
      break;
    }
    if (take_flag(*word, options))
      continue;
    if (word[1] == NULL)
      return refuse(error, *word, "");
    const enum kiln_status status = take_value(word[0], word[1], options, error);
    if (status != KILN_OK)
      return status;
    word++;
  }
  return check_complete(options, error);
}
