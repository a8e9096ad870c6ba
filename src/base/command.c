#include "base/command.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t"
/* # and ~ act only at the begin of a word. */
#define ACTS_ANYWHERE "$`|&;<>()*?[\n"
#define ACTS_FIRST "#~"

struct splitter {
  const char *line, *at;
  char *out; /* never beyond the characters read, since no rule makes a line longer */
  struct kiln_error *error;
};

static enum kiln_status
refuse_open(const struct splitter *splitter, char quote)
{
  kiln_error_set(splitter->error, KILN_ERROR_ARGUMENT, "The quote %c is not closed in '%s'.", quote, splitter->line);
  kiln_error_advise(splitter->error, "Close it, or write \\%c for the character itself.", quote);
  return KILN_ERROR_ARGUMENT;
}

static enum kiln_status
refuse_shell(const struct splitter *splitter)
{
  kiln_error_set(splitter->error, KILN_ERROR_ARGUMENT, "The unquoted '%c' in '%s' is for a shell, and there is none.",
      *splitter->at == '\n' ? ' ' : *splitter->at, splitter->line);
  kiln_error_advise(splitter->error, "Quote it, or name a shell: sh -c '…'.");
  return KILN_ERROR_ARGUMENT;
}

/* From behind the opening quote to behind the closing one. */
static enum kiln_status
take_quoted(struct splitter *splitter, char quote)
{
  for (; *splitter->at != quote; splitter->at++) {
    if (*splitter->at == '\0')
      return refuse_open(splitter, quote);
    if (quote == '"' && *splitter->at == '\\' && splitter->at[1] && strchr("\"\\$`", splitter->at[1]))
      splitter->at++;
    *splitter->out++ = *splitter->at;
  }
  splitter->at++;
  return KILN_OK;
}

static enum kiln_status
take_word(struct splitter *splitter)
{
  enum kiln_status status = KILN_OK;
  bool first = true;
  while (status == KILN_OK && *splitter->at && !strchr(BLANKS, *splitter->at)) {
    const char c = *splitter->at;
    if (strchr(ACTS_ANYWHERE, c) || (first && strchr(ACTS_FIRST, c)))
      return refuse_shell(splitter);
    splitter->at++;
    if (c == '\'' || c == '"')
      status = take_quoted(splitter, c);
    else if (c == '\\' && *splitter->at == '\0')
      status = refuse_open(splitter, '\\');
    else
      *splitter->out++ = c == '\\' ? *splitter->at++ : c;
    first = false;
  }
  *splitter->out++ = '\0';
  return status;
}

enum kiln_status
kiln_command_split(const char *line, char ***words, size_t *count, struct kiln_error *error)
{
  /* A word has at least one character and a blank behind it. */
  const size_t len = strlen(line), most = len / 2 + 2;
  char **made = calloc(1, most * sizeof *made + len + 2);
  enum kiln_status status = KILN_OK;
  *words = NULL;
  *count = 0;
  if (!made)
    return kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short for a command line of %zu bytes.", len);
  struct splitter splitter = {line, line, (char *)(made + most), error};
  for (splitter.at += strspn(splitter.at, BLANKS); *splitter.at && status == KILN_OK;
       splitter.at += strspn(splitter.at, BLANKS)) {
    made[(*count)++] = splitter.out;
    status = take_word(&splitter);
  }
  if (status == KILN_OK) {
    *words = made;
    return KILN_OK;
  }
  free(made);
  *count = 0;
  return status;
}
