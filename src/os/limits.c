#include "os/limits.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>

#include "base/text.h"
#include "os/file.h"

#define GROUPS "/sys/fs/cgroup"
#define LINE_SIZE 512
/* Version 1 writes "no limit" as the largest multiple of a page. */
#define NO_LIMIT_V1 (UINT64_C(1) << 62)

static uint64_t
soft(int resource)
{
  struct rlimit limit;
  if (getrlimit((__rlimit_resource_t)resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return KILN_UNLIMITED;
  return (uint64_t)limit.rlim_cur;
}

void
kiln_rlimits_read(struct kiln_rlimits *limits)
{
  *limits = (struct kiln_rlimits){.open_files = soft(RLIMIT_NOFILE),
      .processes = soft(RLIMIT_NPROC),
      .file_bytes = soft(RLIMIT_FSIZE),
      .address_space_bytes = soft(RLIMIT_AS),
      .core_bytes = soft(RLIMIT_CORE),
      .locked_bytes = soft(RLIMIT_MEMLOCK)};
}

bool
kiln_kernel_setting(const char *path, char *text, unsigned long size)
{
  const int fd = kiln_fd_open(path, KILN_OPEN_READ);
  if (fd < 0)
    return false;
  const long got = kiln_fd_read(fd, text, size - 1);
  kiln_fd_close(fd);
  text[got > 0 ? got : 0] = '\0';
  text[strcspn(text, "\n")] = '\0';
  return got > 0;
}

/* A file of one group; false when it is not there. */
static bool
group_file(const char *root, const char *group, const char *name, char *text, size_t size)
{
  char path[LINE_SIZE];
  const int len = snprintf(path, sizeof path, "%s%s/%s", root, group, name);
  return len > 0 && (size_t)len < sizeof path && kiln_kernel_setting(path, text, size);
}

static void
take_smaller(uint64_t *least, const char *text)
{
  uint64_t value;
  if (kiln_text_parse_uint(text, &value) && value < NO_LIMIT_V1 && value < *least)
    *least = value;
}

static void
take_quota(double *cpus, double quota, double period)
{
  if (quota > 0 && period > 0 && (*cpus <= 0 || quota / period < *cpus))
    *cpus = quota / period;
}

static void
read_v2(struct kiln_cgroup *cgroup, const char *group)
{
  char text[LINE_SIZE];
  double quota, period;
  if (group_file(GROUPS, group, "memory.max", text, sizeof text))
    take_smaller(&cgroup->memory_bytes, text);
  if (group_file(GROUPS, group, "pids.max", text, sizeof text))
    take_smaller(&cgroup->processes, text);
  if (group_file(GROUPS, group, "cpu.max", text, sizeof text) && sscanf(text, "%lf %lf", &quota, &period) == 2)
    take_quota(&cgroup->cpus, quota, period);
}

static void
read_v1(struct kiln_cgroup *cgroup, const char *group)
{
  char quota[LINE_SIZE], period[LINE_SIZE], text[LINE_SIZE];
  if (group_file(GROUPS "/memory", group, "memory.limit_in_bytes", text, sizeof text))
    take_smaller(&cgroup->memory_bytes, text);
  if (group_file(GROUPS "/pids", group, "pids.max", text, sizeof text))
    take_smaller(&cgroup->processes, text);
  if (group_file(GROUPS "/cpu", group, "cpu.cfs_quota_us", quota, sizeof quota) &&
      group_file(GROUPS "/cpu", group, "cpu.cfs_period_us", period, sizeof period))
    take_quota(&cgroup->cpus, strtod(quota, NULL), strtod(period, NULL));
}

/* Limits of the groups around count too. */
static void
read_upwards(struct kiln_cgroup *cgroup, void (*read)(struct kiln_cgroup *cgroup, const char *group))
{
  char group[sizeof cgroup->path];
  memcpy(group, cgroup->path, sizeof group);
  for (;;) {
    char *slash = strrchr(group, '/');
    read(cgroup, group);
    if (!slash)
      return;
    *slash = '\0';
  }
}

void
kiln_cgroup_read(struct kiln_cgroup *cgroup)
{
  char line[LINE_SIZE];
  FILE *file = fopen("/proc/self/cgroup", "re");
  *cgroup = (struct kiln_cgroup){.memory_bytes = KILN_UNLIMITED, .processes = KILN_UNLIMITED};
  while (file && fgets(line, sizeof line, file)) {
    char *path = strchr(line, ':');
    path = path ? strchr(path + 1, ':') : NULL;
    if (!path)
      continue;
    line[strcspn(line, "\n")] = '\0';
    const bool unified = strncmp(line, "0::", 3) == 0;
    if (!unified && !strstr(line, "memory"))
      continue;
    cgroup->version = unified && cgroup->version != 1 ? 2 : 1;
    snprintf(cgroup->path, sizeof cgroup->path, "%.255s", strcmp(path + 1, "/") == 0 ? "" : path + 1);
  }
  if (file)
    fclose(file);
  if (cgroup->version > 0)
    read_upwards(cgroup, cgroup->version == 2 ? read_v2 : read_v1);
}

bool
kiln_process_is_elevated(void)
{
  return getauxval(AT_SECURE) != 0;
}

bool
kiln_cuda_driver(char *version, unsigned long size)
{
  int (*ask)(int *) = NULL;
  int number = 0;
  version[0] = '\0';
  void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (!library)
    return false;
  void *symbol = dlsym(library, "cuDriverGetVersion");
  memcpy(&ask, &symbol, sizeof symbol);
  if (ask && ask(&number) == 0)
    snprintf(version, size, "%d.%d", number / 1000, number % 1000 / 10);
  return true; /* stays open: it has threads of its own */
}
