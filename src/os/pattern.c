#include "os/pattern.h"

#include <regex.h>
#include <stdlib.h>

struct kiln_pattern {
  regex_t expression;
};

enum kiln_status
kiln_pattern_new(const char *text, struct kiln_pattern **pattern, struct kiln_error *error)
{
  struct kiln_pattern *made = malloc(sizeof *made);
  *pattern = NULL;
  if (!made)
    return kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short.");
  const int refused = regcomp(&made->expression, text, REG_EXTENDED | REG_NOSUB);
  if (refused) {
    char reason[128];
    regerror(refused, &made->expression, reason, sizeof reason);
    free(made);
    kiln_error_set(error, KILN_ERROR_ARGUMENT, "'%s' is no POSIX extended regular expression: %s.", text, reason);
    kiln_error_advise(error, "Put a backslash in front of a character that stands for itself.");
    return KILN_ERROR_ARGUMENT;
  }
  *pattern = made;
  return KILN_OK;
}

void
kiln_pattern_free(struct kiln_pattern *pattern)
{
  if (!pattern)
    return;
  regfree(&pattern->expression);
  free(pattern);
}

bool
kiln_pattern_matches(const struct kiln_pattern *pattern, const char *text)
{
  return regexec(&pattern->expression, text, 0, NULL, 0) == 0;
}
