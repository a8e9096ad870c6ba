/*
 * `kiln gate`: rules that a measurement must keep, for a machine that decides about a change.
 *
 * Order: kiln_gate_init; kiln_gate_read and kiln_gate_add as often as wanted; measure or read a report;
 * kiln_gate_judge; render; release. What rules say about a run they say about every valid sample; with several arms
 * about every arm but the first, which is the baseline. docs/gate.md
 */
#ifndef KILN_PROBE_GATE_H
#define KILN_PROBE_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "kiln/error.h"
#include "probe/compare.h"
#include "probe/report.h"

#define KILN_GATE_SCHEMA "kiln-gate-1"

/* X(kind, name, argument, help): a line of a rules file is the name and its arguments, a flag is "--" and the name. */
#define KILN_GATE_RULES(X)                                                                                             \
  X(KILN_GATE_NO_BUILD_WHEN_WARM, "no-build-when-warm", NULL, "warm runs compile nothing")                             \
  X(KILN_GATE_MAX_BUILDS, "max-builds", "N", "a cold run compiles at most N modules")                                  \
  X(KILN_GATE_NO_BUILD_AFTER_LAUNCH, "no-build-after-launch", "K", "no process compiles after its launch K")           \
  X(KILN_GATE_NO_BUILD_AFTER_MARK, "no-build-after-mark", "NAME", "nothing compiles after the program's mark NAME")    \
  X(KILN_GATE_STABLE_IDENTITIES, "stable-identities", NULL, "every run has the same identities")                       \
  X(KILN_GATE_NOT_ABOVE, "not-above", "REPORT", "no more builds, identities, LTO, source bytes than there")            \
  X(KILN_GATE_MAX_COLD_ELAPSED, "max-cold-elapsed", "SECONDS", "median of the cold runs, by the clock")                \
  X(KILN_GATE_MAX_WARM_ELAPSED, "max-warm-elapsed", "SECONDS", "median of the warm runs, by the clock")                \
  X(KILN_GATE_MAX_COLD_CPU, "max-cold-cpu", "SECONDS", "median of the cold runs, CPU time")                            \
  X(KILN_GATE_MAX_WARM_CPU, "max-warm-cpu", "SECONDS", "median of the warm runs, CPU time")                            \
  X(KILN_GATE_NOT_SLOWER, "not-slower", NULL, "no arm is slower than the first (verdict on time)")

#define KILN_GATE_KIND(kind, name, argument, help) kind,
enum kiln_gate_kind { KILN_GATE_RULES(KILN_GATE_KIND) KILN_GATE_KIND_COUNT };
#undef KILN_GATE_KIND
const char *kiln_gate_kind_name(enum kiln_gate_kind kind); /* "max-builds" */

enum kiln_gate_state { KILN_GATE_KEPT, KILN_GATE_BROKEN, KILN_GATE_OPEN };
const char *kiln_gate_state_name(enum kiln_gate_state state); /* "kept", "broken", "open" */

struct kiln_gate_rule {
  enum kiln_gate_kind kind;
  const char *text;                /* as it was asked for, "max-builds 5" */
  int line;                        /* of the rules file; 0: a flag */
  uint64_t number;                 /* N, K */
  double seconds;                  /* of the limits */
  const char *argument;            /* the mark; path of the stored report */
  unsigned counts;                 /* of NOT_ABOVE: a bit for each enum kiln_count */
  struct kiln_loaded_file *stored; /* of NOT_ABOVE; owned */
  /* What was found. */
  enum kiln_gate_state state;
  const char *sentence;     /* why; NULL before it was judged */
  struct kiln_where *where; /* in the arena: of the builds that broke it */
  size_t where_count;
};

struct kiln_gate {
  struct kiln_arena arena;
  const char *file; /* of the rules; NULL: flags only */
  struct kiln_gate_rule *rules;
  size_t count, capacity;
  bool judged;         /* false: the measurement was not complete, and nothing may be said */
  const char *refusal; /* why not */
};

void kiln_gate_init(struct kiln_gate *gate);
void kiln_gate_release(struct kiln_gate *gate);
/* Add one rule. A stored report is read now, so that a wrong name costs no measurement. line 0: it was a flag.
 * KILN_ERROR_ARGUMENT quotes what is refused, and names the line of the file. */
enum kiln_status kiln_gate_add(struct kiln_gate *gate, enum kiln_gate_kind kind, char *const *arguments, size_t count,
    int line, struct kiln_error *error);
/* Add the rules of a file: one a line, words as a shell splits them, "#" begins a comment. Paths in it are taken from
 * its folder. KILN_ERROR_FORMAT and _ARGUMENT name file and line. */
enum kiln_status kiln_gate_read(struct kiln_gate *gate, const char *path, struct kiln_error *error);
/* As above from memory; `path` stands for the file. Fuzzed. */
enum kiln_status kiln_gate_parse(
    struct kiln_gate *gate, const char *data, size_t len, const char *path, struct kiln_error *error);
/* Judge every rule. A report that is not complete is refused (gate->refusal). Errors: memory. */
enum kiln_status kiln_gate_judge(struct kiln_gate *gate, const struct kiln_report *report, struct kiln_error *error);
/* How many rules are in this state. */
size_t kiln_gate_count(const struct kiln_gate *gate, enum kiln_gate_state state);
/* Exit code: 1 a rule is broken; 3 one could not be judged; else 0. Without a judgement that of the report: 3, 4, 130.
 */
int kiln_gate_exit(const struct kiln_gate *gate, const struct kiln_report *report);

/* One line a rule, broken ones first, then a line that counts. Lines are not wrapped: they are for grep. */
void kiln_gate_text(const struct kiln_gate *gate, bool color, struct kiln_buf *out);
/* An object, schema KILN_GATE_SCHEMA. */
void kiln_gate_json(const struct kiln_gate *gate, const struct kiln_report *report, struct kiln_buf *out);
/* A test suite as JUnit's XML, a test case a rule: broken is a failure, open an error. */
void kiln_gate_junit(const struct kiln_gate *gate, const struct kiln_report *report, struct kiln_buf *out);

#endif
