/* What a build depends on before any compiler is asked, and the table of this toolchain. */
#include <string.h>

#include "jit/flags.h"
#include "jit/toolchain/hostcc/hostcc.h"

static enum kiln_status
check_sources(const struct kiln_spec *spec, struct kiln_error *error)
{
  size_t compiled = 0;
  for (size_t i = 0; i < spec->source_count; i++) {
    const char *name = spec->sources[i].name;
    if (!kiln_hostcc_is_known(name)) {
      kiln_error_set(error, KILN_ERROR_ARGUMENT, "source '%s' is nothing that hostcc compiles", name);
      kiln_error_advise(error, "Use .c, .cc, .cpp, .cxx, .S or .s, and .h, .hh, .hpp, .hxx, .inc or .inl for headers.");
      return KILN_ERROR_ARGUMENT;
    }
    compiled += kiln_hostcc_is_compiled(name);
  }
  if (compiled > 0)
    return KILN_OK;
  kiln_error_set(error, KILN_ERROR_ARGUMENT, "spec '%s' has headers only", spec->name);
  kiln_error_advise(error, "Add a source that is compiled.");
  return KILN_ERROR_ARGUMENT;
}

enum kiln_status
kiln_hostcc_check(const struct kiln_spec *spec, struct kiln_error *error)
{
  if (spec->archs.count > 1) {
    kiln_error_set(error, KILN_ERROR_ARGUMENT, "spec '%s' names %zu architectures, the second is '%s'", spec->name,
        spec->archs.count, spec->archs.items[1]);
    kiln_error_advise(error, "A host compiler makes code for one architecture: make a spec for each.");
    return KILN_ERROR_ARGUMENT;
  }
  if (spec->archs.count == 1 && strpbrk(spec->archs.items[0], " ,;")) {
    kiln_error_set(error, KILN_ERROR_ARGUMENT, "architecture '%s' of spec '%s' is none of a host compiler",
        spec->archs.items[0], spec->name);
    kiln_error_advise(error, "Use 'native', or one name such as x86-64-v3.");
    return KILN_ERROR_ARGUMENT;
  }
  return check_sources(spec, error);
}

static enum kiln_status
check_extra_flags(const char *text, struct kiln_error *error)
{
  struct kiln_words words = {0};
  enum kiln_status status = KILN_OK;
  kiln_words_split(&words, text);
  for (size_t i = 0; i < words.count && status == KILN_OK; i++)
    if (!kiln_flag_check(words.items[i], error))
      status = KILN_ERROR_ARGUMENT;
  kiln_words_release(&words);
  return status;
}

enum kiln_status
kiln_hostcc_target(struct kiln *kiln, const struct kiln_spec *spec, struct kiln_key *key, struct kiln_error *error)
{
  const char *extra = kiln->options.extra_flags ? kiln->options.extra_flags : "";
  const bool native = spec->archs.count == 0 || strcmp(spec->archs.items[0], "native") == 0;
  enum kiln_status status = check_extra_flags(extra, error);
  if (status != KILN_OK)
    return status;
  kiln_key_add(key, "target", native ? kiln->cpu_features : spec->archs.items[0]);
  kiln_key_add(key, "standard flags", kiln_hostcc_standard_flags(kiln->options.debug == KILN_ON));
  kiln_key_add(key, "launcher", kiln->options.launcher);
  kiln_key_add(key, "extra flags", extra);
  return KILN_OK;
}

const struct kiln_toolchain_ops kiln_toolchain_hostcc = {
    .name = "hostcc",
    .device = &kiln_device_cpu,
    .need_bytes = (uint64_t)256 << 20,
    .check = kiln_hostcc_check,
    .target = kiln_hostcc_target,
    .identity = kiln_hostcc_identity,
    .build = kiln_hostcc_build,
    .validate = kiln_hostcc_validate,
};
