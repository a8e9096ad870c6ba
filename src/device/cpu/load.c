#include <stdlib.h>

#include "device/device_ops.h"
#include "os/module.h"

struct kiln_loaded {
  struct kiln_native *native;
};

/* The payload begins at byte 0 of the file, so the file itself is the shared object; what follows is not mapped. */
static enum kiln_status
open_native(const struct kiln_found *found, bool noexec, struct kiln_native **native, struct kiln_error *error)
{
  if (!noexec) {
    enum kiln_status status = kiln_native_open_fd(found->fd, native, &noexec, error);
    if (status == KILN_OK || !noexec)
      return status;
  }
  char name[KILN_DIGEST_HEX];
  kiln_digest_hex(&found->entry.key, name);
  return kiln_native_open_memory(found->entry.data.data, found->entry.payload_len, name, native, error);
}

/* The compiler's linker has checked this; a damaged entry has not seen it. */
static enum kiln_status
check_entry_points(const struct kiln_load *load, struct kiln_native *native, struct kiln_error *error)
{
  for (size_t i = 0; i < load->entry_point_count; i++)
    if (!kiln_native_symbol(native, load->entry_points[i]))
      return kiln_error_set(
          error, KILN_ERROR_FORMAT, "the code does not define its entry point '%s'", load->entry_points[i]);
  return KILN_OK;
}

static enum kiln_status
load(const struct kiln_load *load, struct kiln_loaded **loaded, struct kiln_error *error)
{
  *loaded = NULL;
  struct kiln_loaded *fresh = malloc(sizeof *fresh);
  if (!fresh)
    return kiln_error_set(error, KILN_ERROR_MEMORY, "no memory for a module");
  enum kiln_status status = open_native(load->found, load->noexec, &fresh->native, error);
  if (status == KILN_OK) {
    status = check_entry_points(load, fresh->native, error);
    if (status != KILN_OK)
      kiln_native_close(fresh->native);
  }
  if (status != KILN_OK) {
    free(fresh);
    return status;
  }
  *loaded = fresh;
  return KILN_OK;
}

static void *
function(struct kiln_loaded *loaded, const char *symbol, struct kiln_error *error)
{
  void *address = kiln_native_symbol(loaded->native, symbol);
  if (!address) {
    kiln_error_set(error, KILN_ERROR_NOT_FOUND, "the module does not define '%s'", symbol);
    kiln_error_advise(error, "Name it as an entry point of the spec, and make it neither static nor hidden.");
  }
  return address;
}

static bool
is_here(struct kiln_loaded *loaded)
{
  (void)loaded;
  return true;
}

static void
unload(struct kiln_loaded *loaded)
{
  if (!loaded)
    return;
  kiln_native_close(loaded->native);
  free(loaded);
}

const struct kiln_device_ops kiln_device_cpu = {
    .name = "cpu",
    .load = load,
    .function = function,
    .is_here = is_here,
    .unload = unload,
};
