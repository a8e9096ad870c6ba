/* Which of the toolkits on this machine. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "jit/toolkit.h"

static const char *
part_name(enum kiln_toolkit_part part)
{
  return part == KILN_TOOLKIT_NVCC ? "nvcc" : "NVRTC";
}

static void
move(struct kiln_toolkit *to, struct kiln_toolkit *from)
{
  kiln_toolkit_release(to);
  *to = *from;
  kiln_toolkit_init(from);
}

static bool
usable(const struct kiln_toolkit *toolkit, enum kiln_toolkit_part part)
{
  return toolkit->problem[part].len == 0;
}

/* The first wanted architecture that a toolkit of this version has not, by the table; one that is not in the table is
 * left to the compiler to judge. */
static const struct kiln_arch *
lacking(const struct kiln_toolkit *toolkit, enum kiln_toolkit_part part, const struct kiln_arch_list *wanted)
{
  struct kiln_cuda_version since, until;
  const struct kiln_cuda_version version = kiln_toolkit_version(toolkit, part);
  for (size_t i = 0; wanted && i < wanted->count; i++)
    if (kiln_arch_since(wanted->items[i], &since, &until) &&
        (kiln_cuda_version_compare(version, since) < 0 ||
            (until.major != 0 && kiln_cuda_version_compare(version, until) > 0)))
      return &wanted->items[i];
  return NULL;
}

/* ---- all of them ---- */

struct every {
  kiln_toolkit_visit *visit;
  void *context;
  char **seen; /* folders */
  size_t count, capacity;
};

static bool
is_new(struct every *every, const struct kiln_buf *folder)
{
  for (size_t i = 0; i < every->count; i++)
    if (strcmp(every->seen[i], kiln_buf_text(folder)) == 0)
      return false;
  char *copy = malloc(folder->len + 1);
  if (!copy || !KILN_GROW(every->seen, every->count, every->capacity)) {
    free(copy);
    return true;
  }
  every->seen[every->count++] = memcpy(copy, kiln_buf_text(folder), folder->len + 1);
  return true;
}

/* Folders that hold no toolkit at all are no news. */
static bool
look(void *context, const char *folder, const char *source)
{
  struct every *every = context;
  struct kiln_toolkit toolkit;
  bool go_on = true;
  kiln_toolkit_init(&toolkit);
  if (kiln_toolkit_examine(folder, source, &toolkit) && (toolkit.nvcc.len > 0 || toolkit.nvrtc.len > 0) &&
      is_new(every, &toolkit.folder))
    go_on = every->visit(every->context, &toolkit);
  kiln_toolkit_release(&toolkit);
  return go_on;
}

/* A folder that somebody named is shown even when nothing is in it. */
static bool
look_named(struct every *every, const char *folder, const char *source)
{
  struct kiln_toolkit toolkit;
  bool go_on = true;
  if (!folder || !*folder)
    return true;
  kiln_toolkit_init(&toolkit);
  kiln_toolkit_examine(folder, source, &toolkit);
  if (is_new(every, &toolkit.folder))
    go_on = every->visit(every->context, &toolkit);
  kiln_toolkit_release(&toolkit);
  return go_on;
}

static bool
is_none(const struct kiln_toolkit_search *search)
{
  return search->cuda && strcmp(search->cuda, "none") == 0;
}

void
kiln_toolkit_each(const struct kiln_toolkit_search *search, kiln_toolkit_visit *visit, void *context)
{
  struct every every = {.visit = visit, .context = context};
  if (search->cuda && !is_none(search))
    look_named(&every, search->cuda, "KILN_CUDA");
  else if (!search->cuda && look_named(&every, search->cuda_home, "CUDA_HOME") &&
           look_named(&every, search->cuda_path, "CUDA_PATH"))
    kiln_toolkit_places(search, look, &every);
  for (size_t i = 0; i < every.count; i++)
    free(every.seen[i]);
  free(every.seen);
}

/* ---- one of them ---- */

struct choice {
  enum kiln_toolkit_part part;
  const struct kiln_arch_list *wanted;
  struct kiln_toolkit *best;
  bool found, fits; /* fits: the best so far knows every wanted architecture */
  struct kiln_buf refused;
};

static bool
is_named(const struct kiln_toolkit *toolkit)
{
  static const char *const names[] = {"KILN_CUDA", "CUDA_HOME", "CUDA_PATH"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(kiln_buf_text(&toolkit->source), names[i]) == 0)
      return true;
  return false;
}

static void
copy(struct kiln_toolkit *to, const struct kiln_toolkit *from)
{
  struct kiln_toolkit fresh;
  kiln_toolkit_init(&fresh);
  const struct kiln_buf *const texts[] = {&from->folder, &from->source, &from->nvcc, &from->cicc, &from->nvrtc,
      &from->include, &from->cccl, &from->problem[0], &from->problem[1]};
  struct kiln_buf *const copies[] = {&fresh.folder, &fresh.source, &fresh.nvcc, &fresh.cicc, &fresh.nvrtc,
      &fresh.include, &fresh.cccl, &fresh.problem[0], &fresh.problem[1]};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    kiln_buf_text_append(copies[i], kiln_buf_text(texts[i]));
  fresh.version = from->version;
  fresh.nvrtc_version = from->nvrtc_version;
  move(to, &fresh);
}

static bool
consider(void *context, const struct kiln_toolkit *toolkit)
{
  struct choice *choice = context;
  if (!usable(toolkit, choice->part)) {
    kiln_buf_printf(&choice->refused, "%s%s '%s' %s", choice->refused.len > 0 ? "; " : "",
        kiln_buf_text(&toolkit->source), kiln_buf_text(&toolkit->folder),
        kiln_buf_text(&toolkit->problem[choice->part]));
    return true;
  }
  const bool fits = !lacking(toolkit, choice->part, choice->wanted), named = is_named(toolkit);
  const bool newer = choice->found && kiln_cuda_version_compare(kiln_toolkit_version(toolkit, choice->part),
                                          kiln_toolkit_version(choice->best, choice->part)) > 0;
  if (!choice->found || (fits && !choice->fits) || (fits == choice->fits && newer)) {
    copy(choice->best, toolkit);
    choice->found = true;
    choice->fits = fits;
  }
  return !named; /* an order is an order */
}

static enum kiln_status
none_found(const struct kiln_toolkit_search *search, const struct choice *choice, struct kiln_error *error)
{
  const char *name = part_name(choice->part);
  if (is_none(search)) {
    kiln_error_set(error, KILN_ERROR_NOT_FOUND, "no CUDA toolkit: KILN_CUDA is 'none'");
    kiln_error_advise(error, "Unset KILN_CUDA (option cuda), or name the folder of a toolkit by it.");
    return KILN_ERROR_NOT_FOUND;
  }
  if (choice->refused.len > 0)
    kiln_error_set(error, KILN_ERROR_NOT_FOUND, "no CUDA toolkit with %s: %s", name, kiln_buf_text(&choice->refused));
  else
    kiln_error_set(error, KILN_ERROR_NOT_FOUND,
        "no CUDA toolkit with %s: KILN_CUDA, CUDA_HOME and CUDA_PATH name none, and there is none in Python "
        "environments, in %s/usr/local/cuda*, %s/opt/cuda* and in PATH '%s'",
        name, search->root, search->root, search->path ? search->path : "");
  kiln_error_advise(error, "Install one, such as NVIDIA's wheels (nvidia-cuda-nvcc, nvidia-cuda-nvrtc and what they "
                           "need) or a toolkit in /usr/local, or name its folder by KILN_CUDA.");
  return KILN_ERROR_NOT_FOUND;
}

enum kiln_status
kiln_toolkit_find(const struct kiln_toolkit_search *search, enum kiln_toolkit_part part,
    const struct kiln_arch_list *wanted, struct kiln_toolkit *toolkit, struct kiln_error *error)
{
  struct choice choice = {.part = part, .wanted = wanted, .best = toolkit};
  struct kiln_arch_list known;
  enum kiln_status status = KILN_OK;
  if (search->cuda && !is_none(search) && search->cuda[0] != '/') {
    kiln_error_set(error, KILN_ERROR_ARGUMENT, "option cuda is '%s', which is not an absolute path", search->cuda);
    kiln_error_advise(error, "Give KILN_CUDA the folder of a toolkit, or none.");
    return KILN_ERROR_ARGUMENT;
  }
  kiln_buf_init(&choice.refused);
  kiln_toolkit_each(search, consider, &choice);
  if (!choice.found) {
    status = none_found(search, &choice, error);
  } else if (!choice.fits) {
    const struct kiln_cuda_version version = kiln_toolkit_version(toolkit, part);
    kiln_arch_known(version, &known);
    kiln_arch_refuse(
        *lacking(toolkit, part, wanted), part_name(part), kiln_buf_text(&toolkit->folder), version, &known, error);
    /* A compiler that cannot is none: what is in the store may still do. */
    status = KILN_ERROR_NOT_FOUND;
    if (error)
      error->status = status;
  }
  kiln_buf_release(&choice.refused);
  return status;
}
