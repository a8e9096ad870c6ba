/*
 * What else the machine did while something was measured: load, pressure (PSI), stolen time. Shown, never decided by.
 */
#ifndef KILN_OS_CONDITIONS_H
#define KILN_OS_CONDITIONS_H

#include <stdint.h>

/* Counters at one moment; what the system does not tell is UINT64_MAX. */
struct kiln_conditions_mark {
  uint64_t now_ns;
  uint64_t stall_us[3];  /* some task waited for CPU, IO, memory */
  uint64_t steal, ticks; /* taken by the hypervisor, and all of it; clock ticks over all processors */
};

/* Between two marks, as fractions of the time; negative when not known. */
struct kiln_conditions {
  double load_1m; /* at the end */
  double cpu_pressure, io_pressure, memory_pressure;
  double steal;
};

/* Read the counters now. */
void kiln_conditions_mark(struct kiln_conditions_mark *mark);
/* What happened since `begin`. */
void kiln_conditions_since(const struct kiln_conditions_mark *begin, struct kiln_conditions *conditions);

#endif
