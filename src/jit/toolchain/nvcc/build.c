/* One build in its private folder: one command, its dependencies, and what it made looked at. */
#include <string.h>

#include "base/text.h"
#include "jit/gpu.h"
#include "jit/targets.h"
#include "jit/toolchain/hostcc/hostcc.h"
#include "jit/toolchain/nvcc/nvcc.h"
#include "os/clock.h"
#include "os/file.h"

#define SOURCE_MAX_LEN ((size_t)64 << 20)
#define MOST_TABLE ((size_t)1 << 20)

struct build {
  struct kiln_build_input input;
  struct kiln_compile compile;
  struct kiln_nvcc_programs programs;
  struct kiln_arch_list targets;
  uint64_t begin_ns;
};

/* ---- sources ---- */

/* Files are called as the user knows them, in messages, in __FILE__ and in line information: the private folder has
 * another name in every build. */
static enum kiln_status
name_source(struct build *build, size_t i, bool places, struct kiln_error *error)
{
  const struct kiln_build_input *input = build->compile.input;
  const struct kiln_spec_source *source = &input->spec->sources[i];
  struct kiln_buf text, content;
  kiln_buf_init(&text);
  kiln_buf_init(&content);
  kiln_buf_printf(&text, "#line 1 \"%s\"\n", places && source->path ? source->path : source->name);
  enum kiln_status status = kiln_file_read(input->source_paths[i], SOURCE_MAX_LEN, &content, error);
  kiln_buf_append(&text, kiln_buf_text(&content), content.len);
  if (status == KILN_OK && text.failed)
    status = kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for source '%s'", source->name);
  if (status == KILN_OK)
    status = kiln_file_write(input->source_paths[i], text.data, text.len, error);
  kiln_buf_release(&text);
  kiln_buf_release(&content);
  return status;
}

static enum kiln_status
name_sources(struct build *build, struct kiln_error *error)
{
  const struct kiln_spec *spec = build->compile.input->spec;
  const bool lines = kiln_nvcc_has_lines(build->compile.kiln, spec);
  enum kiln_status status = KILN_OK;
  for (size_t i = 0; i < spec->source_count && status == KILN_OK; i++) {
    const char *path = spec->sources[i].path;
    status = name_source(build, i, lines && path && !strpbrk(path, "\"\\\n"), error);
  }
  return status;
}

/* ---- before nvcc is started ---- */

static enum kiln_status
check_folder(const char *folder, struct kiln_error *error)
{
  if (kiln_nvcc_is_harmless(folder))
    return KILN_OK;
  kiln_error_set(error, KILN_ERROR_ENVIRONMENT,
      "folder '%s' has a character in its path that nvcc hands to a shell, which would take it apart", folder);
  kiln_error_advise(error, "Use folders without such characters for the cache (KILN_CACHE_DIR), for includes and for "
                           "sources; spaces are allowed.");
  return KILN_ERROR_ENVIRONMENT;
}

static enum kiln_status
check_folders(const struct build *build, struct kiln_error *error)
{
  const struct kiln_build_input *input = build->compile.input;
  enum kiln_status status = check_folder(input->folder, error);
  for (size_t i = 0; i < input->root_count && status == KILN_OK; i++)
    status = check_folder(input->roots[i], error);
  return status;
}

/* This very nvcc is asked, so that one that cannot refuses at once and in one sentence. */
static enum kiln_status
check_targets(const struct build *build, struct kiln_error *error)
{
  const struct kiln_toolkit *toolkit = &build->programs.toolkit;
  struct kiln_arch_list known;
  kiln_nvcc_known(&build->programs, build->compile.input->folder, &known);
  for (size_t i = 0; i < build->targets.count; i++)
    if (!kiln_arch_list_has(&known, build->targets.items[i]))
      return kiln_arch_refuse(
          build->targets.items[i], "nvcc", kiln_buf_text(&toolkit->folder), toolkit->version, &known, error);
  return KILN_OK;
}

/* ---- nvcc ---- */

static size_t
compiled_source(const struct kiln_spec *spec)
{
  size_t i = 0;
  while (i < spec->source_count && !kiln_nvcc_is_compiled(spec->sources[i].name))
    i++;
  return i;
}

static enum kiln_status
run(struct build *build, struct kiln_error *error)
{
  const struct kiln_nvcc_job job = {.input = build->compile.input,
      .programs = &build->programs,
      .targets = &build->targets,
      .source = compiled_source(build->compile.input->spec)};
  struct kiln_words words = {0};
  kiln_nvcc_words(build->compile.kiln, &job, &words);
  enum kiln_status status = kiln_compile_run(&build->compile, &words, error);
  if (!words.failed)
    kiln_compile_show(&build->compile, &words, "-time=", "");
  kiln_words_release(&words);
  return status;
}

/* For people who ask where the time goes; without it nothing is missing. */
static void
take_phases(struct build *build)
{
  struct kiln_buf path, table;
  kiln_buf_init(&path);
  kiln_buf_init(&table);
  if (kiln_file_read(kiln_text_join(&path, build->input.folder, "times.csv"), MOST_TABLE, &table, NULL) == KILN_OK)
    kiln_nvcc_phases(kiln_buf_text(&table), build->compile.output);
  kiln_buf_release(&path);
  kiln_buf_release(&table);
}

static enum kiln_status
collect(struct build *build, struct kiln_error *error)
{
  const struct kiln_build_input *input = build->compile.input;
  struct kiln_build_output *output = build->compile.output;
  struct kiln_buf depfile;
  kiln_buf_init(&depfile);
  enum kiln_status status = kiln_hostcc_dependencies(
      build->compile.kiln, input, kiln_text_join(&depfile, input->folder, "0.d"), build->begin_ns, output, error);
  kiln_buf_release(&depfile);
  kiln_text_join(&output->payload_path, input->folder, kiln_nvcc_output(&build->targets));
  /* Here the targets are known also where the spec leaves them to the machine. */
  if (status == KILN_OK)
    status = kiln_gpu_validate(input->spec, kiln_buf_text(&output->payload_path), &build->targets, error);
  return status;
}

static enum kiln_status
make(struct build *build, struct kiln_error *error)
{
  enum kiln_status status =
      kiln_targets_resolve(build->compile.kiln, build->compile.input->spec, &build->targets, error);
  if (status == KILN_OK)
    status = check_folders(build, error);
  if (status == KILN_OK)
    status = kiln_nvcc_find(build->compile.kiln, &build->targets, &build->programs, error);
  if (status == KILN_OK)
    status = check_targets(build, error);
  if (status != KILN_OK)
    return status;
  kiln_nvcc_environment(&build->compile.environment, &build->programs, build->compile.input->folder);
  status = name_sources(build, error);
  if (status == KILN_OK)
    status = run(build, error);
  take_phases(build);
  return status == KILN_OK ? collect(build, error) : status;
}

enum kiln_status
kiln_nvcc_build(struct kiln *kiln, const struct kiln_build_input *input, struct kiln_build_output *output,
    void (*tick)(void *context), void *context, struct kiln_error *error)
{
  struct build build = {.input = *input,
      .compile = {.kiln = kiln,
          .output = output,
          .tick = tick,
          .context = context,
          .diagnose = kiln_nvcc_diagnose,
          .is_passing = kiln_nvcc_is_passing},
      .begin_ns = kiln_clock_real()};
  build.input.own_names = true;
  build.compile.input = &build.input;
  kiln_nvcc_programs_init(&build.programs);
  kiln_environment_init(&build.compile.environment);
  enum kiln_status status = make(&build, error);
  kiln_environment_release(&build.compile.environment);
  kiln_nvcc_programs_release(&build.programs);
  return status;
}
