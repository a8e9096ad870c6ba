#include "libexec/guard.h"

#include <stddef.h>
#include <string.h>

#include "os/clock.h"
#include "os/file.h"
#include "os/process.h"
#include "os/runner.h"
#include "os/supervise.h"

#define MILLISECOND UINT64_C(1000000)
#define ATTEMPTS 100
#define PAUSE (20 * MILLISECOND)
#define GRACE 25 /* pauses */

struct names {
  char folder[KILN_GUARD_NAME], next[KILN_GUARD_NAME];
  size_t len;
  int dismissed;
};

/* A name that does not fit or is no absolute path names nothing. */
static void
name_end(struct names *names)
{
  if (names->len == 0)
    names->dismissed = 1;
  else if (names->len < KILN_GUARD_NAME && names->next[0] == '/' && names->len > 1) {
    memcpy(names->folder, names->next, names->len);
    names->folder[names->len] = '\0';
  }
  names->len = 0;
}

static void
names_take(struct names *names, const char *data, size_t len)
{
  for (size_t i = 0; i < len; i++) {
    if (data[i] == '\0')
      name_end(names);
    else if (names->len < KILN_GUARD_NAME)
      names->next[names->len++] = data[i];
  }
}

/* A supervisor bears the mark too, and ends a run better than anyone: it gets the time to. What it ends may still write
 * into the folder. */
static void
remove_folder(const char *folder)
{
  for (int i = 0; i < GRACE && kiln_file_exists(folder); i++)
    kiln_clock_sleep(PAUSE);
  for (int i = 0; i < ATTEMPTS && kiln_file_exists(folder); i++) {
    kiln_process_kill_marked(KILN_SANDBOX_VARIABLE, folder);
    if (kiln_folder_remove_marked(folder, KILN_SANDBOX_OWNER, NULL) != KILN_OK)
      kiln_clock_sleep(PAUSE);
  }
}

int
kiln_guard_run(int owner)
{
  static struct names names;
  char bytes[512];
  long got;
  if (!kiln_fd_close_on_exec(owner) || !kiln_supervise_begin())
    return 5;
  while (!names.dismissed && (got = kiln_fd_read(owner, bytes, sizeof bytes)) > 0)
    names_take(&names, bytes, (size_t)got);
  if (!names.dismissed && names.folder[0] != '\0')
    remove_folder(names.folder);
  return 0;
}
