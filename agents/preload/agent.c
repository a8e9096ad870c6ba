#include "agents/preload/agent.h"

#include "os/clock.h"
#include "os/process.h"

#define MAX_HOOK_ERRORS 20

struct kiln_agent kiln_agent;

static void
line_string(struct kiln_event_line *line, const char *key, const char *value)
{
  kiln_json_key(&line->json, key);
  kiln_json_string(&line->json, value);
}

void
kiln_agent_error(const char *hook, const char *message)
{
  struct kiln_event_line line;
  if (!kiln_event_begin(&kiln_agent.writer, &line, KILN_EVENT_ERROR, kiln_clock_now(), kiln_clock_thread_cpu()))
    return;
  line_string(&line, "hook", hook);
  line_string(&line, "message", message);
  kiln_event_end(&kiln_agent.writer, &line);
}

void
kiln_agent_hook_error(const char *hook, const char *message)
{
  if (__atomic_fetch_add(&kiln_agent.hook_errors, 1, __ATOMIC_RELAXED) < MAX_HOOK_ERRORS)
    kiln_agent_error(hook, message);
}

void
kiln_agent_mark(const char *name)
{
  struct kiln_event_line line;
  if (!kiln_event_begin(&kiln_agent.writer, &line, KILN_EVENT_MARK, kiln_clock_now(), kiln_clock_thread_cpu()))
    return;
  line_string(&line, "name", name);
  kiln_event_end(&kiln_agent.writer, &line);
}

void
kiln_agent_mark_exit(void)
{
  int pid = kiln_process_id();
  if (kiln_agent.exit_marked_pid == pid)
    return;
  kiln_agent.exit_marked_pid = pid;
  kiln_agent_mark("exit");
}
