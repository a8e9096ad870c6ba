/*
 * Facts about the machine for the report's environment block. Nothing here identifies a person or a network.
 */
#ifndef KILN_OS_HOST_H
#define KILN_OS_HOST_H

#include <stdint.h>

struct kiln_host {
  char cpu[128];    /* model name, "" when unknown */
  char kernel[128]; /* name and release */
  char system[128]; /* PRETTY_NAME of os-release */
  int cores;        /* usable by this process */
  uint64_t memory_bytes;
  double load_1m; /* load average of the last minute, -1 when unknown */
};
void kiln_host_read(struct kiln_host *host);

#endif
