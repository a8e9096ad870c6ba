/*
 * The system's process table (/proc), for the few questions that no system call answers.
 */
#ifndef KILN_OS_PROC_H
#define KILN_OS_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kiln_proc {
  int pid, parent;
  uint64_t cpu_ns;    /* its own and of the children it waited for; in steps of the system's tick, 10 ms */
  uint64_t waited_ns; /* the part of it that belongs to the children */
  char state;         /* as in /proc/<pid>/stat: 'R', 'S', … 'Z' zombie, 'X' dead */
};

/* One process; false when it is gone or cannot be read. */
bool kiln_proc_read(int pid, struct kiln_proc *proc);
/* Call visit for every process of the table; false when there is no table. */
bool kiln_proc_each(void (*visit)(void *context, int pid), void *context);
/* Call visit for every descendant of `root` (without it) that the table shows now, in order of pids. */
void kiln_proc_descendants(int root, void (*visit)(void *context, const struct kiln_proc *proc), void *context);
/* CPU time of everything below `root`: its living descendants and those that were waited for. */
uint64_t kiln_proc_tree_cpu(int root);
/* Has it ended already (a zombie waits only for its parent)? */
bool kiln_proc_ended(const struct kiln_proc *proc);

#endif
