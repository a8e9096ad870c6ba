/*
 * A report file as a comparison sees it. Shared by compare_load.c (reading) and compare.c (judging).
 */
#ifndef KILN_PROBE_COMPARE_LOAD_H
#define KILN_PROBE_COMPARE_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "probe/compare.h"

struct cJSON;

/* Launches of one run, summed over modules and identities; sorted by everything but count. */
struct kiln_loaded_launch {
  const char *kernel, *device, *direction; /* never NULL */
  int64_t block_dim, dim;                  /* dim -1: other dims of this kernel */
  uint64_t count;
};

/* Which module a kernel was launched from; sorted, distinct. */
struct kiln_loaded_name {
  const char *kernel, *module;
};

struct kiln_loaded_run {
  bool present;
  uint64_t count[KILN_COUNT_COUNT];
  double elapsed_s, cpu_s, overlap;
  struct kiln_loaded_launch *launches;
  size_t launch_count, launch_capacity;
  struct kiln_loaded_name *names;
  size_t name_count, name_capacity;
};

struct kiln_loaded_sample {
  int64_t index;
  struct kiln_loaded_run run[2]; /* cold, warm */
};

#define KILN_LOADED_FACTS 8

struct kiln_loaded_report {
  struct kiln_arena arena; /* of the strings */
  const char *name;        /* of the file, for sentences */
  const char *arm;
  const char *command;                /* of the arm, as for a shell; "" when not known */
  const char *inputs;                 /* digest of what it runs on; "" when not known */
  size_t last_sample;                 /* where the last row of a list belonged; the next one mostly does too */
  struct kiln_loaded_sample *samples; /* the valid ones */
  size_t sample_count, sample_capacity;
  const char *facts[KILN_LOADED_FACTS]; /* of the environment, by kiln_loaded_fact_names; "" when not known */
};

/* A valid pair of a file: both samples have its index. */
struct kiln_loaded_pair {
  size_t candidate; /* of arms */
  int64_t index;
};

struct kiln_loaded_file {
  struct kiln_loaded_report **arms; /* arms[0] is the baseline; each as a report of one arm */
  size_t arm_count, arm_capacity;
  struct kiln_loaded_pair *pairs; /* in time order */
  size_t pair_count, pair_capacity;
  enum kiln_metric *metrics; /* for each arm: what decided when it was measured */
  double resolution;
  bool serial, other_rule; /* other_rule: judged by a rule that this kiln does not know */
  uint64_t seed;
};

/* One arm of a parsed report; arm NULL: the first. *report is NULL on an error. */
enum kiln_status kiln_loaded_report_make(const struct cJSON *tree, const struct cJSON *arm, const char *name,
    struct kiln_loaded_report **report, struct kiln_error *error);

/* What two environments are compared by; NULL-terminated. */
extern const char *const kiln_loaded_fact_names[KILN_LOADED_FACTS + 1];

/* Add a launch of a kernel of this module; false when memory is short. Then, once: settle. */
bool kiln_loaded_launch_add(struct kiln_loaded_run *run, const struct kiln_loaded_launch *launch, const char *module);
/* Sort and merge: the same kernel in two modules, or two processes, is one thing launched more often. */
void kiln_loaded_run_settle(struct kiln_loaded_run *run);
/* Order of launches by everything but count: 0 means that they are alike. */
int kiln_loaded_launch_order(const struct kiln_loaded_launch *a, const struct kiln_loaded_launch *b);
/* Order of names by kernel, then module. */
int kiln_loaded_name_order(const struct kiln_loaded_name *a, const struct kiln_loaded_name *b);

#endif
