/*
 * The supervisor's side of processes: reap every descendant, with resource use, and end them all.
 *
 * Used by libexec/kiln-spawn only. Single-threaded; forks, because the supervisor is small.
 */
#ifndef KILN_OS_SUPERVISE_H
#define KILN_OS_SUPERVISE_H

#include <stdbool.h>
#include <stdint.h>

struct kiln_usage {
  uint64_t user_ns, system_ns; /* of the process and of the children it waited for */
  uint64_t max_rss_bytes;
  uint64_t minor_faults, major_faults, voluntary_switches, involuntary_switches;
};

struct kiln_reaped {
  int pid, code, signal; /* signal 0: exited with code */
  uint64_t end_ns;       /* kiln_clock_now() when it was reaped */
  struct kiln_usage usage;
};

/* New session, child subreaper; SIGINT, SIGTERM, SIGHUP and SIGPIPE are ignored from now on, every other signal has its
 * default. false when the kernel refuses. */
bool kiln_supervise_begin(void);
/* Close every descriptor above 2 but these two: whatever the owner had open is not kept open by its supervisor. */
void kiln_supervise_close_others(int one, int other);
enum {
  KILN_START_INHERIT = 1, /* it also gets the descriptors above 2 that are not close-on-exec */
  KILN_START_LOW = 2      /* behind everything else, on processors and disks; best effort */
};
/* Start argv[0] (searched in PATH of `environment`; NULL: the current one) with stdout_fd and stderr_fd as its output
 * and stdin_fd as its input, in a process group of its own, with every signal at its default and none blocked, killed
 * when the supervisor dies. how: KILN_START_… joined. *start_ns: just before the fork. pid, or -1 and *failed_errno set
 * when exec was refused (reported through a close-on-exec pipe, so "not found" is not an exit status). */
int kiln_supervise_start(char *const *argv, char *const *environment, int stdin_fd, int stdout_fd, int stderr_fd,
    unsigned how, uint64_t *start_ns, int *failed_errno);
/* A descriptor that becomes readable when a child ended (signalfd for SIGCHLD); -1 on failure. Call before start. */
int kiln_supervise_child_fd(void);
void kiln_supervise_child_fd_drain(int fd);
/* Send a signal to every process of the command's group (its number is the command's pid); false when none is left. */
bool kiln_supervise_signal_group(int group, int signal);
/* Is any process of the group left? Zombies count. */
bool kiln_supervise_group_exists(int group);
/* Reap one ended descendant without waiting; false when there is none. */
bool kiln_supervise_reap(struct kiln_reaped *reaped);
/* Does this process have any child left (running or zombie)? */
bool kiln_supervise_has_children(void);
/* SIGKILL to every living descendant, found through /proc; number of processes signalled. Call again until none is
 * left. */
int kiln_supervise_kill_all(void);

#endif
