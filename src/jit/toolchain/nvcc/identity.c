/* Every program that a build runs, and what it reads besides headers. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "jit/identity.h"
#include "jit/targets.h"
#include "jit/toolchain/hostcc/hostcc.h"
#include "jit/toolchain/nvcc/nvcc.h"
#include "os/file.h"
#include "os/path.h"

#define ASK_TIMEOUT_S 10.0
#define SHELL "/bin/sh"

/* What nvcc answers to these arguments; the caller releases the result. Nothing is left in the folder but the answer.
 */
static bool
ask(const struct kiln_nvcc_programs *programs, const char *folder, char *const *argv,
    struct kiln_command_result *result)
{
  struct kiln_environment environment;
  kiln_environment_init(&environment);
  kiln_nvcc_environment(&environment, programs, folder);
  const struct kiln_command command = {
      .argv = argv, .environment = environment.entries, .folder = folder, .timeout_s = ASK_TIMEOUT_S};
  const bool answered = !environment.failed && kiln_command_ask(&command, result, NULL) == KILN_OK;
  kiln_environment_release(&environment);
  return answered && result->exit_code == 0 && result->signal == 0;
}

/* ---- what nvcc knows ---- */

static void
take_numbers(const char *answer, struct kiln_cuda_version version, struct kiln_arch_list *known)
{
  static const char prefix[] = "sm_";
  for (const char *at = answer; (at = strstr(at, prefix)) != NULL;) {
    unsigned number = 0;
    for (at += sizeof prefix - 1; *at >= '0' && *at <= '9' && number < 1000; at++)
      number = number * 10 + (unsigned)(*at - '0');
    if (number >= 50 && number < 1000)
      kiln_arch_list_add_known(known, number, version);
  }
}

void
kiln_nvcc_known(const struct kiln_nvcc_programs *programs, const char *folder, struct kiln_arch_list *known)
{
  struct kiln_command_result result;
  char *const argv[] = {programs->toolkit.nvcc.data, "--list-gpu-code", NULL};
  *known = (struct kiln_arch_list){.count = 0};
  kiln_command_result_init(&result);
  if (ask(programs, folder, argv, &result))
    take_numbers(kiln_buf_text(&result.output), programs->toolkit.version, known);
  if (known->count == 0)
    kiln_arch_known(programs->toolkit.version, known);
  kiln_command_result_release(&result);
}

/* ---- what a build runs ---- */

struct list {
  char **paths;
  size_t count, capacity;
};

static bool
is_there(const struct list *list, const char *path)
{
  for (size_t i = 0; i < list->count; i++)
    if (strcmp(list->paths[i], path) == 0)
      return true;
  return false;
}

/* Each file once, without links in its name; one that is not there is no part of the toolkit. */
static bool
add(struct list *list, const char *path)
{
  struct kiln_buf resolved;
  bool good = true;
  kiln_buf_init(&resolved);
  if (kiln_path_resolve(path, &resolved) && !is_there(list, kiln_buf_text(&resolved))) {
    char *copy = malloc(resolved.len + 1);
    good = copy && KILN_GROW(list->paths, list->count, list->capacity);
    if (good)
      list->paths[list->count++] = memcpy(copy, resolved.data, resolved.len + 1);
    else
      free(copy);
  }
  kiln_buf_release(&resolved);
  return good;
}

static bool
add_files(struct list *list, const char *folder, const char *const *files)
{
  struct kiln_buf path;
  bool good = true;
  kiln_buf_init(&path);
  for (; *files && good; files++)
    good = add(list, kiln_text_join(&path, folder, *files));
  kiln_buf_release(&path);
  return good;
}

static bool
add_toolkit(struct list *list, const struct kiln_toolkit *toolkit)
{
  static const char *const files[] = {"bin/nvcc", "bin/nvcc.profile", "bin/ptxas", "bin/fatbinary", "bin/cudafe++",
      "bin/nvlink", "nvvm/libdevice/libdevice.10.bc", "lib/nvidia-cuda-toolkit/libdevice/libdevice.10.bc", NULL};
  return add(list, kiln_buf_text(&toolkit->cicc)) && add_files(list, kiln_buf_text(&toolkit->folder), files);
}

/* The value of a line "#$ NAME=value" into folder; false when there is none. */
static bool
said(const char *answer, const char *name, struct kiln_buf *folder)
{
  const char *at = strstr(answer, name);
  kiln_buf_clear(folder);
  if (at)
    kiln_buf_append(folder, at + strlen(name), strcspn(at + strlen(name), "\r\n"));
  return folder->len > 0;
}

/* bin/nvcc may be a script that starts another nvcc; that one says where it is. */
static bool
add_behind(struct list *list, const struct kiln_nvcc_programs *programs, const char *folder)
{
  static const char *const tools[] = {"nvcc", "nvcc.profile", "ptxas", "fatbinary", "cudafe++", "nvlink", NULL};
  static const char *const compilers[] = {"cicc", NULL};
  struct kiln_command_result result;
  struct kiln_buf host, here;
  bool good = true;
  kiln_buf_init(&host);
  kiln_buf_init(&here);
  kiln_buf_printf(&host, "-ccbin=%s", kiln_buf_text(&programs->host));
  char *const argv[] = {programs->toolkit.nvcc.data, host.data, "--dryrun", "-cubin", "kiln.cu", NULL};
  kiln_command_result_init(&result);
  (void)ask(programs, folder, argv, &result); /* the source is not there, but the answer stands before that is said */
  if (said(kiln_buf_text(&result.output), "#$ _HERE_=", &here))
    good = add_files(list, kiln_buf_text(&here), tools);
  if (good && said(kiln_buf_text(&result.output), "#$ CICC_PATH=", &here))
    good = add_files(list, kiln_buf_text(&here), compilers);
  kiln_command_result_release(&result);
  kiln_buf_release(&host);
  kiln_buf_release(&here);
  return good;
}

/* In a folder of its own, which is removed. */
static bool
add_nvcc(struct list *list, const struct kiln_nvcc_programs *programs)
{
  struct kiln_buf folder;
  kiln_buf_init(&folder);
  bool good = add_toolkit(list, &programs->toolkit);
  if (good && kiln_folder_make_private(kiln_folder_temporary(), "kiln-ask-", &folder, NULL) == KILN_OK) {
    good = add_behind(list, programs, kiln_buf_text(&folder));
    kiln_folder_remove(kiln_buf_text(&folder), NULL);
  }
  kiln_buf_release(&folder);
  return good;
}

static enum kiln_status
discover(void *context, const char *driver, char ***paths, size_t *count, struct kiln_error *error)
{
  const struct kiln_nvcc_programs *programs = context;
  struct list list = {NULL, 0, 0};
  char **host = NULL;
  size_t host_count = 0;
  enum kiln_status status = kiln_hostcc_discover(context, kiln_buf_text(&programs->host), &host, &host_count, error);
  bool good = add_nvcc(&list, programs) && add(&list, SHELL);
  for (size_t i = 0; i < host_count; i++) {
    good = good && add(&list, host[i]);
    free(host[i]);
  }
  free(host);
  if (status == KILN_OK && !good)
    status = kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for the programs of '%s'", driver);
  *paths = list.paths;
  *count = list.count;
  return status;
}

/* What the search depends on: while it is the same, the answer is. */
static void
search_tag(struct kiln *kiln, const struct kiln_arch_list *targets, struct kiln_buf *tag)
{
  struct kiln_toolkit_search search;
  struct kiln_buf self;
  char names[KILN_ARCH_MOST * 16];
  kiln_buf_init(&self);
  kiln_toolkit_search_init(&search, kiln->options.cuda, &self);
  kiln_buf_printf(tag, "nvcc %s\n%s\n%s\n", kiln_arch_list_text(targets, names, sizeof names),
      kiln->options.compiler ? kiln->options.compiler : "", kiln->options.system_root ? kiln->options.system_root : "");
  kiln_toolkit_search_text(&search, tag);
  kiln_buf_release(&self);
}

static enum kiln_status
identify(struct kiln *kiln, const struct kiln_arch_list *targets, const char *tag, struct kiln_digest *identity,
    struct kiln_buf *description, struct kiln_error *error)
{
  struct kiln_nvcc_programs programs;
  struct kiln_buf driver;
  kiln_nvcc_programs_init(&programs);
  kiln_buf_init(&driver);
  enum kiln_status status = kiln_nvcc_find(kiln, targets, &programs, error);
  /* Two programs together are what is remembered. */
  kiln_buf_printf(&driver, "%s with %s", kiln_buf_text(&programs.toolkit.nvcc), kiln_buf_text(&programs.host));
  if (status == KILN_OK)
    status = kiln_identity_of(kiln, kiln_buf_text(&driver), tag, discover, &programs, identity, description, error);
  kiln_buf_release(&driver);
  kiln_nvcc_programs_release(&programs);
  return status;
}

enum kiln_status
kiln_nvcc_identity(struct kiln *kiln, const struct kiln_spec *spec, struct kiln_digest *identity,
    struct kiln_buf *description, struct kiln_error *error)
{
  struct kiln_arch_list targets;
  struct kiln_buf tag;
  enum kiln_status status = kiln_targets_resolve(kiln, spec, &targets, error);
  if (status != KILN_OK)
    return status;
  kiln_buf_init(&tag);
  search_tag(kiln, &targets, &tag);
  if (!kiln_identity_recall(kiln, kiln_buf_text(&tag), identity, description)) {
    kiln_buf_clear(description);
    status = identify(kiln, &targets, kiln_buf_text(&tag), identity, description, error);
  }
  kiln_buf_release(&tag);
  return status;
}
