/* What is measured: everything a clock of the bench goes around happens here. */
#include "bench/op_first/process.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "device/cuda/driver.h"
#include "jit/build.h"
#include "jit/toolchain/nvrtc/nvrtc.h"
#include "kiln/op.h"
#include "op/call.h"
#include "op/tool/trial.h"
#include "os/clock.h"
#include "os/file.h"

#define LIBRARIES "libnvrtc"

struct process {
  struct kiln *kiln;
  const struct kiln_op *op;
  struct kiln_trial trial;
  struct kiln_ops *ops;
  struct kiln_signature *signature; /* without kernel */
  struct kiln_target target;
  struct kiln_spec *spec;
  struct kiln_arch_list targets;
  struct kiln_toolkit toolkit;
  bool cold;
  double figures[FIGURES];
  struct kiln_error error;
};

struct clock {
  uint64_t now, cpu;
};

static struct clock
start(void)
{
  return (struct clock){kiln_clock_now(), kiln_clock_process_cpu()};
}

static double
elapsed(struct clock since)
{
  return (double)(kiln_clock_now() - since.now) / 1e6;
}

static void
stop(struct process *process, struct clock since)
{
  process->figures[WHOLE] = elapsed(since);
  process->figures[CPU] = (double)(kiln_clock_process_cpu() - since.cpu) / 1e6;
}

/* ---- in a process of its own: what comes before the clock ---- */

/* Context, stream, data. */
static bool
make_trial(struct process *process, const struct kiln_op *op)
{
  process->op = op;
  kiln_trial_init(&process->trial, process->kiln, op, &op->benches[0]);
  process->trial.device.type = KILN_DEVICE_CUDA;
  return kiln_trial_make(&process->trial, &process->error) == KILN_OK;
}

static bool
make_spec(struct process *process)
{
  struct kiln_prepared prepared;
  kiln_op_prepare(process->op, &prepared);
  process->signature = calloc(1, sizeof *process->signature);
  if (!process->signature || kiln_ops_of(process->kiln, &process->ops, &process->error) != KILN_OK)
    return false;
  const struct kiln_checker checker = {&prepared, kiln_ops_target, process->ops};
  return kiln_op_check(&checker, process->trial.values, process->op->nargs, process->signature, NULL,
             &process->error) == KILN_OK &&
         kiln_ops_target(process->ops, process->trial.device, &process->target, &process->error) == KILN_OK &&
         kiln_kernel_spec(kiln_ops_sources(process->ops), &process->signature->checked, &process->target,
             process->trial.values, &process->spec, &process->error) == KILN_OK;
}

static bool
find_toolkit(struct process *process)
{
  return kiln_gpu_targets(process->kiln, process->spec, &process->targets, &process->error) == KILN_OK &&
         kiln_nvrtc_find(process->kiln, &process->targets, &process->toolkit, &process->error) == KILN_OK;
}

static bool
forget_file(void *context, const char *path, const struct kiln_file_info *info)
{
  (void)context, (void)info;
  const int fd = kiln_text_starts(kiln_text_base_name(path), LIBRARIES) ? kiln_fd_open(path, KILN_OPEN_READ) : -1;
  if (fd >= 0)
    (void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  kiln_fd_close(fd);
  return true;
}

static void
folder_of(const char *path, struct kiln_buf *folder)
{
  kiln_buf_append(folder, path, (size_t)(kiln_text_base_name(path) - path));
}

static void
forget_libraries(struct process *process)
{
  struct kiln_buf folder;
  kiln_buf_init(&folder);
  folder_of(kiln_buf_text(&process->toolkit.nvrtc), &folder);
  (void)kiln_folder_walk(kiln_buf_text(&folder), 1, forget_file, NULL, NULL);
  kiln_buf_release(&folder);
}

/* For a process that does not otherwise look for the toolkit; the kiln that looks here is another one. */
static bool
make_cold(struct process *process)
{
  struct process other = {.cold = true};
  if (!process->cold)
    return true;
  kiln_toolkit_init(&other.toolkit);
  const bool good = kiln_new(NULL, &other.kiln, &other.error) == KILN_OK &&
                    kiln_nvrtc_find(other.kiln, NULL, &other.toolkit, &other.error) == KILN_OK;
  if (good)
    forget_libraries(&other);
  else
    process->error = other.error;
  kiln_toolkit_release(&other.toolkit);
  kiln_free(other.kiln);
  return good;
}

/* ---- NVRTC alone ---- */

struct bare {
  struct kiln_plan plan;
  struct kiln_nvrtc nvrtc; /* folders and functions of one that nobody has opened yet */
  struct kiln_nvrtc_program program;
  struct kiln_nvrtc_options options;
  struct kiln_build_output output;
  const char **names, **texts;
  struct kiln_buf builtins, cubin;
};

static bool
take_builtins(void *context, const char *path, const struct kiln_file_info *info)
{
  struct kiln_buf *builtins = context;
  (void)info;
  if (builtins->len == 0 && kiln_text_starts(kiln_text_base_name(path), KILN_NVRTC_BUILTINS))
    kiln_buf_text_append(builtins, path);
  return true;
}

static const char *
text_of(const struct kiln_nvrtc_text *text)
{
  return kiln_buf_text(text->ready.len > 0 ? &text->ready : &text->text);
}

/* The texts and options of kiln's own build. */
static bool
prepare_bare(struct process *process, struct bare *bare)
{
  struct kiln_buf folder;
  kiln_build_output_init(&bare->output);
  bare->nvrtc.folders[0] = (char *)kiln_buf_text(&process->toolkit.include);
  bare->nvrtc.folders[1] = (char *)kiln_buf_text(&process->toolkit.cccl);
  if (kiln_plan_begin(process->kiln, process->spec, &bare->plan, &process->error) != KILN_OK)
    return false;
  const struct kiln_build_input input = {.spec = process->spec,
      .folder = "",
      .texts = bare->plan.texts,
      .roots = (const char *const *)bare->plan.roots,
      .root_count = bare->plan.root_count};
  if (kiln_nvrtc_collect(process->kiln, &input, &bare->nvrtc, kiln_clock_real(), &bare->program, &bare->output,
          &process->error) != KILN_OK ||
      kiln_nvrtc_options_make(
          process->kiln, process->spec, process->targets.items[0], NULL, &bare->options, &process->error) != KILN_OK)
    return false;
  const size_t count = bare->program.texts.count;
  bare->names = calloc(count, sizeof *bare->names);
  bare->texts = calloc(count, sizeof *bare->texts);
  for (size_t i = 0; i < count && bare->names && bare->texts; i++) {
    bare->names[i] = bare->program.texts.items[i].name;
    bare->texts[i] = text_of(&bare->program.texts.items[i]);
  }
  kiln_buf_init(&folder);
  folder_of(kiln_buf_text(&process->toolkit.nvrtc), &folder);
  (void)kiln_folder_walk(kiln_buf_text(&folder), 1, take_builtins, &bare->builtins, NULL);
  kiln_buf_release(&folder);
  return bare->names && bare->texts && bare->builtins.len > 0;
}

static bool
open_bare(struct process *process, struct bare *bare)
{
  struct kiln_library *builtins, *library;
  if (kiln_library_open(kiln_buf_text(&bare->builtins), &builtins, &process->error) != KILN_OK ||
      kiln_library_open(kiln_buf_text(&process->toolkit.nvrtc), &library, &process->error) != KILN_OK)
    return false;
  void *address;
  bool all = true;
#define FIND(need, returns, member, symbol, arguments)                                                                 \
  address = kiln_library_symbol(library, symbol);                                                                      \
  memcpy(&bare->nvrtc.call.member, &address, sizeof address);                                                          \
  all = all && address;
  KILN_NVRTC_SYMBOLS(FIND)
#undef FIND
  return all;
}

static bool
compile_bare(struct bare *bare)
{
  const struct kiln_nvrtc_calls *call = &bare->nvrtc.call;
  const int headers = (int)bare->program.texts.count - 1;
  void *program = NULL;
  size_t size = 0;
  const bool good =
      call->create(&program, bare->texts[0], bare->names[0], headers, bare->texts + 1, bare->names + 1) == 0 &&
      call->compile(program, (int)bare->options.count, bare->options.items) == 0 &&
      call->cubin_size(program, &size) == 0 && kiln_buf_reserve(&bare->cubin, size) &&
      call->cubin(program, bare->cubin.data) == 0;
  if (program)
    (void)call->destroy(&program);
  return good;
}

static bool
load_bare(struct process *process, const struct bare *bare)
{
  void *module, *function;
  const struct kiln_driver_calls *call = &process->kiln->cuda->call;
  return call->module_load_data(&module, bare->cubin.data) == 0 &&
         call->module_function(&function, module, process->signature->checked.variant->entry) == 0 &&
         (!call->function_load || call->function_load(function) == 0);
}

static bool
run_bare(struct process *process)
{
  struct bare bare = {.names = NULL};
  double *figures = process->figures;
  if (!make_spec(process) || !find_toolkit(process) || !prepare_bare(process, &bare))
    return false;
  if (process->cold)
    forget_libraries(process);
  const struct clock begin = start();
  bool good = open_bare(process, &bare);
  figures[OPEN] = elapsed(begin);
  const struct clock opened = start();
  good = good && compile_bare(&bare);
  figures[NVRTC] = elapsed(opened);
  const struct clock compiled = start();
  good = good && load_bare(process, &bare);
  figures[DRIVER] = elapsed(compiled);
  stop(process, begin);
  return good; /* the process ends here: nothing is given back */
}

/* ---- kiln ---- */

static bool
run_call(struct process *process)
{
  if (!make_cold(process))
    return false;
  const struct clock begin = start();
  const bool good = kiln_trial_call(&process->trial, NULL, &process->error) == KILN_OK;
  stop(process, begin);
  return good;
}

/* Functions of NVRTC and the driver that take their time; their callers have no place for a context. */
static struct {
  struct kiln_nvrtc_calls nvrtc;
  struct kiln_driver_calls driver;
  double *figures;
} timed;

#define TIMED(name, parameters, table, figure, ...)                                                                    \
  static int timed_##name parameters                                                                                   \
  {                                                                                                                    \
    const struct clock begin = start();                                                                                \
    const int result = timed.table.name(__VA_ARGS__);                                                                  \
    timed.figures[figure] += elapsed(begin);                                                                           \
    return result;                                                                                                     \
  }
TIMED(create,
    (void **program, const char *text, const char *name, int count, const char *const *headers,
        const char *const *names),
    nvrtc, NVRTC, program, text, name, count, headers, names)
TIMED(compile, (void *program, int count, const char *const *options), nvrtc, NVRTC, program, count, options)
TIMED(cubin, (void *program, char *cubin), nvrtc, NVRTC, program, cubin)
TIMED(destroy, (void **program), nvrtc, NVRTC, program)
TIMED(module_load_data, (void **module, const void *image), driver, DRIVER, module, image)
TIMED(module_function, (void **function, void *module, const char *name), driver, DRIVER, function, module, name)
TIMED(function_load, (void *function), driver, DRIVER, function)
TIMED(launch,
    (void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
        void *stream, void **parameters, void **extra),
    driver, DRIVER, function, gx, gy, gz, bx, by, bz, shared, stream, parameters, extra)
TIMED(launch_ex, (const struct kiln_cu_launch_config *config, void *function, void **parameters, void **extra), driver,
    DRIVER, config, function, parameters, extra)
TIMED(stream_synchronize, (void *stream), driver, DRIVER, stream)
#undef TIMED

static void
time_functions(struct process *process, struct kiln_nvrtc *nvrtc)
{
  struct kiln_driver_calls *driver = &process->kiln->cuda->call;
  timed.nvrtc = nvrtc->call;
  timed.driver = *driver;
  timed.figures = process->figures;
  nvrtc->call.create = timed_create;
  nvrtc->call.compile = timed_compile;
  nvrtc->call.cubin = timed_cubin;
  nvrtc->call.destroy = timed_destroy;
  driver->module_load_data = timed_module_load_data;
  driver->module_function = timed_module_function;
  driver->function_load = driver->function_load ? timed_function_load : NULL;
  driver->launch = timed_launch;
  driver->launch_ex = timed_launch_ex;
  driver->stream_synchronize = timed_stream_synchronize;
}

/* The steps that can be done alone are done before the call, which then finds them done. */
static bool
run_parts(struct process *process)
{
  struct kiln_plan plan;
  struct kiln_nvrtc *nvrtc;
  double *figures = process->figures;
  if (!make_cold(process))
    return false;
  const struct clock begin = start();
  bool good = make_spec(process) && kiln_plan_begin(process->kiln, process->spec, &plan, &process->error) == KILN_OK;
  figures[SOURCES] = elapsed(begin);
  const struct clock made = start();
  good = good && kiln_plan_complete(process->kiln, process->spec, &plan, &process->error) == KILN_OK;
  figures[IDENTITY] = elapsed(made);
  const struct clock identified = start();
  good = good && kiln_gpu_targets(process->kiln, process->spec, &process->targets, &process->error) == KILN_OK &&
         kiln_nvrtc_open(process->kiln, &process->targets, &nvrtc, &process->error) == KILN_OK;
  figures[OPEN] = elapsed(identified);
  if (!good)
    return false;
  time_functions(process, nvrtc);
  good = kiln_trial_call(&process->trial, NULL, &process->error) == KILN_OK;
  stop(process, begin);
  return good;
}

/* WHOLE: the sum of all; SOURCES: the largest. */
static bool
run_all(struct process *process)
{
  double sum = 0, cpu = 0, largest = 0;
  const struct kiln_op *op;
  bool good = make_cold(process);
  for (size_t i = 0; good && (op = kiln_op_at(i)) != NULL; i++) {
    good = make_trial(process, op);
    const struct clock begin = start();
    good = good && kiln_trial_call(&process->trial, NULL, &process->error) == KILN_OK;
    stop(process, begin);
    kiln_trial_release(&process->trial);
    sum += process->figures[WHOLE];
    cpu += process->figures[CPU];
    largest = process->figures[WHOLE] > largest ? process->figures[WHOLE] : largest;
  }
  process->figures[WHOLE] = sum;
  process->figures[CPU] = cpu;
  process->figures[SOURCES] = largest;
  return good;
}

static const struct {
  const char *name;
  bool (*run)(struct process *process);
} ways[] = {{"bare", run_bare}, {"kiln", run_call}, {"parts", run_parts}, {"all", run_all}};

void
op_first_child(char **argv)
{
  struct process process = {.cold = argv[5] != NULL};
  struct kiln_buf text;
  bool good = kiln_new(NULL, &process.kiln, &process.error) == KILN_OK;
  kiln_toolkit_init(&process.toolkit);
  const struct kiln_op *op = kiln_op_find(argv[3]);
  good = good && op && (strcmp(argv[2], "all") == 0 || make_trial(&process, op));
  for (size_t i = 0; i < sizeof ways / sizeof *ways && good; i++)
    if (strcmp(argv[2], ways[i].name) == 0)
      good = ways[i].run(&process);
  if (!good)
    fprintf(stderr, "bench.op_first: %s of %s: %s %s\n", argv[2], argv[3], process.error.what, process.error.remedy);
  kiln_buf_init(&text);
  for (int i = 0; i < FIGURES; i++)
    kiln_buf_printf(&text, "%.6f\n", process.figures[i]);
  good = good && kiln_file_write(argv[4], text.data, text.len, NULL) == KILN_OK;
  fflush(NULL);
  _exit(good ? 0 : 1); /* the driver takes its time to end */
}
