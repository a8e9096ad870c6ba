/*
 * Clocks. All in nanoseconds; safe from any thread and from signal handlers.
 */
#ifndef KILN_OS_CLOCK_H
#define KILN_OS_CLOCK_H

#include <stdint.h>

uint64_t kiln_clock_now(void);         /* CLOCK_MONOTONIC: the time of every event */
uint64_t kiln_clock_thread_cpu(void);  /* CPU time of the calling thread */
uint64_t kiln_clock_process_cpu(void); /* CPU time of the calling process, all threads */
uint64_t kiln_clock_real(void);        /* wall clock since 1970; only for dates in reports */
void kiln_clock_sleep(uint64_t ns);    /* returns early on a signal */
/* Date and time of kiln_clock_real() as "2026-11-30T08:15:02Z"; text must hold 21 bytes. */
void kiln_clock_format(uint64_t real_ns, char *text);

#endif
