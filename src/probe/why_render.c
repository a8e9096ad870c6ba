/* Why it compiled anew: sentences, the terminal's section, JSON both ways. */
#include "base/json_read.h"
#include "base/text.h"
#include "probe/report/work.h"
#include "probe/why.h"

#define MOST_REASONS 8
#define MOST_MODULES 20
#define MOST_READ 100000

static const char *const names[KILN_WHY_KIND_COUNT] = {"kernel_new", "kernel_changed", "kernel_gone", "option",
    "block_size", "version", "source", "module_new", "module_gone", "not_recorded", "unexplained"};

const char *
kiln_why_kind_name(enum kiln_why_kind kind)
{
  return (unsigned)kind < KILN_WHY_KIND_COUNT ? names[kind] : "unknown";
}

static const char *
or_nothing(const char *text)
{
  return text ? text : "not known";
}

void
kiln_why_sentence(const struct kiln_why_reason *reason, struct kiln_buf *out)
{
  switch (reason->kind) {
  case KILN_WHY_KERNEL_NEW:
    kiln_buf_printf(out, "kernel `%s` is new", or_nothing(reason->name));
    break;
  case KILN_WHY_KERNEL_CHANGED:
    kiln_buf_printf(
        out, "kernel `%s` changed, or a function, struct or constant that it uses", or_nothing(reason->name));
    break;
  case KILN_WHY_KERNEL_GONE:
    kiln_buf_printf(out, "kernel `%s` is gone", or_nothing(reason->name));
    break;
  case KILN_WHY_OPTION:
    kiln_buf_printf(out, "option `%s` was %s and is %s", or_nothing(reason->name),
        reason->before ? reason->before : "not set", reason->after ? reason->after : "not set");
    break;
  case KILN_WHY_BLOCK_SIZE:
    kiln_buf_printf(out, "the block size was %s and is %s", or_nothing(reason->before), or_nothing(reason->after));
    break;
  case KILN_WHY_VERSION:
    kiln_buf_printf(out, "the framework was %s and is %s", or_nothing(reason->before), or_nothing(reason->after));
    break;
  case KILN_WHY_SOURCE:
    kiln_buf_text_append(out, "kernels, options and block size are the same, but the generated source differs");
    break;
  case KILN_WHY_MODULE_NEW:
    kiln_buf_text_append(out, "there was no such module");
    break;
  case KILN_WHY_MODULE_GONE:
    kiln_buf_text_append(out, "there is no such module any more");
    break;
  case KILN_WHY_NOT_RECORDED:
    kiln_buf_text_append(out, "what its key was made of is not in both reports");
    break;
  default:
    kiln_buf_text_append(
        out, "kernels, options, block size and version are the same: something else in its key differs");
  }
}

void
kiln_why_title(const struct kiln_why_module *module, bool plain, struct kiln_buf *out)
{
  char label[KILN_DEVICE_LABEL];
  const char *quote = plain ? "" : "`";
  kiln_buf_printf(out, "%s%s%s (%s)", quote, module->module ? module->module : "?", quote,
      kiln_device_label(label, module->device, module->block_dim));
  if (module->from && module->to)
    kiln_buf_printf(out, " %.7s → %.7s", module->from, module->to);
  else if (module->from || module->to)
    kiln_buf_printf(out, " %.7s", module->from ? module->from : module->to);
}

void
kiln_why_summary(const struct kiln_why *why, struct kiln_buf *out)
{
  const char *than = why->than ? why->than : "?";
  if (why->module_count == 0)
    kiln_buf_printf(out, "All %zu identities are those of '%s'.", why->same, than);
  else
    kiln_buf_printf(out, "%zu identit%s from '%s'; %zu %s the same.", why->module_count,
        why->module_count == 1 ? "y differs" : "ies differ", than, why->same, why->same == 1 ? "is" : "are");
}

static void
write_module(struct kiln_page *page, const struct kiln_why_module *module)
{
  struct kiln_buf text;
  kiln_buf_init(&text);
  kiln_why_title(module, true, &text);
  kiln_page_text(page, KILN_STYLE_PLAIN, 2, 4, kiln_buf_text(&text));
  for (size_t i = 0; i < module->reason_count && i < MOST_REASONS; i++) {
    kiln_buf_clear(&text);
    kiln_why_sentence(&module->reasons[i], &text);
    kiln_page_text(page, KILN_STYLE_FAINT, 4, 6, kiln_buf_text(&text));
  }
  if (module->reason_count > MOST_REASONS) {
    kiln_buf_clear(&text);
    kiln_buf_printf(&text, "and %zu more", module->reason_count - MOST_REASONS);
    kiln_page_text(page, KILN_STYLE_FAINT, 4, 6, kiln_buf_text(&text));
  }
  kiln_buf_release(&text);
}

void
kiln_why_text(struct kiln_page *page, const struct kiln_why *why)
{
  struct kiln_buf text;
  if (!why)
    return;
  kiln_buf_init(&text);
  kiln_page_blank(page);
  kiln_page_text(page, KILN_STYLE_BOLD, 0, 2, "why it compiles anew");
  kiln_why_summary(why, &text);
  kiln_page_text(page, KILN_STYLE_PLAIN, 2, 2, kiln_buf_text(&text));
  for (size_t i = 0; i < why->module_count && i < MOST_MODULES; i++)
    write_module(page, &why->modules[i]);
  if (why->module_count > MOST_MODULES) {
    kiln_buf_clear(&text);
    kiln_buf_printf(&text, "and %zu more modules; --json lists them all", why->module_count - MOST_MODULES);
    kiln_page_text(page, KILN_STYLE_FAINT, 2, 2, kiln_buf_text(&text));
  }
  kiln_buf_release(&text);
}

/* ---- JSON ---- */

static void
write_reason(struct kiln_json *json, const struct kiln_why_reason *reason)
{
  struct kiln_buf sentence;
  kiln_buf_init(&sentence);
  kiln_why_sentence(reason, &sentence);
  kiln_json_object(json);
  kiln_json_member_text(json, "kind", kiln_why_kind_name(reason->kind));
  kiln_json_member_text(json, "name", reason->name);
  kiln_json_member_text(json, "before", reason->before);
  kiln_json_member_text(json, "after", reason->after);
  kiln_json_member_text(json, "sentence", kiln_buf_text(&sentence));
  kiln_json_object_end(json);
  kiln_buf_release(&sentence);
}

void
kiln_why_json(struct kiln_json *json, const struct kiln_why *why)
{
  if (!why) {
    kiln_json_member_text(json, "why", NULL);
    return;
  }
  kiln_json_member_object(json, "why");
  kiln_json_member_text(json, "than", why->than);
  kiln_json_member_uint(json, "same", why->same);
  kiln_json_member_array(json, "modules");
  for (size_t i = 0; i < why->module_count; i++) {
    const struct kiln_why_module *module = &why->modules[i];
    kiln_json_object(json);
    kiln_json_member_text(json, "framework", module->framework);
    kiln_json_member_text(json, "module", module->module);
    kiln_json_member_text(json, "device", module->device);
    kiln_json_member_int(json, "block_dim", module->block_dim);
    kiln_json_member_text(json, "from", module->from);
    kiln_json_member_text(json, "to", module->to);
    kiln_json_member_array(json, "reasons");
    for (size_t k = 0; k < module->reason_count; k++)
      write_reason(json, &module->reasons[k]);
    kiln_json_array_end(json);
    kiln_json_object_end(json);
  }
  kiln_json_array_end(json);
  kiln_json_object_end(json);
}

static const char *
text_of(const struct cJSON *object, const char *key, struct kiln_arena *arena)
{
  return kiln_arena_strdup(arena, kiln_json_get_string(object, key, NULL));
}

/* A kind of a later version explains nothing here. */
static enum kiln_why_kind
kind_of(const char *name)
{
  for (int i = 0; i < KILN_WHY_KIND_COUNT; i++)
    if (kiln_text_equal(names[i], name))
      return (enum kiln_why_kind)i;
  return KILN_WHY_UNEXPLAINED;
}

static void
read_module(struct kiln_why_module *module, const struct cJSON *value, struct kiln_arena *arena)
{
  const struct cJSON *list = kiln_json_get(value, "reasons");
  const int64_t block_dim = kiln_json_get_int(value, "block_dim", 0);
  module->framework = text_of(value, "framework", arena);
  module->module = text_of(value, "module", arena);
  module->device = text_of(value, "device", arena);
  module->block_dim = block_dim >= 0 && block_dim <= INT32_MAX ? (int)block_dim : 0;
  module->from = text_of(value, "from", arena);
  module->to = text_of(value, "to", arena);
  module->reasons = kiln_arena_alloc(arena, (kiln_json_count(list) + 1) * sizeof *module->reasons);
  for (const struct cJSON *at = kiln_json_first(list); module->reasons && at; at = kiln_json_next(at))
    module->reasons[module->reason_count++] = (struct kiln_why_reason){kind_of(kiln_json_get_string(at, "kind", NULL)),
        text_of(at, "name", arena), text_of(at, "before", arena), text_of(at, "after", arena)};
}

struct kiln_why *
kiln_why_read(const struct cJSON *value, struct kiln_arena *arena)
{
  const struct cJSON *list = kiln_json_get(value, "modules");
  const size_t count = kiln_json_is_array(list) ? kiln_json_count(list) : 0;
  const int64_t same = kiln_json_get_int(value, "same", 0);
  if (!kiln_json_is_object(value) || count > MOST_READ)
    return NULL;
  struct kiln_why *why = kiln_arena_alloc(arena, sizeof *why);
  if (!why)
    return NULL;
  why->than = text_of(value, "than", arena);
  why->same = same > 0 ? (size_t)same : 0;
  why->modules = kiln_arena_alloc(arena, (count + 1) * sizeof *why->modules);
  for (const struct cJSON *at = kiln_json_first(list); why->modules && at; at = kiln_json_next(at))
    read_module(&why->modules[why->module_count++], at, arena);
  return arena->failed ? NULL : why;
}
