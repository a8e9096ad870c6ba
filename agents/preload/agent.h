/*
 * The agent's one state in an observed process.
 *
 * The agent is called by the dynamic linker, by the interpreter and by native kernels, none of which can hand it a
 * context; so this is the one place of the house with global state.
 */
#ifndef KILN_AGENT_AGENT_H
#define KILN_AGENT_AGENT_H

#include <stdint.h>

#include "event/writer.h"

#define KILN_AGENT_HOOK_ERRORS 20

struct kiln_agent {
  struct kiln_event_writer writer; /* closed: the agent does nothing at all */
  int exit_marked_pid;             /* process that wrote its `mark exit` */
  int main_marked;                 /* the `mark main` of this image is written */
  int levers_only;                 /* nothing is observed: the writer is for what levers say, or closed */
  /* What hooks have reported, as hashes of hook and message (atomic, 0: free): each is written once. */
  uint64_t hook_errors[KILN_AGENT_HOOK_ERRORS];
};

extern struct kiln_agent kiln_agent;

/* Write an `error` event: a hook could not be set or failed, the program was left alone. */
void kiln_agent_error(const char *hook, const char *message);
/* As above, but the same is written once, and after KILN_AGENT_HOOK_ERRORS different ones nothing more. */
void kiln_agent_hook_error(const char *hook, const char *message);
/* Write `mark` with a name and no more fields. */
void kiln_agent_mark(const char *name);
/* Write `mark exit`, once in each process. */
void kiln_agent_mark_exit(void);

/* A precompiled header that this thread has just put into place. */
struct kiln_header_made {
  uint64_t t, cpu; /* when; t 0: none since the last call */
  char path[1024];
};
/* What the last rename to "….pch" of this thread was; forgets it. */
struct kiln_header_made kiln_agent_header_take(void);

#endif
