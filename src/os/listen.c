#include "os/listen.h"

#include <stdio.h>

#define LINE_SIZE 512
#define STATE_LISTEN 0x0aU

/* "  sl: address:port address:port state …", numbers in hex; the head line has none. */
static bool
line_listens(const char *line, int port)
{
  unsigned local, state;
  return sscanf(line, " %*u: %*[0-9A-Fa-f]:%x %*[0-9A-Fa-f]:%*x %x", &local, &state) == 2 && state == STATE_LISTEN &&
         local == (unsigned)port;
}

static FILE *
table_open(int pid, const char *name)
{
  char path[64];
  if (pid > 0)
    snprintf(path, sizeof path, "/proc/%d/net/%s", pid, name);
  else
    snprintf(path, sizeof path, "/proc/self/net/%s", name);
  return fopen(path, "re");
}

static bool
table_listens(int pid, const char *name, int port)
{
  char line[LINE_SIZE];
  bool found = false;
  FILE *table = table_open(pid, name);
  if (!table)
    return false;
  while (!found && fgets(line, sizeof line, table))
    found = line_listens(line, port);
  fclose(table);
  return found;
}

bool
kiln_port_listens(int pid, int port)
{
  return table_listens(pid, "tcp", port) || table_listens(pid, "tcp6", port);
}

bool
kiln_port_table_exists(void)
{
  FILE *table = table_open(0, "tcp");
  if (table)
    fclose(table);
  return table != NULL;
}
