/*
 * Commands that behave badly.
 *
 *   daemon FILE   leave a process behind that forked twice, has a session of its own, holds no pipe and ignores what
 * can be ignored; its pid is in FILE before this program ends hold FILE     leave a child behind that keeps the output
 * pipes open; its pid is in FILE tree FILE     a child and a grandchild that wait for ever; three pids in FILE, one a
 * line flood BYTES   print so many bytes in lines of 64; exit status 9 if a write is refused spam FILE     leave a
 * child behind that never stops printing forks FILE    leave a chain behind in which every process forks its successor
 * and ends, for ever signals       print the numbers of the signals that are ignored or blocked descriptors   print the
 * numbers of the open descriptors above 2
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void
note(const char *path)
{
  char line[16];
  const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const int len = snprintf(line, sizeof line, "%d\n", (int)getpid());
  if (fd < 0 || write(fd, line, (size_t)len) != len)
    _exit(3);
  close(fd);
}

/* Wait until FILE holds `lines` lines, so that a test can rely on it. */
static void
await(const char *path, int lines)
{
  for (int seen = 0; seen < lines; usleep(1000)) {
    char text[256];
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const long len = fd < 0 ? 0 : (long)read(fd, text, sizeof text);
    seen = 0;
    for (long i = 0; i < len; i++)
      seen += text[i] == '\n';
    if (fd >= 0)
      close(fd);
  }
}

static void
sleep_for_ever(void)
{
  for (;;)
    pause();
}

static int
leave_daemon(const char *path)
{
  if (fork() == 0) {
    setsid();
    if (fork() != 0)
      _exit(0);
    for (int number = 1; number < 32; number++)
      signal(number, SIG_IGN);
    for (int fd = 0; fd < 64; fd++)
      close(fd);
    note(path);
    sleep_for_ever();
  }
  await(path, 1);
  return 0;
}

static int
leave_holder(const char *path)
{
  if (fork() == 0) {
    note(path);
    sleep_for_ever();
  }
  await(path, 1);
  return 0;
}

static int
wait_as_tree(const char *path)
{
  note(path);
  if (fork() == 0) {
    note(path);
    if (fork() == 0)
      note(path);
    sleep_for_ever();
  }
  sleep_for_ever();
  return 0;
}

static int
flood(const char *amount)
{
  static char block[65536];
  for (size_t i = 0; i < sizeof block; i++)
    block[i] = i % 64 == 63 ? '\n' : 'x';
  for (unsigned long long left = strtoull(amount, NULL, 10); left > 0;) {
    const size_t len = left < sizeof block ? (size_t)left : sizeof block;
    const long done = (long)write(1, block, len);
    if (done <= 0)
      return 9;
    left -= (unsigned long long)done;
  }
  return 0;
}

static int
burst(const char *amount)
{
  const size_t len = strtoul(amount, NULL, 10);
  char *block = calloc(1, len);
  fcntl(1, F_SETPIPE_SZ, (int)len);
  _exit(block != NULL && write(1, block, len) == (long)len ? 0 : 9);
}

static int
leave_spammer(const char *path)
{
  if (fork() == 0) {
    note(path);
    while (write(1, "spam\n", 5) > 0)
      continue;
    sleep_for_ever();
  }
  await(path, 1);
  return 0;
}

static int
leave_chain(const char *path)
{
  if (fork() == 0) {
    setsid();
    note(path);
    for (;;)
      if (fork() != 0)
        _exit(0);
  }
  await(path, 1);
  return 0;
}

static int
print_signals(void)
{
  sigset_t blocked;
  sigprocmask(SIG_BLOCK, NULL, &blocked);
  for (int number = 1; number < 32; number++) {
    struct sigaction action;
    if ((sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN) || sigismember(&blocked, number) == 1)
      printf("%d\n", number);
  }
  return 0;
}

static int
print_descriptors(void)
{
  for (int fd = 3; fd < 256; fd++)
    if (fcntl(fd, F_GETFD) != -1)
      printf("%d\n", fd);
  return 0;
}

int
main(int argc, char **argv)
{
  static const struct {
    const char *name;
    int (*run)(const char *);
  } modes[] = {{"daemon", leave_daemon}, {"hold", leave_holder}, {"tree", wait_as_tree}, {"flood", flood},
      {"burst", burst}, {"spam", leave_spammer}, {"forks", leave_chain}};
  if (argc == 2 && strcmp(argv[1], "signals") == 0)
    return print_signals();
  if (argc == 2 && strcmp(argv[1], "descriptors") == 0)
    return print_descriptors();
  for (size_t i = 0; argc == 3 && i < sizeof modes / sizeof *modes; i++)
    if (strcmp(argv[1], modes[i].name) == 0)
      return modes[i].run(argv[2]);
  return 2;
}
