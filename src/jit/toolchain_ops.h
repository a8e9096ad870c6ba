/*
 * What makes code: a table of functions per toolchain; registry/jit.c names them all.
 */
#ifndef KILN_JIT_TOOLCHAIN_OPS_H
#define KILN_JIT_TOOLCHAIN_OPS_H

#include "device/device_ops.h"
#include "jit/context.h"
#include "jit/spec.h"
#include "store/key.h"
#include "store/request.h"

/* A file of the build, made ready in its private folder. */
struct kiln_build_input {
  const struct kiln_spec *spec;
  const char *folder; /* private build folder and TMPDIR: sources under src/, everything else is the toolchain's */
  const char *const *source_paths; /* one per source, in order; NULL where the toolchain takes texts */
  const struct kiln_buf *texts;    /* their contents, as they were hashed */
  const char *const *roots;        /* as in struct kiln_plan: resolved includes, then the folder of each source */
  size_t root_count;
  /* Every folder that the compiler was given is absolute: other names in a dependency file come from #line, and those
   * of the sources themselves are no dependencies either. */
  bool own_names;
};

/* A part of a compile, as the compiler itself names and times it. */
struct kiln_build_phase {
  char name[40];
  uint64_t ns;
};
enum { KILN_BUILD_MOST_PHASES = 8 };

/* What a build left. */
struct kiln_build_output {
  struct kiln_buf payload_path;            /* inside the folder */
  struct kiln_buf payload;                 /* instead: the result itself, validated already */
  struct kiln_buf command;                 /* as one could type it again */
  struct kiln_buf log;                     /* everything the compiler printed, cut at 256 KiB */
  struct kiln_buf first_error;             /* the first real error, one line; "" on success */
  struct kiln_request_record dependencies; /* entry key not filled in */
  int exit_code, signal;
  uint64_t peak_bytes; /* largest resident set of a program of the build; 0: not known */
  bool passing;        /* the failure says more about the machine at this moment than about the source */
  struct kiln_build_phase phases[KILN_BUILD_MOST_PHASES]; /* only while events are written */
  size_t phase_count;
  bool unstable; /* a dependency changed while the compiler ran: nobody knows which content it saw */
};
void kiln_build_output_init(struct kiln_build_output *output);
void kiln_build_output_release(struct kiln_build_output *output);

struct kiln_toolchain_ops {
  const char *name; /* "hostcc" */
  const struct kiln_device_ops *device;
  bool takes_texts;    /* compiles in this process: sources are not written for it, unless they are to be kept */
  uint64_t need_bytes; /* memory of one compiler as long as no build has shown it; 0: half a GiB */
  /* Threads that the compiler of this spec will have at once; NULL: one. */
  unsigned (*threads)(const struct kiln *kiln, const struct kiln_spec *spec);
  /* Refuse flags and archs this toolchain cannot honour, before anything else happens. */
  enum kiln_status (*check)(const struct kiln_spec *spec, struct kiln_error *error);
  /* Add fields that do not need the compiler: target instruction set, standard flags, launcher, extra flags. */
  enum kiln_status (*target)(
      struct kiln *kiln, const struct kiln_spec *spec, struct kiln_key *key, struct kiln_error *error);
  /* Identity of every program and library a build of this spec really runs; remembered, so normally some stat calls.
   * KILN_ERROR_NOT_FOUND: no compiler here, or none for the architectures of the spec. `description`: for people. */
  enum kiln_status (*identity)(struct kiln *kiln, const struct kiln_spec *spec, struct kiln_digest *identity,
      struct kiln_buf *description, struct kiln_error *error);
  /* Compile and link under the supervisor; `tick` is called about ten times a second. KILN_ERROR_COMMAND: the compiler
   * refused (output->first_error). */
  enum kiln_status (*build)(struct kiln *kiln, const struct kiln_build_input *input, struct kiln_build_output *output,
      void (*tick)(void *context), void *context, struct kiln_error *error);
  /* Is this file what the spec asked for: kind, architecture, entry points? */
  enum kiln_status (*validate)(const struct kiln_spec *spec, const char *path, struct kiln_error *error);
  /* Does the device that is in use run this entry? Asked before the device is, with a better answer than its own;
   * NULL: always. KILN_ERROR_ARCHITECTURE names both. */
  enum kiln_status (*runs)(
      struct kiln *kiln, const struct kiln_spec *spec, const struct kiln_found *found, struct kiln_error *error);
};

extern const struct kiln_toolchain_ops kiln_toolchain_hostcc;
extern const struct kiln_toolchain_ops kiln_toolchain_nvcc;
extern const struct kiln_toolchain_ops kiln_toolchain_nvrtc;

#endif
