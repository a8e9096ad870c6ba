#include "arms.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/command.h"
#include "base/text.h"
#include "cli.h"
#include "probe/sequential.h"

#define MAX_TIME_S 1e7
#define NAME_MOST 40

static bool
name_is_good(const char *name, size_t len)
{
  if (len == 0 || len > NAME_MOST) {
    return false;
  }
  for (size_t i = 0; i < len; i++) {
    if (!isalnum((unsigned char)name[i]) && !strchr("._-+", name[i])) {
      return false;
    }
  }
  return true;
}

static bool
name_is_taken(const struct kiln_cli_arms *arms, const char *name)
{
  for (size_t i = 0; i < arms->count; i++) {
    if (kiln_text_equal(arms->arms[i].name, name)) {
      return true;
    }
  }
  return false;
}

static int
add_named(struct kiln_cli_arms *arms, char *name, const char *line)
{
  struct kiln_error error = {0};
  char **words;
  size_t count;
  if (name_is_taken(arms, name)) {
    const int code = kiln_cli_usage("Two arms are named alike: '%s=%s' is the second.", name, line);
    free(name);
    return code;
  }
  if (kiln_command_split(line, &words, &count, &error) != KILN_OK) {
    free(name);
    return kiln_cli_complain(&error);
  }
  arms->blocks[2 * arms->count] = name;
  arms->blocks[2 * arms->count + 1] = words;
  arms->arms[arms->count].name = name;
  arms->arms[arms->count].command = words;
  arms->count++;
  return count > 0 ? 0 : kiln_cli_usage("The arm '%s' has no command, as in: --arm %s='python sim.py'", name, name);
}

int
kiln_cli_arms_add(struct kiln_cli_arms *arms, const char *value)
{
  const size_t len = strcspn(value, "=");
  char *name;
  if (value[len] != '=' || !name_is_good(value, len)) {
    return kiln_cli_usage(
        "--arm is NAME=COMMAND with a name of letters, digits and . _ - +, not '%s'; as in: --arm base='python sim.py'",
        value);
  }
  if (arms->count == KILN_CLI_ARMS) {
    return kiln_cli_usage("There are at most %d arms; '%s' is one more.", KILN_CLI_ARMS, value);
  }
  name = malloc(len + 1);
  if (!name) {
    return kiln_cli_usage("Memory is short.");
  }
  memcpy(name, value, len);
  name[len] = '\0';
  return add_named(arms, name, value + len + 1);
}

int
kiln_cli_arms_max_pairs(struct kiln_measure_options *options, const char *value)
{
  uint64_t pairs;
  if (!kiln_text_parse_uint(value, &pairs) || pairs < 1 || pairs > KILN_SEQUENTIAL_MAX) {
    return kiln_cli_usage("--max-pairs is a whole number from 1 to %d, not '%s'.", KILN_SEQUENTIAL_MAX, value);
  }
  options->max_pairs = (int)pairs;
  return 0;
}

int
kiln_cli_arms_max_time(struct kiln_measure_options *options, const char *value)
{
  double seconds;
  if (!kiln_text_parse_seconds(value, &seconds) || !(seconds > 0) || seconds > MAX_TIME_S) {
    return kiln_cli_usage("--max-time is a number of seconds above 0, not '%s'.", value);
  }
  options->max_time_s = seconds;
  return 0;
}

/* Below 1 % the rule's floor is in the way: what it calls a change at least is 1 %. */
int
kiln_cli_arms_resolution(struct kiln_measure_options *options, const char *value)
{
  double percent;
  if (!kiln_text_parse_seconds(value, &percent) || percent < 1 || percent > 100) {
    return kiln_cli_usage("--resolution is a number of per cent from 1 to 100, not '%s'.", value);
  }
  options->resolution = percent / 100;
  return 0;
}

int
kiln_cli_arms_take(
    const struct kiln_cli_arms *arms, struct kiln_measure_options *options, bool samples_given, int extra)
{
  if (arms->count == 0) {
    if (options->serial || options->max_pairs || options->max_time_s > 0 || options->resolution > 0) {
      return kiln_cli_usage("--serial, --max-pairs, --max-time and --resolution are for arms; name two with --arm.");
    }
    return 0;
  }
  if (arms->count == 1) {
    return kiln_cli_usage(
        "There is one arm, '%s'; name a second one to compare it with, as in: --arm cand='…'", arms->arms[0].name);
  }
  if (extra > 0) {
    return kiln_cli_usage("With --arm there is no other command; put it into an arm, as in: --arm cand='…'");
  }
  if (samples_given) {
    return kiln_cli_usage("--samples is for one command; arms have pairs: --max-pairs N limits them.");
  }
  options->arms = arms->arms;
  options->arm_count = arms->count;
  options->max_pairs = options->max_pairs ? options->max_pairs : KILN_SEQUENTIAL_MAX;
  options->resolution = options->resolution > 0 ? options->resolution : KILN_SEQUENTIAL_RESOLUTION;
  return 0;
}

void
kiln_cli_arms_release(struct kiln_cli_arms *arms)
{
  for (size_t i = 0; i < 2 * arms->count; i++) {
    free(arms->blocks[i]);
  }
  arms->count = 0;
}
