/*
 * What kiln adds to a command that does nothing: `kiln measure --warmup 0 --samples 1 -- true` beside the two plain
 * runs of `true` that it holds.
 *
 * usage: bench.measure_true [ROUNDS]      default 30; both are timed in turn in each round
 *
 * Prints smallest and median time of each and what is between them. Never fails on time. Most of it is the kernel
 * making some twenty files and folders: where other programs delete files at the same moment, ext4 takes milliseconds
 * for that; TMPDIR=/dev/shm shows kiln's own share.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/process.h"

#define MOST_ROUNDS 10000
#define TRUE "/bin/true"

struct samples {
  double *ms;
  size_t count;
};

static int
compare(const void *left, const void *right)
{
  const double *a = left, *b = right;
  return (*a > *b) - (*a < *b);
}

/* One program, waited for. */
static bool
run(const char *program, char *const *argv, const struct kiln_environment *env, const char *output)
{
  const struct kiln_spawn_options options = {
      .program = program, .argv = argv, .environment = env->entries, .stdin_fd = -1, .output_path = output};
  struct kiln_exit end;
  int pid;
  return kiln_process_spawn(&options, &pid, NULL) == KILN_OK && kiln_process_wait(pid, -1, &end) && end.signal == 0 &&
         end.code == 0;
}

static bool
run_round(const char *kiln, const struct kiln_environment *env, const char *output, struct samples *plain,
    struct samples *measured)
{
  char *const bare[] = {TRUE, NULL};
  char *const whole[] = {"kiln", "measure", "--warmup", "0", "--samples", "1", "--quiet", "--", TRUE, NULL};
  uint64_t begin = kiln_clock_now();
  bool good = run(TRUE, bare, env, output) && run(TRUE, bare, env, output);
  uint64_t middle = kiln_clock_now();
  good = good && run(kiln, whole, env, output);
  uint64_t end = kiln_clock_now();
  plain->ms[plain->count++] = (double)(middle - begin) / 1e6;
  measured->ms[measured->count++] = (double)(end - middle) / 1e6;
  return good;
}

static void
print(const struct samples *plain, const struct samples *measured)
{
  qsort(plain->ms, plain->count, sizeof *plain->ms, compare);
  qsort(measured->ms, measured->count, sizeof *measured->ms, compare);
  const size_t middle = plain->count / 2;
  printf("two plain runs of true   %7.2f ms   median %7.2f ms   (smallest of %zu)\n", plain->ms[0], plain->ms[middle],
      plain->count);
  printf("kiln measure of true     %7.2f ms   median %7.2f ms\n", measured->ms[0], measured->ms[middle]);
  printf("more                     %7.2f ms   median %7.2f ms   (to stay below 10 ms)\n",
      measured->ms[0] - plain->ms[0], measured->ms[middle] - plain->ms[middle]);
}

/* The kiln that was built beside this program. */
static bool
find_kiln(struct kiln_buf *path)
{
  struct kiln_buf own;
  kiln_buf_init(&own);
  bool found = kiln_process_executable(&own);
  char *slash = found ? strrchr(own.data, '/') : NULL;
  if (slash) {
    *slash = '\0';
    kiln_text_join(path, own.data, "../bin/kiln");
  }
  kiln_buf_release(&own);
  return slash && kiln_file_exists(kiln_buf_text(path));
}

static bool
bench(size_t rounds, const char *kiln, const char *folder)
{
  struct kiln_environment env;
  struct kiln_buf output;
  struct samples plain = {calloc(rounds, sizeof(double)), 0}, measured = {calloc(rounds, sizeof(double)), 0};
  bool good = plain.ms && measured.ms;
  kiln_environment_init(&env);
  kiln_environment_copy_current(&env);
  kiln_buf_init(&output);
  kiln_text_join(&output, folder, "output");
  for (size_t i = 0; i < rounds && good; i++)
    good = run_round(kiln, &env, kiln_buf_text(&output), &plain, &measured);
  if (good)
    print(&plain, &measured);
  else
    fprintf(stderr, "bench.measure_true: '%s' or '%s' could not be run\n", TRUE, kiln);
  kiln_buf_release(&output);
  kiln_environment_release(&env);
  free(plain.ms);
  free(measured.ms);
  return good;
}

int
main(int argc, char **argv)
{
  uint64_t rounds = 30;
  struct kiln_buf kiln, folder;
  bool good = false;
  if (argc > 1 && (!kiln_text_parse_uint(argv[1], &rounds) || rounds < 1 || rounds > MOST_ROUNDS)) {
    fprintf(stderr, "bench.measure_true: rounds are a whole number from 1 to %d, not '%s'\n", MOST_ROUNDS, argv[1]);
    return 2;
  }
  kiln_buf_init(&kiln);
  kiln_buf_init(&folder);
  if (!find_kiln(&kiln))
    fprintf(stderr, "bench.measure_true: kiln is not built; run ./dev build\n");
  else if (kiln_folder_make_private(kiln_folder_temporary(), "kiln-bench.", &folder, NULL) != KILN_OK)
    fprintf(stderr, "bench.measure_true: no folder can be made in '%s'\n", kiln_folder_temporary());
  else
    good = bench((size_t)rounds, kiln_buf_text(&kiln), kiln_buf_text(&folder));
  if (folder.len > 0)
    kiln_folder_remove(kiln_buf_text(&folder), NULL);
  kiln_buf_release(&folder);
  kiln_buf_release(&kiln);
  return good ? 0 : 1;
}
