#include "os/proc.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "os/file.h"

bool
kiln_proc_read(int pid, struct kiln_proc *proc)
{
  char path[48], text[512];
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  int fd = kiln_fd_open(path, KILN_OPEN_READ);
  if (fd < 0)
    return false;
  long got = kiln_fd_read(fd, text, sizeof text - 1);
  kiln_fd_close(fd);
  if (got <= 0)
    return false;
  text[got] = '\0';
  /* The name in parentheses may hold anything, parentheses too; it is at most 64 bytes, so the last one is in reach. */
  const char *behind = strrchr(text, ')');
  *proc = (struct kiln_proc){.pid = pid};
  return behind && sscanf(behind + 1, " %c %d", &proc->state, &proc->parent) == 2;
}

bool
kiln_proc_each(void (*visit)(void *context, int pid), void *context)
{
  DIR *stream = opendir("/proc");
  if (!stream)
    return false;
  for (struct dirent *entry = readdir(stream); entry; entry = readdir(stream)) {
    uint64_t pid;
    if (kiln_text_parse_uint(entry->d_name, &pid) && pid > 0 && pid <= INT32_MAX)
      visit(context, (int)pid);
  }
  closedir(stream);
  return true;
}

bool
kiln_proc_ended(const struct kiln_proc *proc)
{
  return proc->state == 'Z' || proc->state == 'X' || proc->state == 'x';
}
