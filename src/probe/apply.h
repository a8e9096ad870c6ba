/*
 * `kiln apply`: run a program in daily use with the levers that a ledger accepted. Nothing is measured.
 *
 * Order: init, load, place, (environment, run it, read), sentence, release. What levers keep is in <cache>/levers,
 * which belongs to this user alone; without it levers that keep something are not in effect, and the program runs all
 * the same.
 *
 *   <cache>/levers/headers, locks, notes   of the levers (docs/levers.md)
 *   <cache>/levers/run-XXXXXX/             of one run: the lever file, and what became of it; removed afterwards
 */
#ifndef KILN_PROBE_APPLY_H
#define KILN_PROBE_APPLY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "kiln/error.h"
#include "os/process.h"

#define KILN_APPLY_LEVERS 64 /* more in one file are refused */
#define KILN_APPLY_REASONS 3 /* different ones of a lever; more are only counted in missed */

/* One lever and what became of it. */
struct kiln_apply_lever {
  char id[64];
  size_t meant;           /* modules or calls that its file names; 0: the whole program */
  size_t arrived, missed; /* modules, or processes where it names none */
  bool failed;            /* not in effect in some process */
  struct kiln_apply_reason {
    size_t count; /* modules, or processes where it names none */
    char module[64], text[192];
  } reasons[KILN_APPLY_REASONS]; /* that of those which the program built itself comes last; count 0: no more */
};

struct kiln_apply {
  struct kiln_apply_lever levers[KILN_APPLY_LEVERS];
  size_t count;
  struct kiln_buf file;                /* the lever file's text */
  struct kiln_buf state;               /* folder of what levers keep; empty: none */
  struct kiln_buf run;                 /* folder of this run; empty: none */
  char no_state[KILN_ERROR_WHAT_SIZE]; /* why there is none; "" otherwise */
  bool observed;                       /* what becomes of levers goes into a record that is being made (KILN_EVENTS) */
  size_t errors;                       /* of the agent */
  char error[256];                     /* the first */
};

void kiln_apply_init(struct kiln_apply *apply);
/* Removes the folder of the run. */
void kiln_apply_release(struct kiln_apply *apply);
/* Read a ledger (kiln-ledger-1) or a lever file (kiln-levers-1). KILN_ERROR_NOT_FOUND, KILN_ERROR_FORMAT for anything
 * else; the sentence quotes the path. */
enum kiln_status kiln_apply_load(struct kiln_apply *apply, const char *path, struct kiln_error *error);
/* Make the folders. cache: kiln's cache folder, NULL when there is none. A folder that is not this user's alone is
 * refused: no_state says so. KILN_ERROR_ENVIRONMENT only when there is no place for the lever file at all. */
enum kiln_status kiln_apply_place(struct kiln_apply *apply, const char *cache, struct kiln_error *error);
/* This process's environment and what brings the levers into it. preload: path of libkiln-preload.so. */
enum kiln_status kiln_apply_environment(
    struct kiln_apply *apply, const char *preload, struct kiln_environment *env, struct kiln_error *error);
/* After the program: what became of each lever. */
void kiln_apply_read(struct kiln_apply *apply);
/* One line without its end: what was applied and what did not arrive. A module that the program built itself has not
 * arrived, whatever the builder meant to do. Appended. */
void kiln_apply_sentence(const struct kiln_apply *apply, struct kiln_buf *text);

#endif
