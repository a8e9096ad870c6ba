#include "os/proc.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/text.h"
#include "os/file.h"

#define NS_PER_S 1000000000U

static uint64_t
to_ns(unsigned long long ticks)
{
  const long per_second = sysconf(_SC_CLK_TCK);
  return per_second > 0 ? (uint64_t)ticks * (NS_PER_S / (uint64_t)per_second) : 0;
}

/* What stands behind the name; times are fields 14 to 17. */
static bool
read_fields(const char *text, struct kiln_proc *proc)
{
  unsigned long long user, system, waited_user, waited_system;
  if (sscanf(text, " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %llu %llu", &proc->state, &proc->parent, &user,
          &system, &waited_user, &waited_system) != 6)
    return false;
  proc->waited_ns = to_ns(waited_user + waited_system);
  proc->cpu_ns = to_ns(user + system) + proc->waited_ns;
  return true;
}

bool
kiln_proc_read(int pid, struct kiln_proc *proc)
{
  char path[48], text[512];
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  int fd = kiln_fd_open(path, KILN_OPEN_READ);
  if (fd < 0)
    return false;
  long got = kiln_fd_read(fd, text, sizeof text - 1);
  kiln_fd_close(fd);
  if (got <= 0)
    return false;
  text[got] = '\0';
  /* The name in parentheses may hold anything, parentheses too; it is at most 64 bytes, so the last one is in reach. */
  const char *behind = strrchr(text, ')');
  *proc = (struct kiln_proc){.pid = pid};
  return behind && read_fields(behind + 1, proc);
}

bool
kiln_proc_each(void (*visit)(void *context, int pid), void *context)
{
  DIR *stream = opendir("/proc");
  if (!stream)
    return false;
  for (struct dirent *entry = readdir(stream); entry; entry = readdir(stream)) {
    uint64_t pid;
    if (kiln_text_parse_uint(entry->d_name, &pid) && pid > 0 && pid <= INT32_MAX)
      visit(context, (int)pid);
  }
  closedir(stream);
  return true;
}

bool
kiln_proc_ended(const struct kiln_proc *proc)
{
  return proc->state == 'Z' || proc->state == 'X' || proc->state == 'x';
}

struct table {
  struct table_entry {
    struct kiln_proc proc;
    bool descendant;
  } * entries;
  size_t count, capacity;
};

static void
table_add(void *context, int pid)
{
  struct table *table = context;
  struct kiln_proc proc;
  if (kiln_proc_read(pid, &proc) && KILN_GROW(table->entries, table->count, table->capacity))
    table->entries[table->count++] = (struct table_entry){.proc = proc};
}

static int
compare_pids(const void *a, const void *b)
{
  const struct table_entry *left = a, *right = b;
  return (left->proc.pid > right->proc.pid) - (left->proc.pid < right->proc.pid);
}

/* Mark whose parent is the root or is marked; true when something new was marked. */
static bool
mark_children(struct table *table, int root)
{
  bool changed = false;
  for (size_t i = 0; i < table->count; i++) {
    struct table_entry *entry = &table->entries[i], key = {.proc.pid = entry->proc.parent};
    if (entry->descendant)
      continue;
    const struct table_entry *parent = bsearch(&key, table->entries, table->count, sizeof key, compare_pids);
    if (entry->proc.parent != root && !(parent && parent->descendant))
      continue;
    entry->descendant = true;
    changed = true;
  }
  return changed;
}

void
kiln_proc_descendants(int root, void (*visit)(void *context, const struct kiln_proc *proc), void *context)
{
  struct table table = {0};
  kiln_proc_each(table_add, &table);
  if (table.count > 0)
    qsort(table.entries, table.count, sizeof *table.entries, compare_pids);
  while (mark_children(&table, root))
    ;
  for (size_t i = 0; i < table.count; i++)
    if (table.entries[i].descendant)
      visit(context, &table.entries[i].proc);
  free(table.entries);
}

static void
add_cpu(void *context, const struct kiln_proc *proc)
{
  *(uint64_t *)context += proc->cpu_ns;
}

uint64_t
kiln_proc_tree_cpu(int root)
{
  struct kiln_proc proc;
  uint64_t sum = kiln_proc_read(root, &proc) ? proc.waited_ns : 0;
  kiln_proc_descendants(root, add_cpu, &sum);
  return sum;
}
