/*
 * Why did it compile anew? The identities of a run against those of an earlier one, or of one with another version of
 * the framework: for each module that has another key, what in the key differs.
 *
 * Compared are the cold runs of one arm each. The key's parts are those that the framework's hash was recorded with:
 * kernels with their digests, options, block size; then the version of the framework and the generated source.
 */
#ifndef KILN_PROBE_WHY_H
#define KILN_PROBE_WHY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/json_write.h"
#include "kiln/error.h"
#include "probe/report.h"
#include "probe/report/page.h"

struct cJSON;

enum kiln_why_kind {
  KILN_WHY_KERNEL_NEW,     /* name */
  KILN_WHY_KERNEL_CHANGED, /* name */
  KILN_WHY_KERNEL_GONE,    /* name */
  KILN_WHY_OPTION,         /* name, before and after; NULL: not set */
  KILN_WHY_BLOCK_SIZE,     /* before, after */
  KILN_WHY_VERSION,        /* before, after: of the framework */
  KILN_WHY_SOURCE,         /* the generated source differs, and nothing above does */
  KILN_WHY_MODULE_NEW,     /* the earlier run had no such module */
  KILN_WHY_MODULE_GONE,    /* only the earlier run had it */
  KILN_WHY_NOT_RECORDED,   /* no table of its key is in one of the reports */
  KILN_WHY_UNEXPLAINED,    /* all of the above are equal */
  KILN_WHY_KIND_COUNT
};
const char *kiln_why_kind_name(enum kiln_why_kind kind); /* "kernel_new" … as in the JSON */

struct kiln_why_reason {
  enum kiln_why_kind kind;
  const char *name, *before, *after;
};

/* An identity of a module that the earlier run did not have, or the other way round. */
struct kiln_why_module {
  const char *framework, *module, *device;
  int block_dim;
  const char *from, *to; /* identities; NULL: none */
  struct kiln_why_reason *reasons;
  size_t reason_count;
};

struct kiln_why {
  const char *than; /* the earlier report or arm, for sentences */
  size_t same;      /* identities that both have */
  struct kiln_why_module *modules;
  size_t module_count;
};

/* Compare an arm of `report` with one of `earlier`. Everything is copied into `arena`. *why is NULL on an error
 * (memory). */
enum kiln_status kiln_why_find(const struct kiln_report *report, size_t arm, const struct kiln_report *earlier,
    size_t earlier_arm, const char *than, struct kiln_arena *arena, struct kiln_why **why, struct kiln_error *error);

/* "kernel `second` is new", appended. */
void kiln_why_sentence(const struct kiln_why_reason *reason, struct kiln_buf *out);
/* "`sim.kernels` (cpu, block 1)" and, when known, " a6eb525 → da608f5" or the only one, appended; plain: without the
 * backticks. */
void kiln_why_title(const struct kiln_why_module *module, bool plain, struct kiln_buf *out);
/* "3 identities differ from 'before.json'; 2 are the same.", appended. */
void kiln_why_summary(const struct kiln_why *why, struct kiln_buf *out);
/* A section of a terminal page. NULL: nothing. */
void kiln_why_text(struct kiln_page *page, const struct kiln_why *why);
/* Member "why" of an object: null, or docs/report.md. */
void kiln_why_json(struct kiln_json *json, const struct kiln_why *why);
/* Read what kiln_why_json wrote; NULL when it is no object, or memory is short (arena->failed). */
struct kiln_why *kiln_why_read(const struct cJSON *value, struct kiln_arena *arena);

#endif
