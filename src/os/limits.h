/*
 * What limits the processes that this one starts: resource limits, kernel settings; control groups are in os/cgroup.h.
 */
#ifndef KILN_OS_LIMITS_H
#define KILN_OS_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

#include "os/cgroup.h"

/* Soft resource limits, KILN_UNLIMITED where there is none. */
struct kiln_rlimits {
  uint64_t open_files, processes, file_bytes, address_space_bytes, core_bytes, locked_bytes;
};
void kiln_rlimits_read(struct kiln_rlimits *limits);

/* First line of a setting of the kernel such as "/proc/sys/kernel/pid_max" into text (cut); false when it cannot be
 * read. */
bool kiln_kernel_setting(const char *path, char *text, unsigned long size);
/* Does this process run with more rights than its user, so that its own LD_PRELOAD was ignored? */
bool kiln_process_is_elevated(void);
/* The NVIDIA driver: is its library there, and the version of CUDA that it speaks ("12.4"; "" when it does not say).
 * No device is touched. */
bool kiln_cuda_driver(char *version, unsigned long size);

#endif
