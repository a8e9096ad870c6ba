/*
 * kiln/context.h: a kiln — configuration, log, allocator and caches in one object. There is no other state.
 *
 * Order: kiln_options_init, fill in what should differ, kiln_new, use from any number of threads, kiln_free when no
 * module or spec of it is used any more. Configuration is read once, in kiln_new: explicit option > KILN_* variable >
 * default. A malformed value is an error that quotes it.
 *
 * Thread safety
 *   kiln_options_init       any thread
 *   kiln_new, kiln_free     any thread; not while another thread uses the same kiln
 *   everything else         any number of threads at once on one kiln
 *   after fork()            the child may go on using the kiln; locks the parent holds stay the parent's
 *
 * Loading this library touches no GPU and starts no thread.
 */
#ifndef KILN_CONTEXT_H
#define KILN_CONTEXT_H

#include <stddef.h>
#include <stdint.h>

#include "kiln/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct kiln;

enum kiln_log_level { KILN_LOG_ERROR = 0, KILN_LOG_WARNING = 1, KILN_LOG_INFO = 2, KILN_LOG_DEBUG = 3 };

/* A switch that may be left to the environment. */
enum kiln_switch { KILN_UNSET = 0, KILN_OFF = 1, KILN_ON = 2 };

/* What a build or a wait for somebody else's build is doing; strings are valid during the call. */
struct kiln_build_progress {
  const char *name;  /* of the spec */
  const char *key;   /* 64 hex digits */
  const char *phase; /* "queue" (for a place in the budget of this host), "compile", "wait", "load" */
  double elapsed_s;
  int owner_pid; /* while waiting: who builds, 0 when not known */
  const char *owner_host;
};

struct kiln_options {
  size_t size; /* set by kiln_options_init; lets old programs run with newer libraries */

  const char *cache_folder;   /* KILN_CACHE_DIR; else $XDG_CACHE_HOME/kiln (absolute only); else $HOME/.cache/kiln */
  const char *const *layers;  /* KILN_CACHE_LAYERS, ':' between; folders that are only read; NULL-terminated */
  uint64_t cache_limit_bytes; /* KILN_CACHE_LIMIT ("8G"); 0: not given; default 8 GiB */
  enum kiln_switch reuse;     /* KILN_CACHE=on|off; off: nothing is looked up (a diagnosis), results are still stored */
  enum kiln_switch jit;       /* KILN_JIT=on|off; off: a miss is refused and says what is missing */
  enum kiln_switch debug;     /* KILN_DEBUG=1|0; debug builds are entries of their own */
  enum kiln_switch keep;      /* KILN_KEEP=1|0; generated sources and intermediate files stay in the workspace */
  enum kiln_switch sync;      /* KILN_SYNC=1|0; fsync before an entry is published */
  const char *workspace;      /* KILN_WORKSPACE; where kept files go; default <cache_folder>/workspace */
  const char *compiler;       /* KILN_CC; name or path of the host compiler; default: cc, gcc, clang in PATH */
  const char *launcher;       /* KILN_LAUNCHER; a program put in front of the compiler, part of the key */
  const char *extra_flags;    /* KILN_EXTRA_FLAGS; separated by spaces, appended, part of the key */
  const char *libexec;        /* KILN_LIBEXEC; folder of kiln-spawn; default: beside the library */
  double wait_limit_s;        /* KILN_WAIT_LIMIT; longest wait for another builder; 0: no limit but its life */

  /* Callbacks; NULL means silence. They may be called from any thread that uses this kiln, never two at once, and must
   * not call back into this kiln. */
  void (*log)(void *context, enum kiln_log_level level, const char *message);
  void (*progress)(void *context, const struct kiln_build_progress *progress);
  void *callback_context;

  /* Memory of long-lived objects: reallocate(context, NULL, 0 → n), (block, n → m), (block, n → 0) frees. NULL: malloc.
   */
  void *(*reallocate)(void *context, void *block, size_t old_size, size_t new_size);
  void *allocator_context;

  /* What the builds of this host may use together; see kiln/budget.h. */
  unsigned jobs;                 /* KILN_JOBS; compilers at once; 0: not given, as many as there are processors */
  uint64_t memory_bytes;         /* KILN_MEMORY ("16G"); of all builds; 0: not given, seven eighths of what there is */
  uint64_t job_memory_bytes;     /* KILN_JOB_MEMORY; of one compiler; 0: not given, what earlier builds needed */
  enum kiln_switch low_priority; /* KILN_LOW_PRIORITY=on|off; compilers get out of the way of everything else */
  const char *budget_folder; /* KILN_BUDGET_DIR; where the processes of this user share it; default /tmp/kiln-<uid> */
  const char *system_root;   /* KILN_SYSTEM_ROOT; put in front of /proc and /sys, for tests; default none */

  const char *driver;  /* KILN_DRIVER; name or path of the CUDA driver's library; default libcuda.so.1 */
  const char *kernels; /* KILN_KERNELS; sources of kiln's own ops: a folder like kernels/ of the tree, or "embedded";
                          default: the tree of the build folder this is in, else the copies inside libkiln_ops */

  /* Compilers for GPUs; see kiln/toolkit.h. */
  const char *cuda;       /* KILN_CUDA; folder of the CUDA toolkit, or "none"; default: the newest that is found */
  const char *archs;      /* KILN_ARCHS ("8.0 9.0a 12.0f+PTX"); compiled for beside the GPUs of this machine, where a
                           * spec names none itself */
  const char *cuda_flags; /* KILN_CUDA_FLAGS; separated by spaces, appended for nvcc and NVRTC, part of the key */
};

/* Everything "not given". */
KILN_API void kiln_options_init(struct kiln_options *options);

/* Read the configuration and make a kiln. options may be NULL. Creates no file and no folder yet.
 * KILN_ERROR_ARGUMENT quotes the malformed value and its variable. The options are copied. */
KILN_API enum kiln_status kiln_new(const struct kiln_options *options, struct kiln **kiln, struct kiln_error *error);

/* Release everything. NULL is allowed. Modules that are still in use stay mapped. */
KILN_API void kiln_free(struct kiln *kiln);

/* One configured value and where it came from; for kiln doctor and for logs. Strings live as long as the kiln. */
struct kiln_setting {
  const char *name;   /* "cache_folder" */
  const char *value;  /* as text; "" when empty */
  const char *source; /* "option", "KILN_CACHE_DIR", "XDG_CACHE_HOME", "HOME", "default" */
};
/* The i-th setting; NULL behind the last. */
KILN_API const struct kiln_setting *kiln_setting_at(const struct kiln *kiln, size_t index);

#ifdef __cplusplus
}
#endif
#endif
