#include "jit/events.h"

#include <string.h>

#include "os/clock.h"

#define SHORT_DIGEST 16

static bool
is_open(const struct kiln *kiln)
{
  return kiln->events.folder[0] != '\0';
}

struct kiln_moment
kiln_moment_now(const struct kiln *kiln)
{
  if (!is_open(kiln))
    return (struct kiln_moment){0, 0};
  return (struct kiln_moment){kiln_clock_now(), kiln_clock_thread_cpu()};
}

static bool
begin_at(struct kiln *kiln, struct kiln_event_line *line, enum kiln_event_kind kind, struct kiln_moment begin)
{
  return is_open(kiln) && kiln_event_begin(&kiln->events, line, kind, begin.t, begin.cpu);
}

static void
text(struct kiln_event_line *line, const char *key, const char *value)
{
  if (!value)
    return;
  kiln_json_key(&line->json, key);
  kiln_json_string(&line->json, value);
}

static void
identity(struct kiln_event_line *line, const struct kiln_plan *plan)
{
  char hex[KILN_DIGEST_HEX];
  kiln_digest_hex(plan->entry_known ? &plan->entry : &plan->request, hex);
  text(line, "identity", hex);
}

static void
head(struct kiln_event_line *line, const struct kiln_spec *spec)
{
  text(line, "framework", "kiln");
  text(line, "module", spec->name);
}

void
kiln_event_root(struct kiln *kiln)
{
  struct kiln_event_line line;
  const char *source = kiln->setting_count > 0 ? kiln->settings[0].source : "default";
  const bool environment = strcmp(source, "KILN_CACHE_DIR") == 0 || strcmp(source, "XDG_CACHE_HOME") == 0;
  if (kiln->options.cache_folder && begin_at(kiln, &line, KILN_EVENT_CACHE, kiln_moment_now(kiln))) {
    text(&line, "framework", "kiln");
    text(&line, "what", "root");
    text(&line, "path", kiln->options.cache_folder);
    text(&line, "by", strcmp(source, "option") == 0 ? "program" : environment ? "environment" : "default");
    kiln_event_end(&kiln->events, &line);
  }
  if (kiln->options.reuse == KILN_OFF && begin_at(kiln, &line, KILN_EVENT_CACHE, kiln_moment_now(kiln))) {
    text(&line, "framework", "kiln");
    text(&line, "what", "off");
    kiln_event_end(&kiln->events, &line);
  }
}

void
kiln_event_cache(struct kiln *kiln, const struct kiln_spec *spec, const struct kiln_plan *plan, const char *what)
{
  struct kiln_event_line line;
  if (!begin_at(kiln, &line, KILN_EVENT_CACHE, kiln_moment_now(kiln)))
    return;
  head(&line, spec);
  text(&line, "what", what);
  identity(&line, plan);
  text(&line, "toolchain", plan->identity_recorded ? "recorded" : plan->toolchain->name);
  kiln_event_end(&kiln->events, &line);
}

void
kiln_event_mark_begin(struct kiln *kiln, const struct kiln_spec *spec)
{
  struct kiln_event_line line;
  if (!begin_at(kiln, &line, KILN_EVENT_MARK, kiln_moment_now(kiln)))
    return;
  text(&line, "name", "begin");
  text(&line, "what", "compile");
  text(&line, "module", spec->name);
  kiln_event_end(&kiln->events, &line);
}

static void
phases(struct kiln_event_line *line, const struct kiln_build_output *output)
{
  if (output->phase_count == 0)
    return;
  kiln_json_key(&line->json, "phases");
  kiln_json_object(&line->json);
  for (size_t i = 0; i < output->phase_count; i++) {
    kiln_json_key(&line->json, output->phases[i].name);
    kiln_json_uint(&line->json, output->phases[i].ns);
  }
  kiln_json_object_end(&line->json);
}

void
kiln_event_native(struct kiln *kiln, const struct kiln_spec *spec, struct kiln_moment begin, const char *result,
    const struct kiln_build_output *output)
{
  struct kiln_event_line line;
  if (!begin_at(kiln, &line, KILN_EVENT_COMPILE, begin))
    return;
  kiln_event_span(&kiln->events, &line, begin.t, begin.cpu);
  text(&line, "step", "native");
  head(&line, spec);
  text(&line, "toolchain", spec->toolchain);
  text(&line, "result", result);
  phases(&line, output);
  kiln_event_end(&kiln->events, &line);
}

/* Bytes and digest of everything that was compiled, as one text. */
static void
sources(struct kiln_event_line *line, const struct kiln_plan *plan)
{
  struct kiln_hasher hasher;
  char hex[KILN_DIGEST_HEX];
  uint64_t bytes = 0;
  kiln_hasher_begin(&hasher);
  for (size_t i = 0; i < plan->text_count; i++) {
    kiln_hasher_add(&hasher, kiln_buf_text(&plan->texts[i]), plan->texts[i].len);
    bytes += plan->texts[i].len;
  }
  const struct kiln_digest digest = kiln_hasher_end(&hasher);
  kiln_digest_hex(&digest, hex);
  hex[SHORT_DIGEST] = '\0';
  kiln_json_key(&line->json, "bytes");
  kiln_json_uint(&line->json, bytes);
  text(line, "digest", hex);
}

void
kiln_event_compile(struct kiln *kiln, const struct kiln_event_module *module, struct kiln_moment begin)
{
  struct kiln_event_line line;
  if (!begin_at(kiln, &line, KILN_EVENT_COMPILE, begin))
    return;
  kiln_event_span(&kiln->events, &line, begin.t, begin.cpu);
  text(&line, "step", "module");
  head(&line, module->spec);
  identity(&line, module->plan);
  text(&line, "device", module->plan->toolchain->device->name);
  text(&line, "toolchain", module->plan->identity_recorded ? "recorded" : module->spec->toolchain);
  text(&line, "result", module->result);
  sources(&line, module->plan);
  text(&line, "path", module->path);
  kiln_event_end(&kiln->events, &line);
}

void
kiln_event_load(struct kiln *kiln, const struct kiln_event_module *module, struct kiln_moment begin)
{
  struct kiln_event_line line;
  if (!begin_at(kiln, &line, KILN_EVENT_LOAD, begin))
    return;
  kiln_event_span(&kiln->events, &line, begin.t, begin.cpu);
  head(&line, module->spec);
  identity(&line, module->plan);
  text(&line, "device", module->plan->toolchain->device->name);
  text(&line, "result", module->result);
  kiln_event_end(&kiln->events, &line);
}
