/*
 * What a command costs with all that it starts, in CPU time; and what starting one costs.
 *
 * usage: proc.cost COMMAND…             runs it; milliseconds of CPU of the whole tree to stderr
 *        proc.cost --spawn MEGABYTES   first-quartile microseconds to start and end /bin/true with so much memory in
 * use, by the way that kiln starts compilers; nothing is printed when the memory is not there
 */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "os/process.h"

#define STARTS 101
#define MEGABYTE ((size_t)1 << 20)

extern char **environ;

static double
ms_of(const struct rusage *usage)
{
  return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1e3 +
         (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1e3;
}

static int
run(char **argv)
{
  pid_t pid;
  if (posix_spawn(&pid, argv[0], NULL, NULL, argv, environ) != 0)
    return 2;
  int status;
  struct rusage tree;
  if (wait4(pid, &status, 0, &tree) != pid)
    return 2;
  fprintf(stderr, "%.3f\n", ms_of(&tree));
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static int
compare(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double
now_us(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static int
spawn(size_t megabytes)
{
  if (megabytes > 0) {
    size_t free_mb = (size_t)sysconf(_SC_AVPHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE) / MEGABYTE;
    if (free_mb < megabytes + 512)
      return 0;
    char *memory = mmap(NULL, megabytes * MEGABYTE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      return 0;
    madvise(memory, megabytes * MEGABYTE, MADV_NOHUGEPAGE);
    for (size_t at = 0; at < megabytes * MEGABYTE; at += 4096)
      memory[at] = 1;
  }
  static double took[STARTS];
  for (int i = 0; i < STARTS; i++) {
    char *argv[] = {"true", NULL};
    struct kiln_spawn_options options = {.program = "/bin/true", .argv = argv, .environment = environ, .stdin_fd = -1};
    struct kiln_exit result;
    int pid;
    double begin = now_us();
    if (kiln_process_spawn(&options, &pid, NULL) != KILN_OK || !kiln_process_wait(pid, -1, &result))
      return 2;
    took[i] = now_us() - begin;
  }
  qsort(took, STARTS, sizeof *took, compare);
  printf("%.0f\n", took[STARTS / 4]);
  return 0;
}

int
main(int argc, char **argv)
{
  if (argc >= 3 && strcmp(argv[1], "--spawn") == 0)
    return spawn(strtoul(argv[2], NULL, 10));
  return argc >= 2 ? run(argv + 1) : 2;
}
