/*
 * The system's process table (/proc), for the few questions that no system call answers.
 */
#ifndef KILN_OS_PROC_H
#define KILN_OS_PROC_H

#include <stdbool.h>
#include <stddef.h>

struct kiln_proc {
  int pid, parent;
  char state; /* as in /proc/<pid>/stat: 'R', 'S', … 'Z' zombie, 'X' dead */
};

/* One process; false when it is gone or cannot be read. */
bool kiln_proc_read(int pid, struct kiln_proc *proc);
/* Call visit for every process of the table; false when there is no table. */
bool kiln_proc_each(void (*visit)(void *context, int pid), void *context);
/* Has it ended already (a zombie waits only for its parent)? */
bool kiln_proc_ended(const struct kiln_proc *proc);

#endif
