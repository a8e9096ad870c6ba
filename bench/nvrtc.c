/*
 * What NVRTC costs bare and through kiln, beside nvcc, on the same source.
 *
 * usage: bench.nvrtc [ROUNDS]      default 20; needs a CUDA toolkit (KILN_CUDA), no GPU and no driver
 *
 * Measured in turns in the same run: in a process of its own for each (cold), and in this process (warm), the bare
 * calls — create, compile, get the cubin, destroy — and a kiln build of the same source that is a miss (lookup,
 * headers, compile, checks, publishing). Then nvcc -cubin and nvcc -shared. Prints medians of CPU time and of elapsed
 * time, and ratios; goal: kiln adds less than 2 ms of CPU to the bare calls. Never fails on time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "jit/toolchain/nvrtc/nvrtc.h"
#include "kiln/cache.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/process.h"

#define MOST_ROUNDS 1000
#define ARCH "sm_90"
#define NVRTC_ARCH "--gpu-architecture=sm_90"
#define NVCC_ARCH "-arch=sm_90"

/* One row of the table: what came out of each round, in milliseconds. */
struct row {
  const char *name;
  double cpu[MOST_ROUNDS], elapsed[MOST_ROUNDS];
  size_t count;
};

struct bench {
  struct kiln *kiln;
  struct kiln_toolkit toolkit;
  struct kiln_nvrtc *nvrtc;
  struct kiln_buf folder, program;
  struct kiln_error error;
  unsigned serial; /* makes every source a new one */
};

/* Root mean square norm of a row, no header of the toolkit. */
static void
source(unsigned serial, struct kiln_buf *text)
{
  kiln_buf_clear(text);
  kiln_buf_printf(text,
      "// %u of process %d\n"
      "extern \"C\" __global__ void rms_norm(float *y, const float *x, const float *w, int n, float eps)\n"
      "{\n"
      "  __shared__ float parts[32];\n"
      "  const float *row = x + (long long)blockIdx.x * n;\n"
      "  float sum = 0;\n"
      "  for (int i = threadIdx.x; i < n; i += blockDim.x)\n"
      "    sum += row[i] * row[i];\n"
      "  for (int at = 16; at > 0; at /= 2)\n"
      "    sum += __shfl_xor_sync(0xffffffffu, sum, at);\n"
      "  if (threadIdx.x %% 32 == 0)\n"
      "    parts[threadIdx.x / 32] = sum;\n"
      "  __syncthreads();\n"
      "  sum = 0;\n"
      "  for (int i = 0; i < blockDim.x / 32; i++)\n"
      "    sum += parts[i];\n"
      "  const float scale = rsqrtf(sum / n + eps);\n"
      "  for (int i = threadIdx.x; i < n; i += blockDim.x)\n"
      "    y[(long long)blockIdx.x * n + i] = row[i] * scale * w[i];\n"
      "}\n",
      serial, kiln_process_id());
}

/* ---- the ways ---- */

static bool
run_bare(struct bench *bench)
{
  static const char *const options[] = {NVRTC_ARCH, "--std=c++17", "--no-cache", "--no-source-include"};
  const struct kiln_nvrtc_calls *call = &bench->nvrtc->call;
  struct kiln_buf text, cubin;
  void *program = NULL;
  size_t size = 0;
  kiln_buf_init(&text);
  kiln_buf_init(&cubin);
  source(bench->serial++, &text);
  const bool good = call->create(&program, kiln_buf_text(&text), "norm.cu", 0, NULL, NULL) == 0 &&
                    call->compile(program, (int)(sizeof options / sizeof *options), options) == 0 &&
                    call->cubin_size(program, &size) == 0 && kiln_buf_reserve(&cubin, size) &&
                    call->cubin(program, cubin.data) == 0;
  if (program)
    call->destroy(&program);
  kiln_buf_release(&text);
  kiln_buf_release(&cubin);
  return good;
}

static bool
run_kiln(struct bench *bench)
{
  struct kiln_spec *spec = NULL;
  struct kiln_buf text;
  enum kiln_result result = KILN_RESULT_FAILED;
  char key[65];
  double ms;
  kiln_buf_init(&text);
  source(bench->serial++, &text);
  const bool good = kiln_spec_new("norm", "nvrtc", &spec, &bench->error) == KILN_OK &&
                    kiln_spec_add_source(spec, "norm.cu", kiln_buf_text(&text), text.len, &bench->error) == KILN_OK &&
                    kiln_spec_add_arch(spec, ARCH, &bench->error) == KILN_OK &&
                    kiln_spec_add_entry_point(spec, "rms_norm", &bench->error) == KILN_OK &&
                    kiln_cache_build(bench->kiln, spec, &result, key, NULL, &ms, &bench->error) == KILN_OK;
  kiln_spec_free(spec);
  kiln_buf_release(&text);
  return good && result == KILN_RESULT_BUILT;
}

static bool
open_nvrtc(struct bench *bench)
{
  struct kiln_arch_list targets = {.count = 0};
  return kiln_arch_list_parse(&targets, ARCH, &bench->error) == KILN_OK &&
         kiln_nvrtc_find(bench->kiln, &targets, &bench->toolkit, &bench->error) == KILN_OK &&
         kiln_nvrtc_open(bench->kiln, &targets, &bench->nvrtc, &bench->error) == KILN_OK;
}

/* ---- measuring ---- */

static double
seconds(struct timeval time)
{
  return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static double
children_ms(void)
{
  struct rusage usage;
  getrusage(RUSAGE_CHILDREN, &usage);
  return (seconds(usage.ru_utime) + seconds(usage.ru_stime)) * 1e3;
}

static bool
time_here(struct bench *bench, struct row *row, bool (*run)(struct bench *bench))
{
  const uint64_t begin = kiln_clock_now(), cpu = kiln_clock_process_cpu();
  const bool good = run(bench);
  row->cpu[row->count] = (double)(kiln_clock_process_cpu() - cpu) / 1e6;
  row->elapsed[row->count++] = (double)(kiln_clock_now() - begin) / 1e6;
  return good;
}

static bool
time_program(struct row *row, char *const *argv)
{
  struct kiln_environment environment;
  struct kiln_exit result = {.code = 1};
  int pid;
  kiln_environment_init(&environment);
  kiln_environment_copy_current(&environment);
  const double cpu = children_ms();
  const uint64_t begin = kiln_clock_now();
  const struct kiln_spawn_options options = {
      .program = argv[0], .argv = argv, .environment = environment.entries, .stdin_fd = -1};
  const bool good = kiln_process_spawn(&options, &pid, NULL) == KILN_OK && kiln_process_wait(pid, -1, &result) &&
                    result.code == 0 && result.signal == 0;
  row->elapsed[row->count] = (double)(kiln_clock_now() - begin) / 1e6;
  row->cpu[row->count++] = children_ms() - cpu;
  kiln_environment_release(&environment);
  return good;
}

static bool
time_child(struct bench *bench, struct row *row, const char *way)
{
  char *argv[] = {(char *)kiln_buf_text(&bench->program), "--child", (char *)way, NULL};
  return time_program(row, argv);
}

static int
compare(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double
median(const double *values, size_t count)
{
  double sorted[MOST_ROUNDS];
  memcpy(sorted, values, count * sizeof *values);
  qsort(sorted, count, sizeof *sorted, compare);
  return count ? (sorted[(count - 1) / 2] + sorted[count / 2]) / 2 : 0;
}

static double
smallest(const double *values, size_t count)
{
  double least = count ? values[0] : 0;
  for (size_t i = 1; i < count; i++)
    least = values[i] < least ? values[i] : least;
  return least;
}

static void
print_row(const struct row *row, const struct row *against)
{
  const double cpu = median(row->cpu, row->count), base = median(against->cpu, against->count);
  printf("%-28s %9.1f %9.1f %10.1f %4zu   %6.2f x CPU\n", row->name, cpu, smallest(row->cpu, row->count),
      median(row->elapsed, row->count), row->count, base > 0 ? cpu / base : 0);
}

/* ---- all together ---- */

static bool
time_nvcc(struct bench *bench, struct row *cubin, struct row *shared, size_t rounds)
{
  struct kiln_buf file, out, text;
  bool good = bench->toolkit.nvcc.len > 0;
  kiln_buf_init(&file);
  kiln_buf_init(&out);
  kiln_buf_init(&text);
  kiln_buf_printf(&file, "%s/norm.cu", kiln_buf_text(&bench->folder));
  kiln_buf_printf(&out, "%s/norm.out", kiln_buf_text(&bench->folder));
  source(0, &text);
  good = good && kiln_file_write(kiln_buf_text(&file), text.data, text.len, NULL) == KILN_OK;
  char *nvcc = (char *)kiln_buf_text(&bench->toolkit.nvcc), *from = (char *)kiln_buf_text(&file),
       *to = (char *)kiln_buf_text(&out);
  char *make_cubin[] = {nvcc, NVCC_ARCH, "-cubin", "-o", to, from, NULL};
  char *make_shared[] = {nvcc, NVCC_ARCH, "-shared", "-Xcompiler", "-fPIC", "-o", to, from, NULL};
  for (size_t i = 0; i < rounds && good; i++)
    good = time_program(cubin, make_cubin) && time_program(shared, make_shared);
  kiln_buf_release(&file);
  kiln_buf_release(&out);
  kiln_buf_release(&text);
  return good;
}

static bool
measure(struct bench *bench, size_t rounds)
{
  static struct row cold_bare = {.name = "NVRTC bare, cold process"}, cold_kiln = {.name = "kiln, cold process"},
                    warm_bare = {.name = "NVRTC bare, warm process"}, warm_kiln = {.name = "kiln, warm process"},
                    nvcc_cubin = {.name = "nvcc -cubin"}, nvcc_shared = {.name = "nvcc -shared"};
  const size_t few = rounds / 4 + 1;
  bool good = open_nvrtc(bench) && run_bare(bench) && run_kiln(bench);
  for (size_t i = 0; i < rounds && good; i++)
    good = time_here(bench, &warm_bare, run_bare) && time_here(bench, &warm_kiln, run_kiln);
  for (size_t i = 0; i < few && good; i++)
    good = time_child(bench, &cold_bare, "bare") && time_child(bench, &cold_kiln, "kiln");
  if (!good)
    return false;
  const bool has_nvcc = time_nvcc(bench, &nvcc_cubin, &nvcc_shared, few);
  printf("%-28s %9s %9s %10s %4s\n", "milliseconds", "CPU", "least CPU", "elapsed", "n");
  const struct row *const rows[] = {&cold_bare, &cold_kiln, &warm_bare, &warm_kiln, &nvcc_cubin, &nvcc_shared};
  for (size_t i = 0; i < (has_nvcc ? 6 : 4); i++)
    print_row(rows[i], &warm_bare);
  printf("kiln adds %.2f ms of CPU to a bare NVRTC call (medians; least values: %.2f ms); goal: less than 2 ms\n",
      median(warm_kiln.cpu, warm_kiln.count) - median(warm_bare.cpu, warm_bare.count),
      smallest(warm_kiln.cpu, warm_kiln.count) - smallest(warm_bare.cpu, warm_bare.count));
  printf("kiln adds %.2f ms of CPU to a cold process\n",
      median(cold_kiln.cpu, cold_kiln.count) - median(cold_bare.cpu, cold_bare.count));
  return true;
}

static bool
prepare(struct bench *bench)
{
  struct kiln_options options;
  kiln_options_init(&options);
  kiln_buf_init(&bench->folder);
  kiln_buf_init(&bench->program);
  kiln_toolkit_init(&bench->toolkit);
  if (kiln_folder_make_private(kiln_folder_temporary(), "kiln-bench-", &bench->folder, &bench->error) != KILN_OK ||
      !kiln_process_executable(&bench->program))
    return false;
  options.cache_folder = kiln_buf_text(&bench->folder);
  return kiln_new(&options, &bench->kiln, &bench->error) == KILN_OK;
}

static void
leave(struct bench *bench)
{
  kiln_free(bench->kiln);
  kiln_toolkit_release(&bench->toolkit);
  if (bench->folder.len > 0)
    kiln_folder_remove(kiln_buf_text(&bench->folder), NULL);
  kiln_buf_release(&bench->folder);
  kiln_buf_release(&bench->program);
}

int
main(int argc, char **argv)
{
  static struct bench bench;
  const bool child = argc == 3 && strcmp(argv[1], "--child") == 0;
  const long rounds = argc > 1 && !child ? strtol(argv[1], NULL, 10) : 20;
  if (rounds < 1 || rounds > MOST_ROUNDS) {
    fprintf(stderr, "usage: bench.nvrtc [ROUNDS]\n");
    return 2;
  }
  bool good = prepare(&bench);
  if (child)
    good = good && (strcmp(argv[2], "bare") == 0 ? open_nvrtc(&bench) && run_bare(&bench) : run_kiln(&bench));
  else
    good = good && measure(&bench, (size_t)rounds);
  if (!good)
    fprintf(stderr, "bench.nvrtc: %s %s\n", bench.error.what, bench.error.remedy);
  leave(&bench);
  return good ? 0 : bench.error.status == KILN_ERROR_NOT_FOUND && !child ? 0 : 1; /* no toolkit: said, and no failure */
}
