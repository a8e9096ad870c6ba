/* NVRTC's library: which one, opened once, its functions and what it compiles for. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "jit/toolchain/nvrtc/nvrtc.h"
#include "kiln/attach.h"
#include "os/file.h"
#include "os/heap.h"
#include "os/process.h"

enum need { OPTIONAL, REQUIRED };
enum { MOST_ARCHS = 256, MOST_REOPENED = 64 };
/* What a compile takes and frees: 7 MB for a small kernel, which would be 1,800 page faults each time. */
enum { HEAP_OF_A_COMPILE = 16 << 20 };

/* What a question led to. */
struct chosen {
  struct chosen *next;
  struct kiln_nvrtc *nvrtc;
  char question[];
};

/* Of one kiln: every NVRTC it has opened, newest first. */
struct opened {
  struct kiln_guard guard;
  struct kiln_nvrtc *first;
  struct chosen *chosen;
  unsigned reopened;
};

static const char attached; /* its address is the key */

static void
release_nvrtc(struct kiln_nvrtc *nvrtc)
{
  if (!nvrtc)
    return;
  kiln_library_leave(nvrtc->library);
  for (size_t i = 0; i < KILN_NVRTC_MOST_BUILTINS && nvrtc->builtins[i]; i++)
    kiln_library_leave(nvrtc->builtins[i]);
  free(nvrtc->path);
  free(nvrtc->folders[0]);
  free(nvrtc->folders[1]);
  free(nvrtc);
}

static void *
make_opened(struct kiln *kiln)
{
  struct opened *opened = calloc(1, sizeof *opened);
  (void)kiln;
  if (opened && !kiln_guard_init(&opened->guard)) {
    free(opened);
    return NULL;
  }
  return opened;
}

static void
release_opened(void *object)
{
  struct opened *opened = object;
  while (opened->first) {
    struct kiln_nvrtc *next = opened->first->next;
    release_nvrtc(opened->first);
    opened->first = next;
  }
  while (opened->chosen) {
    struct chosen *next = opened->chosen->next;
    free(opened->chosen);
    opened->chosen = next;
  }
  kiln_guard_release(&opened->guard);
  free(opened);
}

/* ---- one library ---- */

static enum kiln_status
find_symbols(struct kiln_nvrtc *nvrtc, struct kiln_error *error)
{
  const char *missing = NULL;
  void *address;
#define KILN_NVRTC_FIND(need, returns, member, symbol, arguments)                                                      \
  address = kiln_library_symbol(nvrtc->library, symbol);                                                               \
  memcpy(&nvrtc->call.member, &address, sizeof address);                                                               \
  if (!address && (need) == REQUIRED && !missing)                                                                      \
    missing = symbol;
  KILN_NVRTC_SYMBOLS(KILN_NVRTC_FIND)
#undef KILN_NVRTC_FIND
  if (!missing)
    return KILN_OK;
  kiln_error_set(error, KILN_ERROR_ENVIRONMENT, "NVRTC '%s' lacks %s", nvrtc->path, missing);
  kiln_error_advise(error, "Install CUDA 11.8 or later, or name another toolkit by KILN_CUDA.");
  return KILN_ERROR_ENVIRONMENT;
}

static enum kiln_status
ask(struct kiln_nvrtc *nvrtc, struct kiln_error *error)
{
  int major = 0, minor = 0, count = 0, numbers[MOST_ARCHS];
  int result = nvrtc->call.version(&major, &minor);
  if (result == KILN_NVRTC_SUCCESS)
    result = nvrtc->call.arch_count(&count);
  if (result == KILN_NVRTC_SUCCESS && count > 0 && count <= MOST_ARCHS)
    result = nvrtc->call.archs(numbers);
  if (result != KILN_NVRTC_SUCCESS || major <= 0 || count <= 0 || count > MOST_ARCHS)
    return kiln_error_set(error, KILN_ERROR_ENVIRONMENT, "NVRTC '%s' does not say its version and architectures: %s",
        nvrtc->path, nvrtc->call.error_text(result));
  nvrtc->version = (struct kiln_cuda_version){(unsigned)major, (unsigned)minor};
  for (int i = 0; i < count; i++)
    if (numbers[i] > 0)
      kiln_arch_list_add_known(&nvrtc->known, (unsigned)numbers[i], nvrtc->version);
  return KILN_OK;
}

static bool
open_builtin(void *context, const char *path, const struct kiln_file_info *info)
{
  struct kiln_nvrtc *nvrtc = context;
  size_t count = 0;
  (void)info;
  while (count < KILN_NVRTC_MOST_BUILTINS && nvrtc->builtins[count])
    count++;
  if (count < KILN_NVRTC_MOST_BUILTINS && kiln_text_starts(kiln_text_base_name(path), KILN_NVRTC_BUILTINS) &&
      kiln_library_open(path, &nvrtc->builtins[count], NULL) != KILN_OK)
    nvrtc->builtins[count] = NULL;
  return true;
}

/* NVRTC asks the loader for its second library by a bare name, and the loader does not look beside the first: without
 * this it finds none, or that of another toolkit which the system knows. One that is open already is found by its name.
 */
static void
open_builtins(struct kiln_nvrtc *nvrtc)
{
  struct kiln_buf folder;
  kiln_buf_init(&folder);
  const size_t len = (size_t)(kiln_text_base_name(nvrtc->path) - nvrtc->path);
  kiln_buf_append(&folder, nvrtc->path, len > 1 ? len - 1 : len);
  if (!folder.failed && len > 0)
    kiln_folder_walk(kiln_buf_text(&folder), 1, open_builtin, nvrtc, NULL);
  kiln_buf_release(&folder);
}

/* The loader knows files by spelling: one that was replaced is opened under a path with more slashes. */
static enum kiln_status
open_spelled(struct kiln_nvrtc *nvrtc, unsigned slashes, struct kiln_error *error)
{
  struct kiln_buf spelling;
  kiln_buf_init(&spelling);
  for (unsigned i = 0; i < slashes; i++)
    kiln_buf_text_append(&spelling, "/");
  kiln_buf_text_append(&spelling, nvrtc->path);
  enum kiln_status status = spelling.failed
                                ? kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for '%s'", nvrtc->path)
                                : kiln_library_open(kiln_buf_text(&spelling), &nvrtc->library, error);
  kiln_buf_release(&spelling);
  if (status == KILN_ERROR_NOT_FOUND)
    status = KILN_ERROR_ENVIRONMENT; /* the file is there: a library that it needs is not */
  if (status == KILN_ERROR_ENVIRONMENT) {
    if (error)
      error->status = status;
    kiln_error_advise(error, "Reinstall the toolkit, or name another by KILN_CUDA.");
  }
  return status;
}

static char *
copy_of(const struct kiln_buf *text)
{
  char *copy = malloc(text->len + 1);
  return copy ? memcpy(copy, kiln_buf_text(text), text->len + 1) : NULL;
}

static enum kiln_status
open_new(const struct kiln_toolkit *toolkit, const struct kiln_file_info *info, unsigned slashes,
    struct kiln_nvrtc **nvrtc, struct kiln_error *error)
{
  struct kiln_nvrtc *fresh = calloc(1, sizeof *fresh);
  if (fresh) {
    fresh->path = copy_of(&toolkit->nvrtc);
    fresh->folders[0] = copy_of(&toolkit->include);
    fresh->folders[1] = copy_of(&toolkit->cccl);
  }
  if (!fresh || !fresh->path || !fresh->folders[0] || !fresh->folders[1]) {
    release_nvrtc(fresh);
    return kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for NVRTC");
  }
  fresh->size = info->size;
  fresh->inode = info->inode;
  fresh->mtime_ns = info->mtime_ns;
  atomic_init(&fresh->busy, 0);
  atomic_init(&fresh->process, kiln_process_id());
  kiln_library_expect(fresh->path);
  kiln_heap_keep(HEAP_OF_A_COMPILE);
  open_builtins(fresh);
  enum kiln_status status = open_spelled(fresh, slashes, error);
  if (status == KILN_OK)
    status = find_symbols(fresh, error);
  if (status == KILN_OK)
    status = ask(fresh, error);
  if (status == KILN_OK)
    *nvrtc = fresh;
  else
    release_nvrtc(fresh);
  return status;
}

/* ---- one for a toolkit ---- */

void
kiln_nvrtc_question(struct kiln *kiln, const struct kiln_arch_list *targets, struct kiln_buf *question)
{
  struct kiln_toolkit_search search;
  struct kiln_buf self;
  char text[200];
  kiln_buf_init(&self);
  kiln_toolkit_search_init(&search, kiln->options.cuda, &self);
  kiln_buf_printf(question, "nvrtc %s\n", kiln_arch_list_text(targets, text, sizeof text));
  kiln_toolkit_search_text(&search, question);
  kiln_buf_release(&self);
}

enum kiln_status
kiln_nvrtc_find(
    struct kiln *kiln, const struct kiln_arch_list *targets, struct kiln_toolkit *toolkit, struct kiln_error *error)
{
  struct kiln_toolkit_search search;
  struct kiln_buf self;
  kiln_buf_init(&self);
  kiln_toolkit_search_init(&search, kiln->options.cuda, &self);
  enum kiln_status status = kiln_toolkit_find(&search, KILN_TOOLKIT_NVRTC, targets, toolkit, error);
  kiln_buf_release(&self);
  return status;
}

static bool
is_current(const struct kiln_nvrtc *nvrtc)
{
  struct kiln_file_info info;
  return kiln_file_target_info(nvrtc->path, &info, NULL) == KILN_OK && nvrtc->size == info.size &&
         nvrtc->inode == info.inode && nvrtc->mtime_ns == info.mtime_ns;
}

static enum kiln_status
open_toolkit(
    struct opened *opened, const struct kiln_toolkit *toolkit, struct kiln_nvrtc **nvrtc, struct kiln_error *error)
{
  struct kiln_file_info info;
  const char *path = kiln_buf_text(&toolkit->nvrtc);
  bool replaced = false;
  for (*nvrtc = opened->first; *nvrtc; *nvrtc = (*nvrtc)->next)
    if (strcmp((*nvrtc)->path, path) == 0) {
      if (is_current(*nvrtc))
        return KILN_OK;
      replaced = true;
    }
  enum kiln_status status = kiln_file_target_info(path, &info, error);
  if (status != KILN_OK)
    return status;
  if (replaced && ++opened->reopened > MOST_REOPENED)
    return kiln_error_set(error, KILN_ERROR_ENVIRONMENT, "NVRTC '%s' was replaced %u times", path, opened->reopened);
  struct kiln_nvrtc *fresh = NULL;
  status = open_new(toolkit, &info, replaced ? opened->reopened : 0, &fresh, error);
  if (!fresh)
    return status;
  fresh->next = opened->first;
  opened->first = *nvrtc = fresh;
  return KILN_OK;
}

/* Best effort: what is not kept is looked for again. */
static void
keep_chosen(struct opened *opened, const char *question, struct kiln_nvrtc *nvrtc)
{
  const size_t size = strlen(question) + 1;
  struct chosen *chosen = malloc(sizeof *chosen + size);
  if (!chosen)
    return;
  chosen->next = opened->chosen;
  chosen->nvrtc = nvrtc;
  memcpy(chosen->question, question, size);
  opened->chosen = chosen;
}

static enum kiln_status
open_guarded(struct kiln *kiln, struct opened *opened, const struct kiln_arch_list *targets, const char *question,
    struct kiln_nvrtc **nvrtc, struct kiln_error *error)
{
  struct kiln_toolkit toolkit;
  for (struct chosen *chosen = opened->chosen; chosen; chosen = chosen->next)
    if (strcmp(chosen->question, question) == 0 && is_current(chosen->nvrtc)) {
      *nvrtc = chosen->nvrtc;
      return KILN_OK;
    }
  kiln_toolkit_init(&toolkit);
  enum kiln_status status = kiln_nvrtc_find(kiln, targets, &toolkit, error);
  if (status == KILN_OK)
    status = open_toolkit(opened, &toolkit, nvrtc, error);
  if (status == KILN_OK)
    keep_chosen(opened, question, *nvrtc);
  kiln_toolkit_release(&toolkit);
  return status;
}

enum kiln_status
kiln_nvrtc_open(
    struct kiln *kiln, const struct kiln_arch_list *targets, struct kiln_nvrtc **nvrtc, struct kiln_error *error)
{
  void *object;
  struct kiln_buf question;
  *nvrtc = NULL;
  enum kiln_status status = kiln_attach(kiln, &attached, make_opened, release_opened, &object, error);
  if (status != KILN_OK)
    return status;
  struct opened *opened = object;
  kiln_buf_init(&question);
  kiln_nvrtc_question(kiln, targets, &question);
  struct kiln_guard_own *own = kiln_guard_lock(&opened->guard);
  status = question.failed ? kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for NVRTC")
                           : open_guarded(kiln, opened, targets, kiln_buf_text(&question), nvrtc, error);
  kiln_guard_unlock(own);
  kiln_buf_release(&question);
  return status;
}

/* ---- fork ---- */

enum kiln_status
kiln_nvrtc_enter(struct kiln_nvrtc *nvrtc, struct kiln_error *error)
{
  const int self = kiln_process_id(), process = atomic_load(&nvrtc->process);
  if (process != self) {
    if (atomic_load(&nvrtc->busy) > 0) {
      kiln_error_set(error, KILN_ERROR_FORKED,
          "NVRTC was compiling in process %d when this one was forked from it, and its locks are held for ever",
          process);
      kiln_error_advise(error, "Load what children need before forking, or start them with spawn instead of fork.");
      return KILN_ERROR_FORKED;
    }
    atomic_store(&nvrtc->process, self);
  }
  atomic_fetch_add(&nvrtc->busy, 1);
  return KILN_OK;
}

void
kiln_nvrtc_leave(struct kiln_nvrtc *nvrtc)
{
  atomic_fetch_sub(&nvrtc->busy, 1);
}
