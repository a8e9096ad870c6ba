#include "agents/preload/agent.h"

#include "os/clock.h"
#include "os/process.h"

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

/* FNV-1a, going on from `hash`; the end of the text counts too. */
static uint64_t
text_hash(uint64_t hash, const char *text)
{
  do
    hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
  while (*text++ != '\0');
  return hash;
}

void
kiln_agent_hook_error(const char *hook, const char *message)
{
  uint64_t hash = text_hash(text_hash(UINT64_C(0xcbf29ce484222325), hook), message) | 1;
  for (int i = 0; i < KILN_AGENT_HOOK_ERRORS; i++) {
    uint64_t seen = 0;
    if (__atomic_compare_exchange_n(
            &kiln_agent.hook_errors[i], &seen, hash, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      kiln_agent_error(hook, message);
      return;
    }
    if (seen == hash)
      return;
  }
}

void
kiln_agent_mark(const char *name)
{
  struct kiln_event_line line;
  if (kiln_agent.levers_only ||
      !kiln_event_begin(&kiln_agent.writer, &line, KILN_EVENT_MARK, kiln_clock_now(), kiln_clock_thread_cpu()))
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
