/*
 * How much work this machine can carry: processors and memory as the hardware, the affinity of this process and its
 * control groups leave them.
 */
#ifndef KILN_OS_CAPACITY_H
#define KILN_OS_CAPACITY_H

#include "os/cgroup.h"

struct kiln_capacity {
  double processors; /* at least a part of one; a quota may not be whole */
  char processors_source[KILN_CGROUP_FILE];
  uint64_t memory_bytes; /* KILN_UNLIMITED when nothing says */
  char memory_source[KILN_CGROUP_FILE];
  struct kiln_cgroup cgroup;
};

/* root is put in front of /proc and /sys; "" means this machine, whose affinity counts too. KILN_ERROR_ENVIRONMENT
 * quotes a value that is malformed. */
enum kiln_status kiln_capacity_read(const char *root, struct kiln_capacity *capacity, struct kiln_error *error);
/* Memory that could be taken now without swapping, for processes in the groups of `capacity`. KILN_UNLIMITED when
 * nothing says. */
uint64_t kiln_capacity_available(const char *root, const struct kiln_capacity *capacity);

#endif
