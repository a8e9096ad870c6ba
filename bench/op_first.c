/*
 * What the first call of an op costs: NVRTC alone, kiln from an empty store, kiln from the store that this filled; each
 * in a process of its own, whose context exists before the clock starts.
 *
 * usage: bench.op_first [cuda|fake] [cold] [ROUNDS]      default cuda, 3 rounds
 *
 *   cuda   on GPU 0 of the driver (KILN_DRIVER)
 *   fake   on the stand-in driver of this build, which loads nothing and starts nothing
 *   cold   before each clock starts, the pages of NVRTC's libraries are given back to the system: what a machine pays
 *          that has compiled nothing for long. (The system keeps what another process has mapped.)
 *
 * Of every op of the registry: the first shape of its benchmark. "bare" opens NVRTC and its second library by path,
 * looks its functions up, makes a program of the texts and options that kiln uses, compiles, takes the cubin, destroys
 * the program, loads the module and finds the function. kiln's call does all that it does, launches and waits. Then all
 * ops one after another in one process. Goals: at most 100 ms and 1.5 times bare each, 1 ms from the store, 2 s for
 * all. Prints medians of elapsed time and of CPU time; never fails on time.
 *
 * Where the time of a call goes is measured once more in other processes, in which its steps are done one by one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "bench/op_first/process.h"
#include "kiln/op.h"
#include "os/file.h"
#include "os/process.h"

enum { MOST_ROUNDS = 25, MOST_OPS = 256 };

struct bench {
  struct kiln_buf folder, program, store, file;
  bool cold;
  unsigned rounds, stores; /* stores: made so far */
};

struct series {
  double figures[FIGURES][MOST_ROUNDS];
  unsigned count;
};

static int
by_size(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double
median(const struct series *series, enum figure figure)
{
  double sorted[MOST_ROUNDS];
  memcpy(sorted, series->figures[figure], series->count * sizeof *sorted);
  qsort(sorted, series->count, sizeof *sorted, by_size);
  return series->count ? (sorted[(series->count - 1) / 2] + sorted[series->count / 2]) / 2 : 0;
}

static void
new_store(struct bench *bench)
{
  kiln_buf_clear(&bench->store);
  kiln_buf_printf(&bench->store, "%s/store-%u", kiln_buf_text(&bench->folder), bench->stores++);
  setenv("KILN_CACHE_DIR", kiln_buf_text(&bench->store), 1);
}

static bool
read_figures(struct bench *bench, struct series *series)
{
  struct kiln_buf text;
  kiln_buf_init(&text);
  bool good = kiln_file_read(kiln_buf_text(&bench->file), 4096, &text, NULL) == KILN_OK;
  char *at = (char *)kiln_buf_text(&text);
  for (int i = 0; i < FIGURES && good; i++)
    series->figures[i][series->count] = strtod(at, &at);
  series->count += good;
  kiln_buf_release(&text);
  return good;
}

static bool
time_process(struct bench *bench, const char *way, const char *op, struct series *series)
{
  char *argv[] = {(char *)kiln_buf_text(&bench->program), "--child", (char *)way, (char *)op,
      (char *)kiln_buf_text(&bench->file), bench->cold ? "cold" : NULL, NULL};
  struct kiln_environment environment;
  struct kiln_exit result = {.code = 1};
  int pid;
  kiln_environment_init(&environment);
  kiln_environment_copy_current(&environment);
  const struct kiln_spawn_options options = {
      .program = argv[0], .argv = argv, .environment = environment.entries, .stdin_fd = -1};
  const bool good = kiln_process_spawn(&options, &pid, NULL) == KILN_OK && kiln_process_wait(pid, -1, &result) &&
                    result.code == 0 && result.signal == 0 && read_figures(bench, series);
  kiln_environment_release(&environment);
  return good;
}

struct row {
  const char *op;
  struct series bare, kiln, stored, parts;
};

/* Who goes first changes from round to round. */
static bool
measure_op(struct bench *bench, struct row *row)
{
  bool good = true;
  for (unsigned i = 0; i < bench->rounds && good; i++) {
    new_store(bench);
    good = i % 2 == 1 || time_process(bench, "bare", row->op, &row->bare);
    good =
        good && time_process(bench, "kiln", row->op, &row->kiln) && time_process(bench, "kiln", row->op, &row->stored);
    good = good && (i % 2 == 0 || time_process(bench, "bare", row->op, &row->bare));
    new_store(bench);
    good = good && time_process(bench, "parts", row->op, &row->parts);
  }
  return good;
}

static double
ratio(double of, double to)
{
  return to > 0 ? of / to : 0;
}

static void
print_row(const struct row *row)
{
  const double bare = median(&row->bare, WHOLE), kiln = median(&row->kiln, WHOLE);
  printf("%-29.29s %7.1f %7.1f %5.2f %8.1f %7.1f %8.2f\n", row->op, bare, kiln, ratio(kiln, bare),
      median(&row->bare, CPU), median(&row->kiln, CPU), median(&row->stored, WHOLE));
  fflush(stdout);
}

static void
print_parts(const struct row *row)
{
  static const enum figure all[] = {SOURCES, IDENTITY, OPEN, NVRTC, DRIVER};
  double rest = median(&row->parts, WHOLE);
  printf("%-24.24s %5.1f %6.1f %5.1f ", row->op, median(&row->bare, OPEN), median(&row->bare, NVRTC),
      median(&row->bare, DRIVER));
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    const double part = median(&row->parts, all[i]);
    printf(" %*.1f", all[i] == NVRTC ? 6 : 5, part);
    rest -= part;
  }
  printf(" %5.1f\n", rest);
}

struct worst {
  double kiln, ratio, stored, bare_sum, kiln_sum;
};

static struct worst
worst_of(const struct row *rows, size_t count)
{
  struct worst worst = {0};
  for (size_t i = 0; i < count; i++) {
    const double bare = median(&rows[i].bare, WHOLE), kiln = median(&rows[i].kiln, WHOLE),
                 stored = median(&rows[i].stored, WHOLE);
    worst.kiln = kiln > worst.kiln ? kiln : worst.kiln;
    worst.ratio = ratio(kiln, bare) > worst.ratio ? ratio(kiln, bare) : worst.ratio;
    worst.stored = stored > worst.stored ? stored : worst.stored;
    worst.bare_sum += bare;
    worst.kiln_sum += kiln;
  }
  return worst;
}

static const char *
holds(bool it)
{
  return it ? "holds" : "MISSED";
}

static void
print_goals(const struct row *rows, size_t count, const struct series *all)
{
  const struct worst worst = worst_of(rows, count);
  const double total = median(all, WHOLE);
  printf("%-29s %7.1f %7.1f %5.2f\n\n", "sum", worst.bare_sum, worst.kiln_sum, ratio(worst.kiln_sum, worst.bare_sum));
  printf("first call, largest              %8.1f ms   goal 100 ms    %s\n", worst.kiln, holds(worst.kiln <= 100));
  printf("first call / bare, largest       %8.2f      goal 1.5       %s\n", worst.ratio, holds(worst.ratio <= 1.5));
  printf("from the store, largest          %8.2f ms   goal 1 ms      %s\n", worst.stored, holds(worst.stored <= 1));
  printf("all %2zu ops in one process        %8.1f ms   goal 2000 ms   %s\n", count, total, holds(total <= 2000));
  printf("  of these the largest           %8.1f ms   CPU time of all %.1f ms\n\n", median(all, SOURCES),
      median(all, CPU));
}

/* As they are measured: what a broken run has told is worth reading. */
static bool
measure(struct bench *bench)
{
  static struct row rows[MOST_OPS];
  static struct series all;
  const struct kiln_op *op;
  bool good = true;
  size_t count = 0;
  printf(
      "%-29s %7s %7s %5s %8s %7s %8s\n", "first call, ms", "bare", "kiln", "ratio", "bare CPU", "kiln CPU", "stored");
  for (; count < MOST_OPS && good && (op = kiln_op_at(count)) != NULL; count++) {
    rows[count].op = kiln_op_name(op);
    good = measure_op(bench, &rows[count]);
    print_row(&rows[count]);
  }
  for (unsigned i = 0; i < bench->rounds && good; i++) {
    new_store(bench);
    good = time_process(bench, "all", rows[0].op, &all);
  }
  print_goals(rows, count, &all);
  puts("where it goes, ms        bare: open nvrtc load    kiln: sources identity open nvrtc driver rest");
  for (size_t i = 0; i < count; i++)
    print_parts(&rows[i]);
  return good;
}

static void
folder_of(const char *path, struct kiln_buf *folder)
{
  kiln_buf_append(folder, path, (size_t)(kiln_text_base_name(path) - path));
}

/* The stand-in of this build lies in tests/fake/, this program in bench/. */
static void
use_stand_in(const struct bench *bench)
{
  struct kiln_buf path;
  kiln_buf_init(&path);
  folder_of(kiln_buf_text(&bench->program), &path);
  kiln_buf_text_append(&path, "../tests/fake/libcuda.so");
  setenv("KILN_DRIVER", kiln_buf_text(&path), 1);
  setenv("KILN_FAKE_DEVICES", "9.0", 0);
  kiln_buf_release(&path);
}

static bool
take_arguments(struct bench *bench, char **argv, bool *fake)
{
  bench->rounds = 3;
  for (argv++; *argv; argv++) {
    const long number = strtol(*argv, NULL, 10);
    if (strcmp(*argv, "fake") == 0)
      *fake = true;
    else if (strcmp(*argv, "cold") == 0)
      bench->cold = true;
    else if (number >= 1 && number <= MOST_ROUNDS)
      bench->rounds = (unsigned)number;
    else if (strcmp(*argv, "cuda") != 0)
      return false;
  }
  return true;
}

int
main(int argc, char **argv)
{
  struct bench bench = {.cold = false};
  struct kiln_error error = {0};
  bool fake = false;
  if (argc >= 5 && strcmp(argv[1], "--child") == 0)
    op_first_child(argv);
  if (!take_arguments(&bench, argv, &fake)) {
    fprintf(stderr, "usage: bench.op_first [cuda|fake] [cold] [ROUNDS]\n");
    return 2;
  }
  kiln_buf_init(&bench.store);
  bool good = kiln_process_executable(&bench.program) &&
              kiln_folder_make_private(kiln_folder_temporary(), "kiln-bench-", &bench.folder, &error) == KILN_OK;
  if (fake)
    use_stand_in(&bench);
  kiln_buf_printf(&bench.file, "%s/figures", kiln_buf_text(&bench.folder));
  good = good && measure(&bench);
  if (*error.what)
    fprintf(stderr, "bench.op_first: %s %s\n", error.what, error.remedy);
  if (bench.folder.len)
    (void)kiln_folder_remove(kiln_buf_text(&bench.folder), NULL);
  kiln_buf_release(&bench.folder);
  kiln_buf_release(&bench.program);
  kiln_buf_release(&bench.store);
  kiln_buf_release(&bench.file);
  return good ? 0 : 1;
}
