/*
 * `kiln doctor`: what can be observed here, and why not. Each fact is one line: found out, not guessed; an interpreter
 * is started with the agent to see whether it can be observed.
 */
#ifndef KILN_PROBE_DOCTOR_H
#define KILN_PROBE_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "kiln/error.h"

#define KILN_DOCTOR_SCHEMA "kiln-doctor-1"

enum kiln_fact_state {
  KILN_FACT_INFO,    /* neither good nor bad */
  KILN_FACT_OK,      /* works */
  KILN_FACT_NOTE,    /* works, but worth knowing */
  KILN_FACT_LIMITED, /* something here cannot be observed: exit code 1 */
  KILN_FACT_BLOCKED  /* nothing can be measured: exit code 5 */
};
const char *kiln_fact_state_name(enum kiln_fact_state state);

struct kiln_fact {
  const char *group; /* "python", "parts" … */
  const char *name, *value;
  const char *source; /* where a value comes from: a variable, "default"; NULL */
  const char *note;   /* why, and what to do; NULL */
  enum kiln_fact_state state;
};

struct kiln_doctor {
  struct kiln_arena arena;
  struct kiln_fact *facts;
  size_t count, capacity;
  bool failed; /* memory was short */
};

/* What the caller knows: kiln's own parts, NULL when not found (error says why). */
struct kiln_doctor_options {
  const char *preload, *supervisor;
  const struct kiln_error *missing; /* NULL when both were found */
};

void kiln_doctor_init(struct kiln_doctor *doctor);
void kiln_doctor_release(struct kiln_doctor *doctor);
/* Texts are copied; source and note may be NULL. */
void kiln_doctor_add(struct kiln_doctor *doctor, const char *group, enum kiln_fact_state state, const char *name,
    const char *value, const char *source, const char *note);
/* Look at everything but the settings, which the caller adds. Starts each interpreter once, writes only into a private
 * temporary folder. */
void kiln_doctor_look(struct kiln_doctor *doctor, const struct kiln_doctor_options *options);
/* 0, 1 or 5. */
int kiln_doctor_exit(const struct kiln_doctor *doctor);

/* For people; at most `columns` wide. */
void kiln_doctor_text(const struct kiln_doctor *doctor, int columns, bool color, struct kiln_buf *out);
/* Schema KILN_DOCTOR_SCHEMA, docs/doctor.md. */
void kiln_doctor_json(const struct kiln_doctor *doctor, struct kiln_buf *out);

#endif
