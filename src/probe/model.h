/*
 * The model of one run: what the event files, the counter files and the cache sweep of one run say, in plain tables.
 *
 * Order: kiln_model_new, kiln_model_read (once per events folder), kiln_model_finish, then read the tables, free.
 * Strings are interned in the model's arena: equal strings have equal addresses; NULL means "not known".
 * Times are CLOCK_MONOTONIC ns. Memory grows with what is distinct, plus one small record per build, load, declaration
 * and distinct identity; imports, lookups, codegen and other pure spans only add to phases, and are kept for drawing
 * when they are long (KILN_MODEL_LONG_NS), up to KILN_MODEL_LONG_MOST of a run. Not thread safe.
 */
#ifndef KILN_PROBE_MODEL_H
#define KILN_PROBE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "kiln/error.h"

struct kiln_where {
  const char *file; /* NULL: not known */
  int line;
};

/* Disjoint parts of a process's main thread; names in kiln_phase_name. */
enum kiln_phase {
  KILN_PHASE_INTERPRETER_START,
  KILN_PHASE_IMPORTS,
  KILN_PHASE_INIT,
  KILN_PHASE_DECLARATION,
  KILN_PHASE_HASHING,
  KILN_PHASE_CODEGEN,
  KILN_PHASE_PCH,
  KILN_PHASE_COMPILE,
  KILN_PHASE_LINK,
  KILN_PHASE_LOAD,
  KILN_PHASE_FIRST_LAUNCH,
  KILN_PHASE_PROGRAM,
  KILN_PHASE_INTERPRETER_EXIT,
  KILN_PHASE_REST,
  KILN_PHASE_COUNT
};
const char *kiln_phase_name(enum kiln_phase phase); /* "interpreter_start" … as in the JSON */

struct kiln_span_time {
  uint64_t wall_ns, cpu_ns;
};

struct kiln_model_process {
  int pid, ppid;
  const char *command;           /* argv joined by spaces, cut; NULL when not seen */
  const char *interpreter;       /* first word of argv; NULL when not seen */
  const char *python;            /* interpreter version, NULL when it is not Python */
  const char *framework_version; /* "warp 1.19.0", NULL when none was imported */
  bool forked, ended;            /* ended: its `end` event was seen */
  /* 0: not seen; cpu of the main thread. A forked process's main is its fork; without an `end` event (see `ended`) the
   * end is the latest event. */
  uint64_t start_ns, start_cpu_ns, main_ns, main_cpu_ns, exit_ns, exit_cpu_ns, end_ns, end_cpu_ns;
  uint64_t launches; /* read from a report file, whose launches name no process; else 0: they are in `launches` */
  struct kiln_span_time phase[KILN_PHASE_COUNT]; /* of its main thread; rest is filled in by kiln_model_phases */
  struct kiln_span_time spans[KILN_PHASE_COUNT]; /* self time of spans on all its threads */
};

enum kiln_build_result { KILN_BUILD_COMPILED, KILN_BUILD_CACHED, KILN_BUILD_FAILED };
const char *kiln_build_result_name(enum kiln_build_result result);

/* One `compile` event of step `module`: also cached ones. */
struct kiln_model_build {
  const char *framework, *module, *identity, *device, *toolchain, *path, *source_digest;
  int block_dim, pid, tid;
  uint64_t start_ns, wall_ns, cpu_ns;
  struct kiln_span_time native; /* native step without the header */
  struct kiln_span_time pch;    /* header made inside this build */
  struct kiln_span_time codegen;
  enum kiln_build_result result;
  uint64_t source_bytes;
  int64_t launches; /* that its process had counted when it began; -1: not known */
  int lto;
  bool aot;
  struct kiln_where where;
  /* of the generated source; not in a report file */
  uint64_t backward_bytes; /* in backward functions */
  uint64_t largest_bytes;  /* of the largest kernel, both directions */
  const char *largest;     /* its name; NULL: not known */
  int kernel_count;        /* 0: not known */
  int unrolled;            /* loop bodies that were repeated in the source */
  /* artefacts that lay in the cache and could not be used, joined by ", "; NULL: none */
  const char *stale, *fresh; /* files of this identity made before this process; and those it made */
  const char *elsewhere;     /* versions of the framework in whose folder this identity lies */
};

struct kiln_model_load {
  const char *framework, *module, *identity, *device;
  int block_dim, pid, tid;
  uint64_t start_ns, wall_ns, cpu_ns;
  enum kiln_build_result result;
  bool jit; /* the driver compiled it */
  struct kiln_where where;
};

/* One link-time object. */
struct kiln_model_link {
  const char *framework, *symbol, *module;
  const char *call; /* JSON: symbol, function and arguments, with which it can be made again; NULL: not told */
  int pid, tid;
  uint64_t start_ns, wall_ns, cpu_ns;
  enum kiln_build_result result;
};

/* A precompiled header that was made. */
struct kiln_model_header {
  const char *framework, *path, *module;
  int pid, tid;
  uint64_t start_ns, wall_ns, cpu_ns;
};

/* Something that the program did at one moment: an event of kind `request`, `capture` or `tape`. */
struct kiln_model_moment {
  const char *framework, *kind, *what;    /* what: as in docs/events.md; NULL for a capture that ended */
  const char *kernel, *modules, *devices; /* joined by ", "; NULL: none named */
  int block_dim, workers;                 /* 0: not said */
  int pid, tid;
  uint64_t t_ns;
  struct kiln_where where;
};

struct kiln_model_declaration {
  const char *framework, *module, *kernel, *overload;
  int pid;
  uint64_t t_ns;
  bool loaded;
  bool unique;      /* in a module of its own, which is named after its hash */
  const char *code; /* digest of what a kernel does that was made by a factory; NULL: written at module scope */
  struct kiln_where where, trigger;
  struct kiln_where made; /* who called the factory */
};

/* A name → value table of one identity: kernels with digests, or options with values. Sorted by name. */
struct kiln_model_pair {
  const char *name, *value;
};

/* One identity as a process computed it, in time order. */
struct kiln_model_hash {
  const char *framework, *module, *identity;
  int block_dim, pid;
  uint64_t t_ns;
  const struct kiln_model_pair *kernels, *options;
  size_t kernel_count, option_count;
};

struct kiln_model_option {
  const char *framework, *module, *name, *before, *after;
  int pid;
  uint64_t t_ns;
  bool loaded;
  struct kiln_where where;
};

struct kiln_model_cache {
  const char *framework, *what, *path, *by;
  int pid;
  uint64_t t_ns;
  struct kiln_where where;
};

struct kiln_model_launch {
  const char *framework, *kernel, *module, *identity, *device, *direction;
  int block_dim, pid;
  uint64_t dim; /* UINT64_MAX: other dims of this kernel */
  uint64_t count;
  uint64_t first_ns; /* when the first of them was counted; 0: not known */
};

struct kiln_model_error {
  const char *hook, *message;
  int pid;
};

/* A moment that the program itself named, by kiln_mark (docs/events.md). */
struct kiln_model_mark {
  const char *name;
  int pid;
  uint64_t t_ns;
};

/* What became of a lever (docs/levers.md). */
struct kiln_model_lever {
  const char *id, *state;      /* "applied", "missed", "failed" */
  const char *module, *detail; /* NULL: the whole process; nothing to say */
  int pid;
  uint64_t t_ns;
};

/* Spans from this length are kept one by one, so that a run can be drawn; sums never come from them. */
#define KILN_MODEL_LONG_NS 1000000
#define KILN_MODEL_LONG_MOST 8192

struct kiln_model_long {
  const char *kind; /* "import", "hash", … as in the events; "native" for the native step of a compile */
  const char *name; /* what it was about: kernel, module, symbol or import; NULL when the event names nothing */
  enum kiln_phase phase;
  int pid, tid;
  uint64_t start_ns, wall_ns, cpu_ns;
};

/* Counts of one run, exact. */
struct kiln_counts {
  uint64_t builds;       /* results `compiled` */
  uint64_t loads;        /* modules loaded into a process */
  uint64_t modules;      /* distinct module names built or loaded */
  uint64_t identities;   /* distinct (framework, module, identity, device kind) built or loaded */
  uint64_t launches;     /* kernels entered */
  uint64_t processes;    /* distinct process ids seen */
  uint64_t lto;          /* link-time objects built */
  uint64_t source_bytes; /* generated source that was compiled */
};

struct kiln_model {
  struct kiln_arena arena;
  struct kiln_intern intern;
  struct kiln_model_process *processes;
  size_t process_count, process_capacity;
  struct kiln_model_build *builds;
  size_t build_count, build_capacity;
  struct kiln_model_load *loads;
  size_t load_count, load_capacity;
  struct kiln_model_declaration *declarations;
  size_t declaration_count, declaration_capacity;
  struct kiln_model_hash *hashes;
  size_t hash_count, hash_capacity;
  struct kiln_model_option *options;
  size_t option_count, option_capacity;
  struct kiln_model_cache *caches;
  size_t cache_count, cache_capacity;
  struct kiln_model_launch *launches;
  size_t launch_count, launch_capacity;
  struct kiln_model_link *links;
  size_t link_count, link_capacity;
  struct kiln_model_header *headers;
  size_t header_count, header_capacity;
  struct kiln_model_moment *moments;
  size_t moment_count, moment_capacity;
  struct kiln_model_error *errors;
  size_t error_count, error_capacity;
  struct kiln_model_mark *marks;
  size_t mark_count, mark_capacity;
  struct kiln_model_lever *levers;
  size_t lever_count, lever_capacity;
  struct kiln_model_long *longs; /* by process file, inner before outer */
  size_t long_count, long_capacity;
  uint64_t longs_dropped; /* beyond KILN_MODEL_LONG_MOST */
  struct kiln_counts counts;
  uint64_t events, bad_lines, event_bytes, launch_overflow;
  uint64_t lto_built, tape_backward, tape_recorded, invalidations;
  double overlap; /* sum of build spans ÷ their union; 0 without builds */
  void *state;    /* private to model.c while reading */
};

struct kiln_model *kiln_model_new(void); /* NULL when memory is short */
void kiln_model_free(struct kiln_model *model);
/* Read every event and counter file of a folder (a missing folder is an empty run). */
enum kiln_status kiln_model_read(struct kiln_model *model, const char *folder, struct kiln_error *error);
/* Sort tables by time, compute counts and overlap. */
enum kiln_status kiln_model_finish(struct kiln_model *model, struct kiln_error *error);
/* The process whose main thread the phase split of the run describes: the Python process with the most JIT work
 * (hashing … load), on a tie the earliest; NULL when no Python process was seen. */
const struct kiln_model_process *kiln_model_principal(const struct kiln_model *model);
/* Split a run of the principal process: the root command ran from begin_ns to end_ns using tree_cpu_ns in all.
 * root_pid tells whether the principal is the command itself (then its start and end are the run's own).
 * Every phase is ≥ 0; their sum is end - begin for wall, tree_cpu for CPU (what no phase explains is REST). */
void kiln_model_phases(const struct kiln_model *model, int root_pid, uint64_t begin_ns, uint64_t end_ns,
    uint64_t tree_cpu_ns, struct kiln_span_time phase[KILN_PHASE_COUNT]);

#endif
