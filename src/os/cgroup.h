/*
 * The control groups around this process and what they limit: versions 1 and 2, and both at once.
 *
 * A limit of any group on the way up counts, so the smallest one is the answer; a group without a limit inside one that
 * has a limit is the usual case in containers. What is malformed is an error that quotes it, never "no limit".
 */
#ifndef KILN_OS_CGROUP_H
#define KILN_OS_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kiln/error.h"

#define KILN_UNLIMITED UINT64_MAX
#define KILN_CGROUP_FILE 512 /* bytes of a path; longer ones are passed over */
#define KILN_CGROUP_GROUPS 8

/* A group that limits memory. */
struct kiln_cgroup_memory {
  char folder[KILN_CGROUP_FILE];
  int version;
  uint64_t bytes;
};

struct kiln_cgroup {
  int version;           /* of the group that `path` names: 2, 1; 0: none is visible */
  uint64_t memory_bytes; /* the smallest limit on the way up; KILN_UNLIMITED */
  double cpus;           /* the smallest quota in processors; 0: none */
  uint64_t processes;    /* KILN_UNLIMITED */
  char path[256];        /* of the group, "" when unknown or the root */
  char memory_file[KILN_CGROUP_FILE], cpus_file[KILN_CGROUP_FILE]; /* which file says so; "": none */
  struct kiln_cgroup_memory limited[KILN_CGROUP_GROUPS];           /* nearest first */
  size_t limited_count;
};

/* Read /proc/self/cgroup and the groups below /sys/fs/cgroup. root is put in front of both: "" for this machine.
 * *cgroup is always set: a value that is malformed counts as no limit there, and as KILN_ERROR_ENVIRONMENT here. */
enum kiln_status kiln_cgroup_read(const char *root, struct kiln_cgroup *cgroup, struct kiln_error *error);
/* Bytes that the fullest of the limiting groups has left now; file cache that can be dropped counts as free.
 * KILN_UNLIMITED when no group limits memory. */
uint64_t kiln_cgroup_memory_left(const struct kiln_cgroup *cgroup);

#endif
