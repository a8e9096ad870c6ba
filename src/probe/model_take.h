/*
 * Handlers of events by kind, and what they share; private to model_take*.c.
 */
#ifndef KILN_PROBE_MODEL_TAKE_H
#define KILN_PROBE_MODEL_TAKE_H

#include <string.h>

#include "base/arena.h"
#include "probe/model_state.h"

/* What a handler works on. */
struct kiln_taking {
  struct kiln_model *model;
  const struct kiln_event *event;
  size_t process;                   /* row */
  struct kiln_model_thread *thread; /* NULL for kinds that need none, and when memory is short */
};

/* A zeroed row at the end of a table of the model; false when memory is short. */
#define KILN_MODEL_ADD_ROW(model, table, count, capacity)                                                              \
  (KILN_GROW((model)->table, (model)->count, (model)->capacity)                                                        \
          ? (memset(&(model)->table[(model)->count], 0, sizeof *(model)->table), (model)->count++, true)               \
          : (kiln_model_fail(model), false))

/* Remember that memory was short: kiln_model_read and kiln_model_finish say so. */
void kiln_model_fail(struct kiln_model *model);

/* Fields of the event: interned text (NULL when absent), number (0 when absent or negative), truth (false when absent),
 * comparison, place. */
const char *kiln_taking_text(const struct kiln_taking *taking, const char *key);
int kiln_taking_number(const struct kiln_taking *taking, const char *key);
bool kiln_taking_flag(const struct kiln_taking *taking, const char *key);
bool kiln_taking_is(const struct kiln_taking *taking, const char *key, const char *value);
struct kiln_where kiln_taking_where(const struct kiln_taking *taking, const char *key);
/* Account for the event as a span of this phase, when it is one; its self time. */
struct kiln_span_time kiln_taking_span(const struct kiln_taking *taking, enum kiln_phase phase);

/* Handlers in model_take_work.c: what frameworks do. */
void kiln_take_declare(const struct kiln_taking *taking);
void kiln_take_hash(const struct kiln_taking *taking);
void kiln_take_codegen(const struct kiln_taking *taking);
void kiln_take_pch(const struct kiln_taking *taking);
void kiln_take_compile(const struct kiln_taking *taking);
void kiln_take_link(const struct kiln_taking *taking);
void kiln_take_load(const struct kiln_taking *taking);
void kiln_take_lookup(const struct kiln_taking *taking);
void kiln_take_invalidate(const struct kiln_taking *taking);
void kiln_take_option(const struct kiln_taking *taking);
void kiln_take_cache(const struct kiln_taking *taking);
void kiln_take_signature(const struct kiln_taking *taking);
void kiln_take_tape(const struct kiln_taking *taking);
void kiln_take_error(const struct kiln_taking *taking);
void kiln_take_lever(const struct kiln_taking *taking);

/* Handlers in model_take_facts.c: what rules look at beside the work. */
void kiln_take_moment(const struct kiln_taking *taking);
/* Rows of the tables links and headers. */
void kiln_take_link_row(const struct kiln_taking *taking);
void kiln_take_header_row(const struct kiln_taking *taking);
/* Members of a build that tell of its source and of the cache. */
void kiln_take_build_facts(const struct kiln_taking *taking, struct kiln_model_build *build);
/* Strings of an array joined by ", ", cut at KILN_MODEL_TEXT; NULL when it is none or empty. */
const char *kiln_taking_joined(const struct kiln_taking *taking, const char *key);

#endif
