/*
 * The parts of toolchain nvcc: NVIDIA's compiler driver as a program. It needs neither a GPU nor a driver; it needs a
 * host compiler (KILN_CC), by which it preprocesses.
 *
 * One source that is compiled (.cu), any number of headers. Made is, by the architectures of the spec: one sm_… a
 * cubin, one compute_… PTX, several a fatbin that is not compressed, so that what is in it can be checked.
 *
 * nvcc hands its arguments to a shell: words that a shell would take apart are refused before it is started.
 */
#ifndef KILN_JIT_TOOLCHAIN_NVCC_H
#define KILN_JIT_TOOLCHAIN_NVCC_H

#include "jit/compile.h"
#include "jit/cubin.h"
#include "jit/toolkit.h"

/* ---- command.c ---- */

/* The programs of a build. */
struct kiln_nvcc_programs {
  struct kiln_toolkit toolkit;
  struct kiln_buf host, launcher; /* launcher: "" when none is set */
};
void kiln_nvcc_programs_init(struct kiln_nvcc_programs *programs);
void kiln_nvcc_programs_release(struct kiln_nvcc_programs *programs);
/* nvcc of the toolkit for these architectures, and the host compiler. KILN_ERROR_NOT_FOUND says what there is not, as
 * kiln_toolkit_find and kiln_hostcc_find. */
enum kiln_status kiln_nvcc_find(struct kiln *kiln, const struct kiln_arch_list *targets,
    struct kiln_nvcc_programs *programs, struct kiln_error *error);
/* The whole environment of a command: as a host compiler's, with the toolkit's programs first in PATH. */
void kiln_nvcc_environment(
    struct kiln_environment *environment, const struct kiln_nvcc_programs *programs, const char *folder);

/* Is this source compiled (or only written beside the others, as a header)? */
bool kiln_nvcc_is_compiled(const char *name);
bool kiln_nvcc_is_known(const char *name);
/* Does nvcc's shell leave this text as it is? */
bool kiln_nvcc_is_harmless(const char *text);
/* Flags that are the same for every spec, in one line; they are a field of the key. */
const char *kiln_nvcc_standard_flags(bool debug);
/* Do the flags put paths of sources into the output (-lineinfo)? */
bool kiln_nvcc_has_lines(const struct kiln *kiln, const struct kiln_spec *spec);

struct kiln_nvcc_job {
  const struct kiln_build_input *input;
  const struct kiln_nvcc_programs *programs;
  const struct kiln_arch_list *targets;
  size_t source; /* the one that is compiled */
};
/* What is made for these architectures. */
enum kiln_gpu_kind kiln_nvcc_kind(const struct kiln_arch_list *targets);
/* Compiler threads for so many targets. */
unsigned kiln_nvcc_thread_count(const struct kiln_arch_list *targets);
/* Name of the payload in the build folder: "out.cubin", "out.fatbin", "out.ptx". */
const char *kiln_nvcc_output(const struct kiln_arch_list *targets);
/* The words of the command. Leaves the payload, 0.d and, while events are written, times.csv in the build folder. */
void kiln_nvcc_words(struct kiln *kiln, const struct kiln_nvcc_job *job, struct kiln_words *words);

/* ---- diagnose.c ---- */

/* As kiln_hostcc_diagnose, for what nvcc and the programs behind it print. */
void kiln_nvcc_diagnose(const char *log, int exit_code, int signal, struct kiln_buf *first_error, const char **hint);
bool kiln_nvcc_is_passing(const char *log, int exit_code, int signal);

/* ---- phases.c ---- */

/* Add what nvcc's table of times (--time) says to output->phases. A line that is not understood is passed over. */
void kiln_nvcc_phases(const char *table, struct kiln_build_output *output);

/* ---- identity.c ---- */

/* Architectures that this nvcc knows, as it answers itself; by its version when it does not answer. */
void kiln_nvcc_known(const struct kiln_nvcc_programs *programs, const char *folder, struct kiln_arch_list *known);

/* ---- operations ---- */

enum kiln_status kiln_nvcc_check(const struct kiln_spec *spec, struct kiln_error *error);
enum kiln_status kiln_nvcc_target(
    struct kiln *kiln, const struct kiln_spec *spec, struct kiln_key *key, struct kiln_error *error);
unsigned kiln_nvcc_threads(const struct kiln *kiln, const struct kiln_spec *spec);
enum kiln_status kiln_nvcc_identity(struct kiln *kiln, const struct kiln_spec *spec, struct kiln_digest *identity,
    struct kiln_buf *description, struct kiln_error *error);
enum kiln_status kiln_nvcc_build(struct kiln *kiln, const struct kiln_build_input *input,
    struct kiln_build_output *output, void (*tick)(void *context), void *context, struct kiln_error *error);

#endif
