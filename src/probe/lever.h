/*
 * A lever changes how an observed program makes its kernels, without a change of its source: an option set at the entry
 * of the program, modules built ahead, a cache that is kept. One file a lever in src/probe/levers/, one line a lever in
 * src/registry/probe.c.
 *
 * A lever looks at one measured run of the program and says whether it has something to do there, and writes what the
 * agent must know to apply it: one object of a lever file (docs/levers.md). It never runs anything and never decides
 * whether it helped: probe/trial.h measures that.
 */
#ifndef KILN_PROBE_LEVER_H
#define KILN_PROBE_LEVER_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/json_write.h"
#include "probe/report.h"

#define KILN_LEVER_SCHEMA "kiln-levers-1"
#define KILN_LEVER_VARIABLE "KILN_LEVERS" /* names the lever file, in the environment of the observed program */
#define KILN_LEVER_STATE_VARIABLE "KILN_LEVERS_STATE" /* folder of what levers keep, where they name none */

/* How it shows that a lever took effect, from the events of a run with it. */
enum kiln_arrival {
  KILN_ARRIVAL_IDENTITY, /* each module that is meant has another identity than in the baseline */
  KILN_ARRIVAL_LOAD,     /* each build of the program became a load of the same identity */
  KILN_ARRIVAL_HEADER,   /* the program makes no precompiled header any more */
  KILN_ARRIVAL_LINK      /* the program makes no link-time object any more */
};

enum {
  KILN_LEVER_KERNELS = 1,  /* changes kernels or numerics: only with the user's consent */
  KILN_LEVER_AHEAD = 2,    /* moves work in time and removes none: elapsed time decides, arms run one after the other */
  KILN_LEVER_FOLDER = 4,   /* keeps something in a folder; an unmeasured run fills it */
  KILN_LEVER_SEALED = 8,   /* that folder is filled by `persistent_cache` and then only read */
  KILN_LEVER_KEPT = 16,    /* what it shows is a second start: a cache that is kept answers all builds at once */
  KILN_LEVER_CHOSEN = 32,  /* never by itself, only when asked for by name */
  KILN_LEVER_IN_FILES = 64 /* its lines belong in each file that declares kernels, not at the entry of the program */
};

enum kiln_lever_answer {
  KILN_LEVER_SUPPORTED, /* there is something to gain */
  KILN_LEVER_POINTLESS, /* nothing to gain in this run; may be tried all the same when asked for */
  KILN_LEVER_UNSAFE     /* would change results: tried only when forced */
};

/* What a lever may look at. */
struct kiln_lever_view {
  const struct kiln_report *report; /* of the measurement without levers */
  const struct kiln_model *cold;    /* a valid cold run of it; never NULL */
  const struct kiln_model *warm;    /* its warm run; NULL when there was none */
  const char *value;                /* from "--lever ID=VALUE"; NULL: the lever's own */
  const char *folder;               /* of a lever with KILN_LEVER_FOLDER; NULL: whoever applies it chooses */
  int cores;                        /* usable */
  bool production;                  /* the user waits for starts in production, not for an edit-run loop */
};

struct kiln_lever {
  const char *id;         /* as in --lever, in the lever file and in its events: "enable_backward" */
  const char *title;      /* "no backward code" */
  const char *mechanisms; /* which it serves: "CS-10", "CS-12 N-8" */
  enum kiln_arrival arrival;
  unsigned flags;
  const char *removes; /* one sentence: what is gone, or different, while it is applied */
  const char *undo;    /* one sentence: how to have it back */
  /* NULL: takes no value. Is this value allowed? */
  bool (*accepts)(const char *value);
  /* Is there something to do in this run? The reason is one sentence, appended, whatever the answer. */
  enum kiln_lever_answer (*supports)(const struct kiln_lever_view *view, struct kiln_buf *reason);
  /* Write the object for the lever file: one JSON value. Only after supports, whatever it answered. */
  void (*make)(const struct kiln_lever_view *view, struct kiln_json *json);
  /* Append the exact lines with which the program itself takes the lever, and a blank. NULL: `kiln apply` is the way.
   */
  void (*lines)(const struct kiln_lever_view *view, struct kiln_buf *text);
  /* NULL: every module. Is a module with this build of the baseline meant? Others may stay as they are. */
  bool (*meant)(const struct kiln_lever_view *view, const struct kiln_model_build *build);
};

/* The registered lever of that id; NULL when there is none. "id=value" is looked up without its value. */
const struct kiln_lever *kiln_lever_find(const char *word);
/* A whole lever file with these objects (JSON texts, as make writes them). KILN_ERROR_FORMAT when one of them is no
 * JSON object. */
enum kiln_status kiln_lever_file(
    const char *const *objects, size_t count, struct kiln_buf *out, struct kiln_error *error);

#endif
