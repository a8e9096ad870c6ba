/*
 * The ledger of `kiln try`: what each lever did to one program, on one machine, and how to take it or to undo it.
 * `kiln apply` reads it and applies the entries whose state is APPLIED. docs/ledger.md is the format.
 *
 * One owned block: everything is in the ledger's arena. Order: new (or read), fill, write, free. Not thread safe.
 */
#ifndef KILN_PROBE_LEDGER_H
#define KILN_PROBE_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "kiln/error.h"
#include "probe/sequential.h"

#define KILN_LEDGER_SCHEMA "kiln-ledger-1"
#define KILN_LEDGER_BYTES (16u << 20) /* a larger file is refused */
#define KILN_LEDGER_ENTRIES 256       /* more are refused */

enum kiln_ledger_state {
  KILN_LEDGER_APPLIED,     /* arrived, same launches, same output, and it helps: `kiln apply` takes it */
  KILN_LEDGER_DECLINED,    /* not taken: no consent, nothing to gain, no effect, or it costs */
  KILN_LEDGER_REFUSED,     /* would change what the program does, or did not arrive */
  KILN_LEDGER_INCONCLUSIVE /* the pairs that were made do not decide */
};
const char *kiln_ledger_state_name(enum kiln_ledger_state state); /* "applied" … as in the JSON */

/* One quantity without and with a lever, from pairs that were measured together. */
struct kiln_ledger_effect {
  const char *metric;        /* "cold_cpu", "cold_elapsed", "warm_cpu", "program": see docs/ledger.md */
  double before_s, after_s;  /* medians */
  size_t pairs;              /* used */
  bool look;                 /* there are enough pairs for the estimate and its interval */
  double percent, low, high; /* change and interval, per cent; meaningless without look */
  enum kiln_verdict verdict; /* INCONCLUSIVE without look */
  const double *seconds[2];  /* of each pair, [0] without; pairs_raw of each */
  size_t pairs_raw;
};

/* A module for which the lever was meant. */
struct kiln_ledger_module {
  const char *module, *device;
  int block_dim;
  const char *before, *after; /* identities, NULL: none */
  bool arrived;
  const char *because; /* when it did not arrive, or arrived in another way than usual; else NULL */
};

/* Lines to put somewhere. */
struct kiln_ledger_line {
  const char *where; /* "in sim.py, before 'import warp'" */
  const char *text;
};

struct kiln_ledger_entry {
  const char *lever;      /* id; of a combination "enable_backward+pch" */
  const char *title;      /* in plain words */
  const char *mechanisms; /* "CS-10", "" */
  enum kiln_ledger_state state;
  bool combination;     /* several levers at once */
  bool changes_kernels; /* or numerics */
  bool forced;          /* tried although it was refused */
  const char *change;   /* JSON object for the lever file (docs/levers.md); of a combination an array; NULL: not made */
  const char *why;      /* one sentence: why this state */
  const char *supports; /* one sentence: what in the measured run speaks for or against it */
  const char *work, *decided_by;      /* verdict on work, "FEWER", by which count; NULL: not measured */
  struct kiln_ledger_effect *effects; /* the first decides; none: not measured */
  size_t effect_count, effect_capacity;
  struct kiln_ledger_module *modules;
  size_t module_count, module_capacity, missed; /* missed: how many did not arrive */
  const char *output;                           /* "same", "differs", "unsteady", "not compared"; NULL: not run */
  const char *launches;                         /* "same", "differ"; NULL: not run */
  const char *removed, *undo;
  struct kiln_ledger_line *lines;
  size_t line_count, line_capacity;
  const char *would_buy; /* what relaxing the constraint that stopped it would be worth; NULL: nothing stopped it */
  const char **evidence; /* short facts from events */
  size_t evidence_count, evidence_capacity;
};

/* Builds one after another against the largest of them. */
struct kiln_ledger_ceiling {
  size_t builds; /* 0: not known */
  double sum_s, largest_s;
  double header_s;     /* the precompiled header before it; 0: none was made */
  const char *largest; /* module */
  double speedup;      /* sum ÷ (largest + header): no way of building ahead is better */
  double elapsed_s;    /* the best that the whole cold run can become */
  int cores;
};

struct kiln_ledger {
  struct kiln_arena arena;    /* holds every string, and the arrays without a capacity */
  const char *date, *version; /* when; of kiln */
  const char **command;
  size_t command_count;
  const char *goal;     /* "edit-loop", "production" */
  bool consent;         /* kernels or numerics may change */
  const char *compared; /* how outputs were compared: "standard output", "files", "check" … */
  const char *cpu, *kernel, *python, *framework; /* environment; NULL: not known */
  int cores;
  double cold_elapsed_s, cold_cpu_s, warm_elapsed_s, warm_cpu_s; /* without levers; medians */
  uint64_t builds, identities, source_bytes, lto;                /* of a cold run without levers */
  struct kiln_ledger_ceiling ceiling;
  struct kiln_ledger_entry *entries; /* with free(): its capacity */
  size_t entry_count, entry_capacity;
  /* With the best that was accepted, as measured; negative: nothing was accepted. */
  double remain_elapsed_s, remain_cpu_s;
  const char *remain; /* one sentence: what the remaining time is */
  const char **notes;
  size_t note_count, note_capacity;
};

struct kiln_ledger *kiln_ledger_new(void); /* NULL: memory is short */
void kiln_ledger_free(struct kiln_ledger *ledger);
/* A row at the end, all fields zero, state DECLINED; NULL: memory is short (also in ledger->arena.failed). */
struct kiln_ledger_entry *kiln_ledger_add(struct kiln_ledger *ledger, const char *lever);
/* The entry of that lever; NULL when there is none. */
struct kiln_ledger_entry *kiln_ledger_entry(const struct kiln_ledger *ledger, const char *lever);
/* The effect on this metric; NULL when it was not measured. */
const struct kiln_ledger_effect *kiln_ledger_effect_of(const struct kiln_ledger_entry *entry, const char *metric);
/* printf into the arena; "" when memory is short. */
const char *kiln_ledger_text(struct kiln_ledger *ledger, const char *format, ...) KILN_PRINTF(2, 3);
void kiln_ledger_line(struct kiln_ledger *ledger, struct kiln_ledger_entry *entry, const char *where, const char *text);
void kiln_ledger_evidence(struct kiln_ledger *ledger, struct kiln_ledger_entry *entry, const char *text);
void kiln_ledger_note(struct kiln_ledger *ledger, const char *text);

/* Read a file or memory. Hostile bytes are refused with a sentence: no JSON (KILN_ERROR_FORMAT), another schema, too
 * large, too many entries, a state that is not one of the four, a change that is not an object of a lever file. Unknown
 * members are ignored. Fuzzed. */
enum kiln_status kiln_ledger_read(const char *path, struct kiln_ledger **ledger, struct kiln_error *error);
enum kiln_status kiln_ledger_parse(
    const char *data, size_t len, const char *name, struct kiln_ledger **ledger, struct kiln_error *error);
/* The lever file (docs/levers.md) of what was accepted: the accepted combination if there is one, else each accepted
 * entry. *count receives how many levers it has. */
enum kiln_status kiln_ledger_levers(
    const struct kiln_ledger *ledger, struct kiln_buf *out, size_t *count, struct kiln_error *error);

/* For people (at most `columns` wide, not below 60) and for programs. Appended. */
void kiln_ledger_render(const struct kiln_ledger *ledger, int columns, bool color, struct kiln_buf *out);
void kiln_ledger_json(const struct kiln_ledger *ledger, struct kiln_buf *out);

#endif
