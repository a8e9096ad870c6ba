/* One compile, in this process: texts, options, NVRTC, the result as a file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "jit/toolchain/nvrtc/nvrtc.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/path.h"
#include "os/process.h"

#define MOST_LOG ((size_t)256 << 10)
#define BEAT_MS 100
#define PATIENCE_NS UINT64_C(150000000)

/* ---- while it works ---- */

/* The owner's note and the progress stay alive while NVRTC has the calling thread. Most compiles are over before that
 * matters, and a second thread makes every allocation dearer: it is started by the first question of NVRTC (goes_on)
 * after PATIENCE_NS, or at once where NVRTC does not ask. */
struct beat {
  struct kiln_thread thread;
  struct kiln_mutex mutex;
  struct kiln_condition condition;
  bool started, over;
  uint64_t begin_ns;
  void (*tick)(void *context);
  void *context;
};

static void *
beat_run(void *context)
{
  struct beat *beat = context;
  kiln_mutex_lock(&beat->mutex);
  while (!beat->over) {
    if (kiln_condition_wait(&beat->condition, &beat->mutex, BEAT_MS) || beat->over)
      continue;
    kiln_mutex_unlock(&beat->mutex);
    beat->tick(beat->context);
    kiln_mutex_lock(&beat->mutex);
  }
  kiln_mutex_unlock(&beat->mutex);
  return NULL;
}

/* Without a thread the compile goes on; only its owner's note grows old. */
static void
beat_start(struct beat *beat)
{
  if (!beat->tick || beat->started)
    return;
  kiln_mutex_init(&beat->mutex);
  kiln_condition_init(&beat->condition);
  beat->over = false;
  beat->started = kiln_thread_start(&beat->thread, beat_run, beat);
  if (!beat->started) {
    kiln_condition_release(&beat->condition);
    kiln_mutex_release(&beat->mutex);
    beat->tick = NULL; /* not tried again */
  }
}

static void
beat_end(struct beat *beat)
{
  if (!beat->started)
    return;
  kiln_mutex_lock(&beat->mutex);
  beat->over = true;
  kiln_mutex_unlock(&beat->mutex);
  kiln_condition_wake_all(&beat->condition);
  kiln_thread_join(&beat->thread);
  kiln_condition_release(&beat->condition);
  kiln_mutex_release(&beat->mutex);
  beat->started = false;
}

/* NVRTC asks some thousand times a second; 1 stops it. */
static int
goes_on(void *context, void *unused)
{
  struct beat *beat = context;
  (void)unused;
  if (!beat->started && kiln_clock_now() - beat->begin_ns > PATIENCE_NS)
    beat_start(beat);
  return kiln_interrupt_seen() != 0;
}

/* ---- one program ---- */

struct build {
  struct kiln *kiln;
  const struct kiln_build_input *input;
  struct kiln_build_output *output;
  struct beat beat;
  struct kiln_arch target;
  struct kiln_nvrtc *nvrtc;
  struct kiln_nvrtc_program program;
  struct kiln_nvrtc_options options;
  struct kiln_buf name; /* of the program */
  void *handle;
};

static enum kiln_status
refused(struct build *build, int result, const char *log, struct kiln_error *error)
{
  struct kiln_build_output *output = build->output;
  const char *hint;
  if (result == KILN_NVRTC_CANCELLED)
    return kiln_error_set(
        error, KILN_ERROR_INTERRUPTED, "compiling '%s' was stopped on request", build->input->spec->name);
  kiln_nvrtc_diagnose(log, result, build->nvrtc->call.error_text(result), &output->first_error, &hint);
  output->exit_code = result;
  output->passing = result == KILN_NVRTC_OUT_OF_MEMORY;
  kiln_error_set(error, KILN_ERROR_COMMAND, "compiling '%s' failed: %s", build->input->spec->name,
      kiln_buf_text(&output->first_error));
  kiln_error_advise(error, "%s", *hint ? hint : "Correct the source; KILN_KEEP=1 keeps everything the build made.");
  return KILN_ERROR_COMMAND;
}

static const char *
text_of(const struct kiln_nvrtc_text *text)
{
  return kiln_buf_text(text->ready.len > 0 ? &text->ready : &text->text);
}

/* Line information is for profilers, which look for the file by this name; else it is the one that says nothing of a
 * place. */
static void
name_program(struct build *build)
{
  const struct kiln_nvrtc_text *text = &build->program.texts.items[0];
  kiln_buf_init(&build->name);
  if (!text->path || !kiln_nvrtc_keeps_places(build->kiln, build->input->spec) ||
      !kiln_path_resolve(text->path, &build->name))
    kiln_buf_text_append(&build->name, text->name);
}

static enum kiln_status
create(struct build *build, struct kiln_error *error)
{
  const struct kiln_nvrtc_texts *texts = &build->program.texts;
  const size_t count = texts->count - 1 + build->program.alias_count;
  const char **names = calloc(count + 1, sizeof *names), **headers = calloc(count + 1, sizeof *headers);
  enum kiln_status status = KILN_OK;
  if (!names || !headers) {
    status = kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for the headers of NVRTC");
  } else {
    for (size_t i = 0; i < count; i++) {
      const bool own = i + 1 < texts->count;
      const struct kiln_nvrtc_alias *alias = own ? NULL : &build->program.aliases[i + 1 - texts->count];
      names[i] = own ? texts->items[i + 1].name : alias->name;
      headers[i] = text_of(&texts->items[own ? i + 1 : alias->item]);
    }
    const int result = build->nvrtc->call.create(
        &build->handle, text_of(&texts->items[0]), kiln_buf_text(&build->name), (int)count, headers, names);
    if (result != KILN_NVRTC_SUCCESS)
      status = refused(build, result, "", error);
  }
  free(names);
  free(headers);
  return status;
}

static void
take_log(struct build *build)
{
  size_t size = 0;
  struct kiln_buf *log = &build->output->log;
  kiln_buf_clear(log);
  if (build->nvrtc->call.log_size(build->handle, &size) != KILN_NVRTC_SUCCESS || size <= 1)
    return;
  char *text = malloc(size + 1);
  if (text && build->nvrtc->call.log(build->handle, text) == KILN_NVRTC_SUCCESS) {
    text[size] = '\0';
    kiln_buf_append(log, text, strlen(text) < MOST_LOG ? strlen(text) : MOST_LOG);
  }
  free(text);
}

static int
compile_once(struct build *build)
{
  build->beat.begin_ns = kiln_clock_now();
  if (!build->nvrtc->call.set_callback || build->nvrtc->call.set_callback(build->handle, goes_on, &build->beat) != 0)
    beat_start(&build->beat);
  const int result = build->nvrtc->call.compile(build->handle, (int)build->options.count, build->options.items);
  beat_end(&build->beat);
  take_log(build);
  return result;
}

static enum kiln_status
compile(struct build *build, struct kiln_error *error)
{
  enum kiln_status status = create(build, error);
  if (status != KILN_OK)
    return status;
  int result = compile_once(build);
  while (result == KILN_NVRTC_INVALID_OPTION &&
         kiln_nvrtc_options_forgo(&build->options, kiln_buf_text(&build->output->log)))
    result = compile_once(build);
  if (result == KILN_NVRTC_COMPILATION && kiln_nvrtc_options_widen(&build->options))
    result = compile_once(build);
  return result == KILN_NVRTC_SUCCESS ? KILN_OK : refused(build, result, kiln_buf_text(&build->output->log), error);
}

/* ---- what it leaves ---- */

static enum kiln_status
take_payload(struct build *build, struct kiln_buf *payload, struct kiln_error *error)
{
  const struct kiln_nvrtc_calls *call = &build->nvrtc->call;
  const bool ptx = build->target.ptx;
  size_t size = 0;
  int result = ptx ? call->ptx_size(build->handle, &size) : call->cubin_size(build->handle, &size);
  if (result == KILN_NVRTC_SUCCESS && size > 0) {
    if (!kiln_buf_reserve(payload, size))
      return kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for what NVRTC made");
    result = ptx ? call->ptx(build->handle, payload->data) : call->cubin(build->handle, payload->data);
    payload->len = ptx ? size - 1 : size; /* PTX: without its NUL */
  }
  return result == KILN_NVRTC_SUCCESS ? KILN_OK : refused(build, result, "", error);
}

static enum kiln_status
keep_payload(struct build *build, struct kiln_error *error)
{
  struct kiln_buf *payload = &build->output->payload;
  const struct kiln_arch_list targets = {.items = {build->target}, .count = 1};
  enum kiln_status status = take_payload(build, payload, error);
  if (status == KILN_OK)
    status = kiln_gpu_validate_bytes(build->input->spec, payload, &targets, error);
  if (build->kiln->options.keep == KILN_ON && payload->len > 0) {
    struct kiln_buf path;
    kiln_buf_init(&path);
    kiln_buf_printf(&path, "%s/out.%s", build->input->folder, build->target.ptx ? "ptx" : "cubin");
    (void)kiln_file_write(kiln_buf_text(&path), payload->data, payload->len, NULL); /* for people to look at */
    kiln_buf_release(&path);
  }
  return status;
}

/* Not a command that was typed: what NVRTC was given, as nvcc would be. */
static void
show_command(struct build *build)
{
  struct kiln_buf *command = &build->output->command;
  kiln_buf_printf(command, "nvrtc %u.%u", build->nvrtc->version.major, build->nvrtc->version.minor);
  for (size_t i = 0; i < build->options.count; i++)
    if (!kiln_text_starts(build->options.items[i], "--time=")) {
      kiln_buf_text_append(command, " ");
      kiln_text_shell_word(command, build->options.items[i]);
    }
  kiln_buf_printf(command, " %s", build->program.texts.items[0].name);
}

/* One line "k.cu, NVVM Optimizer, 6, ms" behind its first comma. */
static void
take_phase(struct kiln_build_output *output, const char *line, size_t len)
{
  const char *comma = memchr(line, ',', len);
  const size_t name_len = comma ? (size_t)(comma - line) : 0;
  struct kiln_build_phase *phase = &output->phases[output->phase_count];
  char digits[24];
  uint64_t ms;
  if (name_len == 0 || name_len >= sizeof phase->name || output->phase_count >= KILN_BUILD_MOST_PHASES)
    return;
  const char *number = comma + 1 + strspn(comma + 1, " ");
  const size_t width = strspn(number, "0123456789");
  if (width == 0 || width >= sizeof digits || number + width > line + len)
    return;
  memcpy(digits, number, width);
  digits[width] = '\0';
  if (!kiln_text_parse_uint(digits, &ms))
    return;
  memcpy(phase->name, line, name_len);
  phase->name[name_len] = '\0';
  phase->ns = ms * 1000000;
  output->phase_count++;
}

/* The first line has the names of the columns; a name of a file may have commas of its own. */
static void
take_phases(struct build *build, const char *path)
{
  struct kiln_buf text;
  const char *name = kiln_buf_text(&build->name);
  const size_t name_len = build->name.len;
  kiln_buf_init(&text);
  if (kiln_file_read(path, 1 << 20, &text, NULL) == KILN_OK)
    for (const char *at = kiln_buf_text(&text); *at;) {
      const size_t len = strcspn(at, "\n");
      if (len > name_len + 2 && strncmp(at, name, name_len) == 0 && at[name_len] == ',')
        take_phase(build->output, at + name_len + 2, len - name_len - 2);
      at += len + (at[len] == '\n');
    }
  kiln_buf_release(&text);
}

/* ---- all together ---- */

static enum kiln_status
run(struct build *build, struct kiln_error *error)
{
  struct kiln_buf time_file;
  const bool timed = build->kiln->events.folder[0] != '\0';
  kiln_buf_init(&time_file);
  kiln_buf_printf(&time_file, "%s/phases.csv", build->input->folder);
  enum kiln_status status = kiln_nvrtc_options_make(
      build->kiln, build->input->spec, build->target, timed ? kiln_buf_text(&time_file) : NULL, &build->options, error);
  if (status == KILN_OK) {
    status = kiln_nvrtc_enter(build->nvrtc, error);
    if (status == KILN_OK) {
      status = compile(build, error);
      if (status == KILN_OK)
        status = keep_payload(build, error);
      if (build->handle)
        (void)build->nvrtc->call.destroy(&build->handle);
      kiln_nvrtc_leave(build->nvrtc);
    }
    show_command(build);
    if (timed)
      take_phases(build, kiln_buf_text(&time_file));
    kiln_nvrtc_options_release(&build->options);
  }
  kiln_buf_release(&time_file);
  return status;
}

static enum kiln_status
choose(struct build *build, struct kiln_error *error)
{
  struct kiln_arch_list targets;
  enum kiln_status status = kiln_gpu_targets(build->kiln, build->input->spec, &targets, error);
  if (status == KILN_OK)
    status = kiln_nvrtc_open(build->kiln, &targets, &build->nvrtc, error);
  if (status != KILN_OK)
    return status;
  build->target = targets.items[0];
  if (kiln_arch_list_has(&build->nvrtc->known, build->target))
    return KILN_OK;
  return kiln_arch_refuse(
      build->target, "NVRTC", build->nvrtc->path, build->nvrtc->version, &build->nvrtc->known, error);
}

enum kiln_status
kiln_nvrtc_build(struct kiln *kiln, const struct kiln_build_input *input, struct kiln_build_output *output,
    void (*tick)(void *context), void *context, struct kiln_error *error)
{
  const uint64_t begin_ns = kiln_clock_real();
  struct build build = {.kiln = kiln, .input = input, .output = output, .beat = {.tick = tick, .context = context}};
  enum kiln_status status = choose(&build, error);
  if (status == KILN_OK)
    status = kiln_nvrtc_collect(kiln, input, build.nvrtc, begin_ns, &build.program, output, error);
  if (status == KILN_OK) {
    name_program(&build);
    status = run(&build, error);
    kiln_buf_release(&build.name);
    kiln_nvrtc_program_release(&build.program);
  }
  return status;
}
