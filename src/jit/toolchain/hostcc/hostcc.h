/*
 * The parts of toolchain hostcc: gcc and clang as the system has them.
 */
#ifndef KILN_JIT_TOOLCHAIN_HOSTCC_H
#define KILN_JIT_TOOLCHAIN_HOSTCC_H

#include "jit/compile.h"

/* ---- command.c ---- */

/* The compiler as an absolute path whose last component is as it was found (some programs go by it).
 * KILN_ERROR_NOT_FOUND names everything that was searched. */
enum kiln_status kiln_hostcc_find(struct kiln *kiln, struct kiln_buf *path, struct kiln_error *error);
/* The launcher as an absolute path; nothing is appended when none is set. KILN_ERROR_NOT_FOUND: there is no such
 * program. */
enum kiln_status kiln_hostcc_launcher(struct kiln *kiln, struct kiln_buf *path, struct kiln_error *error);
/* A program of this name in the folders that a compiler is given as PATH; false when there is none. */
bool kiln_hostcc_program(const char *compiler, const char *name, struct kiln_buf *path);
/* The whole environment of a compiler: PATH, LC_ALL, TMPDIR in `folder`, SOURCE_DATE_EPOCH, and the mark by which the
 * supervisor's owner finds what it left. */
void kiln_hostcc_environment(struct kiln_environment *environment, const char *compiler, const char *folder);

/* Is this source compiled (or only written beside the others, as a header)? */
bool kiln_hostcc_is_compiled(const char *name);
bool kiln_hostcc_is_known(const char *name); /* has a suffix that is one or the other */
/* Flags that are the same for every spec, in one line; they are a field of the key. */
const char *kiln_hostcc_standard_flags(bool debug);

/* What one command makes. */
enum kiln_hostcc_step {
  KILN_HOSTCC_WHOLE,  /* the only source, compiled and linked */
  KILN_HOSTCC_OBJECT, /* one source of several */
  KILN_HOSTCC_LINK    /* the objects */
};
struct kiln_hostcc_job {
  const struct kiln_build_input *input;
  const char *compiler, *launcher; /* launcher "": none */
  enum kiln_hostcc_step step;
  size_t source;     /* of WHOLE and OBJECT */
  bool link_depfile; /* ask the linker for the files it reads */
};
/* The words of one command. Outputs in the build folder: out.so, <source>.o, <source>.d and link.d. */
void kiln_hostcc_words(struct kiln *kiln, const struct kiln_hostcc_job *job, struct kiln_words *words);

/* ---- identity.c ---- */

/* kiln_identity_discover for hostcc; context: the struct kiln. */
enum kiln_status kiln_hostcc_discover(
    void *context, const char *driver, char ***paths, size_t *count, struct kiln_error *error);

/* ---- depfile.c ---- */

/* Every prerequisite in a dependency file (make's syntax as gcc, clang and ld write it), in order, repeated ones too.
 * known: folders whose names may hold what that syntax cannot express (a newline); each is recognised as a whole.
 * KILN_ERROR_FORMAT: more than KILN_REQUEST_MAX_DEPENDENCIES. visit returns false when memory is short. */
enum kiln_status kiln_depfile_read(const struct kiln_buf *text, const char *const *known, size_t known_count,
    bool (*visit)(void *context, const char *path, size_t len), void *context, struct kiln_error *error);

/* ---- dependencies.c ---- */

/* Add the files of one dependency file to output->dependencies: each once, with its root, as it is now. Sets
 * output->unstable when one changed after `begin_ns` (wall clock). A dependency file that is not there is none. */
enum kiln_status kiln_hostcc_dependencies(struct kiln *kiln, const struct kiln_build_input *input, const char *depfile,
    uint64_t begin_ns, struct kiln_build_output *output, struct kiln_error *error);

/* ---- diagnose.c ---- */

/* The first real error in what a compiler printed, one line, into first_error; a sentence about how it ended when it
 * printed none. *hint: what to do about a known cause, "" when none is known. */
void kiln_hostcc_diagnose(const char *log, int exit_code, int signal, struct kiln_buf *first_error, const char **hint);
/* Does this failure say more about the machine at this moment than about the source (killed, disk full)? */
bool kiln_hostcc_is_passing(const char *log, int exit_code, int signal);

/* ---- operations ---- */

enum kiln_status kiln_hostcc_check(const struct kiln_spec *spec, struct kiln_error *error);
enum kiln_status kiln_hostcc_target(
    struct kiln *kiln, const struct kiln_spec *spec, struct kiln_key *key, struct kiln_error *error);
enum kiln_status kiln_hostcc_identity(struct kiln *kiln, const struct kiln_spec *spec, struct kiln_digest *identity,
    struct kiln_buf *description, struct kiln_error *error);
enum kiln_status kiln_hostcc_build(struct kiln *kiln, const struct kiln_build_input *input,
    struct kiln_build_output *output, void (*tick)(void *context), void *context, struct kiln_error *error);
enum kiln_status kiln_hostcc_validate(const struct kiln_spec *spec, const char *path, struct kiln_error *error);

#endif
