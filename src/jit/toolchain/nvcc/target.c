/* What a build depends on before any compiler is asked, and the table of this toolchain. */
#include <string.h>

#include "base/text.h"
#include "jit/gpu.h"
#include "jit/targets.h"
#include "jit/toolchain/nvcc/nvcc.h"
#include "os/path.h"

#define NEED_BYTES ((uint64_t)640 << 20)

/* ---- what is refused ---- */

/* Flags that choose what kiln chooses, or read what the key does not know of; the rest is as for other compilers
 * (jit/flags.h). */
static const struct {
  const char *flag, *advice;
} refusals[] = {
    {"-arch", "Add the architecture to the spec (archs)."},
    {"--gpu-architecture", "Add the architecture to the spec (archs)."},
    {"-gencode", "Add the architecture to the spec (archs)."},
    {"--generate-code", "Add the architecture to the spec (archs)."},
    {"-code", "Add the architecture to the spec (archs)."},
    {"--gpu-code", "Add the architecture to the spec (archs)."},
    {"-cubin", "kiln chooses the kind of the result by the architectures of the spec."},
    {"--cubin", "kiln chooses the kind of the result by the architectures of the spec."},
    {"-fatbin", "kiln chooses the kind of the result by the architectures of the spec."},
    {"--fatbin", "kiln chooses the kind of the result by the architectures of the spec."},
    {"-ptx", "Add the architecture with its PTX to the spec (archs), such as compute_90."},
    {"--ptx", "Add the architecture with its PTX to the spec (archs), such as compute_90."},
    {"-shared", "nvcc is used for device code only; host code is for the toolchain hostcc."},
    {"--shared", "nvcc is used for device code only; host code is for the toolchain hostcc."},
    {"-rdc", "Device code is compiled whole: include what it needs."},
    {"--relocatable-device-code", "Device code is compiled whole: include what it needs."},
    {"-dc", "Device code is compiled whole: include what it needs."},
    {"-dlto", "Device code is compiled whole: include what it needs."},
    {"-ccbin", "Name the host compiler by KILN_CC, which is part of the key."},
    {"--compiler-bindir", "Name the host compiler by KILN_CC, which is part of the key."},
    {"-Xcompiler", "Host code is not compiled; give the flag as nvcc takes it."},
    {"--compiler-options", "Host code is not compiled; give the flag as nvcc takes it."},
    {"-Xptxas=-o", "kiln chooses the output."},
    {"-optf", "Give each argument as a flag of its own."},
    {"--options-file", "Give each argument as a flag of its own."},
    {"-include", "Add the file as a source of the spec, and include it."},
    {"--pre-include", "Add the file as a source of the spec, and include it."},
    {"-isystem", "Add the folder as an include of the spec."},
    {"--system-include", "Add the folder as an include of the spec."},
    {"-t=", "kiln chooses the number of threads."},
    {"-t", "kiln chooses the number of threads."},
    {"--threads", "kiln chooses the number of threads."},
    {"-keep", "Set KILN_KEEP=1 to keep the files of a build."},
    {"--keep", "Set KILN_KEEP=1 to keep the files of a build."},
    {"-compress", "What is in the result must be readable, so that it can be checked."},
    {"--compress", "What is in the result must be readable, so that it can be checked."},
    {"-time", "The events of kiln hold the times."},
    {"--time", "The events of kiln hold the times."},
    {"-fdevice-time-trace", "The events of kiln hold the times."},
    {"--fdevice-time-trace", "The events of kiln hold the times."},
    {"-dryrun", "kiln cache show prints the command."},
    {"--dryrun", "kiln cache show prints the command."},
    {"-run", "The result is loaded by kiln."},
    {"--run", "The result is loaded by kiln."},
    {"-ldir", "The toolkit is chosen by KILN_CUDA, which is part of the key."},
    {"--libdevice-directory", "The toolkit is chosen by KILN_CUDA, which is part of the key."},
    {"--use-local-env", "Compilers run with an environment of kiln's."},
};

/* "-t" alone must not refuse "-tool": a short one is refused whole or with its value. */
static bool
is_refused(const char *flag, const char *refused)
{
  const size_t len = strlen(refused);
  if (!kiln_text_starts(flag, refused))
    return false;
  return len > 3 || flag[len] == '\0' || flag[len] == '=';
}

static enum kiln_status
refuse(const char *what, const char *value, const char *why, const char *advice, struct kiln_error *error)
{
  kiln_error_set(error, KILN_ERROR_ARGUMENT, "%s '%s' %s", what, value, why);
  kiln_error_advise(error, "%s", advice);
  return KILN_ERROR_ARGUMENT;
}

#define NO_SHELL "has a character that nvcc hands to a shell, which would take it apart"

static enum kiln_status
check_flag(const char *flag, struct kiln_error *error)
{
  if (strpbrk(flag, "\"'`$\\;&|<>*?(){}[]!#~ \t"))
    return refuse("flag", flag, NO_SHELL, "Use flags of letters, digits and - _ = + . , : / @ % ^ only.", error);
  for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
    if (is_refused(flag, refusals[i].flag))
      return refuse("flag", flag, "is not allowed with nvcc", refusals[i].advice, error);
  return KILN_OK;
}

static enum kiln_status
check_words(const struct kiln_spec *spec, struct kiln_error *error)
{
  enum kiln_status status = KILN_OK;
  for (size_t i = 0; i < spec->flags.count && status == KILN_OK; i++)
    status = check_flag(spec->flags.items[i], error);
  for (size_t i = 0; i < spec->defines.count && status == KILN_OK; i++)
    if (strpbrk(spec->defines.items[i], "\"`$\\\n"))
      status = refuse("define", spec->defines.items[i], NO_SHELL, "Write it into a source as #define.", error);
  for (size_t i = 0; i < spec->source_count && status == KILN_OK; i++)
    if (!kiln_nvcc_is_harmless(spec->sources[i].name))
      status = refuse("source name", spec->sources[i].name, NO_SHELL, "Give it a plain name.", error);
  if (status == KILN_OK && spec->links.count > 0)
    status = refuse("link flag", spec->links.items[0], "has no meaning for device code", "Leave it out.", error);
  return status;
}

static enum kiln_status
check_sources(const struct kiln_spec *spec, struct kiln_error *error)
{
  size_t compiled = 0;
  for (size_t i = 0; i < spec->source_count; i++) {
    const char *name = spec->sources[i].name;
    if (!kiln_nvcc_is_known(name))
      return refuse("source", name, "is nothing that nvcc compiles",
          "Use .cu, and .cuh, .h, .hh, .hpp, .hxx, .inc or .inl for headers.", error);
    compiled += kiln_nvcc_is_compiled(name);
  }
  if (compiled == 1)
    return KILN_OK;
  kiln_error_set(
      error, KILN_ERROR_ARGUMENT, "spec '%s' has %zu sources that nvcc compiles, not one", spec->name, compiled);
  kiln_error_advise(error, "Add one .cu file; include what else it needs.");
  return KILN_ERROR_ARGUMENT;
}

enum kiln_status
kiln_nvcc_check(const struct kiln_spec *spec, struct kiln_error *error)
{
  enum kiln_status status = check_sources(spec, error);
  if (status == KILN_OK)
    status = check_words(spec, error);
  return status == KILN_OK ? kiln_targets_check(spec, error) : status;
}

/* ---- the key ---- */

static enum kiln_status
check_extra_flags(const char *text, struct kiln_error *error)
{
  struct kiln_words words = {0};
  enum kiln_status status = KILN_OK;
  kiln_words_split(&words, text);
  for (size_t i = 0; i < words.count && status == KILN_OK; i++)
    status = check_flag(words.items[i], error);
  kiln_words_release(&words);
  return status;
}

/* With line information the places of files are in the output. */
static void
add_places(const struct kiln_spec *spec, struct kiln_key *key)
{
  struct kiln_buf path;
  kiln_buf_init(&path);
  for (size_t i = 0; i < spec->source_count; i++) {
    kiln_buf_clear(&path);
    if (spec->sources[i].path && kiln_path_resolve(spec->sources[i].path, &path))
      kiln_key_add(key, "place", kiln_buf_text(&path));
  }
  for (size_t i = 0; i < spec->includes.count; i++) {
    kiln_buf_clear(&path);
    if (kiln_path_resolve(spec->includes.items[i], &path))
      kiln_key_add(key, "place", kiln_buf_text(&path));
  }
  key->failed = key->failed || path.failed;
  kiln_buf_release(&path);
}

enum kiln_status
kiln_nvcc_target(struct kiln *kiln, const struct kiln_spec *spec, struct kiln_key *key, struct kiln_error *error)
{
  const char *extra = kiln->options.cuda_flags ? kiln->options.cuda_flags : "";
  struct kiln_arch_list targets;
  enum kiln_status status = check_extra_flags(extra, error);
  if (status == KILN_OK)
    status = kiln_targets_resolve(kiln, spec, &targets, error);
  if (status != KILN_OK)
    return status;
  kiln_targets_key(&targets, key);
  kiln_key_add(key, "standard flags", kiln_nvcc_standard_flags(kiln->options.debug == KILN_ON));
  kiln_key_add(key, "launcher", kiln->options.launcher);
  kiln_key_add(key, "extra flags", extra);
  if (kiln_nvcc_has_lines(kiln, spec))
    add_places(spec, key);
  return KILN_OK;
}

/* Asked of specs whose targets were found already. */
unsigned
kiln_nvcc_threads(const struct kiln *kiln, const struct kiln_spec *spec)
{
  struct kiln_arch_list targets;
  return kiln_targets_resolve((struct kiln *)kiln, spec, &targets, NULL) == KILN_OK ? kiln_nvcc_thread_count(&targets)
                                                                                    : 1;
}

const struct kiln_toolchain_ops kiln_toolchain_nvcc = {
    .name = "nvcc",
    .device = &kiln_device_cuda,
    .need_bytes = NEED_BYTES,
    .threads = kiln_nvcc_threads,
    .check = kiln_nvcc_check,
    .target = kiln_nvcc_target,
    .identity = kiln_nvcc_identity,
    .build = kiln_nvcc_build,
    .validate = kiln_gpu_validate_file,
    .runs = kiln_gpu_runs,
};
