#include "os/capacity.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "os/file.h"

#define START_SIZE 512 /* of /proc/meminfo; what is wanted stands in its first lines */
#define MOST_KIB (UINT64_MAX >> 10)

static bool
read_start(const char *root, const char *file, char *text, size_t size)
{
  char path[KILN_CGROUP_FILE];
  const int len = snprintf(path, sizeof path, "%s%s", root, file);
  if (len < 0 || (size_t)len >= sizeof path)
    return false;
  const int fd = kiln_fd_open(path, KILN_OPEN_READ);
  if (fd < 0)
    return false;
  const long got = kiln_fd_read(fd, text, size - 1);
  kiln_fd_close(fd);
  text[got > 0 ? got : 0] = '\0';
  return got > 0;
}

static enum kiln_status
malformed(const char *root, const char *file, const char *value, struct kiln_error *error)
{
  kiln_error_set(
      error, KILN_ERROR_ENVIRONMENT, "'%.*s' in '%s%s' is no limit", (int)strcspn(value, "\n"), value, root, file);
  kiln_error_advise(error, "Say by KILN_JOBS and KILN_MEMORY what builds may use.");
  return KILN_ERROR_ENVIRONMENT;
}

/* The line "<name>  123 kB"; NULL when there is none. */
static const char *
memory_line(const char *text, const char *name)
{
  const char *at = strstr(text, name);
  return at && (at == text || at[-1] == '\n') ? at : NULL;
}

static bool
parse_kib(const char *line, const char *name, uint64_t *bytes)
{
  char *end;
  const char *digits = line + strlen(name);
  digits += strspn(digits, " \t");
  if (*digits < '0' || *digits > '9')
    return false;
  const unsigned long long kib = strtoull(digits, &end, 10);
  if (strncmp(end, " kB", 3) != 0 || kib == 0 || kib > MOST_KIB)
    return false;
  *bytes = (uint64_t)kib << 10;
  return true;
}

static enum kiln_status
read_memory(const char *root, struct kiln_capacity *capacity, struct kiln_error *error)
{
  static const char file[] = "/proc/meminfo", name[] = "MemTotal:";
  char text[START_SIZE];
  if (!read_start(root, file, text, sizeof text))
    return KILN_OK;
  const char *line = memory_line(text, name);
  if (!line || !parse_kib(line, name, &capacity->memory_bytes)) {
    capacity->memory_bytes = KILN_UNLIMITED;
    return malformed(root, file, line ? line : text, error);
  }
  snprintf(capacity->memory_source, sizeof capacity->memory_source, "MemTotal in %s%s", root, file);
  return KILN_OK;
}

/* Digits at *at, which moves behind them; false when there are none or too many. */
static bool
take_number(const char **at, unsigned *number)
{
  const char *begin = *at;
  *number = 0;
  while (**at >= '0' && **at <= '9' && *at - begin < 7)
    *number = *number * 10 + (unsigned)(*(*at)++ - '0');
  return *at > begin && (**at < '0' || **at > '9');
}

/* "0-3,8,10-11"; 0 when it is none. */
static unsigned
count_list(const char *text)
{
  unsigned count = 0, first, last;
  do {
    if (!take_number(&text, &first))
      return 0;
    last = first;
    if (*text == '-' && (text++, !take_number(&text, &last)))
      return 0;
    if (last < first)
      return 0;
    count += last - first + 1;
  } while (*text++ == ',');
  return text[-1] == '\n' || text[-1] == '\0' ? count : 0;
}

static unsigned
own_processors(void)
{
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    return (unsigned)CPU_COUNT(&set);
  const long online = sysconf(_SC_NPROCESSORS_ONLN); /* more processors than the set has bits */
  return online > 0 ? (unsigned)online : 1;
}

static enum kiln_status
read_processors(const char *root, struct kiln_capacity *capacity, struct kiln_error *error)
{
  static const char file[] = "/sys/devices/system/cpu/online";
  char text[START_SIZE];
  unsigned count = 1;
  if (*root == '\0') {
    count = own_processors();
    snprintf(capacity->processors_source, sizeof capacity->processors_source, "the affinity of this process");
  } else if (read_start(root, file, text, sizeof text)) {
    count = count_list(text);
    snprintf(capacity->processors_source, sizeof capacity->processors_source, "%s%s", root, file);
  }
  capacity->processors = count > 0 ? count : 1;
  return count > 0 ? KILN_OK : malformed(root, file, text, error);
}

enum kiln_status
kiln_capacity_read(const char *root, struct kiln_capacity *capacity, struct kiln_error *error)
{
  *capacity = (struct kiln_capacity){.processors = 1, .memory_bytes = KILN_UNLIMITED};
  enum kiln_status status = read_processors(root, capacity, error);
  if (status == KILN_OK)
    status = read_memory(root, capacity, error);
  if (status == KILN_OK)
    status = kiln_cgroup_read(root, &capacity->cgroup, error);
  if (status != KILN_OK)
    return status;
  if (capacity->cgroup.cpus > 0 && capacity->cgroup.cpus < capacity->processors) {
    capacity->processors = capacity->cgroup.cpus;
    memcpy(capacity->processors_source, capacity->cgroup.cpus_file, sizeof capacity->processors_source);
  }
  if (capacity->cgroup.memory_bytes < capacity->memory_bytes) {
    capacity->memory_bytes = capacity->cgroup.memory_bytes;
    memcpy(capacity->memory_source, capacity->cgroup.memory_file, sizeof capacity->memory_source);
  }
  return KILN_OK;
}

uint64_t
kiln_capacity_available(const char *root, const struct kiln_capacity *capacity)
{
  static const char name[] = "MemAvailable:";
  char text[START_SIZE];
  uint64_t bytes = KILN_UNLIMITED;
  const uint64_t left = kiln_cgroup_memory_left(&capacity->cgroup);
  if (read_start(root, "/proc/meminfo", text, sizeof text)) {
    const char *line = memory_line(text, name);
    if (!line || !parse_kib(line, name, &bytes))
      bytes = KILN_UNLIMITED; /* kernels before 3.14 do not say */
  }
  return left < bytes ? left : bytes;
}
