/*
 * libkiln-preload.so: what LD_PRELOAD brings into every process of an observed command.
 *
 * Without KILN_EVENTS and KILN_LEVERS it does nothing. Else it writes the process's first and last event and waits for
 * an interpreter: one that is in the process already, or one that is opened later (dlsym shows it).
 */
#include <errno.h>
#include <string.h>

#include "agents/preload/agent.h"
#include "agents/preload/boot.h"
#include "base/text.h"
#include "os/clock.h"
#include "os/dl.h"
#include "os/process.h"

#define PUBLIC __attribute__((visibility("default")))
#define MAX_ARGUMENTS 64
#define MAX_ARGUMENT_BYTES 4096

typedef void *dlsym_function(void *handle, const char *name);
typedef int rename_function(const char *from, const char *to);

/* Called by dlsym.S before every dlsym of the process; returns the real one. */
dlsym_function *kiln_preload_dlsym(void *handle, const char *name);
PUBLIC int rename(const char *from, const char *to);
/* For programs, which find it by name: a moment that they call so, as "ready". */
PUBLIC void kiln_mark(const char *name);

static struct {
  dlsym_function *dlsym;
  rename_function *rename;
  int looks_for_python; /* no interpreter was found yet, and one is wanted */
} preload;

static _Thread_local struct kiln_header_made header;

/* ISO C has no conversion from object to function pointer. */
static void
find_next(const char *name, void *function)
{
  void *address = kiln_dl_next(name);
  memcpy(function, &address, sizeof address);
}

dlsym_function *
kiln_preload_dlsym(void *handle, const char *name)
{
  if (preload.dlsym == NULL)
    find_next("dlsym", &preload.dlsym);
  if (!preload.looks_for_python || name == NULL || name[0] != 'P' || name[1] != 'y' ||
      kiln_dl_handle_is_special(handle) || handle == NULL)
    return preload.dlsym;
  if (kiln_text_starts(name, "PyInit_"))
    return preload.dlsym; /* an extension module's own function, asked for by an interpreter */
  if (kiln_boot_arm(handle))
    preload.looks_for_python = 0;
  return preload.dlsym;
}

int
rename(const char *from, const char *to)
{
  if (preload.rename == NULL)
    find_next("rename", &preload.rename);
  if (preload.rename == NULL) {
    errno = ENOSYS;
    return -1;
  }
  int result = preload.rename(from, to);
  if (result == 0 && kiln_agent.writer.folder[0] != '\0' && kiln_text_ends(to, ".pch")) {
    header.t = kiln_clock_now();
    header.cpu = kiln_clock_thread_cpu();
    size_t len = strlen(to);
    len = len < sizeof header.path ? len : sizeof header.path - 1;
    memcpy(header.path, to, len);
    header.path[len] = '\0';
  }
  return result;
}

void
kiln_mark(const char *name)
{
  struct kiln_event_line line;
  int saved = errno;
  if (name != NULL &&
      kiln_event_begin(&kiln_agent.writer, &line, KILN_EVENT_MARK, kiln_clock_now(), kiln_clock_thread_cpu())) {
    kiln_json_member_text(&line.json, "name", "user");
    kiln_json_member_text(&line.json, "text", name);
    kiln_event_end(&kiln_agent.writer, &line);
  }
  errno = saved;
}

struct kiln_header_made
kiln_agent_header_take(void)
{
  struct kiln_header_made made = header;
  header.t = 0;
  return made;
}

static void
write_arguments(struct kiln_json *json)
{
  struct kiln_buf line;
  kiln_buf_init(&line);
  kiln_json_key(json, "argv");
  kiln_json_array(json);
  int count = 0;
  if (kiln_process_command_line(&line, MAX_ARGUMENT_BYTES))
    for (size_t at = 0; at < line.len && count < MAX_ARGUMENTS; count++) {
      kiln_json_string(json, line.data + at);
      at += strlen(line.data + at) + 1;
    }
  kiln_json_array_end(json);
  kiln_buf_release(&line);
}

static void
write_start(void)
{
  struct kiln_event_line line;
  if (!kiln_event_begin(&kiln_agent.writer, &line, KILN_EVENT_PROCESS, kiln_clock_now(), kiln_clock_thread_cpu()))
    return;
  struct kiln_buf exe;
  kiln_buf_init(&exe);
  kiln_json_key(&line.json, "what");
  kiln_json_string(&line.json, "start");
  kiln_json_key(&line.json, "ppid");
  kiln_json_int(&line.json, kiln_process_parent_id());
  kiln_json_key(&line.json, "exe");
  kiln_json_string(&line.json, kiln_process_executable(&exe) ? exe.data : NULL);
  write_arguments(&line.json);
  kiln_event_end(&kiln_agent.writer, &line);
  kiln_buf_release(&exe);
}

/* Nothing is observed, but a lever file is named: what became of levers is said in a folder of its own, if any. */
static bool
open_for_levers(void)
{
  const char *levers = kiln_environment_current("KILN_LEVERS"), *folder = kiln_environment_current("KILN_LEVERS_LOG");
  if (levers == NULL || levers[0] == '\0')
    return false;
  kiln_agent.levers_only = 1;
  (void)kiln_event_writer_open(&kiln_agent.writer, folder != NULL ? folder : "");
  return true;
}

__attribute__((constructor)) static void
preload_begin(void)
{
  int saved = errno;
  if (kiln_event_writer_open(&kiln_agent.writer, NULL))
    write_start();
  else if (!open_for_levers())
    return;
  preload.looks_for_python = !kiln_boot_arm(NULL);
  errno = saved;
}

__attribute__((destructor)) static void
preload_end(void)
{
  struct kiln_event_line line;
  /* A forked child that had nothing to say ends without a file. */
  if (kiln_agent.levers_only || !kiln_event_writer_is_own(&kiln_agent.writer) ||
      !kiln_event_begin(&kiln_agent.writer, &line, KILN_EVENT_PROCESS, kiln_clock_now(), kiln_clock_thread_cpu()))
    return;
  kiln_json_key(&line.json, "what");
  kiln_json_string(&line.json, "end");
  kiln_json_key(&line.json, "process_cpu");
  kiln_json_uint(&line.json, kiln_clock_process_cpu());
  kiln_event_end(&kiln_agent.writer, &line);
}
