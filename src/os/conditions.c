#include "os/conditions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "os/clock.h"
#include "os/file.h"

#define UNKNOWN UINT64_MAX
#define READ_AT_MOST 1024 /* both files say what is wanted in their first lines */
#define STAT_FIELDS 8     /* user nice system idle iowait irq softirq steal */
#define STAT_STEAL 7

static bool
read_start(const char *path, char *text, size_t size)
{
  const int fd = kiln_fd_open(path, KILN_OPEN_READ);
  if (fd < 0)
    return false;
  const long got = kiln_fd_read(fd, text, size - 1);
  kiln_fd_close(fd);
  text[got > 0 ? got : 0] = '\0';
  return got > 0;
}

/* "some avg10=… avg60=… avg300=… total=123" */
static uint64_t
stall_us(const char *path)
{
  char text[READ_AT_MOST];
  uint64_t total;
  if (!read_start(path, text, sizeof text) || strncmp(text, "some ", 5) != 0)
    return UNKNOWN;
  const char *at = strstr(text, "total=");
  return at && sscanf(at, "total=%" SCNu64, &total) == 1 ? total : UNKNOWN;
}

static void
read_ticks(struct kiln_conditions_mark *mark)
{
  char text[READ_AT_MOST];
  mark->steal = mark->ticks = UNKNOWN;
  if (!read_start("/proc/stat", text, sizeof text) || strncmp(text, "cpu ", 4) != 0)
    return;
  char *at = text + 4;
  uint64_t sum = 0, steal = 0;
  for (int i = 0; i < STAT_FIELDS; i++) {
    char *end;
    const uint64_t ticks = strtoull(at, &end, 10);
    if (end == at)
      return;
    sum += ticks;
    steal = i == STAT_STEAL ? ticks : steal;
    at = end;
  }
  mark->steal = steal;
  mark->ticks = sum;
}

void
kiln_conditions_mark(struct kiln_conditions_mark *mark)
{
  mark->now_ns = kiln_clock_now();
  mark->stall_us[0] = stall_us("/proc/pressure/cpu");
  mark->stall_us[1] = stall_us("/proc/pressure/io");
  mark->stall_us[2] = stall_us("/proc/pressure/memory");
  read_ticks(mark);
}

static double
fraction(uint64_t before, uint64_t after, double whole)
{
  if (before == UNKNOWN || after == UNKNOWN || after < before || !(whole > 0))
    return -1;
  const double part = (double)(after - before) / whole;
  return part > 1 ? 1 : part; /* the kernel adds a stall to its total when the stall ends */
}

void
kiln_conditions_since(const struct kiln_conditions_mark *begin, struct kiln_conditions *conditions)
{
  struct kiln_conditions_mark end;
  double load;
  kiln_conditions_mark(&end);
  const double elapsed_us = (double)(end.now_ns - begin->now_ns) / 1e3;
  conditions->cpu_pressure = fraction(begin->stall_us[0], end.stall_us[0], elapsed_us);
  conditions->io_pressure = fraction(begin->stall_us[1], end.stall_us[1], elapsed_us);
  conditions->memory_pressure = fraction(begin->stall_us[2], end.stall_us[2], elapsed_us);
  conditions->steal = -1;
  if (begin->ticks != UNKNOWN && end.ticks != UNKNOWN && end.ticks > begin->ticks)
    conditions->steal = fraction(begin->steal, end.steal, (double)(end.ticks - begin->ticks));
  conditions->load_1m = getloadavg(&load, 1) == 1 ? load : -1;
}
