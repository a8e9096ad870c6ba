/*
 * Starting, watching and ending processes, from kiln's side (the supervisor has os/supervise.h).
 */
#ifndef KILN_OS_PROCESS_H
#define KILN_OS_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "kiln/error.h"

int kiln_process_id(void);
int kiln_process_parent_id(void);
int kiln_thread_id(void);
/* Path of the running executable, appended to buf; false when the system does not tell. */
bool kiln_process_executable(struct kiln_buf *path);
/* argv of this process as the kernel has it, up to max bytes, NUL-separated, appended to buf. */
bool kiln_process_command_line(struct kiln_buf *buf, unsigned max);

/* An environment under construction: NAME=VALUE strings, owned. Order: init, copy…, set/unset…, release. */
struct kiln_environment {
  char **entries; /* NULL-terminated, ready for exec */
  unsigned long count, capacity;
  bool failed; /* an allocation failed since init */
};
void kiln_environment_init(struct kiln_environment *env);
void kiln_environment_release(struct kiln_environment *env);
void kiln_environment_copy_current(struct kiln_environment *env);
void kiln_environment_set(struct kiln_environment *env, const char *name, const char *value);
void kiln_environment_unset(struct kiln_environment *env, const char *name);
const char *kiln_environment_get(const struct kiln_environment *env, const char *name);
/* Current process's variable; NULL when unset. */
const char *kiln_environment_current(const char *name);

/* A child started with posix_spawn: never fork from a large process. */
struct kiln_spawn_options {
  const char *program;      /* absolute path */
  char *const *argv;        /* NULL-terminated */
  char *const *environment; /* NULL-terminated */
  int stdin_fd;             /* -1: /dev/null; 0: inherited */
  const char *output_path;  /* file to create for stdout and stderr together; NULL: both are inherited */
  int keep[4];              /* descriptors kept open in the child under the same number */
  int keep_count;
  bool inherit; /* also what this process inherited itself, as when the caller had started the program; false: closed */
};
/* Result of an ended child. Exit code and signal are separate facts: signal 0 means it exited. */
struct kiln_exit {
  int code, signal;
};
enum kiln_status kiln_process_spawn(const struct kiln_spawn_options *options, int *pid, struct kiln_error *error);
/* Wait for the child; -1 timeout waits for ever. true when it ended. */
bool kiln_process_wait(int pid, int timeout_ms, struct kiln_exit *result);
void kiln_process_kill(int pid, int signal);
bool kiln_process_alive(int pid);

/* A pipe, both ends close-on-exec; false on error. ends[0] reads, ends[1] writes. */
bool kiln_pipe(int ends[2]);
/* Wait until one of `count` descriptors is readable or closed; bit i of the result is set for fds[i]. -1: interrupted.
 */
int kiln_poll(const int *fds, int count, int timeout_ms);

/* Kill (SIGKILL) every process of this user whose environment holds "name=value" exactly, but not this one, until the
 * table shows none that lives; number killed. */
int kiln_process_kill_marked(const char *name, const char *value);

/* Interruption: after kiln_interrupt_watch, SIGINT, SIGTERM and SIGHUP set a flag and no longer end the process, and a
 * write to a pipe without reader is an error (EPIPE) instead of SIGPIPE. */
void kiln_interrupt_watch(void);
int kiln_interrupt_seen(void); /* signal number, 0 if none */

#endif
