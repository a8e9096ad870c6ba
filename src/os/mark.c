#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "os/file.h"
#include "os/proc.h"
#include "os/process.h"

#define LARGEST_ENVIRONMENT ((size_t)16 * 1024 * 1024)

struct mark {
  const struct kiln_buf *wanted; /* "name=value" with its NUL */
  struct kiln_buf environment;
  int killed;
};

/* Entries end in NUL, also the last one. */
static bool
holds(const struct kiln_buf *environment, const struct kiln_buf *wanted)
{
  for (size_t at = 0; at < environment->len;) {
    size_t len = strnlen(environment->data + at, environment->len - at);
    if (len + 1 == wanted->len && memcmp(environment->data + at, wanted->data, len) == 0)
      return true;
    at += len + 1;
  }
  return false;
}

static void
visit(void *context, int pid)
{
  struct mark *mark = context;
  char path[48];
  struct stat owner;
  snprintf(path, sizeof path, "/proc/%d", pid);
  if (pid == getpid() || stat(path, &owner) != 0 || owner.st_uid != geteuid())
    return;
  snprintf(path, sizeof path, "/proc/%d/environ", pid);
  kiln_buf_clear(&mark->environment);
  if (kiln_file_read(path, LARGEST_ENVIRONMENT, &mark->environment, NULL) != KILN_OK)
    return;
  if (holds(&mark->environment, mark->wanted) && kill(pid, SIGKILL) == 0)
    mark->killed++;
}

int
kiln_process_kill_marked(const char *name, const char *value)
{
  struct kiln_buf wanted;
  kiln_buf_init(&wanted);
  kiln_buf_printf(&wanted, "%s=%s", name, value);
  kiln_buf_append(&wanted, "", 1);
  struct mark mark = {.wanted = &wanted};
  kiln_buf_init(&mark.environment);
  if (!wanted.failed)
    kiln_proc_each(visit, &mark);
  kiln_buf_release(&mark.environment);
  kiln_buf_release(&wanted);
  return mark.killed;
}
