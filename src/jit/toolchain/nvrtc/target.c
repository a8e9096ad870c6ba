/* What a build depends on before NVRTC is asked, and the table of this toolchain. */
#include <string.h>

#include "base/text.h"
#include "jit/targets.h"
#include "jit/toolchain/nvrtc/nvrtc.h"
#include "os/path.h"

static bool
is_header(const char *name)
{
  static const char *const suffixes[] = {".h", ".hh", ".hpp", ".hxx", ".inc", ".inl", ".cuh"};
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
    if (kiln_text_ends(name, suffixes[i]))
      return true;
  return false;
}

static enum kiln_status
check_sources(const struct kiln_spec *spec, struct kiln_error *error)
{
  const char *compiled = NULL;
  for (size_t i = 0; i < spec->source_count; i++) {
    const char *name = spec->sources[i].name;
    if (kiln_text_ends(name, ".cu") && !compiled) {
      compiled = name;
    } else if (kiln_text_ends(name, ".cu")) {
      kiln_error_set(error, KILN_ERROR_ARGUMENT, "spec '%s' has two sources that are compiled, '%s' and '%s'",
          spec->name, compiled, name);
      kiln_error_advise(error, "NVRTC compiles one: include the other, make two specs, or use the toolchain nvcc.");
      return KILN_ERROR_ARGUMENT;
    } else if (!is_header(name)) {
      kiln_error_set(error, KILN_ERROR_ARGUMENT, "source '%s' is nothing that nvrtc compiles", name);
      kiln_error_advise(error, "Use .cu, and .h, .hh, .hpp, .hxx, .inc, .inl or .cuh for headers.");
      return KILN_ERROR_ARGUMENT;
    }
  }
  if (compiled)
    return KILN_OK;
  kiln_error_set(error, KILN_ERROR_ARGUMENT, "spec '%s' has headers only", spec->name);
  kiln_error_advise(error, "Add a source that ends in .cu.");
  return KILN_ERROR_ARGUMENT;
}

static enum kiln_status
check_one(const struct kiln_spec *spec, const struct kiln_arch_list *targets, struct kiln_error *error)
{
  char text[200];
  if (targets->count == 1)
    return KILN_OK;
  kiln_error_set(error, KILN_ERROR_ARGUMENT, "spec '%s' names %zu architectures, %s", spec->name, targets->count,
      kiln_arch_list_text(targets, text, sizeof text));
  kiln_error_advise(error, "NVRTC makes code for one: make a spec for each, or use the toolchain nvcc.");
  return KILN_ERROR_ARGUMENT;
}

static enum kiln_status
check_archs(const struct kiln_spec *spec, struct kiln_error *error)
{
  struct kiln_arch_list named;
  bool native;
  enum kiln_status status = kiln_targets_check(spec, error);
  if (status == KILN_OK)
    status = kiln_targets_named(spec, &named, &native, error);
  return status != KILN_OK || native ? status : check_one(spec, &named, error);
}

enum kiln_status
kiln_nvrtc_check(const struct kiln_spec *spec, struct kiln_error *error)
{
  enum kiln_status status = check_archs(spec, error);
  if (status == KILN_OK)
    status = check_sources(spec, error);
  for (size_t i = 0; i < spec->flags.count && status == KILN_OK; i++)
    status = kiln_nvrtc_check_flag(spec->flags.items[i], error);
  if (status != KILN_OK || spec->links.count == 0)
    return status;
  kiln_error_set(error, KILN_ERROR_ARGUMENT, "spec '%s' has a link flag, '%s', and NVRTC does not link", spec->name,
      spec->links.items[0]);
  kiln_error_advise(error, "Remove it, or use the toolchain nvcc.");
  return KILN_ERROR_ARGUMENT;
}

static enum kiln_status
check_extra(const char *text, struct kiln_error *error)
{
  char flag[4096];
  enum kiln_status status = KILN_OK;
  while (*text && status == KILN_OK) {
    const size_t len = strcspn(text, " \t");
    if (len > 0 && len < sizeof flag) {
      memcpy(flag, text, len);
      flag[len] = '\0';
      status = kiln_nvrtc_check_flag(flag, error);
    }
    text += len + (text[len] != '\0');
  }
  return status;
}

static bool
add_resolved(struct kiln_key *key, const char *tag, const char *path)
{
  struct kiln_buf resolved;
  kiln_buf_init(&resolved);
  const bool found = kiln_path_resolve(path, &resolved) && !resolved.failed;
  if (found)
    kiln_key_add(key, tag, kiln_buf_text(&resolved));
  kiln_buf_release(&resolved);
  return found;
}

/* NVRTC writes the current folder into line information, and has no option against it; the source is named by its path
 * there, for profilers. */
static enum kiln_status
add_places(const struct kiln *kiln, const struct kiln_spec *spec, struct kiln_key *key, struct kiln_error *error)
{
  if (!kiln_nvrtc_keeps_places(kiln, spec))
    return KILN_OK;
  if (!add_resolved(key, "current folder", "."))
    return kiln_error_set(
        error, KILN_ERROR_ENVIRONMENT, "the current folder, which NVRTC writes into line information, cannot be told");
  for (size_t i = 0; i < spec->source_count; i++)
    if (spec->sources[i].path)
      (void)add_resolved(key, "path", spec->sources[i].path); /* one that is not there is refused later */
  return KILN_OK;
}

enum kiln_status
kiln_nvrtc_target(struct kiln *kiln, const struct kiln_spec *spec, struct kiln_key *key, struct kiln_error *error)
{
  struct kiln_arch_list targets;
  char text[200];
  const char *extra = kiln->options.cuda_flags ? kiln->options.cuda_flags : "";
  enum kiln_status status = check_extra(extra, error);
  if (status == KILN_OK)
    status = kiln_gpu_targets(kiln, spec, &targets, error);
  if (status == KILN_OK)
    status = check_one(spec, &targets, error);
  if (status != KILN_OK)
    return status;
  kiln_key_add(key, "target", kiln_arch_list_text(&targets, text, sizeof text));
  kiln_key_add(key, "standard flags", kiln_nvrtc_standard_options(kiln->options.debug == KILN_ON));
  kiln_key_add(key, "extra flags", extra);
  return add_places(kiln, spec, key, error);
}

const struct kiln_toolchain_ops kiln_toolchain_nvrtc = {
    .name = "nvrtc",
    .device = &kiln_device_cuda,
    .takes_texts = true,
    .need_bytes = (uint64_t)300 << 20,
    .check = kiln_nvrtc_check,
    .target = kiln_nvrtc_target,
    .identity = kiln_nvrtc_identity,
    .build = kiln_nvrtc_build,
    .validate = kiln_gpu_validate_file,
    .runs = kiln_gpu_runs,
};
