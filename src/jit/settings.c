#include "jit/settings.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "jit/arch.h"
#include "os/process.h"

enum kind { TEXT, FOLDER, SWITCH, SIZE, AUTO_SIZE, COUNT, SECONDS, TOOLKIT, ARCHS };

struct row {
  const char *name, *variable;
  enum kind kind;
  size_t offset;        /* in struct kiln_options */
  const char *fallback; /* as it would be written in the variable; NULL: not set */
};

#define AT(member) offsetof(struct kiln_options, member)

static const struct row rows[] = {
    {"cache_limit", "KILN_CACHE_LIMIT", SIZE, AT(cache_limit_bytes), "8G"},
    {"reuse", "KILN_CACHE", SWITCH, AT(reuse), "on"},
    {"jit", "KILN_JIT", SWITCH, AT(jit), "on"},
    {"debug", "KILN_DEBUG", SWITCH, AT(debug), "off"},
    {"keep", "KILN_KEEP", SWITCH, AT(keep), "off"},
    {"sync", "KILN_SYNC", SWITCH, AT(sync), "off"},
    {"workspace", "KILN_WORKSPACE", FOLDER, AT(workspace), NULL},
    {"compiler", "KILN_CC", TEXT, AT(compiler), NULL},
    {"launcher", "KILN_LAUNCHER", TEXT, AT(launcher), NULL},
    {"extra_flags", "KILN_EXTRA_FLAGS", TEXT, AT(extra_flags), NULL},
    {"libexec", "KILN_LIBEXEC", FOLDER, AT(libexec), NULL},
    {"wait_limit", "KILN_WAIT_LIMIT", SECONDS, AT(wait_limit_s), "0"},
    {"jobs", "KILN_JOBS", COUNT, AT(jobs), "auto"},
    {"memory", "KILN_MEMORY", AUTO_SIZE, AT(memory_bytes), "auto"},
    {"job_memory", "KILN_JOB_MEMORY", AUTO_SIZE, AT(job_memory_bytes), "auto"},
    {"low_priority", "KILN_LOW_PRIORITY", SWITCH, AT(low_priority), "on"},
    {"budget_folder", "KILN_BUDGET_DIR", FOLDER, AT(budget_folder), NULL},
    {"system_root", "KILN_SYSTEM_ROOT", FOLDER, AT(system_root), NULL},
    {"driver", "KILN_DRIVER", TEXT, AT(driver), NULL},
    {"kernels", "KILN_KERNELS", TEXT, AT(kernels), NULL},
    {"cuda", "KILN_CUDA", TOOLKIT, AT(cuda), NULL},
    {"archs", "KILN_ARCHS", ARCHS, AT(archs), NULL},
    {"cuda_flags", "KILN_CUDA_FLAGS", TEXT, AT(cuda_flags), NULL},
    {"kernels", "KILN_KERNELS", TEXT, AT(kernels), NULL},
};

/* A value with where it comes from. */
struct found {
  const char *text, *source;
};

static enum kiln_status
no_memory(struct kiln_error *error)
{
  return kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for the settings");
}

bool
kiln_settings_add(struct kiln *kiln, const char *name, const char *value, const char *source)
{
  if (!KILN_GROW(kiln->settings, kiln->setting_count, kiln->setting_capacity))
    return false;
  struct kiln_setting setting = {kiln_arena_strdup(kiln->arena, name),
      kiln_arena_strdup(kiln->arena, value ? value : ""), kiln_arena_strdup(kiln->arena, source)};
  if (!setting.name || !setting.value || !setting.source)
    return false;
  kiln->settings[kiln->setting_count++] = setting;
  return true;
}

const char *
kiln_setting_source(const struct kiln *kiln, const char *name)
{
  for (size_t i = 0; i < kiln->setting_count; i++)
    if (strcmp(kiln->settings[i].name, name) == 0)
      return kiln->settings[i].source;
  return "default";
}

static enum kiln_status
refuse(const struct row *row, const struct found *found, const char *wanted, struct kiln_error *error)
{
  const bool option = kiln_text_equal(found->source, "option");
  kiln_error_set(error, KILN_ERROR_ARGUMENT, "%s %s is '%s', which is not %s", option ? "option" : "variable",
      option ? row->name : found->source, found->text, wanted);
  kiln_error_advise(error, "Give %s %s.", option ? row->name : found->source, wanted);
  return KILN_ERROR_ARGUMENT;
}

static bool
parse_switch(const char *text, enum kiln_switch *value)
{
  static const char *const names[] = {"off", "on", "0", "1", "no", "yes", "false", "true"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(text, names[i]) == 0) {
      *value = i % 2 ? KILN_ON : KILN_OFF;
      return true;
    }
  return false;
}

/* "8G", "500M", "1048576", "unlimited"; powers of 1024. */
static bool
parse_size(const char *text, uint64_t *value)
{
  static const char units[] = "KMGT";
  char digits[24];
  size_t len = strlen(text);
  unsigned shift = 0;
  if (strcmp(text, "unlimited") == 0) {
    *value = UINT64_MAX;
    return true;
  }
  if (len == 0 || len >= sizeof digits)
    return false;
  memcpy(digits, text, len + 1);
  const char *unit = strchr(units, digits[len - 1]);
  if (unit) {
    shift = 10u * (unsigned)(unit - units + 1);
    digits[len - 1] = '\0';
  }
  uint64_t number;
  if (!kiln_text_parse_uint(digits, &number) || number == 0 || number > UINT64_MAX >> shift)
    return false;
  *value = number << shift;
  return true;
}

/* "auto" is 0: decided later. */
static bool
parse_auto_size(const char *text, uint64_t *value)
{
  if (strcmp(text, "auto") != 0)
    return parse_size(text, value);
  *value = 0;
  return true;
}

static bool
parse_count(const char *text, unsigned *value)
{
  uint64_t number = 0;
  if (strcmp(text, "auto") != 0 && (!kiln_text_parse_uint(text, &number) || number == 0 || number > KILN_MOST_JOBS))
    return false;
  *value = (unsigned)number;
  return true;
}

static bool
harmless(const char *text)
{
  for (; *text; text++)
    if ((unsigned char)*text < ' ' || *text == 127)
      return false;
  return true;
}

/* The parser's words, with the place of the text before them. */
static enum kiln_status
check_archs(const struct row *row, const struct found *found, struct kiln_error *error)
{
  struct kiln_arch_list list = {.count = 0};
  struct kiln_error inner = {0};
  if (!found->text || kiln_arch_list_parse(&list, found->text, &inner) == KILN_OK)
    return KILN_OK;
  const bool option = kiln_text_equal(found->source, "option");
  kiln_error_set(error, KILN_ERROR_ARGUMENT, "%s %s: %s", option ? "option" : "variable",
      option ? row->name : found->source, inner.what);
  kiln_error_advise(error, "%s", inner.remedy);
  return KILN_ERROR_ARGUMENT;
}

static enum kiln_status
take_text(struct kiln *kiln, const struct row *row, const struct found *found, struct kiln_error *error)
{
  const char **slot = (const char **)((char *)&kiln->options + row->offset);
  if (row->kind == FOLDER && found->text && found->text[0] != '/')
    return refuse(row, found, "an absolute path", error);
  if (row->kind == TOOLKIT && found->text && found->text[0] != '/' && strcmp(found->text, "none") != 0)
    return refuse(row, found, "an absolute path, or none", error);
  if (row->kind == ARCHS && check_archs(row, found, error) != KILN_OK)
    return KILN_ERROR_ARGUMENT;
  if (row->kind == TEXT && found->text && !harmless(found->text))
    return refuse(row, found, "a text without control characters", error);
  *slot = kiln_arena_strdup(kiln->arena, found->text);
  return found->text && !*slot ? no_memory(error) : KILN_OK;
}

static enum kiln_status
take(struct kiln *kiln, const struct row *row, const struct found *found, struct kiln_error *error)
{
  void *slot = (char *)&kiln->options + row->offset;
  switch (row->kind) {
  case SWITCH:
    return parse_switch(found->text, slot) ? KILN_OK : refuse(row, found, "on or off", error);
  case SIZE:
    return parse_size(found->text, slot)
               ? KILN_OK
               : refuse(row, found, "a size such as 500M or 8G (at least 1), or unlimited", error);
  case AUTO_SIZE:
    return parse_auto_size(found->text, slot)
               ? KILN_OK
               : refuse(row, found, "a size such as 900M or 16G, unlimited, or auto", error);
  case COUNT:
    return parse_count(found->text, slot) ? KILN_OK : refuse(row, found, "a number from 1 to 4096, or auto", error);
  case SECONDS:
    return kiln_text_parse_seconds(found->text, slot) ? KILN_OK
                                                      : refuse(row, found, "a number of seconds such as 30", error);
  default:
    return take_text(kiln, row, found, error);
  }
}

/* An explicit option as text; NULL: not given. buf holds numbers. */
static const char *
explicit_text(const struct row *row, const struct kiln_options *given, struct kiln_buf *buf)
{
  const void *slot = (const char *)given + row->offset;
  switch (row->kind) {
  case SWITCH: {
    const enum kiln_switch value = *(const enum kiln_switch *)slot;
    if (value == KILN_UNSET)
      return NULL;
    if (value != KILN_OFF && value != KILN_ON)
      kiln_buf_printf(buf, "%d", (int)value);
    else
      kiln_buf_text_append(buf, value == KILN_ON ? "on" : "off");
    return kiln_buf_text(buf);
  }
  case SIZE:
  case AUTO_SIZE: {
    const uint64_t size = *(const uint64_t *)slot;
    if (size == UINT64_MAX)
      return "unlimited";
    if (size == 0)
      return NULL;
    kiln_buf_printf(buf, "%llu", (unsigned long long)size);
    return kiln_buf_text(buf);
  }
  case COUNT: {
    const unsigned count = *(const unsigned *)slot;
    if (count == 0)
      return NULL;
    kiln_buf_printf(buf, "%u", count);
    return kiln_buf_text(buf);
  }
  case SECONDS: {
    const double seconds = *(const double *)slot;
    if (seconds == 0)
      return NULL;
    kiln_buf_printf(buf, "%.9g", seconds);
    return kiln_buf_text(buf);
  }
  default: {
    const char *text = *(const char *const *)slot;
    return text && *text ? text : NULL;
  }
  }
}

static enum kiln_status
read_row(struct kiln *kiln, const struct row *row, const struct kiln_options *given, struct kiln_error *error)
{
  struct kiln_buf buf;
  kiln_buf_init(&buf);
  struct found found = {explicit_text(row, given, &buf), "option"};
  if (!found.text) {
    const char *value = kiln_environment_current(row->variable);
    if (value && *value)
      found = (struct found){value, row->variable};
    else
      found = (struct found){row->fallback, "default"};
  }
  enum kiln_status status = take(kiln, row, &found, error);
  if (status == KILN_OK && !kiln_settings_add(kiln, row->name, found.text, found.source))
    status = no_memory(error);
  kiln_buf_release(&buf);
  return status;
}

/* ---- where the cache is ---- */

static const char *
variable_folder(const char *name)
{
  const char *value = kiln_environment_current(name);
  return value && value[0] == '/' ? value : NULL;
}

static enum kiln_status
use_cache_folder(struct kiln *kiln, const char *folder, const char *below, const char *source, struct kiln_error *error)
{
  struct kiln_buf path;
  kiln_buf_init(&path);
  kiln_buf_text_append(&path, folder);
  kiln_buf_text_append(&path, below);
  while (path.len > 1 && path.data[path.len - 1] == '/')
    path.data[--path.len] = '\0';
  kiln->options.cache_folder = path.failed ? NULL : kiln_arena_strdup(kiln->arena, kiln_buf_text(&path));
  kiln_buf_release(&path);
  if (!kiln->options.cache_folder || !kiln_settings_add(kiln, "cache_folder", kiln->options.cache_folder, source))
    return no_memory(error);
  return KILN_OK;
}

static enum kiln_status
read_cache_folder(struct kiln *kiln, const struct kiln_options *given, struct kiln_error *error)
{
  static const struct row row = {"cache_folder", "KILN_CACHE_DIR", FOLDER, AT(cache_folder), NULL};
  const char *variable = kiln_environment_current(row.variable);
  struct found found = {given->cache_folder, "option"};
  if (!found.text || !*found.text)
    found = (struct found){variable && *variable ? variable : NULL, row.variable};
  if (found.text) {
    enum kiln_status status = take_text(kiln, &row, &found, error);
    return status == KILN_OK ? use_cache_folder(kiln, found.text, "", found.source, error) : status;
  }
  if (variable_folder("XDG_CACHE_HOME"))
    return use_cache_folder(kiln, variable_folder("XDG_CACHE_HOME"), "/kiln", "XDG_CACHE_HOME", error);
  if (variable_folder("HOME"))
    return use_cache_folder(kiln, variable_folder("HOME"), "/.cache/kiln", "HOME", error);
  kiln->options.cache_folder = NULL;
  return kiln_settings_add(kiln, "cache_folder", "", "default") ? KILN_OK : no_memory(error);
}

/* ---- read-only layers ---- */

struct layers {
  struct kiln_text_parts {
    const char **items;
    size_t count, capacity;
  } list;
  struct kiln_buf shown;
};

static enum kiln_status
add_layer(struct kiln *kiln, struct layers *layers, const char *text, size_t len, const char *source,
    struct kiln_error *error)
{
  static const struct row row = {"layers", "KILN_CACHE_LAYERS", FOLDER, AT(layers), NULL};
  const char *copy = kiln_arena_copy(kiln->arena, text, len);
  struct found found = {copy, source};
  if (len == 0)
    return KILN_OK;
  if (!copy || !KILN_GROW(layers->list.items, layers->list.count, layers->list.capacity))
    return no_memory(error);
  if (copy[0] != '/')
    return refuse(&row, &found, "an absolute path", error);
  layers->list.items[layers->list.count++] = copy;
  kiln_buf_printf(&layers->shown, "%s%s", layers->shown.len ? ":" : "", copy);
  return KILN_OK;
}

static enum kiln_status
collect_layers(struct kiln *kiln, const struct kiln_options *given, struct layers *layers, const char **source,
    struct kiln_error *error)
{
  const char *variable = kiln_environment_current("KILN_CACHE_LAYERS");
  enum kiln_status status = KILN_OK;
  *source = "default";
  if (given->layers) {
    *source = "option";
    for (size_t i = 0; given->layers[i] && status == KILN_OK; i++)
      status = add_layer(kiln, layers, given->layers[i], strlen(given->layers[i]), *source, error);
  } else if (variable && *variable) {
    *source = "KILN_CACHE_LAYERS";
    while (status == KILN_OK && *variable) {
      const size_t len = strcspn(variable, ":");
      status = add_layer(kiln, layers, variable, len, *source, error);
      variable += len + (variable[len] == ':');
    }
  }
  return status;
}

static enum kiln_status
read_layers(struct kiln *kiln, const struct kiln_options *given, struct kiln_error *error)
{
  struct layers layers = {.list = {0}};
  const char *source;
  kiln_buf_init(&layers.shown);
  enum kiln_status status = collect_layers(kiln, given, &layers, &source, error);
  if (status == KILN_OK) {
    const char **kept = kiln_arena_alloc(kiln->arena, (layers.list.count + 1) * sizeof *kept);
    for (size_t i = 0; kept && i < layers.list.count; i++)
      kept[i] = layers.list.items[i];
    kiln->options.layers = kept;
    if (!kept || !kiln_settings_add(kiln, "layers", kiln_buf_text(&layers.shown), source))
      status = no_memory(error);
  }
  free(layers.list.items);
  kiln_buf_release(&layers.shown);
  return status;
}

/* ---- all of it ---- */

static enum kiln_status
default_workspace(struct kiln *kiln, struct kiln_error *error)
{
  struct kiln_buf path;
  if (kiln->options.workspace || !kiln->options.cache_folder)
    return KILN_OK;
  kiln_buf_init(&path);
  kiln->options.workspace =
      kiln_arena_strdup(kiln->arena, kiln_text_join(&path, kiln->options.cache_folder, "workspace"));
  kiln_buf_release(&path);
  return kiln->options.workspace ? KILN_OK : no_memory(error);
}

enum kiln_status
kiln_settings_read(struct kiln *kiln, const struct kiln_options *given, struct kiln_error *error)
{
  struct kiln_options all;
  kiln_options_init(&all);
  if (given) {
    if (given->size > sizeof all || given->size < offsetof(struct kiln_options, layers))
      return kiln_error_set(error, KILN_ERROR_ARGUMENT,
          "options of %zu bytes were not filled by kiln_options_init of this library (%zu bytes)", given->size,
          sizeof all);
    memcpy(&all, given, given->size);
  }
  kiln->options = all;
  kiln->options.size = sizeof all;
  enum kiln_status status = read_cache_folder(kiln, &all, error);
  if (status == KILN_OK)
    status = read_layers(kiln, &all, error);
  for (size_t i = 0; i < sizeof rows / sizeof *rows && status == KILN_OK; i++)
    status = read_row(kiln, &rows[i], &all, error);
  return status == KILN_OK ? default_workspace(kiln, error) : status;
}
