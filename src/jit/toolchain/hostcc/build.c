/* One build in its private folder: every source compiled, everything linked. */
#include <string.h>

#include "base/text.h"
#include "jit/toolchain/hostcc/hostcc.h"
#include "os/clock.h"
#include "os/file.h"

struct build {
  struct kiln_compile compile;
  struct kiln_buf compiler, launcher;
  uint64_t begin_ns;
};

static void
show(struct build *build, const struct kiln_words *words)
{
  kiln_compile_show(&build->compile, words, "-ffile-prefix-map=", " -ffile-prefix-map=src/=");
}

static enum kiln_status
run_job(struct build *build, enum kiln_hostcc_step step, size_t source, struct kiln_error *error)
{
  struct kiln_words words = {0};
  const bool links = step != KILN_HOSTCC_OBJECT && build->compile.input->spec->links.count > 0;
  struct kiln_hostcc_job job = {
      build->compile.input, kiln_buf_text(&build->compiler), kiln_buf_text(&build->launcher), step, source, links};
  kiln_hostcc_words(build->compile.kiln, &job, &words);
  enum kiln_status status = kiln_compile_run(&build->compile, &words, error);
  if (status == KILN_ERROR_COMMAND && links &&
      strstr(kiln_buf_text(&build->compile.output->log), "--dependency-file")) {
    /* An old linker that does not know the option. */
    kiln_buf_clear(&build->compile.output->log);
    kiln_words_release(&words);
    job.link_depfile = false;
    kiln_hostcc_words(build->compile.kiln, &job, &words);
    status = kiln_compile_run(&build->compile, &words, error);
  }
  if (!words.failed)
    show(build, &words);
  kiln_words_release(&words);
  return status;
}

static enum kiln_status
run_all(struct build *build, struct kiln_error *error)
{
  const struct kiln_spec *spec = build->compile.input->spec;
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
  const struct kiln_build_input *input = build->compile.input;
  struct kiln_buf path;
  enum kiln_status status = KILN_OK;
  kiln_buf_init(&path);
  for (size_t i = 0; i < input->spec->source_count && status == KILN_OK; i++) {
    kiln_buf_clear(&path);
    kiln_buf_printf(&path, "%s/%zu.d", input->folder, i);
    status = kiln_hostcc_dependencies(
        build->compile.kiln, input, kiln_buf_text(&path), build->begin_ns, build->compile.output, error);
  }
  if (status == KILN_OK)
    status = kiln_hostcc_dependencies(build->compile.kiln, input, kiln_text_join(&path, input->folder, "link.d"),
        build->begin_ns, build->compile.output, error);
  kiln_buf_release(&path);
  kiln_buf_printf(&build->compile.output->payload_path, "%s/out.so", input->folder);
  return status;
}

enum kiln_status
kiln_hostcc_build(struct kiln *kiln, const struct kiln_build_input *input, struct kiln_build_output *output,
    void (*tick)(void *context), void *context, struct kiln_error *error)
{
  struct build build = {.compile = {.kiln = kiln,
                            .input = input,
                            .output = output,
                            .tick = tick,
                            .context = context,
                            .diagnose = kiln_hostcc_diagnose,
                            .is_passing = kiln_hostcc_is_passing},
      .begin_ns = kiln_clock_real()};
  kiln_buf_init(&build.compiler);
  kiln_buf_init(&build.launcher);
  kiln_environment_init(&build.compile.environment);
  enum kiln_status status = kiln_hostcc_find(kiln, &build.compiler, error);
  if (status == KILN_OK)
    status = kiln_hostcc_launcher(kiln, &build.launcher, error);
  if (status == KILN_OK) {
    kiln_hostcc_environment(&build.compile.environment, kiln_buf_text(&build.compiler), input->folder);
    status = run_all(&build, error);
  }
  if (status == KILN_OK)
    status = collect(&build, error);
  kiln_environment_release(&build.compile.environment);
  kiln_buf_release(&build.compiler);
  kiln_buf_release(&build.launcher);
  return status;
}
