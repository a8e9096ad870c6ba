/*
 * A compiler that counts, and that misbehaves on demand.
 *
 * The environment of a compiler is scrubbed, so the settings are a file beside the program: <folder of
 * program>/stub.conf, one NAME=VALUE a line: real=PATH      the compiler behind it; everything that is not a compile
 * goes straight there log=FILE       one line "PID SOURCE" per compile is appended template=FILE  do not compile: copy
 * this library (kernel.c) with the number that the source returns sleep_ms=N     wait before the work gate=FILE wait
 * until FILE exists exit=N         print an error and exit with N, after the output was written cut=N          only the
 * first N bytes of the output are written chunks=N       the output is written in N parts, 20 ms apart machine=N the
 * output says it is for machine N (e_machine) child=FILE     start a child in a session of its own that outlives the
 * compiler; its pid is appended to FILE signal=N       die by this signal guard=1        refuse when the source lacks
 * its last line ("end of source") or changes while we wait running=FILE   "+ PID" is appended when a compile begins and
 * "- PID" when it ends silent=1       nothing is printed with exit=N nice=FILE      the priority is appended to FILE
 */
#include <ctype.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct settings {
  char real[1024], log[1024], template[1024], gate[1024], child[1024], cost[1024], running[1024], nice[1024];
  int sleep_ms, exit_code, cut, chunks, machine, signal, guard, silent;
};

struct request {
  const char *source, *output, *depfile;
  int sources;
};

static void
take_line(struct settings *settings, const char *name, const char *value)
{
  const struct {
    const char *name;
    char *text;
  } texts[] = {{"real", settings->real}, {"log", settings->log}, {"template", settings->template},
      {"gate", settings->gate}, {"child", settings->child}, {"cost", settings->cost}, {"running", settings->running},
      {"nice", settings->nice}};
  const struct {
    const char *name;
    int *number;
  } numbers[] = {{"sleep_ms", &settings->sleep_ms}, {"exit", &settings->exit_code}, {"cut", &settings->cut},
      {"chunks", &settings->chunks}, {"machine", &settings->machine}, {"signal", &settings->signal},
      {"guard", &settings->guard}, {"silent", &settings->silent}};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (strcmp(name, texts[i].name) == 0)
      snprintf(texts[i].text, 1024, "%s", value);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (strcmp(name, numbers[i].name) == 0)
      *numbers[i].number = atoi(value);
}

static void
read_settings(struct settings *settings)
{
  char path[1024], line[2048];
  ssize_t len = readlink("/proc/self/exe", path, sizeof path - 16);
  path[len > 0 ? len : 0] = '\0';
  char *slash = strrchr(path, '/');
  strcpy(slash ? slash + 1 : path, "stub.conf");
  FILE *file = fopen(path, "r");
  while (file && fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = '\0';
    char *equals = strchr(line, '=');
    if (!equals)
      continue;
    *equals = '\0';
    take_line(settings, line, equals + 1);
  }
  if (file)
    fclose(file);
}

static void
read_request(struct request *request, char **argv)
{
  for (int i = 1; argv[i]; i++) {
    size_t len = strlen(argv[i]);
    if (strcmp(argv[i], "-o") == 0 && argv[i + 1])
      request->output = argv[++i];
    else if (strcmp(argv[i], "-MF") == 0 && argv[i + 1])
      request->depfile = argv[++i];
    else if (argv[i][0] != '-' && len > 2 && strcmp(argv[i] + len - 2, ".c") == 0) {
      request->source = argv[i];
      request->sources++;
    }
  }
}

static void
append(const char *path, const char *text)
{
  int fd = open(path, O_WRONLY | O_APPEND | O_CREAT, 0666);
  if (fd < 0 || write(fd, text, strlen(text)) < 0)
    _exit(99);
  close(fd);
}

static void
note(const struct settings *settings, const struct request *request)
{
  char line[1200];
  snprintf(line, sizeof line, "%d %s\n", (int)getpid(), request->source);
  if (settings->log[0])
    append(settings->log, line);
}

static char running[1024];

static void
note_end(void)
{
  char line[64];
  snprintf(line, sizeof line, "- %d\n", (int)getpid());
  append(running, line);
}

static void
note_running(const struct settings *settings)
{
  char line[64];
  if (!settings->running[0])
    return;
  snprintf(line, sizeof line, "+ %d\n", (int)getpid());
  append(settings->running, line);
  memcpy(running, settings->running, sizeof running);
  atexit(note_end);
}

static void
note_priority(const struct settings *settings)
{
  char line[64];
  snprintf(line, sizeof line, "%d\n", getpriority(PRIO_PROCESS, 0));
  if (settings->nice[0])
    append(settings->nice, line);
}

static void
start_child(const char *file)
{
  pid_t child = fork();
  if (child != 0)
    return;
  setsid();
  char line[32];
  snprintf(line, sizeof line, "%d\n", (int)getpid());
  append(file, line);
  sleep(600);
  _exit(0);
}

static size_t
read_file(const char *path, char *data, size_t size)
{
  FILE *file = fopen(path, "rb");
  size_t len = file ? fread(data, 1, size - 1, file) : 0;
  data[len] = '\0';
  if (file)
    fclose(file);
  return len;
}

static void
pause_as_told(const struct settings *settings)
{
  if (settings->sleep_ms)
    usleep((useconds_t)settings->sleep_ms * 1000);
  while (settings->gate[0] && access(settings->gate, F_OK) != 0)
    usleep(5000);
}

/* The source must be whole and stay the same file as long as this compiler runs. */
static void
work_under_guard(const struct settings *settings, const char *source)
{
  static char text[1 << 20];
  struct stat before, after;
  if (stat(source, &before) != 0)
    exit(97);
  pause_as_told(settings);
  read_file(source, text, sizeof text);
  if (stat(source, &after) != 0 || before.st_ino != after.st_ino || !strstr(text, "end of source")) {
    fprintf(stderr, "%s:1:1: error: the source is torn or was replaced\n", source);
    exit(96);
  }
}

static int
number_of(const char *source)
{
  static char text[1 << 20];
  read_file(source, text, sizeof text);
  const char *at = strstr(text, "return ");
  return at ? atoi(at + 7) : -1;
}

static void
write_output(const struct settings *settings, const char *path, const char *data, size_t len)
{
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0755);
  size_t step = settings->chunks > 1 ? len / (size_t)settings->chunks + 1 : len;
  for (size_t at = 0; at < len; at += step) {
    size_t part = len - at < step ? len - at : step;
    if (fd < 0 || write(fd, data + at, part) != (ssize_t)part) {
      fprintf(stderr, "fatal error: error writing to %s: No space left on device\n", path);
      exit(1);
    }
    if (settings->chunks > 1)
      usleep(20000);
  }
  close(fd);
}

static void
write_depfile(const struct request *request)
{
  if (!request->depfile)
    return;
  FILE *file = fopen(request->depfile, "w");
  if (!file)
    exit(1);
  fprintf(file, "%s: %s\n", request->output, request->source);
  fclose(file);
}

static void
hand_out(const struct settings *settings, const struct request *request)
{
  static char data[1 << 20];
  size_t len = read_file(settings->template, data, sizeof data);
  static const char mark[16] = "KILN-STUB-VALUE";
  int number = number_of(request->source);
  for (size_t at = 0; at + sizeof mark + sizeof number <= len; at++)
    if (memcmp(data + at, mark, sizeof mark) == 0)
      memcpy(data + at + sizeof mark, &number, sizeof number);
  if (settings->machine) {
    data[18] = (char)settings->machine;
    data[19] = (char)(settings->machine >> 8);
  }
  if (settings->cut && (size_t)settings->cut < len)
    len = (size_t)settings->cut;
  write_output(settings, request->output, data, len);
  write_depfile(request);
}

static double
ms_of(int who)
{
  struct rusage usage;
  getrusage(who, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 +
         (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
}

static int
compile_and_account(const struct settings *settings, char **argv)
{
  int status = 1;
  pid_t child = fork();
  if (child == 0) {
    execv(settings->real, argv);
    _exit(98);
  }
  if (child < 0 || waitpid(child, &status, 0) != child)
    return 98;
  char line[32];
  snprintf(line, sizeof line, "%.3f\n", ms_of(RUSAGE_SELF) + ms_of(RUSAGE_CHILDREN));
  append(settings->cost, line);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int
main(int argc, char **argv)
{
  (void)argc;
  struct settings settings = {0};
  struct request request = {0};
  read_settings(&settings);
  read_request(&request, argv);
  if (request.source && request.output) {
    note(&settings, &request);
    note_running(&settings);
    note_priority(&settings);
    if (settings.child[0])
      start_child(settings.child);
    if (settings.guard)
      work_under_guard(&settings, request.source);
    else
      pause_as_told(&settings);
    if (settings.signal)
      raise(settings.signal);
    if (settings.template[0])
      hand_out(&settings, &request);
    if (settings.exit_code) {
      if (settings.silent)
        return settings.exit_code;
      fprintf(stderr, "%s:1:5: error: refused by the test\n", request.source);
      return settings.exit_code;
    }
    if (settings.template[0])
      return 0;
    argv[0] = settings.real;
    if (settings.cost[0])
      return compile_and_account(&settings, argv);
  }
  argv[0] = settings.real;
  execv(settings.real, argv);
  return 98;
}
