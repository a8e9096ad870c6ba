#include "os/clock.h"

#include <time.h>

#define NS_PER_S 1000000000U

static uint64_t
read_clock(clockid_t id)
{
  struct timespec at;
  if (clock_gettime(id, &at) != 0)
    return 0;
  return (uint64_t)at.tv_sec * NS_PER_S + (uint64_t)at.tv_nsec;
}

uint64_t
kiln_clock_now(void)
{
  return read_clock(CLOCK_MONOTONIC);
}

uint64_t
kiln_clock_thread_cpu(void)
{
  return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t
kiln_clock_process_cpu(void)
{
  return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

uint64_t
kiln_clock_real(void)
{
  return read_clock(CLOCK_REALTIME);
}

void
kiln_clock_sleep(uint64_t ns)
{
  struct timespec wait = {.tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S)};
  nanosleep(&wait, NULL);
}

void
kiln_clock_format(uint64_t real_ns, char *text)
{
  time_t seconds = (time_t)(real_ns / NS_PER_S);
  struct tm date;
  text[0] = '\0';
  if (gmtime_r(&seconds, &date))
    strftime(text, 21, "%Y-%m-%dT%H:%M:%SZ", &date);
}
