/* Which programs, and the words of the command. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "jit/toolchain/hostcc/hostcc.h"
#include "jit/toolchain/nvcc/nvcc.h"

enum { MOST_THREADS = 4 };

/* ---- programs ---- */

void
kiln_nvcc_programs_init(struct kiln_nvcc_programs *programs)
{
  kiln_toolkit_init(&programs->toolkit);
  kiln_buf_init(&programs->host);
  kiln_buf_init(&programs->launcher);
}

void
kiln_nvcc_programs_release(struct kiln_nvcc_programs *programs)
{
  kiln_toolkit_release(&programs->toolkit);
  kiln_buf_release(&programs->host);
  kiln_buf_release(&programs->launcher);
}

/* A path that nvcc could not hand on is as good as none. */
static enum kiln_status
check_path(const char *path, const char *what, const char *advice, struct kiln_error *error)
{
  if (kiln_nvcc_is_harmless(path))
    return KILN_OK;
  kiln_error_set(error, KILN_ERROR_ENVIRONMENT,
      "%s '%s' has a character in its path that nvcc hands to a shell, which would take it apart", what, path);
  kiln_error_advise(error, "%s", advice);
  return KILN_ERROR_ENVIRONMENT;
}

enum kiln_status
kiln_nvcc_find(struct kiln *kiln, const struct kiln_arch_list *targets, struct kiln_nvcc_programs *programs,
    struct kiln_error *error)
{
  struct kiln_toolkit_search search;
  struct kiln_buf self;
  kiln_buf_init(&self);
  kiln_toolkit_search_init(&search, kiln->options.cuda, &self);
  if (kiln->options.system_root)
    search.root = kiln->options.system_root;
  enum kiln_status status = kiln_toolkit_find(&search, KILN_TOOLKIT_NVCC, targets, &programs->toolkit, error);
  kiln_buf_release(&self);
  if (status == KILN_OK)
    status = check_path(kiln_buf_text(&programs->toolkit.folder), "the CUDA toolkit",
        "Name it by a link without such characters, or put it elsewhere.", error);
  if (status == KILN_OK)
    status = kiln_hostcc_find(kiln, &programs->host, error);
  if (status == KILN_OK)
    status = check_path(kiln_buf_text(&programs->host), "the host compiler",
        "Name another one by KILN_CC, without such characters.", error);
  return status == KILN_OK ? kiln_hostcc_launcher(kiln, &programs->launcher, error) : status;
}

void
kiln_nvcc_environment(
    struct kiln_environment *environment, const struct kiln_nvcc_programs *programs, const char *folder)
{
  struct kiln_buf path;
  kiln_buf_init(&path);
  kiln_hostcc_environment(environment, kiln_buf_text(&programs->host), folder);
  const char *before = kiln_environment_get(environment, "PATH");
  kiln_buf_printf(&path, "%s/bin:%s", kiln_buf_text(&programs->toolkit.folder), before ? before : "");
  environment->failed = environment->failed || path.failed;
  kiln_environment_set(environment, "PATH", kiln_buf_text(&path));
  kiln_buf_release(&path);
}

/* ---- sources and texts ---- */

static bool
has_suffix(const char *name, const char *const *suffixes, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (kiln_text_ends(name, suffixes[i]) && strlen(kiln_text_base_name(name)) > strlen(suffixes[i]))
      return true;
  return false;
}

bool
kiln_nvcc_is_compiled(const char *name)
{
  static const char *const suffixes[] = {".cu"};
  return has_suffix(name, suffixes, 1);
}

bool
kiln_nvcc_is_known(const char *name)
{
  static const char *const suffixes[] = {".cuh", ".h", ".hh", ".hpp", ".hxx", ".inc", ".inl"};
  return kiln_nvcc_is_compiled(name) || has_suffix(name, suffixes, sizeof suffixes / sizeof *suffixes);
}

/* Paths reach the shell between quotes, single or double ones; a comma separates values of one option. */
bool
kiln_nvcc_is_harmless(const char *text)
{
  return !strpbrk(text, "\"'`$\\,\n\r\t");
}

/* ---- words ---- */

const char *
kiln_nvcc_standard_flags(bool debug)
{
  return debug ? "-G -O0 -no-compress" : "-O3 -no-compress";
}

static bool
asks_for_lines(const char *flag)
{
  return strcmp(flag, "-lineinfo") == 0 || strcmp(flag, "--generate-line-info") == 0 || strcmp(flag, "-G") == 0 ||
         strcmp(flag, "--device-debug") == 0;
}

bool
kiln_nvcc_has_lines(const struct kiln *kiln, const struct kiln_spec *spec)
{
  struct kiln_words extra = {0};
  bool lines = kiln->options.debug == KILN_ON;
  for (size_t i = 0; i < spec->flags.count; i++)
    lines = lines || asks_for_lines(spec->flags.items[i]);
  kiln_words_split(&extra, kiln->options.cuda_flags ? kiln->options.cuda_flags : "");
  for (size_t i = 0; i < extra.count; i++)
    lines = lines || asks_for_lines(extra.items[i]);
  kiln_words_release(&extra);
  return lines;
}

enum kiln_gpu_kind
kiln_nvcc_kind(const struct kiln_arch_list *targets)
{
  if (targets->count > 1)
    return KILN_GPU_FATBIN;
  return targets->items[0].ptx ? KILN_GPU_PTX : KILN_GPU_CUBIN;
}

const char *
kiln_nvcc_output(const struct kiln_arch_list *targets)
{
  const enum kiln_gpu_kind kind = kiln_nvcc_kind(targets);
  return kind == KILN_GPU_FATBIN ? "out.fatbin" : kind == KILN_GPU_PTX ? "out.ptx" : "out.cubin";
}

unsigned
kiln_nvcc_thread_count(const struct kiln_arch_list *targets)
{
  return targets->count < MOST_THREADS ? (unsigned)targets->count : MOST_THREADS;
}

static void
add_targets(const struct kiln_nvcc_job *job, struct kiln_words *words)
{
  const enum kiln_gpu_kind kind = kiln_nvcc_kind(job->targets);
  char number[KILN_ARCH_TEXT], name[KILN_ARCH_TEXT];
  kiln_words_add(words, kind == KILN_GPU_FATBIN ? "-fatbin" : kind == KILN_GPU_PTX ? "-ptx" : "-cubin");
  for (size_t i = 0; i < job->targets->count; i++) {
    const struct kiln_arch arch = job->targets->items[i];
    kiln_words_add(
        words, "-gencode=arch=compute_%s,code=%s", kiln_arch_number(arch, number), kiln_arch_name(arch, name));
  }
  if (job->targets->count > 1)
    kiln_words_add(words, "--threads=%u", kiln_nvcc_thread_count(job->targets));
}

/* Folders of sources are for quoted names only, which nvcc has no option for: its host compiler has. Those words reach
 * the shell bare. */
static void
add_folders(const struct kiln_nvcc_job *job, struct kiln_words *words)
{
  const size_t includes = job->input->spec->includes.count;
  const char *folder = job->input->roots[includes + job->source];
  for (size_t i = 0; i < includes; i++)
    kiln_words_add(words, "-I%s", job->input->roots[i]);
  if (*folder) {
    kiln_words_add(words, "-Xcompiler=-iquote");
    kiln_words_add(words, "-Xcompiler='%s'", folder);
  }
}

static void
add_flags(struct kiln *kiln, const struct kiln_nvcc_job *job, struct kiln_words *words)
{
  const struct kiln_spec *spec = job->input->spec;
  kiln_words_split(words, kiln_nvcc_standard_flags(kiln->options.debug == KILN_ON));
  for (size_t i = 0; i < spec->defines.count; i++)
    kiln_words_add(words, "-D%s", spec->defines.items[i]);
  add_folders(job, words);
  for (size_t i = 0; i < spec->flags.count; i++)
    kiln_words_add(words, "%s", spec->flags.items[i]);
  if (kiln->options.cuda_flags)
    kiln_words_split(words, kiln->options.cuda_flags);
}

void
kiln_nvcc_words(struct kiln *kiln, const struct kiln_nvcc_job *job, struct kiln_words *words)
{
  const char *folder = job->input->folder;
  if (job->programs->launcher.len > 0)
    kiln_words_add(words, "%s", kiln_buf_text(&job->programs->launcher));
  kiln_words_add(words, "%s", kiln_buf_text(&job->programs->toolkit.nvcc));
  kiln_words_add(words, "-ccbin=%s", kiln_buf_text(&job->programs->host));
  add_targets(job, words);
  add_flags(kiln, job, words);
  kiln_words_add(words, "-MD");
  kiln_words_add(words, "-MT=kiln");
  kiln_words_add(words, "-MF=%s/0.d", folder);
  if (kiln->events.folder[0] != '\0')
    kiln_words_add(words, "-time=%s/times.csv", folder);
  kiln_words_add(words, "-o");
  kiln_words_add(words, "%s/%s", folder, kiln_nvcc_output(job->targets));
  kiln_words_add(words, "%s", job->input->source_paths[job->source]);
}
