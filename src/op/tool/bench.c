#include "op/tool/bench.h"

#include <stdlib.h>
#include <string.h>

#include "device/cuda/graph.h"
#include "device/cuda/memory.h"
#include "jit/context.h"
#include "kiln/device.h"
#include "op/tool/memory.h"
#include "os/clock.h"

enum { MOST_SETS = 4096, LEAST_SETS = 2, WARM_UP = 3 };
#define CPU_CACHE (UINT64_C(64) << 20)
#define CPU_MOST (UINT64_C(2) << 30)
#define L2_TIMES 5
#define CPU_ROUND_NS UINT64_C(200000) /* a round repeats what is shorter, so that the clock can tell */

/* A trial, and more sets of its tensors. */
struct sets {
  struct kiln_trial *trial;
  struct kiln_ops *ops;
  const struct kiln_signature *signature;
  struct kiln_signature scratch;
  struct kiln_block *blocks; /* count × nargs; the first set is the trial's own */
  struct kiln_tensor *tensors;
  struct kiln_value *values;
  unsigned count;
  struct kiln_block copy_from, copy_to;
};

/* ---- series ---- */

static int
by_size(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void
sort(struct kiln_series *series)
{
  qsort(series->times, series->count, sizeof *series->times, by_size);
}

double
kiln_series_quantile(const struct kiln_series *series, double q)
{
  return series->count ? series->times[(size_t)(q * (series->count - 1) + 0.5)] : 0;
}

/* ---- sets of buffers ---- */

/* cache: what no set may be left in; most: memory of all sets. */
static enum kiln_status
limits(const struct kiln_trial *trial, uint64_t *cache, uint64_t *most, struct kiln_error *error)
{
  struct kiln_device_info info;
  *cache = CPU_CACHE;
  *most = CPU_MOST;
  if (trial->device.type == KILN_DEVICE_CPU)
    return KILN_OK;
  const enum kiln_status status = kiln_device_info(trial->kiln, trial->device.id, &info, error);
  *cache = (uint64_t)info.l2_bytes * L2_TIMES;
  *most = info.memory_bytes / 4;
  return status;
}

/* A call may touch only a little of its tensors: then as many sets as the cache asks for could be too many. */
static unsigned
how_many(const struct kiln_trial *trial, uint64_t cache, uint64_t bytes, uint64_t most)
{
  uint64_t wanted = bytes ? cache / bytes + 1 : LEAST_SETS, whole = 1;
  for (unsigned i = 0; i < trial->op->nargs; i++) {
    const struct kiln_block *block = kiln_trial_block(trial, i);
    whole += block ? block->bytes + 2 * block->guard : 0;
  }
  wanted = wanted > MOST_SETS ? MOST_SETS : wanted;
  wanted = wanted > most / whole ? most / whole : wanted;
  return wanted < LEAST_SETS ? LEAST_SETS : (unsigned)wanted;
}

static enum kiln_status
make_set(struct sets *sets, unsigned set, struct kiln_error *error)
{
  struct kiln_trial *trial = sets->trial;
  const unsigned nargs = trial->op->nargs;
  enum kiln_status status = KILN_OK;
  memcpy(&sets->values[set * nargs], trial->values, nargs * sizeof *sets->values);
  for (unsigned i = 0; i < nargs && set > 0 && status == KILN_OK; i++) {
    const struct kiln_block *own = kiln_trial_block(trial, i);
    struct kiln_block *block = &sets->blocks[set * nargs + i];
    struct kiln_tensor *tensor = &sets->tensors[set * nargs + i];
    if (!own)
      continue;
    status = kiln_block_copy(trial->kiln, trial->device, own, trial->stream, block, error);
    *tensor = *trial->values[i].as.tensor;
    tensor->data = status == KILN_OK ? kiln_block_data(block) : NULL;
    sets->values[set * nargs + i].as.tensor = tensor;
  }
  return status;
}

/* From one copy to the next: one that begins at an odd address is half as fast, and would flatter what is beside it. */
static size_t
apart(uint64_t bytes)
{
  return ((size_t)bytes + 511) / 512 * 512;
}

static enum kiln_status
make_sets(struct sets *sets, uint64_t bytes, struct kiln_error *error)
{
  struct kiln_trial *trial = sets->trial;
  uint64_t cache, most;
  enum kiln_status status = limits(trial, &cache, &most, error);
  if (status != KILN_OK)
    return status;
  sets->count = how_many(trial, cache, bytes, most);
  const size_t entries = (size_t)sets->count * trial->op->nargs;
  if (entries == 0)
    return kiln_error_set(error, KILN_ERROR_ARGUMENT, "'%s' has no arguments", trial->op->name);
  sets->blocks = calloc(entries, sizeof *sets->blocks);
  sets->tensors = calloc(entries, sizeof *sets->tensors);
  sets->values = calloc(entries, sizeof *sets->values);
  if (!sets->blocks || !sets->tensors || !sets->values)
    return kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for %u sets of tensors", sets->count);
  for (unsigned set = 0; set < sets->count && status == KILN_OK; set++)
    status = make_set(sets, set, error);
  /* Large enough that the copy meets no cache either. */
  const size_t half = apart(bytes / 2);
  if (status == KILN_OK)
    status = kiln_block_new(trial->kiln, trial->device, half * sets->count, &sets->copy_from, error);
  if (status == KILN_OK)
    status = kiln_block_new(trial->kiln, trial->device, half * sets->count, &sets->copy_to, error);
  return status;
}

static void
free_sets(struct sets *sets)
{
  const size_t entries = (size_t)sets->count * sets->trial->op->nargs;
  for (size_t i = 0; i < entries && sets->blocks; i++)
    kiln_block_free(sets->trial->kiln, &sets->blocks[i]);
  kiln_block_free(sets->trial->kiln, &sets->copy_from);
  kiln_block_free(sets->trial->kiln, &sets->copy_to);
  free(sets->blocks);
  free(sets->tensors);
  free(sets->values);
}

/* ---- what is timed ---- */

/* One piece of work on one set. */
typedef enum kiln_status work_function(struct sets *sets, unsigned set, uint64_t bytes, struct kiln_error *error);

static enum kiln_status
call_op(struct sets *sets, unsigned set, uint64_t bytes, struct kiln_error *error)
{
  (void)bytes;
  return kiln_op_start(
      sets->ops, sets->signature, &sets->values[set * sets->trial->op->nargs], sets->trial->stream, error);
}

static enum kiln_status
copy_bytes(struct sets *sets, unsigned set, uint64_t bytes, struct kiln_error *error)
{
  const size_t half = (size_t)(bytes / 2), at = apart(half) * set;
  char *to = kiln_block_data(&sets->copy_to), *from = kiln_block_data(&sets->copy_from);
  if (sets->trial->device.type == KILN_DEVICE_CPU) {
    memcpy(to + at, from + at, half);
    return KILN_OK;
  }
  if (half == 0)
    return KILN_OK;
  return kiln_cuda_memory_copy(sets->trial->kiln->cuda, (uint64_t)(uintptr_t)(to + at),
      (uint64_t)(uintptr_t)(from + at), half, sets->trial->stream, error);
}

/* ---- CPU: by the clock ---- */

static enum kiln_status
time_cpu(struct sets *sets, work_function *work, unsigned rounds, uint64_t bytes, struct kiln_series *series,
    struct kiln_error *error)
{
  enum kiln_status status = KILN_OK;
  unsigned set = 0, repeat = 1;
  for (unsigned round = 0; round < rounds + WARM_UP && status == KILN_OK; round++) {
    const uint64_t begin = kiln_clock_now();
    for (unsigned i = 0; i < repeat && status == KILN_OK; i++, set = (set + 1) % sets->count)
      status = work(sets, set, bytes, error);
    const uint64_t ns = kiln_clock_now() - begin;
    if (round >= WARM_UP)
      series->times[series->count++] = (double)ns / 1e9 / repeat;
    else if (ns < CPU_ROUND_NS)
      repeat = (unsigned)(CPU_ROUND_NS * repeat / (ns + 1)) + 1;
  }
  sort(series);
  return status;
}

/* ---- CUDA: graphs and events ---- */

struct replay {
  void *graph, *runnable, *begin, *end;
};

static enum kiln_status
capture(struct sets *sets, work_function *work, uint64_t bytes, struct replay *replay, struct kiln_error *error)
{
  struct kiln_cuda *cuda = sets->trial->kiln->cuda;
  void *stream = sets->trial->stream;
  struct kiln_error ignored = {0};
  enum kiln_status status = kiln_cuda_capture_begin(cuda, stream, error);
  if (status != KILN_OK)
    return status;
  for (unsigned set = 0; set < sets->count && status == KILN_OK; set++)
    status = work(sets, set, bytes, error);
  const enum kiln_status ended =
      kiln_cuda_capture_end(cuda, stream, &replay->graph, status == KILN_OK ? error : &ignored);
  status = status == KILN_OK ? ended : status;
  if (status == KILN_OK)
    status = kiln_cuda_graph_prepare(cuda, replay->graph, &replay->runnable, error);
  if (status == KILN_OK)
    status = kiln_cuda_event_new(cuda, true, &replay->begin, error);
  return status == KILN_OK ? kiln_cuda_event_new(cuda, true, &replay->end, error) : status;
}

static enum kiln_status
run_once(struct sets *sets, const struct replay *replay, double *seconds, struct kiln_error *error)
{
  struct kiln_cuda *cuda = sets->trial->kiln->cuda;
  void *stream = sets->trial->stream;
  double ms = 0;
  enum kiln_status status = kiln_cuda_event_record(cuda, replay->begin, stream, error);
  if (status == KILN_OK)
    status = kiln_cuda_graph_run(cuda, replay->runnable, stream, error);
  if (status == KILN_OK)
    status = kiln_cuda_event_record(cuda, replay->end, stream, error);
  if (status == KILN_OK)
    status = kiln_cuda_event_wait(cuda, replay->end, error);
  if (status == KILN_OK)
    status = kiln_cuda_event_elapsed(cuda, replay->begin, replay->end, &ms, error);
  *seconds = ms / 1e3 / sets->count;
  return status;
}

static enum kiln_status
time_cuda(struct sets *sets, work_function *work, unsigned rounds, uint64_t bytes, struct kiln_series *series,
    struct kiln_error *error)
{
  struct kiln_cuda *cuda = sets->trial->kiln->cuda;
  struct replay replay = {NULL, NULL, NULL, NULL};
  double seconds;
  enum kiln_status status = capture(sets, work, bytes, &replay, error);
  for (unsigned round = 0; round < rounds + WARM_UP && status == KILN_OK; round++) {
    status = run_once(sets, &replay, &seconds, error);
    if (status == KILN_OK && round >= WARM_UP)
      series->times[series->count++] = seconds;
  }
  kiln_cuda_event_free(cuda, replay.begin);
  kiln_cuda_event_free(cuda, replay.end);
  kiln_cuda_graph_runnable_free(cuda, replay.runnable);
  kiln_cuda_graph_free(cuda, replay.graph);
  sort(series);
  return status;
}

/* ---- all of it ---- */

/* The check, as `kiln op run` does it, but the data stays. */
static enum kiln_status
check(struct kiln_trial *trial, struct kiln_run *run, struct kiln_error *error)
{
  enum kiln_status status = kiln_trial_make(trial, error);
  const uint64_t begin = kiln_clock_now();
  if (status == KILN_OK)
    status = kiln_trial_call(trial, NULL, error);
  run->first_call_ms = (double)(kiln_clock_now() - begin) / 1e6;
  if (status == KILN_OK)
    status = kiln_trial_compare(trial, &run->result, error);
  if (status == KILN_OK)
    status = kiln_run_name(trial, run, error);
  return status == KILN_OK ? kiln_trial_reset(trial, error) : status;
}

static enum kiln_status
resolve(struct sets *sets, struct kiln_error *error)
{
  struct kiln_trial *trial = sets->trial;
  const struct kiln_op_request request = {trial->op, trial->stream, trial->values, trial->op->nargs, true};
  const enum kiln_status status = kiln_ops_of(trial->kiln, &sets->ops, error);
  return status == KILN_OK ? kiln_op_resolve(sets->ops, &request, &sets->scratch, &sets->signature, NULL, error)
                           : status;
}

static enum kiln_status
time_all(struct sets *sets, unsigned rounds, struct kiln_bench *bench, struct kiln_error *error)
{
  const bool cpu = sets->trial->device.type == KILN_DEVICE_CPU;
  enum kiln_status (*timer)(struct sets *, work_function *, unsigned, uint64_t, struct kiln_series *,
      struct kiln_error *) = cpu ? time_cpu : time_cuda;
  enum kiln_status status = make_sets(sets, bench->bytes, error);
  bench->timer = cpu ? "clock" : "graph replay, events";
  bench->sets = sets->count;
  bench->graph_calls = cpu ? 1 : sets->count;
  if (status == KILN_OK)
    status = timer(sets, call_op, rounds, bench->bytes, &bench->call, error);
  if (status == KILN_OK)
    status = timer(sets, copy_bytes, rounds, bench->bytes, &bench->copy, error);
  return status;
}

enum kiln_status
kiln_bench_trial(struct kiln_trial *trial, unsigned rounds, struct kiln_bench *bench, struct kiln_error *error)
{
  struct sets *sets = calloc(1, sizeof *sets);
  memset(bench, 0, sizeof *bench);
  if (!sets)
    return kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for a benchmark");
  sets->trial = trial;
  enum kiln_status status = check(trial, &bench->run, error);
  bench->bytes = status == KILN_OK ? kiln_trial_bytes(trial) : 0;
  if (status == KILN_OK && bench->run.result.ok)
    status = resolve(sets, error);
  if (status == KILN_OK && bench->run.result.ok)
    status = time_all(sets, rounds < KILN_BENCH_MOST ? rounds : KILN_BENCH_MOST, bench, error);
  free_sets(sets);
  free(sets);
  return status;
}
