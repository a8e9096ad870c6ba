/* The options of a compile. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "jit/toolchain/nvrtc/nvrtc.h"

/* No cache: NVRTC 13 would start the driver to ask for its cache. No folder of the source: the current one would be
 * searched. Both are forgone where an older NVRTC does not know them. */
#define STANDARD "--std=c++17 --no-cache --no-source-include"

const char *
kiln_nvrtc_standard_options(bool debug)
{
  return debug ? STANDARD " --device-debug" : STANDARD;
}

bool
kiln_nvrtc_keeps_places(const struct kiln *kiln, const struct kiln_spec *spec)
{
  static const char *const keepers[] = {"-lineinfo", "--generate-line-info", "-G", "--device-debug"};
  const char *extra = kiln->options.cuda_flags ? kiln->options.cuda_flags : "";
  bool keeps = kiln->options.debug == KILN_ON;
  for (size_t i = 0; i < sizeof keepers / sizeof *keepers && !keeps; i++) {
    keeps = strstr(extra, keepers[i]) != NULL;
    for (size_t flag = 0; flag < spec->flags.count && !keeps; flag++)
      keeps = kiln_text_starts(spec->flags.items[flag], keepers[i]);
  }
  return keeps;
}

/* ---- the list ---- */

void
kiln_nvrtc_options_release(struct kiln_nvrtc_options *options)
{
  free(options->items);
  kiln_arena_release(&options->arena);
}

static void
add(struct kiln_nvrtc_options *options, const char *front, const char *back, size_t len)
{
  const size_t size = strlen(front) + len + 1;
  char *text = kiln_arena_alloc(&options->arena, size);
  if (!text || !KILN_GROW(options->items, options->count, options->capacity)) {
    options->arena.failed = true;
    return;
  }
  snprintf(text, size, "%s%.*s", front, (int)len, back);
  options->items[options->count++] = text;
}

static void
add_split(struct kiln_nvrtc_options *options, const char *text)
{
  while (text && *text) {
    const size_t len = strcspn(text, " \t");
    if (len > 0)
      add(options, "", text, len);
    text += len + (text[len] != '\0');
  }
}

enum kiln_status
kiln_nvrtc_options_make(const struct kiln *kiln, const struct kiln_spec *spec, struct kiln_arch target,
    const char *time_file, struct kiln_nvrtc_options *options, struct kiln_error *error)
{
  char name[KILN_ARCH_TEXT];
  *options = (struct kiln_nvrtc_options){.count = 0};
  kiln_arena_init(&options->arena);
  kiln_arch_name(target, name);
  add(options, "--gpu-architecture=", name, strlen(name));
  add_split(options, kiln_nvrtc_standard_options(kiln->options.debug == KILN_ON));
  for (size_t i = 0; i < spec->defines.count; i++)
    add(options, "-D", spec->defines.items[i], strlen(spec->defines.items[i]));
  for (size_t i = 0; i < spec->flags.count; i++)
    add(options, "", spec->flags.items[i], strlen(spec->flags.items[i]));
  add_split(options, kiln->options.cuda_flags);
  if (time_file)
    add(options, "--time=", time_file, strlen(time_file));
  if (!options->arena.failed)
    return KILN_OK;
  kiln_nvrtc_options_release(options);
  return kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for the options of NVRTC");
}

/* The first option that begins so, with one dash or two. */
static bool
take_out(struct kiln_nvrtc_options *options, const char *name)
{
  for (size_t i = 0; i < options->count; i++)
    if (options->items[i][0] == '-' && kiln_text_starts(options->items[i] + strspn(options->items[i], "-"), name)) {
      memmove(&options->items[i], &options->items[i + 1], (options->count - i - 1) * sizeof *options->items);
      options->count--;
      return true;
    }
  return false;
}

bool
kiln_nvrtc_options_forgo(struct kiln_nvrtc_options *options, const char *log)
{
  static const char *const newer[] = {"no-cache", "no-source-include", "time", "minimal"};
  for (size_t n = 0; n < sizeof newer / sizeof *newer; n++)
    if (strstr(log, newer[n]) && take_out(options, newer[n]))
      return true;
  return false;
}

bool
kiln_nvrtc_options_widen(struct kiln_nvrtc_options *options)
{
  return take_out(options, "minimal");
}

/* ---- what a spec may not say ---- */

#define ARCHITECTURE "Add the architecture to the spec (archs)."
#define ONE_CUBIN "NVRTC makes one cubin or PTX here: code that is linked later has the toolchain nvcc."
#define INCLUDE "Write #include in the source, and add the folder as an include of the spec."
#define FILES "kiln makes no other files, and no cache of the compiler's own."

enum kiln_status
kiln_nvrtc_check_flag(const char *flag, struct kiln_error *error)
{
  static const struct {
    const char *flag, *advice;
  } refusals[] = {
      {"-arch", ARCHITECTURE},
      {"--gpu-architecture", ARCHITECTURE},
      {"-rdc", ONE_CUBIN},
      {"--relocatable-device-code", ONE_CUBIN},
      {"-dc", ONE_CUBIN},
      {"--device-c", ONE_CUBIN},
      {"-dlto", ONE_CUBIN},
      {"--dlink-time-opt", ONE_CUBIN},
      {"--gen-opt-lto", ONE_CUBIN},
      {"-ewp", ONE_CUBIN},
      {"--extensible-whole-program", ONE_CUBIN},
      {"-optix-ir", ONE_CUBIN},
      {"--optix-ir", ONE_CUBIN},
      {"--fdevice-syntax-only", ONE_CUBIN},
      {"-fdevice-syntax-only", ONE_CUBIN},
      {"-include", INCLUDE},
      {"--pre-include", INCLUDE},
      {"--include-path", INCLUDE},
      {"-pch", FILES},
      {"--pch", FILES},
      {"--create-pch", FILES},
      {"--use-pch", FILES},
      {"-time", FILES},
      {"--time", FILES},
      {"--fdevice-time-trace", FILES},
      {"-fdevice-time-trace", FILES},
      {"--enable-cache", FILES},
      {"-Xcudafe", "Give the option as NVRTC documents it."},
  };
  for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
    if (kiln_text_starts(flag, refusals[i].flag)) {
      kiln_error_set(error, KILN_ERROR_ARGUMENT, "flag '%s' is not allowed for NVRTC", flag);
      kiln_error_advise(error, "%s", refusals[i].advice);
      return KILN_ERROR_ARGUMENT;
    }
  return KILN_OK;
}
