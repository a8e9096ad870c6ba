#include "jit/targets.h"

#include <string.h>

#include "device/cuda/device.h"

enum { MOST_LIMITS = 64, LONGEST_LIST = KILN_ARCH_MOST * 16 };

static bool
is_native(const char *text)
{
  return strcmp(text, "native") == 0;
}

/* ---- what the spec says ---- */

static enum kiln_status
read_names(const struct kiln_spec *spec, struct kiln_arch_list *list, bool *native, struct kiln_error *error)
{
  enum kiln_status status = KILN_OK;
  *list = (struct kiln_arch_list){.count = 0};
  *native = spec->archs.count == 0;
  for (size_t i = 0; i < spec->archs.count && status == KILN_OK; i++)
    if (is_native(spec->archs.items[i]))
      *native = true;
    else
      status = kiln_arch_list_parse(list, spec->archs.items[i], error);
  return status;
}

struct limits {
  struct kiln_arch_limit items[MOST_LIMITS];
  size_t count;
};

static enum kiln_status
limits_of(const struct kiln_spec *spec, struct limits *limits, struct kiln_error *error)
{
  enum kiln_status status = KILN_OK;
  limits->count = 0;
  if (spec->supports.count > MOST_LIMITS)
    return kiln_error_set(error, KILN_ERROR_ARGUMENT, "spec '%s' names %zu supported architectures, more than %d",
        spec->name, spec->supports.count, MOST_LIMITS);
  for (; limits->count < spec->supports.count && status == KILN_OK; limits->count++)
    status = kiln_arch_limit_parse(spec->supports.items[limits->count], &limits->items[limits->count], error);
  return status;
}

enum kiln_status
kiln_targets_check(const struct kiln_spec *spec, struct kiln_error *error)
{
  struct kiln_arch_list list;
  struct limits limits;
  bool native;
  enum kiln_status status = read_names(spec, &list, &native, error);
  return status == KILN_OK ? limits_of(spec, &limits, error) : status;
}

/* ---- devices ---- */

bool
kiln_targets_of_device(unsigned major, unsigned minor, struct kiln_arch *arch, enum kiln_arch_fit *fit)
{
  static const struct kiln_cuda_version any = {999, 0};
  struct kiln_arch_list known, gone;
  kiln_arch_known(any, &known);
  if (kiln_arch_for_device(&known, major, minor, arch, fit))
    return true;
  /* Devices that only older toolkits compile for. */
  kiln_arch_known((struct kiln_cuda_version){12, 9}, &gone);
  return kiln_arch_for_device(&gone, major, minor, arch, fit);
}

static void
warn(struct kiln *kiln, const struct kiln_cuda_device *device, struct kiln_arch arch, enum kiln_arch_fit fit)
{
  char name[KILN_ARCH_TEXT];
  if (fit != KILN_ARCH_EXACT)
    kiln_log(kiln, KILN_LOG_WARNING, "GPU %d ('%s') has compute capability %u.%u, which kiln does not know: using %s",
        device->ordinal, device->name, device->major, device->minor, kiln_arch_name(arch, name));
}

static enum kiln_status
add_devices(struct kiln *kiln, struct kiln_arch_list *list, struct kiln_error *error)
{
  const struct kiln_cuda_device *device;
  struct kiln_arch arch;
  enum kiln_arch_fit fit;
  int count = 0;
  enum kiln_status status = kiln_cuda_count(kiln->cuda, &count, error);
  for (int i = 0; i < count && status == KILN_OK; i++) {
    status = kiln_cuda_device(kiln->cuda, i, &device, error);
    if (status != KILN_OK || !kiln_targets_of_device(device->major, device->minor, &arch, &fit))
      continue;
    warn(kiln, device, arch, fit);
    kiln_arch_list_add(list, arch);
  }
  return status;
}

/* Lists only add to what is there: an old entry in one never takes the device's own away. */
static enum kiln_status
add_native(struct kiln *kiln, const struct kiln_spec *spec, struct kiln_arch_list *list, struct kiln_error *error)
{
  struct kiln_error driver = {0};
  enum kiln_status status = KILN_OK;
  if (kiln->options.archs && spec->archs.count == 0)
    status = kiln_arch_list_parse(list, kiln->options.archs, error);
  if (status != KILN_OK || add_devices(kiln, list, &driver) == KILN_OK || list->count > 0)
    return status;
  kiln_error_set(
      error, driver.status, "spec '%s' names no architecture, and no GPU can be asked: %s", spec->name, driver.what);
  kiln_error_advise(error, "Add architectures to the spec (archs), or name some by KILN_ARCHS, such as 9.0a.");
  return driver.status;
}

/* ---- all together ---- */

enum kiln_status
kiln_targets_limit(const struct kiln_spec *spec, struct kiln_arch_list *list, struct kiln_error *error)
{
  struct kiln_arch_list kept = {.count = 0};
  struct limits limits;
  char wanted[LONGEST_LIST];
  enum kiln_status status = limits_of(spec, &limits, error);
  if (status != KILN_OK)
    return status;
  for (size_t i = 0; i < list->count; i++)
    if (kiln_arch_within(limits.items, limits.count, list->items[i]))
      kept.items[kept.count++] = list->items[i];
  if (kept.count > 0 || list->count == 0) {
    *list = kept;
    return KILN_OK;
  }
  struct kiln_buf supported;
  kiln_buf_init(&supported);
  for (size_t i = 0; i < spec->supports.count; i++)
    kiln_buf_printf(&supported, "%s%s", i > 0 ? ", " : "", spec->supports.items[i]);
  kiln_error_set(error, KILN_ERROR_ARCHITECTURE, "'%s' supports %s, and was asked for %s", spec->name,
      kiln_buf_text(&supported), kiln_arch_list_text(list, wanted, sizeof wanted));
  kiln_error_advise(error, "Ask for a supported architecture, or run it on a GPU that has one.");
  kiln_buf_release(&supported);
  return KILN_ERROR_ARCHITECTURE;
}

enum kiln_status
kiln_targets_resolve(
    struct kiln *kiln, const struct kiln_spec *spec, struct kiln_arch_list *targets, struct kiln_error *error)
{
  bool native;
  enum kiln_status status = read_names(spec, targets, &native, error);
  if (status == KILN_OK && native)
    status = add_native(kiln, spec, targets, error);
  return status == KILN_OK ? kiln_targets_limit(spec, targets, error) : status;
}

enum kiln_status
kiln_targets_named(const struct kiln_spec *spec, struct kiln_arch_list *list, bool *native, struct kiln_error *error)
{
  enum kiln_status status = read_names(spec, list, native, error);
  return status == KILN_OK ? kiln_targets_limit(spec, list, error) : status;
}

void
kiln_targets_key(const struct kiln_arch_list *targets, struct kiln_key *key)
{
  char text[LONGEST_LIST];
  kiln_key_add(key, "target", kiln_arch_list_text(targets, text, sizeof text));
}
