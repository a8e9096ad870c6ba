/*
 * Run one command under the supervisor kiln-spawn and wait for its end.
 *
 * The supervisor is a process of its own: it kills every descendant when the command has ended, when it is told to, and
 * when kiln dies; see libexec/kiln_spawn.c. The runner talks to it through two pipes.
 */
#ifndef KILN_OS_RUNNER_H
#define KILN_OS_RUNNER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "kiln/error.h"
#include "os/supervise.h"

/* A command whose environment has this variable is marked: what carries the same value is killed should the supervisor
 * fail. */
#define KILN_SANDBOX_VARIABLE "KILN_SANDBOX"
/* The file of a sandbox folder that is removed last, see kiln_folder_remove_marked: whoever finds the folder with it
 * can finish a removal that was cut short. */
#define KILN_SANDBOX_OWNER "owner"

/* When a program that does not end counts as ready; the first that holds. It is then left alone for a quarter of a
 * second (what dies in it has died by itself) and asked to end: SIGTERM to its group, after five seconds SIGKILL to
 * every descendant. timeout_s is the limit for getting ready. */
struct kiln_run_ready {
  const char *output; /* a line of stdout or stderr matches this POSIX extended expression; NULL: not asked */
  int port;           /* something listens on this TCP port, which must be free before; 0: not asked */
  bool (*reached)(void *context); /* asked a hundred times a second, less often if it takes long, and once at the end;
                                     may be NULL */
  void *context;
};

struct kiln_run_options {
  const char *supervisor;                /* path of kiln-spawn */
  char *const *command;                  /* argv, NULL-terminated */
  char *const *environment;              /* NULL-terminated */
  const char *stdout_path, *stderr_path; /* files to create; NULL with plain_output */
  bool late_output;                      /* these files are made with the first byte: what is silent has none */
  bool plain_output; /* stdout and stderr are kiln's own; an interruption is then passed on as SIGINT, with five seconds
                        to obey */
  bool low_priority; /* the command gets out of the way of everything else */
  bool inherit;      /* the command inherits the descriptors above 2 that kiln inherited, as in a plain run */
  const struct kiln_run_ready *ready; /* NULL: the run ends with the command */
  const char *remove_on_owner_death;  /* sandbox folder the supervisor removes when kiln is killed; NULL: none */
  double timeout_s;                   /* 0: none */
  bool terminal_input;                /* --tty: keep stdin; else /dev/null */
  uint64_t output_limit;              /* bytes kept of each stream (head and tail); 0: 64 MiB */
  void (*tick)(void *context);        /* called about ten times a second while the command runs; may be NULL */
  const atomic_bool *give_up;         /* becomes true when the run is wanted no more; as an interruption; may be NULL */
  void *context;
};

enum kiln_run_end {
  KILN_RUN_ENDED,       /* by itself: see exit_code and signal */
  KILN_RUN_NOT_STARTED, /* exec was refused: see start_errno */
  KILN_RUN_TIMEOUT,     /* killed at the time limit */
  KILN_RUN_INTERRUPTED, /* ended because the user asked kiln to stop */
  KILN_RUN_READY        /* was ready, then ended on request: exit_code and signal say how */
};

struct kiln_run_result {
  enum kiln_run_end end;
  int pid, exit_code, signal, start_errno; /* signal 0: exited */
  uint64_t begin_ns, end_ns;               /* just before fork; when the command was reaped */
  bool ready;                              /* was ready at ready_ns; with end ENDED it ended by itself after that */
  uint64_t ready_ns;       /* ports and callbacks: when it was seen, at most 10 ms late on an idle machine */
  uint64_t ready_cpu_ns;   /* CPU time of the tree up to then, in the system's ticks (10 ms) */
  struct kiln_usage usage; /* of the whole tree: every process that the supervisor or its parent reaped */
  int reaped;              /* processes in `usage` that the supervisor itself reaped */
  int killed;              /* descendants that outlived the command and were killed */
  uint64_t stdout_bytes, stderr_bytes; /* as printed, before any cut */
  bool output_cut, output_lost;        /* beyond the limit; or the disk refused */
  bool survivors;                      /* SIGKILL did not end every descendant within the supervisor's patience */
};

/* KILN_OK whenever a result is there (also for a failed command). KILN_ERROR_ENVIRONMENT: the supervisor cannot be
 * started or broke its protocol, or something listens on the port already. */
enum kiln_status kiln_run(
    const struct kiln_run_options *options, struct kiln_run_result *result, struct kiln_error *error);

#endif
