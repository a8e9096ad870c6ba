#include "os/instance.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "os/file.h"
#include "os/filesystem.h"
#include "os/process.h"

#define FIELD_OF_START 22 /* in /proc/<pid>/stat, counted from 1 */

static long
read_text(const char *path, char *text, size_t size)
{
  int fd = kiln_fd_open(path, KILN_OPEN_READ);
  if (fd < 0)
    return -1;
  long got = kiln_fd_read(fd, text, size - 1);
  kiln_fd_close(fd);
  if (got >= 0)
    text[got] = '\0';
  return got;
}

static void
read_boot(char boot[40])
{
  if (read_text("/proc/sys/kernel/random/boot_id", boot, 40) < 0)
    boot[0] = '\0';
  boot[strcspn(boot, "\n")] = '\0';
}

/* 0 when there is no such process, or no way to ask. */
static uint64_t
read_start(int pid)
{
  char path[48], text[1024];
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  if (read_text(path, text, sizeof text) <= 0)
    return 0;
  /* The name in parentheses is field 2 and may hold anything. */
  const char *at = strrchr(text, ')');
  for (int field = 2; at && field < FIELD_OF_START; field++)
    at = strchr(at + 1, ' ');
  uint64_t start = 0;
  if (!at || sscanf(at, "%" SCNu64, &start) != 1)
    return 0;
  return start;
}

void
kiln_instance_self(struct kiln_instance *instance)
{
  *instance = (struct kiln_instance){.pid = kiln_process_id()};
  kiln_host_name(instance->host);
  read_boot(instance->boot);
  instance->start = read_start(instance->pid);
}

enum kiln_instance_state
kiln_instance_state(const struct kiln_instance *instance)
{
  char boot[40];
  read_boot(boot);
  if (!*boot || strcmp(boot, instance->boot) != 0)
    return KILN_INSTANCE_ELSEWHERE;
  if (!kiln_process_alive(instance->pid))
    return KILN_INSTANCE_ENDED;
  uint64_t start = read_start(instance->pid);
  return start == 0 || start == instance->start ? KILN_INSTANCE_RUNNING : KILN_INSTANCE_ENDED;
}
