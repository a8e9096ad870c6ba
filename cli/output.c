/* Results on stdout, talk on stderr. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli.h"
#include "os/terminal.h"

int
kiln_cli_status_exit(enum kiln_status status)
{
  switch (status) {
  case KILN_OK:
    return KILN_EXIT_YES;
  case KILN_ERROR_ARGUMENT:
  case KILN_ERROR_FORMAT:
  case KILN_ERROR_NOT_FOUND:
    return KILN_EXIT_USAGE;
  case KILN_ERROR_COMMAND:
    return KILN_EXIT_COMMAND;
  case KILN_ERROR_INVALID:
    return KILN_EXIT_INVALID;
  case KILN_ERROR_INTERRUPTED:
    return KILN_EXIT_INTERRUPTED;
  case KILN_ERROR_MEMORY:
  case KILN_ERROR_IO:
  case KILN_ERROR_ENVIRONMENT:
  case KILN_ERROR_DEVICE:
  case KILN_ERROR_ARCHITECTURE:
  case KILN_ERROR_CAPTURE:
  case KILN_ERROR_FORKED:
  case KILN_ERROR_LATE:
    break;
  }
  return KILN_EXIT_ENVIRONMENT;
}

int
kiln_cli_print(const struct kiln_buf *out)
{
  if (out->failed) {
    fputs("kiln: Memory is short.\n", stderr);
    return KILN_EXIT_ENVIRONMENT;
  }
  errno = 0;
  if (fwrite(kiln_buf_text(out), 1, out->len, stdout) == out->len && fflush(stdout) == 0) {
    return KILN_EXIT_YES;
  }
  if (errno == EPIPE) {
    return KILN_EXIT_YES;
  }
  fprintf(stderr, "kiln: The result could not be written to standard output: %s.\n", strerror(errno));
  return KILN_EXIT_ENVIRONMENT;
}

int
kiln_cli_complain(const struct kiln_error *error)
{
  const char *stop = kiln_text_ends(error->what, ".") || kiln_text_ends(error->what, "…") ? "" : ".";
  fprintf(stderr, "kiln: %s%s%s%s\n", error->what, stop, *error->remedy ? " " : "", error->remedy);
  return kiln_cli_status_exit(error->status);
}

int
kiln_cli_usage(const char *format, ...)
{
  va_list args;
  va_start(args, format);
  fputs("kiln: ", stderr);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  return KILN_EXIT_USAGE;
}

bool
kiln_cli_color(const char *choice, bool *color)
{
  if (kiln_text_equal(choice, "auto")) {
    *color = kiln_terminal_color(1);
  } else {
    *color = kiln_text_equal(choice, "always");
    return *color || kiln_text_equal(choice, "never");
  }
  return true;
}
