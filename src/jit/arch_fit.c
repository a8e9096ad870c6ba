/* What runs where, what a spec allows, and which toolkit knows what. */
#include <stdio.h>
#include <string.h>

#include "jit/arch.h"

/* ---- devices ---- */

/* 10.1 is the one number that belongs to no family of its major. */
static bool
same_family(unsigned major, unsigned minor, unsigned device_major, unsigned device_minor)
{
  if (major != device_major || minor > device_minor)
    return false;
  return minor == device_minor || major != 10 || (minor != 1 && device_minor != 1);
}

enum kiln_arch_fit
kiln_arch_fits(struct kiln_arch arch, unsigned major, unsigned minor)
{
  const bool same = arch.major == major && arch.minor == minor;
  const bool family = same_family(arch.major, arch.minor, major, minor);
  const bool older = arch.major < major || (arch.major == major && arch.minor <= minor);
  enum kiln_arch_fit fit = KILN_ARCH_NO;
  if (arch.suffix == 'a')
    fit = same ? KILN_ARCH_EXACT : KILN_ARCH_NO;
  else if (arch.suffix == 'f')
    fit = same ? KILN_ARCH_EXACT : family ? KILN_ARCH_FAMILY : KILN_ARCH_NO;
  else if (arch.ptx)
    fit = older ? KILN_ARCH_BY_DRIVER : KILN_ARCH_NO;
  else if (arch.major == major && older)
    fit = same ? KILN_ARCH_EXACT : KILN_ARCH_RUNS;
  return fit != KILN_ARCH_NO && arch.ptx ? KILN_ARCH_BY_DRIVER : fit;
}

/* Of two that fit equally well: the higher number, then the one made for fewer devices. */
static unsigned
rank(struct kiln_arch arch)
{
  return (arch.major * 10 + arch.minor) * 3 + (arch.suffix == 'a' ? 2 : arch.suffix == 'f' ? 1 : 0);
}

static bool
best_of(const struct kiln_arch_list *list, bool ptx_too, unsigned major, unsigned minor, struct kiln_arch *best,
    enum kiln_arch_fit *best_fit)
{
  *best_fit = KILN_ARCH_NO;
  for (size_t i = 0; i < list->count; i++) {
    const struct kiln_arch arch = list->items[i];
    const enum kiln_arch_fit fit = arch.ptx && !ptx_too ? KILN_ARCH_NO : kiln_arch_fits(arch, major, minor);
    if (fit > *best_fit || (fit != KILN_ARCH_NO && fit == *best_fit && rank(arch) > rank(*best))) {
      *best = arch;
      *best_fit = fit;
    }
  }
  return *best_fit != KILN_ARCH_NO;
}

bool
kiln_arch_best(const struct kiln_arch_list *list, unsigned major, unsigned minor, struct kiln_arch *best)
{
  enum kiln_arch_fit fit;
  return best_of(list, true, major, minor, best, &fit);
}

bool
kiln_arch_for_device(
    const struct kiln_arch_list *known, unsigned major, unsigned minor, struct kiln_arch *arch, enum kiln_arch_fit *fit)
{
  bool found = false;
  if (best_of(known, false, major, minor, arch, fit))
    return true;
  for (size_t i = 0; i < known->count; i++) {
    const struct kiln_arch ptx = {known->items[i].major, known->items[i].minor, '\0', true};
    if (known->items[i].ptx || kiln_arch_fits(ptx, major, minor) == KILN_ARCH_NO)
      continue;
    if (!found || rank(ptx) > rank(*arch))
      *arch = ptx;
    found = true;
  }
  *fit = found ? KILN_ARCH_BY_DRIVER : KILN_ARCH_NO;
  return found;
}

/* ---- limits ---- */

static bool
within(const struct kiln_arch_limit *limit, struct kiln_arch arch)
{
  const struct kiln_arch *from = &limit->arch;
  if (limit->any_minor)
    return arch.major == from->major;
  if (limit->or_newer)
    return arch.major > from->major || (arch.major == from->major && arch.minor >= from->minor);
  const bool same = arch.major == from->major && arch.minor == from->minor;
  if (from->suffix == 'f')
    return arch.suffix != '\0' && same_family(from->major, from->minor, arch.major, arch.minor);
  return same && (from->suffix == '\0' || from->suffix == arch.suffix);
}

bool
kiln_arch_within(const struct kiln_arch_limit *limits, size_t count, struct kiln_arch arch)
{
  for (size_t i = 0; i < count; i++)
    if (within(&limits[i], arch))
      return true;
  return count == 0;
}

/* ---- toolkits ---- */

/* From the release notes of the toolkits: the first that has it plain, with 'a', with 'f'; the last that has it. */
static const struct {
  unsigned major, minor;
  struct kiln_cuda_version plain, specific, family, until;
} table[] = {
    {5, 0, {6, 0}, {0}, {0}, {12, 9}},
    {5, 2, {6, 5}, {0}, {0}, {12, 9}},
    {5, 3, {7, 0}, {0}, {0}, {12, 9}},
    {6, 0, {8, 0}, {0}, {0}, {12, 9}},
    {6, 1, {8, 0}, {0}, {0}, {12, 9}},
    {6, 2, {8, 0}, {0}, {0}, {12, 9}},
    {7, 0, {9, 0}, {0}, {0}, {12, 9}},
    {7, 2, {9, 2}, {0}, {0}, {12, 9}},
    {7, 5, {10, 0}, {0}, {0}, {0}},
    {8, 0, {11, 0}, {0}, {0}, {0}},
    {8, 6, {11, 1}, {0}, {0}, {0}},
    {8, 7, {11, 4}, {0}, {0}, {0}},
    {8, 8, {13, 0}, {0}, {0}, {0}},
    {8, 9, {11, 8}, {0}, {0}, {0}},
    {9, 0, {11, 8}, {12, 0}, {0}, {0}},
    {10, 0, {12, 8}, {12, 8}, {12, 9}, {0}},
    {10, 1, {12, 8}, {12, 8}, {12, 9}, {12, 9}},
    {10, 3, {12, 9}, {12, 9}, {12, 9}, {0}},
    {11, 0, {13, 0}, {13, 0}, {13, 0}, {0}},
    {12, 0, {12, 8}, {12, 8}, {12, 9}, {0}},
    {12, 1, {12, 9}, {12, 9}, {12, 9}, {0}},
};
#define TABLE_COUNT (sizeof table / sizeof *table)

int
kiln_cuda_version_compare(struct kiln_cuda_version a, struct kiln_cuda_version b)
{
  if (a.major != b.major)
    return a.major < b.major ? -1 : 1;
  return a.minor == b.minor ? 0 : a.minor < b.minor ? -1 : 1;
}

static bool
since_at(size_t i, char suffix, struct kiln_cuda_version *since)
{
  *since = suffix == 'a' ? table[i].specific : suffix == 'f' ? table[i].family : table[i].plain;
  return since->major != 0;
}

bool
kiln_arch_since(struct kiln_arch arch, struct kiln_cuda_version *since, struct kiln_cuda_version *until)
{
  for (size_t i = 0; i < TABLE_COUNT; i++)
    if (table[i].major == arch.major && table[i].minor == arch.minor) {
      *until = table[i].until;
      return since_at(i, arch.suffix, since);
    }
  return false;
}

static void
add_both(struct kiln_arch_list *list, struct kiln_arch arch)
{
  arch.ptx = false;
  kiln_arch_list_add(list, arch);
  arch.ptx = true;
  kiln_arch_list_add(list, arch);
}

/* Does a toolkit of this version have it, by the table? One that is not in the table may exist. */
static bool
may_have(struct kiln_arch arch, struct kiln_cuda_version version)
{
  struct kiln_cuda_version since, until;
  for (size_t i = 0; i < TABLE_COUNT; i++)
    if (table[i].major == arch.major && table[i].minor == arch.minor)
      return kiln_arch_since(arch, &since, &until) && kiln_cuda_version_compare(version, since) >= 0;
  return arch.suffix == '\0' || arch.major >= (arch.suffix == 'a' ? 9U : 10U);
}

void
kiln_arch_list_add_known(struct kiln_arch_list *list, unsigned number, struct kiln_cuda_version version)
{
  struct kiln_arch arch = {.major = number / 10, .minor = number % 10};
  add_both(list, arch);
  for (size_t i = 0; i < sizeof "af" - 1; i++) {
    arch.suffix = "af"[i];
    if (may_have(arch, version))
      add_both(list, arch);
  }
}

void
kiln_arch_known(struct kiln_cuda_version version, struct kiln_arch_list *list)
{
  *list = (struct kiln_arch_list){.count = 0};
  for (size_t i = 0; i < TABLE_COUNT; i++) {
    const struct kiln_cuda_version since = table[i].plain, until = table[i].until;
    if (kiln_cuda_version_compare(version, since) >= 0 &&
        (until.major == 0 || kiln_cuda_version_compare(version, until) <= 0))
      kiln_arch_list_add_known(list, table[i].major * 10 + table[i].minor, version);
  }
}

static void
say_need(struct kiln_arch wanted, struct kiln_cuda_version version, char *text, size_t size)
{
  struct kiln_cuda_version since, until;
  if (!kiln_arch_since(wanted, &since, &until))
    snprintf(text, size, "which no toolkit that kiln knows of does");
  else if (kiln_cuda_version_compare(version, since) < 0)
    snprintf(text, size, "which needs CUDA %u.%u or newer", since.major, since.minor);
  else if (until.major != 0 && kiln_cuda_version_compare(version, until) > 0)
    snprintf(text, size, "which needs CUDA %u.%u or older", until.major, until.minor);
  else
    snprintf(text, size, "though CUDA %u.%u and newer do", since.major, since.minor);
}

enum kiln_status
kiln_arch_refuse(struct kiln_arch wanted, const char *what, const char *place, struct kiln_cuda_version version,
    const struct kiln_arch_list *known, struct kiln_error *error)
{
  char name[KILN_ARCH_TEXT], need[64], list[200];
  struct kiln_arch_list same_kind = {.count = 0};
  for (size_t i = 0; i < known->count; i++)
    if (known->items[i].ptx == wanted.ptx)
      kiln_arch_list_add(&same_kind, known->items[i]);
  say_need(wanted, version, need, sizeof need);
  kiln_error_set(error, KILN_ERROR_ENVIRONMENT, "%s %u.%u in '%s' does not compile for %s, %s", what, version.major,
      version.minor, place, kiln_arch_name(wanted, name), need);
  kiln_error_advise(error, "Name another toolkit by KILN_CUDA, or choose among: %s.",
      kiln_arch_list_text(&same_kind, list, sizeof list));
  return KILN_ERROR_ENVIRONMENT;
}
