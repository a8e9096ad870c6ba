/*
 * One module, several identities: which steps led from one to the next, and what caused each.
 *
 * Shared by the rules CS-1 (a kernel), CS-3 (an option) and CS-6 (an overload of a generic kernel). Identities of other
 * block sizes or device kinds are other modules here: each has its own key, that is not churn.
 * Strings belong to the model. Order: find, release. Not thread safe.
 */
#ifndef KILN_PROBE_RULES_CHURN_H
#define KILN_PROBE_RULES_CHURN_H

#include "base/buf.h"
#include "probe/report.h"
#include "probe/rule.h"

enum kiln_cause_kind { KILN_CAUSE_ADDED, KILN_CAUSE_CHANGED, KILN_CAUSE_REMOVED, KILN_CAUSE_OPTION };

/* One difference between the hash tables of two identities. */
struct kiln_cause {
  enum kiln_cause_kind kind;
  bool overload;              /* the name is kernel<signature> */
  const char *name;           /* kernel or option */
  const char *before, *after; /* option values; NULL: not set */
  const char *from, *to;      /* identities */
  bool after_load;            /* its event says that the module was already loaded */
  struct kiln_where where;    /* of the declaration, of the option change */
  struct kiln_where trigger;  /* who asked for the overload */
  const char *event;          /* kind of the event that shows it; NULL: only the hash tables do */
  int pid;                    /* of that event */
  uint64_t t_ns;
};

struct kiln_churn {
  const char *framework, *module, *device; /* device: of the first use; its kind is meant */
  int block_dim, pid;                      /* first process with several identities */
  const char **sequence;                   /* identities in order of use, equal neighbours once; owned */
  size_t sequence_count, sequence_capacity;
  size_t identities; /* distinct ones in that process */
  size_t builds;     /* compiled in that process */
  size_t processes;  /* processes in which the same module has several identities */
  double saves_at_most_s;
  struct kiln_cause *causes; /* owned */
  size_t cause_count, cause_capacity;
};

struct kiln_churns {
  struct kiln_churn *items;
  size_t count, capacity;
};

/* Memory shortage gives a shorter list, never an error: rules are best effort. */
void kiln_churns_find(struct kiln_churns *churns, const struct kiln_model *model);
void kiln_churns_release(struct kiln_churns *churns);
/* Causes of `to` following `from`, appended to churn. t_ns: when `to` was first used; its events came before. */
void kiln_churn_explain(
    struct kiln_churn *churn, const struct kiln_model *model, const char *from, const char *to, uint64_t t_ns);
/* Difference of two hash tables as causes without events, appended to churn. */
void kiln_churn_diff(struct kiln_churn *churn, const struct kiln_model_hash *from, const struct kiln_model_hash *to);
/* The table of an identity, from any process: equal identities have equal tables. NULL when none was recorded. */
const struct kiln_model_hash *kiln_model_find_hash(
    const struct kiln_model *model, const char *framework, const char *module, const char *identity);

/* "kernel `second` was declared at app.py:31 after the module was first loaded" */
void kiln_cause_text(const struct kiln_cause *cause, struct kiln_buf *out);

/* Which causes a rule is about. */
typedef bool kiln_cause_filter(const struct kiln_cause *cause);
/* Add one finding per churned module that has a cause of this rule. */
struct kiln_churn_rule {
  const char *id;
  kiln_cause_filter *filter;
  const char *const *remedies; /* best first, NULL-terminated */
  const char *change;          /* for the sentence that rules it out: "a kernel was declared" */
  const char *gate;            /* what of the advice differs until Warp 1.16; NULL: nothing */
};
void kiln_churn_report(struct kiln_report *report, const struct kiln_churn_rule *rule);

#endif
