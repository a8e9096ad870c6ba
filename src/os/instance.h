/*
 * Which process this is, told apart from every other that ever had its number: host, boot, number and start.
 */
#ifndef KILN_OS_INSTANCE_H
#define KILN_OS_INSTANCE_H

#include <stdint.h>

struct kiln_instance {
  char host[128];
  char boot[40]; /* id of this start of the kernel; "" where the system has none */
  int pid;
  uint64_t start; /* of the process, clock ticks since the boot; 0 when unknown */
};
enum kiln_instance_state { KILN_INSTANCE_RUNNING, KILN_INSTANCE_ENDED, KILN_INSTANCE_ELSEWHERE };

/* The calling process. Never fails: what the system does not tell stays empty. */
void kiln_instance_self(struct kiln_instance *instance);
/* ELSEWHERE: on another host or boot, so nothing is known. A process of another container may look ENDED. */
enum kiln_instance_state kiln_instance_state(const struct kiln_instance *instance);

#endif
