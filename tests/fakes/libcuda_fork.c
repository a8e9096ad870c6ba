/*
 * A CUDA driver that shows no GPU and does not bear a fork: a child of a process that has called cuInit is ended by
 * SIGSEGV, as happens in compilers under the real one. KILN_FAKE_LOG names a file: a line for each start and each such
 * fork. README.md is its manual.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NOT_INITIALIZED = 3, NO_DEVICE = 100, VERSION = 13000 };

int cuInit(unsigned flags);
int cuDriverGetVersion(int *version);
int cuGetProcAddress(const char *symbol, void **function, int version, unsigned long long flags);

static void
say(const char *what)
{
  const char *path = getenv("KILN_FAKE_LOG");
  const int fd = path && *path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
  if (fd >= 0) {
    dprintf(fd, "%s %d\n", what, (int)getpid());
    close(fd);
  }
}

static void
in_child(void)
{
  say("forked");
  raise(SIGSEGV);
}

int
cuInit(unsigned flags)
{
  static int started;
  (void)flags;
  if (!started)
    pthread_atfork(NULL, NULL, in_child);
  started = 1;
  say("cuInit");
  return NO_DEVICE;
}

int
cuDriverGetVersion(int *version)
{
  *version = VERSION;
  return 0;
}

static int
refuse(void)
{
  return NOT_INITIALIZED;
}

/* In fact with a fifth argument, where it may say what it found; nobody who opens this driver reads that. */
int
cuGetProcAddress(const char *symbol, void **function, int version, unsigned long long flags)
{
  void (*found)(void) = (void (*)(void))refuse;
  (void)version;
  (void)flags;
  if (strcmp(symbol, "cuInit") == 0)
    found = (void (*)(void))cuInit;
  else if (strcmp(symbol, "cuDriverGetVersion") == 0)
    found = (void (*)(void))cuDriverGetVersion;
  memcpy(function, &found, sizeof *function);
  return 0;
}
