/*
 * The parts of toolchain nvrtc: NVIDIA's runtime compiler, a library that is opened when something is to be compiled.
 *
 * It compiles in this process, without a child and without a driver (--no-cache). It reads no file: kiln follows the
 * #include lines itself (scan.c), hands over every header that they can reach as text, and so knows exactly what a
 * build depends on; the output holds no path. One source that is compiled, any number of headers, one architecture:
 * sm_… gives a cubin, compute_… PTX.
 *
 * Threads: NVRTC 13.0 compiles in several threads at once (16 small kernels took two thirds of the time with two
 * threads on two processors); parts of its front end are one at a time behind a lock of its own. That lock does not
 * survive a fork: a child that was forked while a compile ran is refused.
 */
#ifndef KILN_JIT_TOOLCHAIN_NVRTC_H
#define KILN_JIT_TOOLCHAIN_NVRTC_H

#include <stdatomic.h>

#include "base/arena.h"
#include "jit/content.h"
#include "jit/gpu.h"
#include "jit/toolkit.h"
#include "os/library.h"

/* ---- library.c ---- */

enum {
  KILN_NVRTC_SUCCESS = 0,
  KILN_NVRTC_OUT_OF_MEMORY = 1,
  KILN_NVRTC_INVALID_OPTION = 5,
  KILN_NVRTC_COMPILATION = 6,
  KILN_NVRTC_CANCELLED = 16
};

/* X(need, returns, member, symbol, arguments); a program is an opaque pointer. */
#define KILN_NVRTC_SYMBOLS(X)                                                                                          \
  X(REQUIRED, int, version, "nvrtcVersion", (int *major, int *minor))                                                  \
  X(REQUIRED, int, arch_count, "nvrtcGetNumSupportedArchs", (int *count))                                              \
  X(REQUIRED, int, archs, "nvrtcGetSupportedArchs", (int *numbers))                                                    \
  X(REQUIRED, const char *, error_text, "nvrtcGetErrorString", (int result))                                           \
  X(REQUIRED, int, create, "nvrtcCreateProgram",                                                                       \
      (void **program, const char *text, const char *name, int header_count, const char *const *headers,               \
          const char *const *header_names))                                                                            \
  X(REQUIRED, int, destroy, "nvrtcDestroyProgram", (void **program))                                                   \
  X(REQUIRED, int, compile, "nvrtcCompileProgram", (void *program, int option_count, const char *const *options))      \
  X(REQUIRED, int, cubin_size, "nvrtcGetCUBINSize", (void *program, size_t *size))                                     \
  X(REQUIRED, int, cubin, "nvrtcGetCUBIN", (void *program, char *cubin))                                               \
  X(REQUIRED, int, ptx_size, "nvrtcGetPTXSize", (void *program, size_t *size))                                         \
  X(REQUIRED, int, ptx, "nvrtcGetPTX", (void *program, char *ptx))                                                     \
  X(REQUIRED, int, log_size, "nvrtcGetProgramLogSize", (void *program, size_t *size))                                  \
  X(REQUIRED, int, log, "nvrtcGetProgramLog", (void *program, char *log))                                              \
  X(OPTIONAL, int, set_callback, "nvrtcSetFlowCallback",                                                               \
      (void *program, int (*callback)(void *context, void *unused), void *context))

/* NVRTC's functions by their short names. An int is a result, 0 for success. */
struct kiln_nvrtc_calls {
#define KILN_NVRTC_MEMBER(need, returns, member, symbol, arguments) returns(*member) arguments;
  KILN_NVRTC_SYMBOLS(KILN_NVRTC_MEMBER)
#undef KILN_NVRTC_MEMBER
};

/* One NVRTC that is open in this process. Immutable but for the last two. */
/* How the files of its second library begin: the headers and functions that it knows by heart. */
#define KILN_NVRTC_BUILTINS "libnvrtc-builtins.so"
enum { KILN_NVRTC_MOST_BUILTINS = 4 };
struct kiln_nvrtc {
  struct kiln_nvrtc_calls call;
  struct kiln_library *library;
  struct kiln_library *builtins[KILN_NVRTC_MOST_BUILTINS]; /* that lie beside it; NULL: no more */
  char *path;                                              /* of its file, without links */
  char *folders[2];                                        /* of the toolkit's headers; "" for none */
  uint64_t size, inode, mtime_ns;                          /* of that file when it was opened */
  struct kiln_cuda_version version;                        /* as it says itself */
  struct kiln_arch_list known;                             /* what it compiles for */
  struct kiln_nvrtc *next;                                 /* of this kiln */
  atomic_uint busy;                                        /* compiles under way */
  atomic_int process; /* that opened it, or was forked from that one while nothing was compiled */
};

/* What the choice of a toolkit depends on: while it is the same, the answer is. */
void kiln_nvrtc_question(struct kiln *kiln, const struct kiln_arch_list *targets, struct kiln_buf *question);
/* The toolkit for these architectures, or why there is none; the caller releases it. */
enum kiln_status kiln_nvrtc_find(
    struct kiln *kiln, const struct kiln_arch_list *targets, struct kiln_toolkit *toolkit, struct kiln_error *error);
/* NVRTC for these architectures: looked for once a question and opened once a kiln; anew when its file was replaced
 * meanwhile. It stays open as long as the process. Errors as kiln_nvrtc_find; KILN_ERROR_ENVIRONMENT: it cannot be
 * opened, or lacks a function. */
enum kiln_status kiln_nvrtc_open(
    struct kiln *kiln, const struct kiln_arch_list *targets, struct kiln_nvrtc **nvrtc, struct kiln_error *error);
/* Before and after a compile. KILN_ERROR_FORKED: NVRTC was at work in the process that this one was forked from. */
enum kiln_status kiln_nvrtc_enter(struct kiln_nvrtc *nvrtc, struct kiln_error *error);
void kiln_nvrtc_leave(struct kiln_nvrtc *nvrtc);

/* ---- scan.c ---- */

/* A place in a text that names a header. */
enum kiln_scan_kind {
  KILN_SCAN_INCLUDE,      /* #include "name" or <name> */
  KILN_SCAN_INCLUDE_NEXT, /* #include_next */
  KILN_SCAN_ASKS,         /* __has_include("name") */
  KILN_SCAN_BY_MACRO,     /* #include NAME: the name is the macro's */
  KILN_SCAN_DEFINES       /* #define NAME "name", <name> or path/like: macro is NAME */
};
struct kiln_scan_hit {
  enum kiln_scan_kind kind;
  char open;         /* '"', '<'; 0: a macro's name, or a value without marks */
  size_t begin, end; /* of the name, without its marks */
  const char *macro; /* of DEFINES */
  size_t macro_len;
};
/* Every such place, in order, whether its code is active or not; comments, strings and raw strings are passed over.
 * Stops when visit returns false, and returns that. */
typedef bool kiln_scan_visit(void *context, const struct kiln_scan_hit *hit);
bool kiln_scan_includes(const char *text, size_t len, kiln_scan_visit *visit, void *context);

/* ---- search.c, headers.c ---- */

/* A text of the program: the source, or a header that it can reach, under a name that says nothing of where it lies. */
struct kiln_nvrtc_text {
  const char *name;            /* "k.cu", "sub/tile.h" */
  const char *path;            /* of its file; NULL: a text of the spec */
  int position;                /* of the folder in which it was found, in the order of the search; -1: not by one */
  bool of_spec;                /* its content is in the request already */
  uint64_t device, inode;      /* 0: a text */
  struct kiln_buf text, ready; /* as it was read; with its #include lines rewritten to those names */
};
/* Answers of the search, by question. */
struct kiln_nvrtc_answers {
  const char **questions;
  size_t *indices;
  size_t used, capacity;
};
struct kiln_nvrtc_texts {
  struct kiln_build_output *output;
  const struct kiln_build_input *input;
  struct kiln_content_cache *contents;
  uint64_t begin_ns; /* wall clock */
  struct kiln_arena arena;
  struct kiln_intern words;
  struct kiln_nvrtc_text *items; /* [0]: what is compiled; the other sources of the spec follow */
  size_t count, capacity;
  const char *folders[2]; /* of the toolkit, searched last; "" for none */
  struct kiln_nvrtc_answers answers;
  size_t absences;
  uint64_t bytes;
  struct kiln_buf path, question; /* scratch */
};
enum { KILN_NVRTC_NOT_FOUND = -1 };

/* The text that a name means in the item `from`: the folder of the one that includes (for names in quotes), the texts
 * of the spec, its include folders, the toolkit. A new file is read and appended. KILN_NVRTC_NOT_FOUND: nowhere; places
 * where a file that appears would have been taken instead are kept as dependencies. KILN_ERROR_… only when reading or
 * memory fails. */
enum kiln_status kiln_nvrtc_search(struct kiln_nvrtc_texts *texts, size_t from, const struct kiln_scan_hit *hit,
    const char *name, size_t len, int *found, struct kiln_error *error);
/* The sources of the spec as the first items. */
enum kiln_status kiln_nvrtc_search_begin(struct kiln_nvrtc_texts *texts, struct kiln_error *error);

/* Another name under which a text is handed over, for #include lines whose name a macro makes. */
struct kiln_nvrtc_alias {
  const char *name;
  size_t item;
};
struct kiln_nvrtc_program {
  struct kiln_nvrtc_texts texts;
  struct kiln_nvrtc_alias *aliases;
  size_t alias_count, alias_capacity;
};
/* Follow every #include line from the source that is compiled, whether its code is active or not. nvrtc: whose
 * toolkit's folders of headers are searched last. A header that is not found is left to NVRTC, which knows some by
 * heart and refuses the others. Fills output->dependencies; sets output->unstable when a file changed after begin_ns.
 */
enum kiln_status kiln_nvrtc_collect(struct kiln *kiln, const struct kiln_build_input *input,
    const struct kiln_nvrtc *nvrtc, uint64_t begin_ns, struct kiln_nvrtc_program *program,
    struct kiln_build_output *output, struct kiln_error *error);
void kiln_nvrtc_program_release(struct kiln_nvrtc_program *program);

/* ---- command.c ---- */

/* Options that are the same for every spec, in one line; they are a field of the key. */
const char *kiln_nvrtc_standard_options(bool debug);
/* Do the options put names of folders into the output? Then the current one is a field of the key. */
bool kiln_nvrtc_keeps_places(const struct kiln *kiln, const struct kiln_spec *spec);
/* An option list under construction. */
struct kiln_nvrtc_options {
  struct kiln_arena arena;
  const char **items;
  size_t count, capacity;
};
void kiln_nvrtc_options_release(struct kiln_nvrtc_options *options);
/* time_file: where NVRTC writes how long its phases took; NULL: nowhere. KILN_ERROR_MEMORY only. */
enum kiln_status kiln_nvrtc_options_make(const struct kiln *kiln, const struct kiln_spec *spec, struct kiln_arch target,
    const char *time_file, struct kiln_nvrtc_options *options, struct kiln_error *error);
/* Take out the option that an older NVRTC complains about in its log, when the output is the same without it: a
 * standard one, or --minimal, which came with 12.4. false: it complains of another. */
bool kiln_nvrtc_options_forgo(struct kiln_nvrtc_options *options, const char *log);
/* After a compile that failed: take out --minimal, with which NVRTC knows no textures and nothing of the runtime's
 * types, but is done sooner. false: it is not there, the failure stands. */
bool kiln_nvrtc_options_widen(struct kiln_nvrtc_options *options);
/* Flags that would make NVRTC read, write or make something that the key does not know of. */
enum kiln_status kiln_nvrtc_check_flag(const char *flag, struct kiln_error *error);

/* ---- diagnose.c ---- */

/* As kiln_hostcc_diagnose, of NVRTC's log; `words` are NVRTC's own for the result. */
void kiln_nvrtc_diagnose(
    const char *log, int result, const char *words, struct kiln_buf *first_error, const char **hint);

/* ---- operations ---- */

enum kiln_status kiln_nvrtc_check(const struct kiln_spec *spec, struct kiln_error *error);
enum kiln_status kiln_nvrtc_target(
    struct kiln *kiln, const struct kiln_spec *spec, struct kiln_key *key, struct kiln_error *error);
enum kiln_status kiln_nvrtc_identity(struct kiln *kiln, const struct kiln_spec *spec, struct kiln_digest *identity,
    struct kiln_buf *description, struct kiln_error *error);
enum kiln_status kiln_nvrtc_build(struct kiln *kiln, const struct kiln_build_input *input,
    struct kiln_build_output *output, void (*tick)(void *context), void *context, struct kiln_error *error);

#endif
