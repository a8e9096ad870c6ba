/*
 * What `kiln cache prewarm` tells at its end: the counts, each spec, and the exit code.
 */
#ifndef KILN_CLI_PREWARM_RESULT_H
#define KILN_CLI_PREWARM_RESULT_H

#include "base/buf.h"
#include "kiln/prefetch.h"

/* One spec of the list, and what became of it. Texts are the caller's. */
struct kiln_prewarm_item {
  const char *file, *name;
  struct kiln_spec *spec; /* NULL: it could not be read */
  const char *result;     /* NULL: skipped */
  const char *key, *path, *error;
  double ms;
  enum kiln_status status;
};

/* What failed and what to do, in one text. */
void kiln_prewarm_sentence(const struct kiln_error *error, struct kiln_buf *out);
/* One line for people; all of it as JSON (summary->total items). */
void kiln_prewarm_text(const struct kiln_prefetch_summary *summary, struct kiln_buf *out);
void kiln_prewarm_json(
    const struct kiln_prewarm_item *items, const struct kiln_prefetch_summary *summary, struct kiln_buf *out);
/* The exit code of the first failure in the order of the list; 130 after an interruption. */
int kiln_prewarm_exit(const struct kiln_prewarm_item *items, size_t count);

#endif
