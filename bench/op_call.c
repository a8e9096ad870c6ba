/*
 * What one call of an op costs on the host beside the work itself: arguments checked, kernel found, parameters packed.
 *
 * usage: bench.op_call           figures, nanoseconds of CPU time of the thread
 *        bench.op_call N         N warm calls and nothing else, for an instruction counter (bench/op_instructions.sh)
 *        bench.op_call cuda      on GPU 0, side by side: the driver's bare launch of the same kernel, the launch of
 * kiln, the whole call of the op (goal: at most 1 us above the bare launch)
 *
 * The op is rmsnorm on the CPU with an empty batch, so that nothing is started: four arguments, three tensors, two
 * pairs that must not overlap. Beside it the same checks by the table in every call (what a new signature costs), and
 * the call through tvm-ffi's convention. Needs a host compiler, once. Never fails on time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/cuda/driver.h"
#include "device/cuda/stream.h"
#include "jit/context.h"
#include "kiln/op.h"
#include "op/call.h"
#include "op/ffi.h"
#include "op/tool/trial.h"
#include "os/clock.h"
#include "os/file.h"

enum { ROUNDS = 31, CALLS = 20000, GPU_CALLS = 500 };

struct bench {
  struct kiln *kiln;
  const struct kiln_op *op;
  struct kiln_trial trial;
  struct kiln_ffi_any args[4];
  struct kiln_signature *scratch;
  const struct kiln_signature *signature;
  struct kiln_prepared prepared;
  struct kiln_ops *ops;
  struct kiln_error error;
};

static void
call_op(struct bench *bench)
{
  (void)kiln_op_call(bench->kiln, bench->op, NULL, bench->trial.values, 4, &bench->error);
}

static void
check_by_table(struct bench *bench)
{
  const struct kiln_checker checker = {&bench->prepared, kiln_ops_target, bench->ops};
  (void)kiln_op_check(&checker, bench->trial.values, 4, bench->scratch, NULL, &bench->error);
}

/* ---- on a GPU ---- */

/* What call.c does last, by hand and without any check. */
static void
launch_bare(struct bench *bench)
{
  struct kiln_op_launch packed = {0};
  void *arguments[] = {packed.params};
  bench->op->pack(&bench->signature->checked, bench->trial.values, &packed);
  (void)bench->kiln->cuda->call.launch(bench->signature->kernel->function, packed.grid[0], 1, 1, packed.block[0], 1, 1,
      packed.shared, bench->trial.stream, arguments, NULL);
}

static void
start_known(struct bench *bench)
{
  (void)kiln_op_start(bench->ops, bench->signature, bench->trial.values, bench->trial.stream, &bench->error);
}

static void
call_in_stream(struct bench *bench)
{
  (void)kiln_op_call(bench->kiln, bench->op, bench->trial.stream, bench->trial.values, 4, &bench->error);
}

static void
call_ffi(struct bench *bench)
{
  struct kiln_ffi_any result;
  (void)kiln_ffi_call(bench->op, bench->args, 3, &result);
}

static int
by_size(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Median of rounds, each of many calls. */
static void
measure(struct bench *bench, const char *what, void (*call)(struct bench *bench))
{
  double rounds[ROUNDS];
  for (int i = 0; i < ROUNDS; i++) {
    const bool gpu = bench->trial.device.type == KILN_DEVICE_CUDA;
    const int calls = gpu ? GPU_CALLS : CALLS; /* fewer than a queue of the driver holds */
    const uint64_t begin = kiln_clock_thread_cpu();
    for (int k = 0; k < calls; k++)
      call(bench);
    rounds[i] = (double)(kiln_clock_thread_cpu() - begin) / calls;
    if (gpu)
      (void)kiln_cuda_stream_wait(bench->kiln->cuda, bench->trial.stream, NULL);
  }
  qsort(rounds, ROUNDS, sizeof *rounds, by_size);
  printf("  %-52s %7.1f ns   (%.1f … %.1f)\n", what, rounds[ROUNDS / 2], rounds[0], rounds[ROUNDS - 1]);
}

static bool
set_up(struct bench *bench, const char *folder, bool gpu)
{
  const struct kiln_case shape = {.axis = {0, gpu ? 1 : 0, 0, 4096}};
  struct kiln_options options;
  kiln_options_init(&options);
  options.cache_folder = folder;
  setenv("KILN_CACHE_DIR", folder, 1); /* of the kiln behind the FFI */
  bench->op = kiln_op_find("rmsnorm");
  bench->scratch = calloc(1, sizeof *bench->scratch);
  if (!bench->scratch || kiln_new(&options, &bench->kiln, &bench->error) != KILN_OK)
    return false;
  kiln_trial_init(&bench->trial, bench->kiln, bench->op, &shape);
  if (gpu)
    bench->trial.device.type = KILN_DEVICE_CUDA;
  kiln_op_prepare(bench->op, &bench->prepared);
  if (kiln_ops_of(bench->kiln, &bench->ops, &bench->error) != KILN_OK ||
      kiln_trial_make(&bench->trial, &bench->error) != KILN_OK ||
      kiln_trial_call(&bench->trial, NULL, &bench->error) != KILN_OK)
    return false;
  for (int i = 0; i < 3; i++)
    bench->args[i] = (struct kiln_ffi_any){
        .type = KILN_FFI_TENSOR_POINTER, .as.pointer = (void *)(uintptr_t)bench->trial.values[i].as.tensor};
  return true;
}

static void
run_cuda(struct bench *bench)
{
  const struct kiln_op_request request = {bench->op, bench->trial.stream, bench->trial.values, 4, true};
  if (kiln_op_resolve(bench->ops, &request, bench->scratch, &bench->signature, NULL, &bench->error) != KILN_OK)
    return;
  puts("one call of rmsnorm 1 x 4096 on GPU 0, asynchronous (median of 31 rounds of 500 calls)");
  measure(bench, "cuLaunchKernel by hand", launch_bare);
  measure(bench, "packed and launched by kiln, nothing checked", start_known);
  measure(bench, "kiln_op_call: compared, packed, launched", call_in_stream);
}

static void
run(struct bench *bench, long calls)
{
  for (long i = 0; i < calls; i++)
    call_op(bench);
  if (calls)
    return;
  puts("one call of rmsnorm, nothing started (median of 31 rounds of 20000 calls)");
  measure(bench, "kiln_op_call: compared, packed", call_op);
  measure(bench, "tvm-ffi convention: the same and its conversion", call_ffi);
  measure(bench, "checked by the table, as a new signature is", check_by_table);
}

int
main(int argc, char **argv)
{
  struct bench bench = {0};
  struct kiln_buf folder;
  const bool gpu = argc > 1 && strcmp(argv[1], "cuda") == 0;
  const long calls = argc > 1 && !gpu ? strtol(argv[1], NULL, 10) : 0;
  kiln_buf_init(&folder);
  bool good = kiln_folder_make_private(kiln_folder_temporary(), "kiln-bench-", &folder, &bench.error) == KILN_OK &&
              set_up(&bench, folder.data, gpu);
  if (good && gpu)
    run_cuda(&bench);
  else if (good)
    run(&bench, calls);
  else
    fprintf(stderr, "bench.op_call: %s %s\n", bench.error.what, bench.error.remedy);
  if (bench.kiln)
    kiln_trial_release(&bench.trial);
  kiln_free(bench.kiln);
  free(bench.scratch);
  if (folder.len)
    kiln_folder_remove(folder.data, NULL);
  kiln_buf_release(&folder);
  return good ? 0 : 1;
}
