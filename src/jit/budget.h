/*
 * A build's part of what this host has: taken before its compiler starts, given back when it has ended. The rules are
 * in kiln/budget.h.
 *
 * One file per user, <folder>/budget, opened anew by each build; a byte of it is a thing that can be taken
 * (os/slots.h):
 *
 *   byte 0              the line: who has it is next, everybody else waits for it
 *   from PLACES on      one byte a place
 *   from MEMORY on      one byte for each KILN_BUDGET_UNIT of memory
 *
 * The line makes starvation impossible: a large build at its head keeps later ones from taking what is given back.
 * Order among those who wait for the line is left to chance. Who has the line or a place beats a pulse every second;
 * one that has not beaten for ten seconds (a stopped process) is passed over, with a warning.
 */
#ifndef KILN_JIT_BUDGET_H
#define KILN_JIT_BUDGET_H

#include "jit/context.h"
#include "kiln/budget.h"
#include "os/capacity.h"

#define KILN_BUDGET_UNIT ((uint64_t)16 << 20)

/* What one kiln found out, once. Immutable but for the guard. */
struct kiln_budget {
  struct kiln_capacity capacity;
  unsigned places;
  uint64_t memory_bytes; /* KILN_UNLIMITED: not counted */
  char places_source[KILN_CGROUP_FILE], memory_source[KILN_CGROUP_FILE + 32];
  char path[KILN_CGROUP_FILE]; /* for kiln_slots_open */
  char unshared[320];          /* why the file is this process's own; "" when it is shared */
  int private_fd;              /* -1: none */
  bool brakes;                 /* memory is looked at before each build, too: nobody chose KILN_MEMORY */
  struct kiln_guard guard;     /* over the list of what this process holds */
};
/* The budget of this kiln, found out at the first question. Errors as kiln_budget_list, or KILN_ERROR_MEMORY. */
enum kiln_status kiln_budget_of(struct kiln *kiln, struct kiln_budget **budget, struct kiln_error *error);
void kiln_budget_free(struct kiln_budget *budget); /* NULL is allowed */

/* What a build is about to use. */
struct kiln_budget_request {
  const char *name;            /* of the spec */
  unsigned threads;            /* of its compiler; 0 counts as 1 */
  uint64_t need_bytes;         /* of one thread (kiln_need_of) */
  void (*tick)(void *context); /* called while waiting, about every hundredth of a second; may be NULL */
  void *context;
};

/* What it holds. Taken and returned in one process. */
struct kiln_share {
  struct kiln_budget *budget;
  struct kiln_share_held *held; /* NULL: nothing */
  int fd, pid;
};
/* Wait for places and memory. KILN_OK also where the budget cannot be kept: then nothing is held. Errors as
 * kiln_budget_of; KILN_ERROR_INTERRUPTED: the user asked to stop while this waited. */
enum kiln_status kiln_budget_take(
    struct kiln *kiln, const struct kiln_budget_request *request, struct kiln_share *share, struct kiln_error *error);
/* It lives: call about once a second. */
void kiln_budget_refresh(const struct kiln_share *share);
/* Give back. In a child that was forked meanwhile nothing happens. */
void kiln_budget_return(struct kiln_share *share);

#endif
