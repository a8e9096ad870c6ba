/*
 * A herd: the same command many times at once behind a barrier, some of them killed at a random moment.
 *
 * usage: proc.herd [OPTION…] -- COMMAND…      "{i}" in a word of COMMAND becomes the number of the process
 *   --processes N     how many (default 8)
 *   --out FOLDER      standard output of process i goes to FOLDER/i.out, errors to FOLDER/i.err; ROUND as below
 *   --barrier FILE    they start together (see loader.c); FILE is made here
 *   --kill SEED MS    one of them gets SIGKILL within MS milliseconds after the start
 *   --rounds N        so often; ROUND in a word of COMMAND becomes the number of the round; the seed counts up
 *   --timeout S       longer is a hang (default 120)
 *
 * Every descendant becomes a child of this process when its parent dies, so that none can hide. Prints
 * "ended=N failed=N killed=N hung=N left=N": exit status 0, other ends, killed by us, killed after the time limit, and
 * descendants that were still alive five seconds after the last member of the herd. Exit status: 0 unless hung or left.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_PROCESSES 512
#define MAX_WORDS 600
#define GRACE_MS 5000

extern char **environ;

struct herd {
  const char *out, *barrier;
  int processes, rounds, timeout_s, window_ms;
  unsigned seed;
  bool kill;
  char **command;
  pid_t pids[MAX_PROCESSES];
  int alive, ended, failed, killed, hung, left;
};

static double
now_ms(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static unsigned
draw(unsigned *state, unsigned below)
{
  *state = *state * 1664525u + 1013904223u;
  return (*state >> 8) % below;
}

/* `word` with {i} and ROUND replaced; never freed: the program is short. */
static char *
fill(const char *word, int i, int round)
{
  char *text = malloc(strlen(word) + 64), *end = text;
  for (const char *at = word; *at;) {
    if (strncmp(at, "{i}", 3) == 0) {
      end += sprintf(end, "%d", i);
      at += 3;
    } else if (strncmp(at, "ROUND", 5) == 0) {
      end += sprintf(end, "%d", round);
      at += 5;
    } else
      *end++ = *at++;
  }
  *end = '\0';
  return text;
}

static void
start(struct herd *herd, int i, int round)
{
  char *argv[MAX_WORDS], out[1024], err[1024];
  int count = 0;
  for (; herd->command[count] && count < MAX_WORDS - 1; count++)
    argv[count] = fill(herd->command[count], i, round);
  argv[count] = NULL;
  char *folder = fill(herd->out, i, round);
  mkdir(folder, 0700);
  snprintf(out, sizeof out, "%s/%d.out", folder, i);
  snprintf(err, sizeof err, "%s/%d.err", folder, i);
  free(folder);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, out, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, err, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
  if (posix_spawn(&herd->pids[i], argv[0], &actions, NULL, argv, environ) != 0) {
    fprintf(stderr, "cannot start %s\n", argv[0]);
    exit(2);
  }
  posix_spawn_file_actions_destroy(&actions);
  for (int k = 0; k < count; k++)
    free(argv[k]);
  herd->alive++;
}

static void
take_end(struct herd *herd, pid_t pid, int status)
{
  for (int i = 0; i < herd->processes; i++) {
    if (herd->pids[i] != pid)
      continue;
    herd->pids[i] = 0;
    herd->alive--;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
      herd->ended++;
    else if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
      herd->failed++;
  }
}

static void
reap(struct herd *herd)
{
  int status;
  pid_t pid;
  while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
    take_end(herd, pid, status);
}

static void
kill_one(struct herd *herd, unsigned *state)
{
  int victim = (int)draw(state, (unsigned)herd->processes);
  if (herd->pids[victim] > 0 && kill(herd->pids[victim], SIGKILL) == 0)
    herd->killed++;
}

static void
open_barrier(struct herd *herd, int fd)
{
  char ready[1024];
  struct stat status = {0};
  snprintf(ready, sizeof ready, "%s.ready", herd->barrier);
  double limit = now_ms() + herd->timeout_s * 1e3;
  while ((stat(ready, &status) != 0 || status.st_size < herd->processes) && now_ms() < limit)
    usleep(1000);
  close(fd); /* frees the lock: all start */
}

static int
close_barrier(const struct herd *herd)
{
  char ready[1024];
  snprintf(ready, sizeof ready, "%s.ready", herd->barrier);
  unlink(ready);
  int fd = open(herd->barrier, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0 || flock(fd, LOCK_EX) != 0) {
    perror(herd->barrier);
    exit(2);
  }
  return fd;
}

static void
kill_all(struct herd *herd)
{
  for (int i = 0; i < herd->processes; i++)
    if (herd->pids[i] > 0) {
      kill(herd->pids[i], SIGKILL);
      herd->hung++;
    }
}

/* Whatever is still a child of ours now was left over by a member of the herd. */
static void
wait_for_the_rest(struct herd *herd)
{
  double limit = now_ms() + GRACE_MS;
  pid_t pid;
  while ((pid = waitpid(-1, NULL, WNOHANG)) >= 0 && now_ms() < limit)
    if (pid == 0)
      usleep(2000);
  if (pid < 0)
    return;
  char command[128];
  snprintf(command, sizeof command, "ps -o pid= --ppid %d", (int)getpid());
  FILE *list = popen(command, "r");
  int child;
  while (list && fscanf(list, "%d", &child) == 1)
    if (kill(child, SIGKILL) == 0)
      herd->left++;
  if (list)
    pclose(list);
  herd->left = herd->left > 1 ? herd->left - 1 : 1; /* ps itself */
}

static void
run_round(struct herd *herd, int round)
{
  unsigned state = herd->seed + (unsigned)round * 7919u;
  int fd = herd->barrier ? close_barrier(herd) : -1;
  for (int i = 0; i < herd->processes; i++)
    start(herd, i, round);
  if (herd->barrier)
    open_barrier(herd, fd);
  double begin = now_ms(), limit = begin + herd->timeout_s * 1e3;
  double moment = begin + (herd->kill ? (double)draw(&state, (unsigned)herd->window_ms * 10u) / 10.0 : 0);
  bool pending = herd->kill;
  while (herd->alive > 0) {
    reap(herd);
    if (pending && now_ms() >= moment) {
      kill_one(herd, &state);
      pending = false;
    }
    if (now_ms() > limit) {
      kill_all(herd);
      limit += 1e9;
    }
    usleep(200);
  }
  wait_for_the_rest(herd);
}

static bool
take_arguments(struct herd *herd, char **argv)
{
  for (int i = 1; argv[i]; i++) {
    const char *value = argv[i + 1];
    if (strcmp(argv[i], "--") == 0) {
      herd->command = argv + i + 1;
      return *herd->command && herd->out && herd->processes > 0 && herd->processes <= MAX_PROCESSES;
    }
    if (!value)
      return false;
    if (strcmp(argv[i], "--processes") == 0)
      herd->processes = atoi(value);
    else if (strcmp(argv[i], "--out") == 0)
      herd->out = value;
    else if (strcmp(argv[i], "--barrier") == 0)
      herd->barrier = value;
    else if (strcmp(argv[i], "--rounds") == 0)
      herd->rounds = atoi(value);
    else if (strcmp(argv[i], "--timeout") == 0)
      herd->timeout_s = atoi(value);
    else if (strcmp(argv[i], "--kill") == 0 && argv[i + 2]) {
      herd->kill = true;
      herd->seed = (unsigned)strtoul(value, NULL, 10);
      herd->window_ms = atoi(argv[++i + 1]);
    } else
      return false;
    i++;
  }
  return false;
}

int
main(int argc, char **argv)
{
  (void)argc;
  struct herd herd = {.processes = 8, .rounds = 1, .timeout_s = 120, .window_ms = 1};
  if (!take_arguments(&herd, argv)) {
    fprintf(stderr, "usage: proc.herd --out FOLDER [--processes N] [--barrier FILE] [--kill SEED MS] -- COMMAND…\n");
    return 2;
  }
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  for (int round = 0; round < herd.rounds; round++)
    run_round(&herd, round);
  printf("ended=%d failed=%d killed=%d hung=%d left=%d\n", herd.ended, herd.failed, herd.killed, herd.hung, herd.left);
  return herd.hung || herd.left;
}
