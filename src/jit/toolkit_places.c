/* Where toolkits are put: by NVIDIA's wheels, by installers, by distributions. */
#include <string.h>

#include "base/text.h"
#include "jit/toolkit.h"
#include "os/file.h"
#include "os/path.h"
#include "os/process.h"

enum { MOST_COMMAND_LINE = 4096 };

void
kiln_toolkit_search_init(struct kiln_toolkit_search *search, const char *cuda, struct kiln_buf *buf)
{
  *search = (struct kiln_toolkit_search){.cuda = cuda,
      .cuda_home = kiln_environment_current("CUDA_HOME"),
      .cuda_path = kiln_environment_current("CUDA_PATH"),
      .path = kiln_environment_current("PATH"),
      .home = kiln_environment_current("HOME"),
      .virtual_env = kiln_environment_current("VIRTUAL_ENV"),
      .conda_prefix = kiln_environment_current("CONDA_PREFIX"),
      .root = ""};
  if (kiln_process_command_line(buf, MOST_COMMAND_LINE))
    search->self = kiln_buf_text(buf); /* up to the first NUL */
}

void
kiln_toolkit_search_text(const struct kiln_toolkit_search *search, struct kiln_buf *text)
{
  const char *const parts[] = {search->cuda, search->cuda_home, search->cuda_path, search->path, search->home,
      search->virtual_env, search->conda_prefix, search->self, search->root};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    kiln_buf_printf(text, "%s\n", parts[i] ? parts[i] : "");
}

struct visit {
  const struct kiln_toolkit_search *search;
  kiln_toolkit_place *place;
  void *context;
  const char *source;
  bool stopped;
};

static void
offer(struct visit *visit, const char *folder)
{
  visit->stopped = visit->stopped || !visit->place(visit->context, folder, visit->source);
}

/* ---- entries of a folder by the beginning of their names ---- */

enum { MOST_ENTRIES = 64, LONGEST_ENTRY = 256 };

struct entries {
  const char *prefix;
  char names[MOST_ENTRIES][LONGEST_ENTRY]; /* sorted, so that the order is not the disk's */
  size_t count;
};

static bool
take_entry(void *context, const char *path, const struct kiln_file_info *info)
{
  struct entries *entries = context;
  const char *name = kiln_text_base_name(path);
  const size_t size = strlen(name) + 1;
  size_t at = entries->count;
  (void)info;
  if (!kiln_text_starts(name, entries->prefix) || at == MOST_ENTRIES || size > LONGEST_ENTRY)
    return false;
  for (; at > 0 && strcmp(entries->names[at - 1], name) > 0; at--)
    memcpy(entries->names[at], entries->names[at - 1], LONGEST_ENTRY);
  memcpy(entries->names[at], name, size);
  entries->count++;
  return false;
}

/* Call `with` for each "<folder>/<entry><tail>" whose entry begins with prefix. */
static void
each_entry(struct visit *visit, const char *folder, const char *prefix, const char *tail,
    void (*with)(struct visit *visit, const char *path))
{
  struct entries entries = {.prefix = prefix, .count = 0};
  struct kiln_buf path;
  kiln_buf_init(&path);
  (void)kiln_folder_walk(folder, 1, take_entry, &entries, NULL);
  for (size_t i = 0; i < entries.count && !visit->stopped; i++) {
    kiln_buf_clear(&path);
    kiln_buf_printf(&path, "%s/%s%s", folder, entries.names[i], tail);
    if (!path.failed)
      with(visit, kiln_buf_text(&path));
  }
  kiln_buf_release(&path);
}

/* ---- Python ---- */

/* Wheels of CUDA 13 share one folder, cu13; older ones have a folder each. */
static void
add_site(struct visit *visit, const char *site)
{
  static const char *const old[] = {"cuda_nvcc", "cuda_nvrtc"};
  struct kiln_buf nvidia, folder;
  kiln_buf_init(&nvidia);
  kiln_buf_init(&folder);
  if (kiln_file_exists(kiln_text_join(&nvidia, site, "nvidia"))) {
    each_entry(visit, kiln_buf_text(&nvidia), "cu1", "", offer);
    for (size_t i = 0; i < sizeof old / sizeof *old && !visit->stopped; i++)
      if (kiln_file_exists(kiln_text_join(&folder, kiln_buf_text(&nvidia), old[i])))
        offer(visit, kiln_buf_text(&folder));
  }
  kiln_buf_release(&nvidia);
  kiln_buf_release(&folder);
}

static void
add_prefix(struct visit *visit, const char *prefix)
{
  static const char *const libraries[] = {"lib", "lib64"};
  static const char *const packages[] = {"/site-packages", "/dist-packages"};
  struct kiln_buf folder;
  if (!prefix || prefix[0] != '/')
    return;
  kiln_buf_init(&folder);
  for (size_t i = 0; i < 4 && !visit->stopped; i++)
    each_entry(visit, kiln_text_join(&folder, prefix, libraries[i / 2]), "python3", packages[i % 2], add_site);
  kiln_buf_release(&folder);
}

/* The environment that a program in ".../bin" belongs to; links are not followed, they lead out of it. */
static void
add_prefix_of(struct visit *visit, const char *program)
{
  struct kiln_buf prefix;
  const char *base = kiln_text_base_name(program);
  const size_t len = (size_t)(base - program);
  kiln_buf_init(&prefix);
  if (len > 5 && strncmp(base - 5, "/bin/", 5) == 0) {
    kiln_buf_append(&prefix, program, len - 5);
    if (program[0] == '/') {
      add_prefix(visit, kiln_buf_text(&prefix));
    } else {
      struct kiln_buf whole;
      kiln_buf_init(&whole);
      if (kiln_path_resolve(kiln_buf_text(&prefix), &whole))
        add_prefix(visit, kiln_buf_text(&whole));
      kiln_buf_release(&whole);
    }
  }
  kiln_buf_release(&prefix);
}

/* Call `with` for each program of this name in PATH. */
static void
each_program(struct visit *visit, const char *name, bool first, void (*with)(struct visit *visit, const char *path))
{
  struct kiln_buf path;
  const char *at = visit->search->path ? visit->search->path : "";
  kiln_buf_init(&path);
  while (*at && !visit->stopped) {
    const size_t len = strcspn(at, ":");
    kiln_buf_clear(&path);
    kiln_buf_printf(&path, "%.*s/%s", (int)len, at, name);
    if (at[0] == '/' && !path.failed && kiln_file_executable(kiln_buf_text(&path))) {
      with(visit, kiln_buf_text(&path));
      if (first)
        break;
    }
    at += len + (at[len] == ':');
  }
  kiln_buf_release(&path);
}

static void
add_python(struct visit *visit)
{
  const struct kiln_toolkit_search *search = visit->search;
  const char *self = search->self ? search->self : "";
  struct kiln_buf local;
  kiln_buf_init(&local);
  visit->source = "the Python environment in VIRTUAL_ENV";
  add_prefix(visit, search->virtual_env);
  visit->source = "the conda environment in CONDA_PREFIX";
  if (search->conda_prefix && search->conda_prefix[0] == '/')
    offer(visit, search->conda_prefix);
  add_prefix(visit, search->conda_prefix);
  visit->source = "the Python of this process";
  if (kiln_text_starts(kiln_text_base_name(self), "python")) {
    if (strchr(self, '/'))
      add_prefix_of(visit, self);
    else
      each_program(visit, self, true, add_prefix_of);
  }
  visit->source = "the user's Python packages";
  if (search->home && search->home[0] == '/')
    add_prefix(visit, kiln_text_join(&local, search->home, ".local"));
  visit->source = "python3 in PATH";
  each_program(visit, "python3", true, add_prefix_of);
  kiln_buf_release(&local);
}

/* ---- installed for all ---- */

static void
add_system(struct visit *visit)
{
  static const char *const folders[] = {"/usr/local", "/opt"};
  struct kiln_buf folder;
  kiln_buf_init(&folder);
  for (size_t i = 0; i < sizeof folders / sizeof *folders && !visit->stopped; i++) {
    visit->source = folders[i];
    kiln_buf_clear(&folder);
    kiln_buf_printf(&folder, "%s%s", visit->search->root, folders[i]);
    each_entry(visit, kiln_buf_text(&folder), "cuda", "", offer);
  }
  kiln_buf_release(&folder);
}

/* The toolkit around a program ".../bin/nvcc", wherever links lead. */
static void
add_around(struct visit *visit, const char *program)
{
  static const char tail[] = "/bin/nvcc";
  struct kiln_buf path;
  kiln_buf_init(&path);
  if (kiln_path_resolve(program, &path) && kiln_text_ends(kiln_buf_text(&path), tail)) {
    path.data[path.len -= sizeof tail - 1] = '\0';
    offer(visit, path.len > 0 ? kiln_buf_text(&path) : "/");
  }
  kiln_buf_release(&path);
}

bool
kiln_toolkit_places(const struct kiln_toolkit_search *search, kiln_toolkit_place *place, void *context)
{
  struct visit visit = {search, place, context, "", false};
  add_python(&visit);
  if (!visit.stopped)
    add_system(&visit);
  visit.source = "PATH";
  if (!visit.stopped)
    each_program(&visit, "nvcc", false, add_around);
  return !visit.stopped;
}
