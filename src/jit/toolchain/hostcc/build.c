/* One build in its private folder: every source compiled, everything linked. */
#include <string.h>

#include "base/text.h"
#include "jit/toolchain/hostcc/hostcc.h"
#include "os/clock.h"
#include "os/file.h"

struct build {
  struct kiln *kiln;
  const struct kiln_build_input *input;
  struct kiln_build_output *output;
  struct kiln_buf compiler, launcher;
  struct kiln_environment environment;
  uint64_t begin_ns;
  void (*tick)(void *context);
  void *context;
};

/* Replace every `from` in text by `to`. */
static void
replace_all(struct kiln_buf *text, const char *from, const char *to)
{
  struct kiln_buf out;
  const size_t len = strlen(from);
  const char *at = kiln_buf_text(text);
  kiln_buf_init(&out);
  for (const char *hit = strstr(at, from); hit; hit = strstr(at, from)) {
    kiln_buf_append(&out, at, (size_t)(hit - at));
    kiln_buf_text_append(&out, to);
    at = hit + len;
  }
  kiln_buf_text_append(&out, at);
  if (out.failed) {
    kiln_buf_release(&out);
    return;
  }
  kiln_buf_release(text);
  *text = out;
}

/* Sources as the user knows them: a file by its path, a text by its name. */
static void
show_sources(const struct kiln_build_input *input, struct kiln_buf *log)
{
  struct kiln_buf prefix;
  kiln_buf_init(&prefix);
  for (size_t i = 0; i < input->spec->source_count; i++)
    if (input->spec->sources[i].path)
      replace_all(log, input->source_paths[i], input->spec->sources[i].path);
  replace_all(log, kiln_text_join(&prefix, input->folder, "src/"), "");
  replace_all(log, kiln_text_join(&prefix, input->folder, ""), "");
  kiln_buf_release(&prefix);
}

/* The command as it is typed in a folder that has src/ in it. */
static void
show_command(const struct kiln_build_input *input, const struct kiln_words *words, struct kiln_buf *command)
{
  struct kiln_buf text, prefix;
  kiln_buf_init(&text);
  kiln_buf_init(&prefix);
  for (size_t i = 0; i < words->count; i++) {
    if (kiln_text_starts(words->items[i], "-ffile-prefix-map="))
      continue;
    kiln_buf_text_append(&text, text.len ? " " : "");
    kiln_text_shell_word(&text, words->items[i]);
  }
  kiln_buf_text_append(&text, " -ffile-prefix-map=src/=");
  replace_all(&text, kiln_text_join(&prefix, input->folder, ""), "");
  kiln_buf_printf(command, "%s%s", command->len ? " && " : "", kiln_buf_text(&text));
  kiln_buf_release(&text);
  kiln_buf_release(&prefix);
}

static enum kiln_status
refused(struct build *build, struct kiln_error *error)
{
  struct kiln_build_output *output = build->output;
  const char *hint, *log = kiln_buf_text(&output->log);
  kiln_hostcc_diagnose(log, output->exit_code, output->signal, &output->first_error, &hint);
  output->passing = kiln_hostcc_is_passing(log, output->exit_code, output->signal);
  kiln_error_set(error, KILN_ERROR_COMMAND, "compiling '%s' failed: %s", build->input->spec->name,
      kiln_buf_text(&output->first_error));
  kiln_error_advise(error, "%s", *hint ? hint : "Correct the source; KILN_KEEP=1 keeps everything the build made.");
  return KILN_ERROR_COMMAND;
}

static enum kiln_status
run_words(struct build *build, struct kiln_words *words, struct kiln_error *error)
{
  struct kiln_command_result result;
  const struct kiln_command command = {.argv = words->items,
      .environment = build->environment.entries,
      .folder = build->input->folder,
      .low_priority = build->kiln->options.low_priority == KILN_ON,
      .tick = build->tick,
      .context = build->context};
  kiln_command_result_init(&result);
  enum kiln_status status = kiln_command_run(build->kiln, &command, &result, error);
  show_sources(build->input, &result.output);
  kiln_buf_text_append(&build->output->log, kiln_buf_text(&result.output));
  build->output->exit_code = result.exit_code;
  build->output->signal = result.signal;
  if (result.peak_bytes > build->output->peak_bytes)
    build->output->peak_bytes = result.peak_bytes;
  if (status == KILN_OK && (result.exit_code != 0 || result.signal != 0))
    status = refused(build, error);
  kiln_command_result_release(&result);
  return status;
}

static enum kiln_status
run_job(struct build *build, enum kiln_hostcc_step step, size_t source, struct kiln_error *error)
{
  struct kiln_words words = {0};
  const bool links = step != KILN_HOSTCC_OBJECT && build->input->spec->links.count > 0;
  struct kiln_hostcc_job job = {
      build->input, kiln_buf_text(&build->compiler), kiln_buf_text(&build->launcher), step, source, links};
  kiln_hostcc_words(build->kiln, &job, &words);
  enum kiln_status status = KILN_OK;
  if (words.failed || build->environment.failed)
    status = kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for the command of a compiler");
  if (status == KILN_OK)
    status = run_words(build, &words, error);
  if (status == KILN_ERROR_COMMAND && links && strstr(kiln_buf_text(&build->output->log), "--dependency-file")) {
    /* An old linker that does not know the option. */
    kiln_buf_clear(&build->output->log);
    kiln_words_release(&words);
    job.link_depfile = false;
    kiln_hostcc_words(build->kiln, &job, &words);
    status = run_words(build, &words, error);
  }
  if (!words.failed)
    show_command(build->input, &words, &build->output->command);
  kiln_words_release(&words);
  return status;
}

static enum kiln_status
run_all(struct build *build, struct kiln_error *error)
{
  const struct kiln_spec *spec = build->input->spec;
  size_t compiled = 0, last = 0;
  enum kiln_status status = KILN_OK;
  for (size_t i = 0; i < spec->source_count; i++)
    if (kiln_hostcc_is_compiled(spec->sources[i].name)) {
      compiled++;
      last = i;
    }
  if (compiled == 1)
    return run_job(build, KILN_HOSTCC_WHOLE, last, error);
  for (size_t i = 0; i < spec->source_count && status == KILN_OK; i++)
    if (kiln_hostcc_is_compiled(spec->sources[i].name))
      status = run_job(build, KILN_HOSTCC_OBJECT, i, error);
  return status == KILN_OK ? run_job(build, KILN_HOSTCC_LINK, 0, error) : status;
}

static enum kiln_status
collect(struct build *build, struct kiln_error *error)
{
  const struct kiln_build_input *input = build->input;
  struct kiln_buf path;
  enum kiln_status status = KILN_OK;
  kiln_buf_init(&path);
  for (size_t i = 0; i < input->spec->source_count && status == KILN_OK; i++) {
    kiln_buf_clear(&path);
    kiln_buf_printf(&path, "%s/%zu.d", input->folder, i);
    status = kiln_hostcc_dependencies(build->kiln, input, kiln_buf_text(&path), build->begin_ns, build->output, error);
  }
  if (status == KILN_OK)
    status = kiln_hostcc_dependencies(
        build->kiln, input, kiln_text_join(&path, input->folder, "link.d"), build->begin_ns, build->output, error);
  kiln_buf_release(&path);
  kiln_buf_printf(&build->output->payload_path, "%s/out.so", input->folder);
  return status;
}

enum kiln_status
kiln_hostcc_build(struct kiln *kiln, const struct kiln_build_input *input, struct kiln_build_output *output,
    void (*tick)(void *context), void *context, struct kiln_error *error)
{
  struct build build = {
      .kiln = kiln, .input = input, .output = output, .begin_ns = kiln_clock_real(), .tick = tick, .context = context};
  kiln_buf_init(&build.compiler);
  kiln_buf_init(&build.launcher);
  kiln_environment_init(&build.environment);
  enum kiln_status status = kiln_hostcc_find(kiln, &build.compiler, error);
  if (status == KILN_OK)
    status = kiln_hostcc_launcher(kiln, &build.launcher, error);
  if (status == KILN_OK) {
    kiln_hostcc_environment(&build.environment, kiln_buf_text(&build.compiler), input->folder);
    status = run_all(&build, error);
  }
  if (status == KILN_OK)
    status = collect(&build, error);
  kiln_environment_release(&build.environment);
  kiln_buf_release(&build.compiler);
  kiln_buf_release(&build.launcher);
  return status;
}
