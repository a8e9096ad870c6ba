/*
 * Counting launches: the address of a native kernel is replaced by a thunk of ours, which adds one to a counter in a
 * shared file and jumps to the kernel with all its arguments as they were.
 *
 * The thunks are code in this library (one assembly file per architecture), so no memory is ever writable and
 * executable. Where an architecture has none, kiln_thunk_code answers NULL and nothing is counted.
 * The counter file is specified in docs/events.md. Counting takes no lock, allocates nothing and may happen in a signal
 * handler; a forked child maps a file of its own at its first launch.
 */
#ifndef KILN_AGENT_COUNT_H
#define KILN_AGENT_COUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/counters.h"

#define KILN_THUNKS 1024 /* thunk.S has the same number */

/* Where the native kernel finds the number of threads of the launch. */
enum kiln_thunk_kind {
  KILN_THUNK_POINTER = 0, /* `offset` bytes into what the first argument points to */
  KILN_THUNK_STACK = 1    /* `offset` bytes into the first argument on the stack (a struct passed by value) */
};

/* thunk.S knows this layout. */
struct kiln_thunk {
  void *target;                   /* the kernel */
  struct kiln_counter_slot *last; /* slot of the last launch: most launches repeat the dim before */
  uint32_t offset, kind;
  uint32_t signature;
  uint32_t used;
  uint64_t unused[4];
};
extern struct kiln_thunk kiln_thunk_table[KILN_THUNKS];

enum { KILN_THUNK_FRESH = 0, KILN_THUNK_BUSY = 1, KILN_THUNK_READY = 2 };
/* KILN_THUNK_READY when the mapped counters belong to this process; zero in a forked child. */
extern uint32_t *kiln_thunk_process;

/* Code of a thunk, NULL when this architecture has none. */
void *kiln_thunk_code(uint32_t index);
/* The slow way of a launch, called by the thunks: finds the slot, counts. `first` is the first integer argument,
 * `stack` the stack pointer at entry. */
void kiln_thunk_count(struct kiln_thunk *thunk, const void *first, const void *stack);

struct kiln_count_request {
  uint64_t address; /* of the native kernel */
  enum kiln_thunk_kind kind;
  uint32_t offset;
  const char *name; /* the signature's JSON object */
  size_t len;
};
struct kiln_count_answer {
  uint64_t address; /* to call instead: the thunk, or the kernel itself when it cannot be counted */
  uint32_t signature;
  bool is_new; /* the signature was not known to this process */
};
/* Needs the interpreter lock, as all below. False: not counted, and the file's overflow says so. */
bool kiln_count_thunk(const struct kiln_count_request *request, struct kiln_count_answer *answer);
/* A signature without a thunk, for launches that go through one common entry: answer->address is left alone. */
bool kiln_count_signature(const char *name, size_t len, struct kiln_count_answer *answer);
/* Count launches of it: more than one at once when a graph is replayed. */
void kiln_count_launch(uint32_t signature, uint64_t dim, uint64_t times);
/* Launches that this process has counted so far, those without a slot included. */
uint64_t kiln_count_total(void);
/* The code behind this thunk's address is going away: the thunk may be used again. Other addresses are ignored. */
void kiln_count_release(uint64_t thunk_address);

#endif
