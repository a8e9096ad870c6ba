#include "os/cgroup.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "os/file.h"

#define LINE_SIZE 512
#define MEMBERSHIP_SIZE 8192
#define STATISTICS_SIZE 4096
/* Version 1 writes "no limit" as the largest multiple of a page. */
#define NO_LIMIT_V1 (UINT64_C(1) << 62)

struct reading {
  const char *root;
  struct kiln_cgroup *cgroup;
  struct kiln_error *error;
  enum kiln_status status;
};

static bool
read_text(const char *path, char *text, size_t size)
{
  const int fd = kiln_fd_open(path, KILN_OPEN_READ);
  size_t len = 0;
  long got = 0;
  if (fd < 0)
    return false;
  while (len + 1 < size && (got = kiln_fd_read(fd, text + len, size - 1 - len)) > 0)
    len += (size_t)got;
  kiln_fd_close(fd);
  text[len] = '\0';
  return got >= 0;
}

/* One line of a group's file into text, its path into path; false when it is not there. */
static bool
read_line(const char *folder, const char *name, char path[KILN_CGROUP_FILE], char text[LINE_SIZE])
{
  const int len = snprintf(path, KILN_CGROUP_FILE, "%s/%s", folder, name);
  if (len < 0 || len >= KILN_CGROUP_FILE || !read_text(path, text, LINE_SIZE))
    return false;
  text[strcspn(text, "\n")] = '\0';
  return true;
}

/* The first malformed value is the one that is told. */
static void
refuse(struct reading *reading, const char *path, const char *text, const char *wanted)
{
  if (reading->status != KILN_OK)
    return;
  reading->status = KILN_ERROR_ENVIRONMENT;
  kiln_error_set(reading->error, KILN_ERROR_ENVIRONMENT, "the limit '%.60s' in '%s' is not %s", text, path, wanted);
  kiln_error_advise(
      reading->error, "Correct that control group, or say by KILN_JOBS and KILN_MEMORY what builds may use.");
}

/* false: no limit, or not one. */
static bool
parse_bytes(struct reading *reading, const char *path, const char *text, uint64_t *value)
{
  if (strcmp(text, "max") == 0)
    return false;
  if (!kiln_text_parse_uint(text, value)) {
    refuse(reading, path, text, "a number or max");
    return false;
  }
  return *value < NO_LIMIT_V1;
}

static void
take_memory(struct reading *reading, const char *folder, const char *name, int version)
{
  char path[KILN_CGROUP_FILE], text[LINE_SIZE];
  struct kiln_cgroup *cgroup = reading->cgroup;
  uint64_t bytes;
  if (!read_line(folder, name, path, text) || !parse_bytes(reading, path, text, &bytes))
    return;
  if (bytes < cgroup->memory_bytes) {
    cgroup->memory_bytes = bytes;
    memcpy(cgroup->memory_file, path, sizeof cgroup->memory_file);
  }
  if (cgroup->limited_count == KILN_CGROUP_GROUPS)
    return;
  struct kiln_cgroup_memory *limited = &cgroup->limited[cgroup->limited_count++];
  *limited = (struct kiln_cgroup_memory){.version = version, .bytes = bytes};
  snprintf(limited->folder, sizeof limited->folder, "%s", folder);
}

static void
take_processes(struct reading *reading, const char *folder)
{
  char path[KILN_CGROUP_FILE], text[LINE_SIZE];
  uint64_t count;
  if (read_line(folder, "pids.max", path, text) && parse_bytes(reading, path, text, &count) &&
      count < reading->cgroup->processes)
    reading->cgroup->processes = count;
}

static void
take_quota(struct reading *reading, const char *path, const char *text, const char *quota, const char *period)
{
  uint64_t time, of;
  struct kiln_cgroup *cgroup = reading->cgroup;
  if (!kiln_text_parse_uint(quota, &time) || !kiln_text_parse_uint(period, &of) || time == 0 || of == 0) {
    refuse(reading, path, text, "a quota and a period in microseconds");
    return;
  }
  const double cpus = (double)time / (double)of;
  if (cgroup->cpus <= 0 || cpus < cgroup->cpus) {
    cgroup->cpus = cpus;
    memcpy(cgroup->cpus_file, path, sizeof cgroup->cpus_file);
  }
}

/* "max 100000" or "300000 100000". */
static void
take_quota_v2(struct reading *reading, const char *folder)
{
  char path[KILN_CGROUP_FILE], text[LINE_SIZE], quota[LINE_SIZE];
  if (!read_line(folder, "cpu.max", path, text))
    return;
  memcpy(quota, text, sizeof quota);
  char *period = strchr(quota, ' ');
  if (period)
    *period++ = '\0';
  if (strcmp(quota, "max") != 0)
    take_quota(reading, path, text, quota, period ? period : "100000");
}

/* A quota of -1 is none. */
static void
take_quota_v1(struct reading *reading, const char *folder)
{
  char path[KILN_CGROUP_FILE], quota[LINE_SIZE], period[LINE_SIZE];
  if (read_line(folder, "cpu.cfs_period_us", path, period) && read_line(folder, "cpu.cfs_quota_us", path, quota) &&
      strcmp(quota, "-1") != 0)
    take_quota(reading, path, quota, quota, period);
}

/* ---- the ways up ---- */

static void
read_v2(struct reading *reading, const char *folder)
{
  take_memory(reading, folder, "memory.max", 2);
  take_memory(reading, folder, "memory.high", 2);
  take_processes(reading, folder);
  take_quota_v2(reading, folder);
}

static void
read_memory_v1(struct reading *reading, const char *folder)
{
  take_memory(reading, folder, "memory.limit_in_bytes", 1);
}

/* From the group to the top of this hierarchy. In a container the upper part of the path may not exist here: then the
 * top itself is the container's own group. */
static void
climb(struct reading *reading, const char *mount, const char *path, void (*take)(struct reading *, const char *folder))
{
  char group[LINE_SIZE], folder[KILN_CGROUP_FILE];
  snprintf(group, sizeof group, "%s", strcmp(path, "/") == 0 || strstr(path, "/..") ? "" : path);
  for (;;) {
    const int len = snprintf(folder, sizeof folder, "%s/sys/fs/cgroup%s%s", reading->root, mount, group);
    if (len > 0 && (size_t)len < sizeof folder)
      take(reading, folder);
    char *slash = strrchr(group, '/');
    if (!slash)
      return;
    *slash = '\0';
  }
}

static bool
has_controller(const char *list, const char *name)
{
  const size_t len = strlen(name);
  for (const char *at = list; *at; at += *at == ',') {
    const size_t word = strcspn(at, ",");
    if (word == len && memcmp(at, name, len) == 0)
      return true;
    at += word;
  }
  return false;
}

static void
name_group(struct kiln_cgroup *cgroup, int version, const char *path)
{
  cgroup->version = version;
  snprintf(cgroup->path, sizeof cgroup->path, "%s", strcmp(path, "/") == 0 ? "" : path);
}

/* "<number>:<controllers>:<path>"; version 2 has no controllers. */
static void
take_membership(struct reading *reading, char *line)
{
  char *controllers = strchr(line, ':');
  char *path = controllers ? strchr(controllers + 1, ':') : NULL;
  if (!path)
    return;
  *controllers++ = '\0';
  *path++ = '\0';
  if (*controllers == '\0') {
    climb(reading, "", path, read_v2);
    climb(reading, "/unified", path, read_v2);
    if (reading->cgroup->version != 1)
      name_group(reading->cgroup, 2, path);
  }
  if (has_controller(controllers, "memory")) {
    climb(reading, "/memory", path, read_memory_v1);
    name_group(reading->cgroup, 1, path);
  }
  if (has_controller(controllers, "pids"))
    climb(reading, "/pids", path, take_processes);
  if (has_controller(controllers, "cpu")) {
    climb(reading, "/cpu", path, take_quota_v1);
    climb(reading, "/cpu,cpuacct", path, take_quota_v1);
    if (reading->cgroup->version == 0)
      name_group(reading->cgroup, 1, path);
  }
}

enum kiln_status
kiln_cgroup_read(const char *root, struct kiln_cgroup *cgroup, struct kiln_error *error)
{
  char path[KILN_CGROUP_FILE], text[MEMBERSHIP_SIZE];
  struct reading reading = {.root = root, .cgroup = cgroup, .error = error, .status = KILN_OK};
  *cgroup = (struct kiln_cgroup){.memory_bytes = KILN_UNLIMITED, .processes = KILN_UNLIMITED};
  const int len = snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
  if (len < 0 || (size_t)len >= sizeof path || !read_text(path, text, sizeof text))
    return KILN_OK;
  for (char *line = text; *line;) {
    char *end = line + strcspn(line, "\n");
    char *next = end + (*end == '\n');
    *end = '\0';
    take_membership(&reading, line);
    line = next;
  }
  return reading.status;
}

/* ---- what is left ---- */

/* A line "<name> <number>" of memory.stat; 0 when there is none. */
static uint64_t
statistic(const char *text, const char *name)
{
  const size_t len = strlen(name);
  while (*text) {
    if (strncmp(text, name, len) == 0 && text[len] == ' ')
      return strtoull(text + len + 1, NULL, 10);
    text += strcspn(text, "\n");
    text += *text == '\n';
  }
  return 0;
}

static uint64_t
left_in(const struct kiln_cgroup_memory *group)
{
  char path[KILN_CGROUP_FILE], text[LINE_SIZE], statistics[STATISTICS_SIZE];
  uint64_t used;
  if (!read_line(group->folder, group->version == 2 ? "memory.current" : "memory.usage_in_bytes", path, text) ||
      !kiln_text_parse_uint(text, &used))
    return group->bytes;
  const int len = snprintf(path, sizeof path, "%s/memory.stat", group->folder);
  if (len > 0 && (size_t)len < sizeof path && read_text(path, statistics, sizeof statistics)) {
    const uint64_t cache = statistic(statistics, group->version == 2 ? "inactive_file" : "total_inactive_file");
    used = used > cache ? used - cache : 0;
  }
  return group->bytes > used ? group->bytes - used : 0;
}

uint64_t
kiln_cgroup_memory_left(const struct kiln_cgroup *cgroup)
{
  uint64_t least = KILN_UNLIMITED;
  for (size_t i = 0; i < cgroup->limited_count; i++) {
    const uint64_t left = left_in(&cgroup->limited[i]);
    least = left < least ? left : least;
  }
  return least;
}
