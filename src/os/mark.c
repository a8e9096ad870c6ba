#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/proc.h"
#include "os/process.h"

#define LARGEST_ENVIRONMENT ((size_t)16 * 1024 * 1024)

#define ROUNDS 200
#define QUIET_ROUNDS 2
#define PAUSE_NS 2000000

struct mark {
  const struct kiln_buf *wanted; /* "name=value" with its NUL */
  struct kiln_buf environment;
  int *pids; /* killed so far; one that takes its time to die is met again */
  size_t count, capacity;
  bool met; /* in this round */
};

static void
note_killed(struct mark *mark, int pid)
{
  mark->met = true;
  for (size_t i = 0; i < mark->count; i++)
    if (mark->pids[i] == pid)
      return;
  if (KILN_GROW(mark->pids, mark->count, mark->capacity))
    mark->pids[mark->count++] = pid;
}

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
    note_killed(mark, pid);
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
  /* What forks while the table is read is met in the next round. What is just being executed has no environment for a
   * moment, and so only the second round in a row that meets none is the last. */
  for (int round = 0, quiet = 0; round < ROUNDS && !wanted.failed; round++) {
    mark.met = false;
    kiln_proc_each(visit, &mark);
    quiet = mark.met ? 0 : quiet + 1;
    if (quiet == QUIET_ROUNDS)
      break;
    kiln_clock_sleep(PAUSE_NS);
  }
  const int killed = (int)mark.count;
  free(mark.pids);
  kiln_buf_release(&mark.environment);
  kiln_buf_release(&wanted);
  return killed;
}
