/* What this host has: read once per kiln, from options and from the system. */
#include "jit/budget.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "jit/budget_rows.h"
#include "jit/need.h"
#include "os/file.h"
#include "os/filesystem.h"
#include "registry/jit.h"

#define FOLDER_OF_USER "/tmp/kiln-%u"
#define FILE_NAME "budget"
#define HEADROOM 8 /* one part in so many is left to everybody else */

static const char *
root_of(const struct kiln *kiln)
{
  return kiln->options.system_root ? kiln->options.system_root : "";
}

static void
choose_places(struct kiln_budget *budget, const struct kiln *kiln)
{
  const struct kiln_capacity *capacity = &budget->capacity;
  budget->places = kiln->options.jobs;
  if (budget->places > 0) {
    snprintf(budget->places_source, sizeof budget->places_source, "%s", kiln_setting_source(kiln, "jobs"));
    return;
  }
  const double whole = capacity->processors < KILN_MOST_JOBS ? capacity->processors : KILN_MOST_JOBS;
  budget->places = whole < 1 ? 1 : (unsigned)whole;
  memcpy(budget->places_source, capacity->processors_source, sizeof budget->places_source);
}

static void
choose_memory(struct kiln_budget *budget, const struct kiln *kiln)
{
  const struct kiln_capacity *capacity = &budget->capacity;
  budget->memory_bytes = kiln->options.memory_bytes;
  budget->brakes = budget->memory_bytes == 0;
  if (!budget->brakes) {
    snprintf(budget->memory_source, sizeof budget->memory_source, "%s", kiln_setting_source(kiln, "memory"));
  } else if (capacity->memory_bytes == KILN_UNLIMITED) {
    budget->memory_bytes = KILN_UNLIMITED;
    snprintf(budget->memory_source, sizeof budget->memory_source, "nothing says how much there is");
  } else {
    budget->memory_bytes = capacity->memory_bytes - capacity->memory_bytes / HEADROOM;
    snprintf(budget->memory_source, sizeof budget->memory_source, "seven eighths of %s", capacity->memory_source);
  }
}

/* ---- where it is shared ---- */

static bool
prepare_folder(struct kiln_budget *budget, const char *folder, bool chosen)
{
  struct kiln_error error = {0};
  const enum kiln_status status = chosen ? kiln_folder_make(folder, &error) : kiln_folder_make_new(folder, &error);
  if (status != KILN_OK && !kiln_file_exists(folder)) {
    snprintf(budget->unshared, sizeof budget->unshared, "%.300s", error.what);
    return false;
  }
  return kiln_owner_trusted(folder, budget->unshared, sizeof budget->unshared);
}

/* A file of this process's own does for its threads and children. */
static void
choose_file(struct kiln_budget *budget, const struct kiln *kiln)
{
  char folder[KILN_CGROUP_FILE - 16];
  const char *chosen = kiln->options.budget_folder;
  if (chosen)
    snprintf(folder, sizeof folder, "%s", chosen);
  else
    snprintf(folder, sizeof folder, FOLDER_OF_USER, kiln_user_id());
  snprintf(budget->path, sizeof budget->path, "%s/" FILE_NAME, folder);
  if (chosen && strlen(chosen) >= sizeof folder)
    snprintf(budget->unshared, sizeof budget->unshared, "the path '%.200s…' is too long", chosen);
  else if (prepare_folder(budget, folder, chosen != NULL)) {
    const int fd = kiln_slots_open(budget->path);
    if (fd < 0)
      snprintf(budget->unshared, sizeof budget->unshared, "'%.200s' cannot be opened for writing", budget->path);
    kiln_fd_close(fd);
  }
  if (budget->unshared[0] == '\0')
    return;
  budget->private_fd = kiln_slots_private();
  snprintf(budget->path, sizeof budget->path, "/proc/self/fd/%d", budget->private_fd);
}

/* ---- life ---- */

static enum kiln_status
fill(struct kiln_budget *budget, const struct kiln *kiln, struct kiln_error *error)
{
  const bool all_chosen = kiln->options.jobs > 0 && kiln->options.memory_bytes > 0;
  const enum kiln_status status = kiln_capacity_read(root_of(kiln), &budget->capacity, all_chosen ? NULL : error);
  if (status != KILN_OK && !all_chosen)
    return status;
  choose_places(budget, kiln);
  choose_memory(budget, kiln);
  choose_file(budget, kiln);
  return KILN_OK;
}

void
kiln_budget_free(struct kiln_budget *budget)
{
  if (!budget)
    return;
  kiln_fd_close(budget->private_fd);
  kiln_guard_release(&budget->guard);
  free(budget);
}

/* Threads that ask first at the same time each find out the same; one answer stays. */
enum kiln_status
kiln_budget_of(struct kiln *kiln, struct kiln_budget **budget, struct kiln_error *error)
{
  struct kiln_budget *known = atomic_load_explicit(&kiln->budget, memory_order_acquire);
  enum kiln_status status = KILN_OK;
  if (!known) {
    struct kiln_budget *fresh = calloc(1, sizeof *fresh);
    if (!fresh || !kiln_guard_init(&fresh->guard)) {
      free(fresh);
      kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for the budget of builds");
      return KILN_ERROR_MEMORY;
    }
    fresh->private_fd = -1;
    status = fill(fresh, kiln, error);
    if (status == KILN_OK && atomic_compare_exchange_strong(&kiln->budget, &known, fresh)) {
      known = fresh;
      if (known->unshared[0])
        kiln_log(kiln, KILN_LOG_WARNING, "other processes do not count in the budget of builds: %s", known->unshared);
    } else {
      kiln_budget_free(fresh);
    }
  }
  *budget = known;
  return status;
}

/* ---- shown ---- */

struct listing {
  bool (*visit)(void *context, const struct kiln_setting *limit);
  void *context;
  struct kiln_buf value;
  bool stopped;
};

static void
show(struct listing *listing, const char *name, const char *source)
{
  const struct kiln_setting limit = {name, kiln_buf_text(&listing->value), source};
  listing->stopped = listing->stopped || !listing->visit(listing->context, &limit);
  kiln_buf_clear(&listing->value);
}

static void
show_bytes(struct listing *listing, const char *name, uint64_t bytes, const char *source)
{
  if (bytes == KILN_UNLIMITED)
    kiln_buf_text_append(&listing->value, "unlimited");
  else
    kiln_buf_printf(&listing->value, "%.2f GiB", (double)bytes / (double)((uint64_t)1 << 30));
  show(listing, name, source);
}

static void
show_needs(struct listing *listing, struct kiln *kiln)
{
  const struct kiln_toolchain_ops *toolchain;
  for (size_t i = 0; (toolchain = kiln_toolchain_at(i)) != NULL; i++) {
    const char *source;
    char name[64];
    const uint64_t need = kiln_need_of(kiln, toolchain, &source);
    snprintf(name, sizeof name, "memory of one %s", toolchain->name);
    show_bytes(listing, name, need, source);
  }
}

static void
show_use(struct listing *listing, const struct kiln_budget *budget)
{
  const struct kiln_slot_row places = {KILN_BUDGET_PLACES, budget->places};
  const int fd = kiln_slots_open(budget->path);
  if (fd < 0)
    return;
  kiln_buf_printf(&listing->value, "%u of %u", budget->places - (unsigned)kiln_slots_free(fd, &places), budget->places);
  show(listing, "places taken now", budget->path);
  kiln_fd_close(fd);
}

enum kiln_status
kiln_budget_list(struct kiln *kiln, bool (*visit)(void *context, const struct kiln_setting *limit), void *context,
    struct kiln_error *error)
{
  struct kiln_budget *budget;
  struct listing listing = {.visit = visit, .context = context};
  const enum kiln_status status = kiln_budget_of(kiln, &budget, error);
  if (status != KILN_OK)
    return status;
  kiln_buf_init(&listing.value);
  kiln_buf_printf(&listing.value, "%.6g", budget->capacity.processors);
  show(&listing, "processors", budget->capacity.processors_source);
  show_bytes(&listing, "memory of the machine", budget->capacity.memory_bytes, budget->capacity.memory_source);
  show_bytes(&listing, "memory available now", kiln_capacity_available(root_of(kiln), &budget->capacity),
      "MemAvailable and the control groups");
  kiln_buf_printf(&listing.value, "%u", budget->places);
  show(&listing, "places for compilers", budget->places_source);
  show_bytes(&listing, "memory for compilers", budget->memory_bytes, budget->memory_source);
  show_needs(&listing, kiln);
  show_use(&listing, budget);
  kiln_buf_text_append(&listing.value, budget->unshared[0] ? "no" : "yes");
  show(&listing, "shared by all processes", budget->unshared[0] ? budget->unshared : budget->path);
  kiln_buf_release(&listing.value);
  return KILN_OK;
}

enum kiln_status
kiln_budget_width(struct kiln *kiln, const char *toolchain, unsigned *width, struct kiln_error *error)
{
  struct kiln_budget *budget;
  const char *source;
  const struct kiln_toolchain_ops *ops = kiln_toolchain_find(toolchain);
  if (!ops)
    return kiln_error_set(error, KILN_ERROR_ARGUMENT, "there is no toolchain '%s'", toolchain);
  const enum kiln_status status = kiln_budget_of(kiln, &budget, error);
  if (status != KILN_OK)
    return status;
  *width = budget->places;
  const uint64_t units = kiln_budget_units(kiln_need_of(kiln, ops, &source));
  if (budget->memory_bytes != KILN_UNLIMITED && budget->memory_bytes / KILN_BUDGET_UNIT / units < *width)
    *width = (unsigned)(budget->memory_bytes / KILN_BUDGET_UNIT / units);
  if (*width == 0)
    *width = 1;
  return KILN_OK;
}
