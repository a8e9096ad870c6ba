#include "os/terminal.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text.h"

#define MOST_COLUMNS 10000

bool
kiln_terminal_is(int fd)
{
  return isatty(fd) == 1;
}

int
kiln_terminal_columns(int fd)
{
  uint64_t columns;
  if (kiln_text_parse_uint(getenv("COLUMNS"), &columns) && columns > 0 && columns <= MOST_COLUMNS)
    return (int)columns;
  struct winsize size;
  if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return size.ws_col;
  return 80;
}

bool
kiln_terminal_color(int fd)
{
  const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
  return kiln_terminal_is(fd) && term && strcmp(term, "dumb") != 0 && !(no_color && *no_color);
}
