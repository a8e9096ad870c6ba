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
  struct kiln_environment environment;
  struct kiln_command_result result;
  char *argv[] = {programs->toolkit.nvcc.data, "--list-gpu-code", NULL};
  *known = (struct kiln_arch_list){.count = 0};
  kiln_environment_init(&environment);
  kiln_nvcc_environment(&environment, programs, folder);
  kiln_command_result_init(&result);
  const struct kiln_command command = {
      .argv = argv, .environment = environment.entries, .folder = folder, .timeout_s = ASK_TIMEOUT_S};
  if (!environment.failed && kiln_command_ask(&command, &result, NULL) == KILN_OK && result.exit_code == 0 &&
      result.signal == 0)
    take_numbers(kiln_buf_text(&result.output), programs->toolkit.version, known);
  if (known->count == 0)
    kiln_arch_known(programs->toolkit.version, known);
  kiln_command_result_release(&result);
  kiln_environment_release(&environment);
}

/* ---- what a build runs ---- */

struct list {
  char **paths;
  size_t count, capacity;
};

/* A file that is not there is no part of the toolkit. */
static bool
add(struct list *list, const char *path)
{
  struct kiln_buf resolved;
  bool good = true;
  kiln_buf_init(&resolved);
  if (kiln_path_resolve(path, &resolved)) {
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
add_toolkit(struct list *list, const struct kiln_toolkit *toolkit)
{
  static const char *const files[] = {"bin/nvcc", "bin/nvcc.profile", "bin/ptxas", "bin/fatbinary", "bin/cudafe++",
      "bin/nvlink", "nvvm/libdevice/libdevice.10.bc", "lib/nvidia-cuda-toolkit/libdevice/libdevice.10.bc"};
  struct kiln_buf path;
  kiln_buf_init(&path);
  bool good = add(list, kiln_buf_text(&toolkit->cicc));
  for (size_t i = 0; i < sizeof files / sizeof *files && good; i++)
    good = add(list, kiln_text_join(&path, kiln_buf_text(&toolkit->folder), files[i]));
  kiln_buf_release(&path);
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
  bool good = add_toolkit(&list, &programs->toolkit) && add(&list, SHELL);
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
