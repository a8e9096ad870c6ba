/*
 * What a model needs only while it reads; private to the files model*.c, the tests and the fuzz target.
 */
#ifndef KILN_PROBE_MODEL_STATE_H
#define KILN_PROBE_MODEL_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/reader.h"
#include "probe/model.h"
#include "probe/model_index.h"

/* Spans kept per thread because an outer one may still come; beyond that neighbours are merged, oldest first. */
#define KILN_MODEL_STACK 65536
/* Steps (native, pch, codegen) of a thread that wait for the build that contains them. */
#define KILN_MODEL_STEPS 64
/* Longer strings are cut. */
#define KILN_MODEL_TEXT 4096

/* A finished span, or several that stand side by side. */
struct kiln_model_span {
  uint64_t begin;
  struct kiln_span_time whole, clipped; /* clipped: the part between `mark main` and `mark exit` */
};

struct kiln_model_step {
  enum kiln_phase phase;
  uint64_t begin;
  struct kiln_span_time self;
};

struct kiln_model_thread {
  size_t process; /* row */
  bool main;
  struct kiln_model_span *spans; /* by begin */
  size_t span_count, span_capacity;
  struct kiln_model_step *steps;
  size_t step_count, step_capacity;
};

/* Fields of a `signature` event, for counters whose own name is missing; also what a counter's name is read into. */
struct kiln_model_signature {
  const char *framework, *kernel, *module, *identity, *device, *direction;
  int block_dim;
};

/* The latest end of an event of a process, and the latest CPU time of its main thread. */
struct kiln_model_last {
  uint64_t ns, cpu_ns;
};

struct kiln_model_state {
  uint64_t file;                    /* number of the file being read: one image of a process a file */
  struct kiln_index process_rows;   /* (file, pid) → row of processes */
  struct kiln_index thread_rows;    /* (process row, tid) → row of threads */
  struct kiln_index identity_of;    /* (process row and block_dim, module) → identity last recorded */
  struct kiln_index signature_rows; /* (pid, id) → row of signatures */
  struct kiln_model_thread *threads;
  size_t thread_count, thread_capacity;
  struct kiln_model_signature *signatures;
  size_t signature_count, signature_capacity;
  struct kiln_model_last *lasts; /* one a process */
  size_t last_capacity;
  bool failed; /* memory was short: the model is incomplete */
};

/* a + b, or the largest number. */
uint64_t kiln_model_sum(uint64_t a, uint64_t b);
/* The interned text of a member, cut at KILN_MODEL_TEXT bytes; NULL when absent or no string. */
const char *kiln_model_text(struct kiln_model *model, const struct cJSON *object, const char *key);
/* As above of a plain string; NULL stays NULL. */
const char *kiln_model_intern(struct kiln_model *model, const char *text);
/* An integer member within the range of int that is not negative, else 0. */
int kiln_model_int(const struct cJSON *object, const char *key);

/* Take one event of the current file. false when it names no process: then it is ignored. */
bool kiln_model_take(struct kiln_model *model, const struct kiln_event *event);
/* Read one counter file. What is no counter file is counted as a bad line. */
enum kiln_status kiln_model_take_counters(struct kiln_model *model, const char *path, struct kiln_error *error);
/* Read the fields that tell one kernel's launches from another's. */
struct kiln_model_signature kiln_model_signature_read(struct kiln_model *model, const struct cJSON *fields);

/* The thread of an event in process row `process`, valid until the next call; NULL when memory is short. */
struct kiln_model_thread *kiln_model_thread_of(
    struct kiln_model *model, size_t process, const struct kiln_event *event);
/* Account for a finished span: its self time goes to `phase` of its process. Returns the self time. */
struct kiln_span_time kiln_model_span_end(
    struct kiln_model *model, struct kiln_model_thread *thread, const struct kiln_event *event, enum kiln_phase phase);
/* The main thread has reached `mark main`: what ended before is part of the interpreter's start. */
void kiln_model_span_restart(struct kiln_model *model, struct kiln_model_thread *thread);
/* Remember a step for the build around it; of more than KILN_MODEL_STEPS the older half is forgotten. */
void kiln_model_step_add(struct kiln_model *model, struct kiln_model_thread *thread, struct kiln_model_step step);
/* Move the steps that began at or after the build's begin into it, and forget the others. */
void kiln_model_steps_claim(struct kiln_model_thread *thread, struct kiln_model_build *build);
/* Free the private state. */
void kiln_model_state_free(struct kiln_model *model);

#endif
