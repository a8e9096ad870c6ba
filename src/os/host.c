#include "os/host.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "os/file.h"

/* Both files of interest begin with what is wanted; cpuinfo of a large machine is long. */
#define READ_AT_MOST 16384

static bool
read_start(const char *path, char *text, size_t size)
{
  int fd = kiln_fd_open(path, KILN_OPEN_READ);
  if (fd < 0)
    return false;
  size_t len = 0;
  long got;
  while (len + 1 < size && (got = kiln_fd_read(fd, text + len, size - 1 - len)) > 0)
    len += (size_t)got;
  kiln_fd_close(fd);
  text[len] = '\0';
  return len > 0;
}

/* Value of the first line that begins with `name`, behind `separator`; quotes and spaces around it are dropped. */
static void
find_value(const char *text, const char *name, char separator, char *value, size_t size)
{
  size_t name_len = strlen(name);
  while (*text && strncmp(text, name, name_len) != 0) {
    text += strcspn(text, "\n");
    text += *text == '\n';
  }
  size_t line_len = strcspn(text, "\n");
  const char *at = memchr(text, separator, line_len);
  if (!at)
    return;
  const char *end = text + line_len;
  at++;
  while (at < end && strchr(" \t\"'", *at))
    at++;
  while (end > at && strchr(" \t\"'", end[-1]))
    end--;
  snprintf(value, size, "%.*s", (int)(end - at), at);
}

static int
usable_cores(void)
{
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    return CPU_COUNT(&set);
  long online = sysconf(_SC_NPROCESSORS_ONLN); /* more processors than the set has bits */
  return online > 0 ? (int)online : 1;
}

static uint64_t
memory_bytes(void)
{
  long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
}

void
kiln_host_read(struct kiln_host *host)
{
  *host = (struct kiln_host){.load_1m = -1};
  char text[READ_AT_MOST];
  if (read_start("/proc/cpuinfo", text, sizeof text))
    find_value(text, "model name", ':', host->cpu, sizeof host->cpu);
  if (read_start("/etc/os-release", text, sizeof text) || read_start("/usr/lib/os-release", text, sizeof text))
    find_value(text, "PRETTY_NAME", '=', host->system, sizeof host->system);
  struct utsname name;
  if (uname(&name) == 0)
    snprintf(host->kernel, sizeof host->kernel, "%.60s %.60s", name.sysname, name.release);
  host->cores = usable_cores();
  host->memory_bytes = memory_bytes();
  double load;
  if (getloadavg(&load, 1) == 1)
    host->load_1m = load;
}
