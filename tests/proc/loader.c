/*
 * One process that wants kernels: reads specs, loads each, calls its `value` and prints what came.
 *
 * usage: proc.loader [OPTION…] SPEC.json…
 *   --barrier FILE   say that it is ready (one byte appended to FILE.ready), then wait until FILE can be locked shared
 *   --shuffle SEED   take the specs in an order of its own
 *   --threads N      N threads load all the specs at once
 *   --spread         with --threads: each thread begins with another spec
 *   --again          load each spec a second time, from memory
 *   --fork           a thread loads the specs while the program forks a child that loads them too
 *   --hold FILE      when all is done, make FILE and wait to be killed
 *   --log            messages and progress to stderr
 *
 * Prints per spec: "ok NAME hit|built VALUE KEY PATH" or "error NAME STATUS SENTENCE ADVICE".
 * Exit status: 0 all loaded, 1 some did not, 2 usage. Everything else comes from the environment (KILN_CACHE_DIR …).
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kiln/module.h"

#define MAX_SPECS 256
#define MAX_SPEC_BYTES (1 << 20)

struct settings {
  const char *barrier, *hold;
  unsigned shuffle;
  int threads;
  bool again, fork, log, spread;
  const char *specs[MAX_SPECS];
  int count;
};

struct job {
  struct kiln *kiln;
  const struct settings *settings;
  int first, failed;
};

static char *
read_all(const char *path, size_t *len)
{
  FILE *file = fopen(path, "rb");
  char *text = file ? malloc(MAX_SPEC_BYTES) : NULL;
  *len = text ? fread(text, 1, MAX_SPEC_BYTES, file) : 0;
  if (file)
    fclose(file);
  return text;
}

static struct kiln_spec *
read_spec(const char *path, struct kiln_error *error)
{
  struct kiln_spec *spec = NULL;
  size_t len;
  char *text = read_all(path, &len);
  if (!text)
    kiln_error_set(error, KILN_ERROR_NOT_FOUND, "no spec '%s'", path);
  else if (kiln_spec_parse(text, len, &spec, error) != KILN_OK)
    spec = NULL;
  free(text);
  return spec;
}

static const char *
base_name(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* One line, one write: many threads and processes share the output. */
static void
say(const char *line)
{
  size_t len = strlen(line);
  if (write(STDOUT_FILENO, line, len) != (ssize_t)len)
    _exit(3);
}

static bool
report(const char *path, struct kiln_module *module, struct kiln_error *error)
{
  char line[4096];
  union {
    void *address;
    int (*call)(void);
  } entry = {.address = module ? kiln_module_function(module, "value", error) : NULL};
  if (!entry.address) {
    snprintf(line, sizeof line, "error %s %s %s %s\n", base_name(path), kiln_status_name(error->status), error->what,
        error->remedy);
    say(line);
    return false;
  }
  struct kiln_module_info info;
  kiln_module_info(module, &info);
  snprintf(line, sizeof line, "ok %s %s %d %s %s\n", base_name(path), info.result == KILN_RESULT_HIT ? "hit" : "built",
      entry.call(), info.key, info.path ? info.path : "-");
  say(line);
  return true;
}

static bool
load_one(struct kiln *kiln, const char *path)
{
  struct kiln_error error = {0};
  struct kiln_module *module = NULL;
  struct kiln_spec *spec = read_spec(path, &error);
  if (spec && kiln_module_load(kiln, spec, &module, &error) != KILN_OK)
    module = NULL;
  kiln_spec_free(spec);
  bool good = report(path, module, &error);
  kiln_module_release(module);
  return good;
}

static int
load_all(struct kiln *kiln, const struct settings *settings, int first)
{
  int failed = 0;
  for (int pass = 0; pass <= settings->again; pass++)
    for (int i = 0; i < settings->count; i++)
      if (!load_one(kiln, settings->specs[(first + i) % settings->count]))
        failed++;
  return failed;
}

static void *
run_thread(void *context)
{
  struct job *job = context;
  job->failed = load_all(job->kiln, job->settings, job->first);
  return NULL;
}

static int
load_in_threads(struct kiln *kiln, const struct settings *settings)
{
  pthread_t threads[256];
  struct job jobs[256];
  int count = settings->threads < 256 ? settings->threads : 256, failed = 0;
  for (int i = 0; i < count; i++) {
    jobs[i] = (struct job){kiln, settings, settings->spread ? i : 0, 0};
    if (pthread_create(&threads[i], NULL, run_thread, &jobs[i]) != 0)
      return 1;
  }
  for (int i = 0; i < count; i++) {
    pthread_join(threads[i], NULL);
    failed += jobs[i].failed;
  }
  return failed;
}

/* The fork happens while the thread holds the key: the test's compiler is slow. Both must come to their results. */
static int
load_across_fork(struct kiln *kiln, const struct settings *settings)
{
  struct job job = {kiln, settings, 0, 0};
  pthread_t thread;
  if (pthread_create(&thread, NULL, run_thread, &job) != 0)
    return 1;
  usleep(300000);
  pid_t child = fork();
  if (child == 0) {
    alarm(120);
    int failed = load_all(kiln, settings, 0);
    kiln_free(kiln);
    _exit(failed ? 1 : 0);
  }
  pthread_join(thread, NULL);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child)
    return 1;
  return job.failed + (WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1);
}

static void
wait_for_the_others(const char *barrier)
{
  char ready[1024];
  snprintf(ready, sizeof ready, "%s.ready", barrier);
  int fd = open(ready, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0 || write(fd, "r", 1) != 1)
    _exit(3);
  close(fd);
  fd = open(barrier, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || flock(fd, LOCK_SH) != 0)
    _exit(3);
  close(fd);
}

static void
shuffle(struct settings *settings)
{
  unsigned state = settings->shuffle;
  for (int i = settings->count - 1; i > 0; i--) {
    state = state * 1103515245u + 12345u;
    int other = (int)((state >> 16) % (unsigned)(i + 1));
    const char *kept = settings->specs[i];
    settings->specs[i] = settings->specs[other];
    settings->specs[other] = kept;
  }
}

static void
print_log(void *context, enum kiln_log_level level, const char *message)
{
  (void)context;
  fprintf(stderr, "log %d %s\n", (int)level, message);
}

static void
print_progress(void *context, const struct kiln_build_progress *progress)
{
  (void)context;
  fprintf(
      stderr, "progress %s %s %.1f %d\n", progress->name, progress->phase, progress->elapsed_s, progress->owner_pid);
}

static bool
take_switch(struct settings *settings, const char *word)
{
  if (strcmp(word, "--again") == 0)
    settings->again = true;
  else if (strcmp(word, "--fork") == 0)
    settings->fork = true;
  else if (strcmp(word, "--spread") == 0)
    settings->spread = true;
  else if (strcmp(word, "--log") == 0)
    settings->log = true;
  else
    return false;
  return true;
}

static bool
take_value(struct settings *settings, const char *word, const char *value)
{
  if (!value)
    return false;
  if (strcmp(word, "--barrier") == 0)
    settings->barrier = value;
  else if (strcmp(word, "--hold") == 0)
    settings->hold = value;
  else if (strcmp(word, "--shuffle") == 0)
    settings->shuffle = (unsigned)strtoul(value, NULL, 10);
  else if (strcmp(word, "--threads") == 0)
    settings->threads = atoi(value);
  else
    return false;
  return true;
}

static bool
take_arguments(struct settings *settings, char **argv)
{
  for (int i = 1; argv[i]; i++) {
    if (argv[i][0] != '-' && settings->count < MAX_SPECS)
      settings->specs[settings->count++] = argv[i];
    else if (take_value(settings, argv[i], argv[i + 1]))
      i++;
    else if (!take_switch(settings, argv[i]))
      return false;
  }
  return settings->count > 0;
}

static void
hold(const char *path)
{
  int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (fd >= 0)
    close(fd);
  for (;;)
    pause();
}

int
main(int argc, char **argv)
{
  (void)argc;
  struct settings settings = {0};
  if (!take_arguments(&settings, argv)) {
    fprintf(stderr, "usage: proc.loader [--barrier FILE] [--threads N] [--again] … SPEC…\n");
    return 2;
  }
  if (settings.shuffle)
    shuffle(&settings);
  if (settings.barrier)
    wait_for_the_others(settings.barrier);
  struct kiln_options options;
  kiln_options_init(&options);
  if (settings.log) {
    options.log = print_log;
    options.progress = print_progress;
  }
  struct kiln *kiln;
  struct kiln_error error = {0};
  if (kiln_new(&options, &kiln, &error) != KILN_OK) {
    printf("error new %s %s %s\n", kiln_status_name(error.status), error.what, error.remedy);
    return 1;
  }
  int failed = settings.fork          ? load_across_fork(kiln, &settings)
               : settings.threads > 1 ? load_in_threads(kiln, &settings)
                                      : load_all(kiln, &settings, 0);
  if (settings.hold)
    hold(settings.hold);
  kiln_free(kiln);
  return failed ? 1 : 0;
}
