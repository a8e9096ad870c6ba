/* Which compiler, and the words of its commands. */
#include <string.h>

#include "base/text.h"
#include "jit/toolchain/hostcc/hostcc.h"
#include "os/file.h"
#include "os/path.h"
#include "os/runner.h"

#define SYSTEM_PATH "/usr/bin:/bin"

/* ---- the compiler ---- */

/* Folder without links, last component as it is. */
static bool
anchor(const char *found, struct kiln_buf *path)
{
  struct kiln_buf folder;
  const char *base = kiln_text_base_name(found);
  kiln_buf_init(&folder);
  if (base == found)
    kiln_buf_text_append(&folder, ".");
  else
    kiln_buf_append(&folder, found, (size_t)(base - found));
  const bool good = !folder.failed && kiln_path_resolve(kiln_buf_text(&folder), path);
  if (good)
    kiln_buf_printf(path, "%s%s", kiln_text_ends(kiln_buf_text(path), "/") ? "" : "/", base);
  kiln_buf_release(&folder);
  return good && !path->failed;
}

/* In a list of folders with ':' between; relative ones are passed over, as are empty ones. */
static bool
search(const char *folders, const char *name, struct kiln_buf *path)
{
  struct kiln_buf candidate;
  bool found = false;
  kiln_buf_init(&candidate);
  while (*folders && !found) {
    const size_t len = strcspn(folders, ":");
    if (folders[0] == '/') {
      kiln_buf_clear(&candidate);
      kiln_buf_printf(&candidate, "%.*s/%s", (int)len, folders, name);
      found = kiln_file_executable(kiln_buf_text(&candidate)) && anchor(kiln_buf_text(&candidate), path);
    }
    folders += len + (folders[len] == ':');
  }
  kiln_buf_release(&candidate);
  return found;
}

enum kiln_status
kiln_hostcc_find(struct kiln *kiln, struct kiln_buf *path, struct kiln_error *error)
{
  static const char *const names[] = {"cc", "gcc", "clang"};
  const char *wanted = kiln->options.compiler, *folders = kiln_environment_current("PATH");
  folders = folders ? folders : SYSTEM_PATH;
  if (wanted && strchr(wanted, '/')) {
    if (kiln_file_executable(wanted) && anchor(wanted, path))
      return KILN_OK;
    kiln_error_set(error, KILN_ERROR_NOT_FOUND, "compiler '%s' does not exist or cannot be executed", wanted);
    kiln_error_advise(error, "Correct KILN_CC (option compiler), or unset it to use cc, gcc or clang of PATH.");
    return KILN_ERROR_NOT_FOUND;
  }
  if (wanted && search(folders, wanted, path))
    return KILN_OK;
  for (size_t i = 0; !wanted && i < sizeof names / sizeof *names; i++)
    if (search(folders, names[i], path))
      return KILN_OK;
  kiln_error_set(error, KILN_ERROR_NOT_FOUND, "no compiler: there is no %s in PATH '%s'",
      wanted ? wanted : "cc, gcc or clang", folders);
  kiln_error_advise(error, "Install a C compiler, or name one by KILN_CC (option compiler).");
  return KILN_ERROR_NOT_FOUND;
}

enum kiln_status
kiln_hostcc_launcher(struct kiln *kiln, struct kiln_buf *path, struct kiln_error *error)
{
  const char *wanted = kiln->options.launcher, *folders = kiln_environment_current("PATH");
  if (!wanted)
    return KILN_OK;
  if (strchr(wanted, '/') ? kiln_file_executable(wanted) && anchor(wanted, path)
                          : search(folders ? folders : SYSTEM_PATH, wanted, path))
    return KILN_OK;
  kiln_error_set(error, KILN_ERROR_NOT_FOUND, "launcher '%s' does not exist or cannot be executed", wanted);
  kiln_error_advise(error, "Correct KILN_LAUNCHER (option launcher), or unset it.");
  return KILN_ERROR_NOT_FOUND;
}

static void
search_path(const char *compiler, struct kiln_buf *folders)
{
  const char *base = kiln_text_base_name(compiler);
  kiln_buf_printf(folders, "%.*s:" SYSTEM_PATH, (int)(base - compiler > 1 ? base - compiler - 1 : 1), compiler);
}

bool
kiln_hostcc_program(const char *compiler, const char *name, struct kiln_buf *path)
{
  struct kiln_buf folders;
  kiln_buf_init(&folders);
  search_path(compiler, &folders);
  const bool found = search(kiln_buf_text(&folders), name, path);
  kiln_buf_release(&folders);
  return found;
}

void
kiln_hostcc_environment(struct kiln_environment *environment, const char *compiler, const char *folder)
{
  struct kiln_buf text;
  kiln_buf_init(&text);
  search_path(compiler, &text);
  kiln_environment_set(environment, "PATH", kiln_buf_text(&text));
  kiln_environment_set(environment, "LC_ALL", "C");
  /* No folder of its own: making one is the dearest call of a small build on many file systems. */
  kiln_environment_set(environment, "TMPDIR", folder);
  kiln_environment_set(environment, "SOURCE_DATE_EPOCH", "0");
  kiln_environment_set(environment, KILN_SANDBOX_VARIABLE, folder);
  kiln_buf_release(&text);
}

/* ---- sources ---- */

static bool
has_suffix(const char *name, const char *const *suffixes, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (kiln_text_ends(name, suffixes[i]) && strlen(kiln_text_base_name(name)) > strlen(suffixes[i]))
      return true;
  return false;
}

bool
kiln_hostcc_is_compiled(const char *name)
{
  static const char *const suffixes[] = {".c", ".cc", ".cpp", ".cxx", ".S", ".s"};
  return has_suffix(name, suffixes, sizeof suffixes / sizeof *suffixes);
}

bool
kiln_hostcc_is_known(const char *name)
{
  static const char *const suffixes[] = {".h", ".hh", ".hpp", ".hxx", ".inc", ".inl"};
  return kiln_hostcc_is_compiled(name) || has_suffix(name, suffixes, sizeof suffixes / sizeof *suffixes);
}

/* ---- commands ---- */

#define COMMON "-fPIC -fno-ident -frandom-seed=kiln"

const char *
kiln_hostcc_standard_flags(bool debug)
{
  return debug ? "-O0 -g " COMMON : "-O3 " COMMON;
}

#define LINK_FLAGS "-shared -Wl,--build-id=none -Wl,-z,defs"

/* A compiler splits "old=new" at a '=': a folder with one in its name keeps its place in what the compiler writes. */
static void
map(struct kiln_words *words, const char *folder, const char *shown)
{
  if (*folder && strcmp(folder, "/") != 0 && !strchr(folder, '='))
    kiln_words_add(words, "-ffile-prefix-map=%s=%s", folder, shown);
}

/* The last match wins with gcc, the longest with clang; the build folder comes last. */
static void
add_maps(const struct kiln_build_input *input, struct kiln_words *words)
{
  struct kiln_buf text;
  const size_t includes = input->spec->includes.count;
  kiln_buf_init(&text);
  if (kiln_path_resolve(".", &text))
    map(words, kiln_buf_text(&text), ".");
  for (size_t i = 0; i < input->root_count; i++) {
    kiln_buf_clear(&text);
    kiln_buf_printf(&text, i < includes ? "include%zu" : "source%zu", i < includes ? i : i - includes);
    map(words, input->roots[i], kiln_buf_text(&text));
  }
  map(words, kiln_text_join(&text, input->folder, "src/"), "");
  map(words, input->folder, ".");
  kiln_buf_release(&text);
}

static void
add_target(const struct kiln_spec *spec, struct kiln_words *words)
{
  kiln_words_add(words, "-march=%s", spec->archs.count > 0 ? spec->archs.items[0] : "native");
}

static void
add_flags(struct kiln *kiln, const struct kiln_hostcc_job *job, struct kiln_words *words)
{
  const struct kiln_spec *spec = job->input->spec;
  if (job->step != KILN_HOSTCC_LINK && kiln_text_ends(spec->sources[job->source].name, ".c"))
    kiln_words_add(words, "-std=c11");
  kiln_words_split(words, kiln_hostcc_standard_flags(kiln->options.debug == KILN_ON));
  add_target(spec, words);
  add_maps(job->input, words);
  for (size_t i = 0; i < spec->defines.count; i++)
    kiln_words_add(words, "-D%s", spec->defines.items[i]);
  for (size_t i = 0; i < spec->includes.count; i++)
    kiln_words_add(words, "-I%s", job->input->roots[i]);
  for (size_t i = 0; i < spec->flags.count; i++)
    kiln_words_add(words, "%s", spec->flags.items[i]);
  if (kiln->options.extra_flags)
    kiln_words_split(words, kiln->options.extra_flags);
}

static void
add_source(const struct kiln_hostcc_job *job, struct kiln_words *words)
{
  const struct kiln_build_input *input = job->input;
  const char *folder = input->roots[input->spec->includes.count + job->source];
  if (*folder) {
    kiln_words_add(words, "-iquote");
    kiln_words_add(words, "%s", folder);
  }
  kiln_words_add(words, "-MD");
  kiln_words_add(words, "-MT");
  kiln_words_add(words, "kiln");
  kiln_words_add(words, "-MF");
  kiln_words_add(words, "%s/%zu.d", input->folder, job->source);
  kiln_words_add(words, "%s", input->source_paths[job->source]);
}

static void
add_link(const struct kiln_hostcc_job *job, struct kiln_words *words)
{
  const struct kiln_build_input *input = job->input;
  if (job->step == KILN_HOSTCC_LINK)
    for (size_t i = 0; i < input->spec->source_count; i++)
      if (kiln_hostcc_is_compiled(input->spec->sources[i].name))
        kiln_words_add(words, "%s/%zu.o", input->folder, i);
  kiln_words_split(words, LINK_FLAGS);
  if (job->link_depfile) {
    kiln_words_add(words, "-Xlinker");
    kiln_words_add(words, "--dependency-file=%s/link.d", input->folder);
  }
  for (size_t i = 0; i < input->spec->links.count; i++)
    kiln_words_add(words, "%s", input->spec->links.items[i]);
}

void
kiln_hostcc_words(struct kiln *kiln, const struct kiln_hostcc_job *job, struct kiln_words *words)
{
  if (*job->launcher)
    kiln_words_add(words, "%s", job->launcher);
  kiln_words_add(words, "%s", job->compiler);
  add_flags(kiln, job, words);
  if (job->step == KILN_HOSTCC_OBJECT)
    kiln_words_add(words, "-c");
  kiln_words_add(words, "-o");
  if (job->step == KILN_HOSTCC_OBJECT)
    kiln_words_add(words, "%s/%zu.o", job->input->folder, job->source);
  else
    kiln_words_add(words, "%s/out.so", job->input->folder);
  if (job->step != KILN_HOSTCC_LINK)
    add_source(job, words);
  if (job->step != KILN_HOSTCC_OBJECT)
    add_link(job, words);
}
