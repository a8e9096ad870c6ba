/*
 * NVRTC without a compiler; README.md is its manual. What it "compiles" are the names of the kernels in the source; it
 * makes the smallest cubin or PTX in which they are defined.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "jit/toolchain/nvrtc/nvrtc.h"

#define DECLARE(need, returns, member, symbol, arguments)                                                              \
  returns fake_##member arguments __asm__(symbol);                                                                     \
  returns fake_##member arguments;
KILN_NVRTC_SYMBOLS(DECLARE)

enum { MOST_KERNELS = 8, NAME = 64, MOST_LOG = 4096 };

struct program {
  char *text;
  char name[256];
  char log[MOST_LOG];
  char arch[16];
  bool minimal;
  char kernels[MOST_KERNELS][NAME];
  int kernel_count;
  char *result;
  size_t size;
  int (*callback)(void *context, void *unused);
  void *context;
};

static const char *
setting(const char *name, const char *fallback)
{
  const char *value = getenv(name);
  return value && *value ? value : fallback;
}

/* A line of the log of calls: "compile k.cu <a.h> <b.h> --option …". */
static void
say(const char *text)
{
  const char *path = getenv("KILN_FAKE_LOG");
  FILE *file = path && *path ? fopen(path, "a") : NULL;
  if (!file)
    return;
  fputs(text, file);
  fclose(file);
}

int
fake_version(int *major, int *minor)
{
  return sscanf(setting("KILN_FAKE_NVRTC", "13.0"), "%d.%d", major, minor) == 2 ? 0 : 11;
}

static int
read_archs(int *numbers)
{
  const char *at = setting("KILN_FAKE_NVRTC_ARCHS", "80,90,100");
  int count = 0;
  for (char *end; *at; at = *end == ',' ? end + 1 : end, count++) {
    const int number = (int)strtol(at, &end, 10);
    if (end == at)
      break;
    if (numbers)
      numbers[count] = number;
  }
  return count;
}

int
fake_arch_count(int *count)
{
  *count = read_archs(NULL);
  return 0;
}

int
fake_archs(int *numbers)
{
  read_archs(numbers);
  return 0;
}

const char *
fake_error_text(int result)
{
  return result == KILN_NVRTC_COMPILATION ? "NVRTC_ERROR_COMPILATION" : "NVRTC_ERROR_OTHER";
}

int
fake_create(void **handle, const char *text, const char *name, int header_count, const char *const *headers,
    const char *const *header_names)
{
  struct program *program = calloc(1, sizeof *program);
  program->text = strdup(text);
  snprintf(program->name, sizeof program->name, "%s", name);
  say("create ");
  say(name);
  for (int i = 0; i < header_count; i++) {
    say(" <");
    say(header_names[i]);
    say(">");
    if (strlen(headers[i]) > 0 && getenv("KILN_FAKE_NVRTC_TEXTS")) {
      say("=[");
      say(headers[i]);
      say("]");
    }
  }
  if (getenv("KILN_FAKE_NVRTC_TEXTS")) {
    say(" source=[");
    say(text);
    say("]");
  }
  say("\n");
  *handle = program;
  return 0;
}

int
fake_destroy(void **handle)
{
  struct program *program = *handle;
  free(program->result);
  free(program->text);
  free(program);
  *handle = NULL;
  return 0;
}

int
fake_set_callback(void *handle, int (*callback)(void *context, void *unused), void *context)
{
  struct program *program = handle;
  program->callback = callback;
  program->context = context;
  return 0;
}

/* ---- what it makes ---- */

static void
find_kernels(struct program *program)
{
  for (const char *at = program->text; (at = strstr(at, "__global__ void ")) != NULL;) {
    at += strlen("__global__ void ");
    const size_t len = strcspn(at, "( \n");
    if (program->kernel_count < MOST_KERNELS && len < NAME)
      snprintf(program->kernels[program->kernel_count++], NAME, "%.*s", (int)len, at);
  }
}

static void
make_ptx(struct program *program)
{
  char text[1024];
  size_t len = (size_t)snprintf(text, sizeof text, ".version 9.0\n.target sm_%s\n", program->arch + strlen("compute_"));
  for (int i = 0; i < program->kernel_count; i++)
    len += (size_t)snprintf(text + len, sizeof text - len, ".visible .entry %s()\n{ ret; }\n", program->kernels[i]);
  program->result = strdup(text);
  program->size = len + 1;
}

static void
put(unsigned char *at, uint64_t value, size_t size)
{
  for (size_t i = 0; i < size; i++)
    at[i] = (unsigned char)(value >> (8 * i));
}

static void
put_section(unsigned char *at, unsigned type, uint64_t offset, uint64_t size, unsigned link, uint64_t each)
{
  put(at + 4, type, 4);
  put(at + 24, offset, 8);
  put(at + 32, size, 8);
  put(at + 40, link, 4);
  put(at + 56, each, 8);
}

/* Header; names; symbols; a note with the architecture; four section headers. */
static void
make_cubin(struct program *program)
{
  enum {
    NAMES = 64,
    SYMBOLS = NAMES + 1024,
    NOTE_AT = SYMBOLS + 24 * (MOST_KERNELS + 1),
    NOTE_LEN = 64,
    SECTIONS = NOTE_AT + NOTE_LEN,
    SIZE = SECTIONS + 4 * 64
  };
  unsigned char *out = calloc(1, SIZE);
  const int number = atoi(program->arch + strlen("sm_"));
  const bool specific = program->arch[strlen(program->arch) - 1] == 'a';
  memcpy(out, "\177ELF\2\1\1\101\10", 9);
  put(out + 16, 2, 2);
  put(out + 18, 190, 2);
  put(out + 40, SECTIONS, 8);
  put(out + 48, (unsigned)number << 8 | (specific ? 8U : 0U), 4);
  put(out + 58, 64, 2);
  put(out + 60, 4, 2);
  size_t names = 1;
  for (int i = 0; i < program->kernel_count; i++) {
    unsigned char *symbol = out + SYMBOLS + 24 * (i + 1);
    put(symbol, names, 4);
    symbol[4] = 0x12; /* a global function */
    symbol[5] = 0x10;
    put(symbol + 6, 3, 2);
    names += (size_t)snprintf((char *)out + NAMES + names, 1024 - names, "%s", program->kernels[i]) + 1;
  }
  snprintf((char *)out + NOTE_AT, NOTE_LEN, "-arch %s ", program->arch);
  put_section(out + SECTIONS + 64, 3, NAMES, 1024, 0, 0);
  put_section(out + SECTIONS + 128, 2, SYMBOLS, 24 * (MOST_KERNELS + 1), 1, 24);
  put_section(out + SECTIONS + 192, 7, NOTE_AT, NOTE_LEN, 0, 0);
  program->result = (char *)out;
  program->size = SIZE;
}

/* ---- compiling ---- */

/* Until a file appears, or somebody stops it. */
static bool
wait_for_file(struct program *program)
{
  const char *path = getenv("KILN_FAKE_NVRTC_UNTIL");
  const struct timespec pause = {.tv_nsec = 5000000};
  while (path && access(path, F_OK) != 0) {
    if (program->callback && program->callback(program->context, NULL) != 0)
      return false;
    nanosleep(&pause, NULL);
  }
  return true;
}

static int
read_options(struct program *program, int count, const char *const *options)
{
  const char *unknown = setting("KILN_FAKE_NVRTC_UNKNOWN", "(none)");
  program->log[0] = '\0';
  program->minimal = false;
  for (int i = 0; i < count; i++) {
    say(" ");
    say(options[i]);
    if (strncmp(options[i], "--gpu-architecture=", 19) == 0)
      snprintf(program->arch, sizeof program->arch, "%s", options[i] + 19);
    if (strncmp(options[i], unknown, strlen(unknown)) == 0) {
      snprintf(program->log, sizeof program->log, "nvrtc: error: unrecognized option %s found\n", options[i]);
      say(" refused\n");
      return KILN_NVRTC_INVALID_OPTION;
    }
    program->minimal = program->minimal || strcmp(options[i], "--minimal") == 0;
    if (strncmp(options[i], "--time=", 7) == 0) {
      FILE *file = fopen(options[i] + 7, "w");
      fprintf(file,
          "\nFile name, phase name, metric, unit\n%s, CUDA C++ Frontend, 12, ms\n%s, PTX Translation, 5, ms\n",
          program->name, program->name);
      fclose(file);
    }
  }
  say("\n");
  return 0;
}

int
fake_compile(void *handle, int option_count, const char *const *options)
{
  struct program *program = handle;
  say("compile");
  const int refused = read_options(program, option_count, options);
  if (refused != 0)
    return refused;
  if (program->minimal && strstr(program->text, "cudaError_t")) {
    snprintf(
        program->log, sizeof program->log, "%s(1): error: identifier \"cudaError_t\" is undefined\n", program->name);
    return KILN_NVRTC_COMPILATION;
  }
  const char *error = strstr(program->text, "#error ");
  if (error) {
    snprintf(program->log, sizeof program->log,
        "%s(1): warning #20-D: first a warning\n%s(2): error: #error directive: %.*s\n1 error detected in the "
        "compilation of \"%s\".\n",
        program->name, program->name, (int)strcspn(error + 7, "\n"), error + 7, program->name);
    return KILN_NVRTC_COMPILATION;
  }
  if (!wait_for_file(program))
    return KILN_NVRTC_CANCELLED;
  const char *arch = getenv("KILN_FAKE_NVRTC_MAKES"); /* something else than what was asked for */
  if (arch)
    snprintf(program->arch, sizeof program->arch, "%s", arch);
  find_kernels(program);
  if (strncmp(program->arch, "compute_", 8) == 0)
    make_ptx(program);
  else
    make_cubin(program);
  return atoi(setting("KILN_FAKE_NVRTC_RESULT", "0"));
}

int
fake_cubin_size(void *handle, size_t *size)
{
  *size = ((struct program *)handle)->size;
  return 0;
}

int
fake_cubin(void *handle, char *cubin)
{
  const struct program *program = handle;
  memcpy(cubin, program->result, program->size);
  return 0;
}

int
fake_ptx_size(void *handle, size_t *size)
{
  return fake_cubin_size(handle, size);
}

int
fake_ptx(void *handle, char *ptx)
{
  return fake_cubin(handle, ptx);
}

int
fake_log_size(void *handle, size_t *size)
{
  *size = strlen(((struct program *)handle)->log) + 1;
  return 0;
}

int
fake_log(void *handle, char *log)
{
  const struct program *program = handle;
  memcpy(log, program->log, strlen(program->log) + 1);
  return 0;
}
