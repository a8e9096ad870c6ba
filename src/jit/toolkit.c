#include "jit/toolkit.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "os/file.h"
#include "os/path.h"

enum { HEADER_HEAD = 64 << 10 }; /* of a header: its version stands in there */

void
kiln_toolkit_init(struct kiln_toolkit *toolkit)
{
  *toolkit = (struct kiln_toolkit){.version = {0, 0}};
}

void
kiln_toolkit_release(struct kiln_toolkit *toolkit)
{
  struct kiln_buf *const texts[] = {&toolkit->folder, &toolkit->source, &toolkit->nvcc, &toolkit->cicc, &toolkit->nvrtc,
      &toolkit->include, &toolkit->cccl, &toolkit->problem[0], &toolkit->problem[1]};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    kiln_buf_release(texts[i]);
  kiln_toolkit_init(toolkit);
}

struct kiln_cuda_version
kiln_toolkit_version(const struct kiln_toolkit *toolkit, enum kiln_toolkit_part part)
{
  const bool own = part == KILN_TOOLKIT_NVRTC && toolkit->nvrtc_version.major > 0;
  return own ? toolkit->nvrtc_version : toolkit->version;
}

/* ---- what is in a folder ---- */

/* The first of "<folder>/<places[i]>" for which `is` holds, into path; "" when none. */
static bool
first_of(const char *folder, const char *const *places, bool (*is)(const char *path), struct kiln_buf *path)
{
  for (; *places; places++)
    if (is(kiln_text_join(path, folder, *places)))
      return true;
  kiln_buf_clear(path);
  return false;
}

static void
find_programs(struct kiln_toolkit *toolkit)
{
  static const char *const nvcc[] = {"bin/nvcc", NULL};
  static const char *const cicc[] = {"nvvm/bin/cicc", "lib/nvidia-cuda-toolkit/bin/cicc", NULL};
  first_of(kiln_buf_text(&toolkit->folder), nvcc, kiln_file_executable, &toolkit->nvcc);
  first_of(kiln_buf_text(&toolkit->folder), cicc, kiln_file_executable, &toolkit->cicc);
}

/* Headers: beside the programs, in a folder of the machine, or (wheels before CUDA 13) in a neighbour of NVRTC's. */
static void
find_headers(struct kiln_toolkit *toolkit)
{
  static const char *const places[] = {"include/cuda_runtime.h", "targets/x86_64-linux/include/cuda_runtime.h",
      "targets/sbsa-linux/include/cuda_runtime.h", "targets/aarch64-linux/include/cuda_runtime.h",
      "../cuda_runtime/include/cuda_runtime.h", NULL};
  struct kiln_buf path;
  kiln_buf_init(&path);
  if (first_of(kiln_buf_text(&toolkit->folder), places, kiln_file_exists, &path)) {
    path.data[path.len -= strlen("/cuda_runtime.h")] = '\0';
    kiln_path_resolve(kiln_buf_text(&path), &toolkit->include);
    if (!kiln_file_exists(kiln_text_join(&toolkit->cccl, kiln_buf_text(&toolkit->include), "cccl")))
      kiln_buf_clear(&toolkit->cccl);
  }
  kiln_buf_release(&path);
}

/* "#define NAME 13000" in the beginning of a header. */
static bool
defined_number(const char *header, const char *name, unsigned *value)
{
  char *head = malloc(HEADER_HEAD + 1);
  const int fd = head ? kiln_fd_open(header, KILN_OPEN_READ) : -1;
  size_t len = 0;
  long got = 1;
  while (fd >= 0 && got > 0 && len < HEADER_HEAD) {
    got = kiln_fd_read(fd, head + len, HEADER_HEAD - len);
    len += got > 0 ? (size_t)got : 0;
  }
  kiln_fd_close(fd);
  *value = 0;
  if (fd >= 0) {
    head[len] = '\0';
    const char *at = strstr(head, name);
    at = at ? at + strlen(name) : "";
    at += strspn(at, " \t");
    while (*at >= '0' && *at <= '9' && *value < 1000000)
      *value = *value * 10 + (unsigned)(*at++ - '0');
  }
  free(head);
  return *value >= 1000;
}

static void
find_version(struct kiln_toolkit *toolkit)
{
  static const struct {
    const char *header, *name;
  } places[] = {{"cuda_runtime_api.h", "#define CUDART_VERSION"}, {"cuda.h", "#define CUDA_VERSION"}};
  struct kiln_buf path;
  unsigned number = 0;
  kiln_buf_init(&path);
  for (size_t i = 0; toolkit->include.len > 0 && number == 0 && i < sizeof places / sizeof *places; i++)
    if (defined_number(
            kiln_text_join(&path, kiln_buf_text(&toolkit->include), places[i].header), places[i].name, &number))
      toolkit->version = (struct kiln_cuda_version){number / 1000, number % 1000 / 10};
  kiln_buf_release(&path);
}

/* ---- NVRTC ---- */

/* Two numbers behind the beginning of a file's name: "libnvrtc-builtins.so." of "…so.13.0.88". */
static struct kiln_cuda_version
numbers_of(const char *text)
{
  struct kiln_cuda_version version = {0, 0};
  while (*text >= '0' && *text <= '9' && version.major < 1000)
    version.major = version.major * 10 + (unsigned)(*text++ - '0');
  if (*text == '.')
    for (text++; *text >= '0' && *text <= '9' && version.minor < 1000; text++)
      version.minor = version.minor * 10 + (unsigned)(*text - '0');
  return version;
}

struct libraries {
  struct kiln_buf nvrtc;
  bool plain, builtins;
  struct kiln_cuda_version nvrtc_number, builtins_number;
};

/* The plain name, else the highest number; the "alt" build is another library. */
static bool
take_library(void *context, const char *path, const struct kiln_file_info *info)
{
  static const char nvrtc[] = "libnvrtc.so", builtins[] = "libnvrtc-builtins.so";
  struct libraries *found = context;
  const char *name = kiln_text_base_name(path);
  (void)info;
  if (kiln_text_starts(name, builtins)) {
    const struct kiln_cuda_version number = numbers_of(name + sizeof builtins - 1 + (name[sizeof builtins - 1] == '.'));
    found->builtins = true;
    if (kiln_cuda_version_compare(number, found->builtins_number) > 0)
      found->builtins_number = number;
  } else if (kiln_text_starts(name, nvrtc) && !found->plain) {
    const struct kiln_cuda_version number = numbers_of(name + sizeof nvrtc - 1 + (name[sizeof nvrtc - 1] == '.'));
    found->plain = name[sizeof nvrtc - 1] == '\0';
    if (found->plain || found->nvrtc.len == 0 || kiln_cuda_version_compare(number, found->nvrtc_number) > 0) {
      found->nvrtc_number = number;
      kiln_buf_clear(&found->nvrtc);
      kiln_buf_text_append(&found->nvrtc, path);
    }
  }
  return false;
}

static void
find_nvrtc(struct kiln_toolkit *toolkit)
{
  static const char *const places[] = {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib",
      "targets/aarch64-linux/lib", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu"};
  struct kiln_buf folder, real;
  kiln_buf_init(&folder);
  kiln_buf_init(&real);
  for (size_t i = 0; i < sizeof places / sizeof *places && toolkit->nvrtc.len == 0; i++) {
    struct libraries found = {.plain = false};
    kiln_buf_clear(&real);
    if (!kiln_path_resolve(kiln_text_join(&folder, kiln_buf_text(&toolkit->folder), places[i]), &real))
      continue;
    (void)kiln_folder_walk(kiln_buf_text(&real), 1, take_library, &found, NULL);
    if (found.nvrtc.len > 0) {
      kiln_path_resolve(kiln_buf_text(&found.nvrtc), &toolkit->nvrtc);
      toolkit->nvrtc_version = found.builtins_number;
      if (!found.builtins)
        kiln_buf_printf(&toolkit->problem[KILN_TOOLKIT_NVRTC], "has no libnvrtc-builtins.so beside %s",
            kiln_buf_text(&found.nvrtc));
    }
    kiln_buf_release(&found.nvrtc);
  }
  kiln_buf_release(&folder);
  kiln_buf_release(&real);
}

static void
judge(struct kiln_toolkit *toolkit)
{
  struct kiln_buf *nvcc = &toolkit->problem[KILN_TOOLKIT_NVCC], *nvrtc = &toolkit->problem[KILN_TOOLKIT_NVRTC];
  struct kiln_buf path;
  kiln_buf_init(&path);
  if (toolkit->nvcc.len == 0)
    kiln_buf_text_append(nvcc, "has no bin/nvcc");
  else if (toolkit->cicc.len == 0)
    kiln_buf_text_append(nvcc, "has no nvvm/bin/cicc (wheel nvidia-nvvm)");
  else if (!kiln_file_executable(kiln_text_join(&path, kiln_buf_text(&toolkit->folder), "bin/ptxas")))
    kiln_buf_text_append(nvcc, "has no bin/ptxas");
  else if (toolkit->include.len == 0)
    kiln_buf_text_append(nvcc, "has no include/cuda_runtime.h (wheel nvidia-cuda-runtime)");
  else if (toolkit->version.major == 0)
    kiln_buf_text_append(nvcc, "has no version in include/cuda_runtime_api.h and cuda.h");
  if (toolkit->nvrtc.len == 0)
    kiln_buf_text_append(nvrtc, "has no libnvrtc.so in lib64 or lib");
  else if (nvrtc->len == 0 && kiln_toolkit_version(toolkit, KILN_TOOLKIT_NVRTC).major == 0)
    kiln_buf_text_append(nvrtc, "has no version in the name of libnvrtc-builtins.so");
  kiln_buf_release(&path);
}

bool
kiln_toolkit_examine(const char *folder, const char *source, struct kiln_toolkit *toolkit)
{
  if (!kiln_path_resolve(folder, &toolkit->folder)) {
    kiln_buf_text_append(&toolkit->folder, folder);
    for (size_t i = 0; i < 2; i++)
      kiln_buf_text_append(&toolkit->problem[i], "does not exist");
    kiln_buf_text_append(&toolkit->source, source);
    return false;
  }
  kiln_buf_text_append(&toolkit->source, source);
  find_programs(toolkit);
  find_headers(toolkit);
  find_version(toolkit);
  find_nvrtc(toolkit);
  judge(toolkit);
  return true;
}
