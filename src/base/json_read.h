/*
 * Reading JSON: a thin, bounded view over the JSON library, so that no other file knows which one it is.
 *
 * kiln_json_parse gives an owned tree; views are borrowed from it and die with kiln_json_free. All getters accept NULL
 * and wrong types and answer with the fallback, so hostile input is handled in one place.
 * Nesting deeper than 64 is refused. A string ends at an escaped NUL. Not thread safe on one tree.
 */
#ifndef KILN_BASE_JSON_READ_H
#define KILN_BASE_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kiln/error.h"

struct cJSON; /* the tree; only json_read.c looks inside */

/* Parse exactly len bytes (white space around is allowed, anything else behind the value is an error).
 * `name` is used in the error sentence ("report 'a.json' is not JSON: byte 17 …"). */
enum kiln_status kiln_json_parse(
    const char *data, size_t len, const char *name, struct cJSON **tree, struct kiln_error *error);
void kiln_json_free(struct cJSON *tree);

const struct cJSON *kiln_json_get(const struct cJSON *object, const char *key); /* NULL when absent */
const char *kiln_json_get_string(const struct cJSON *object, const char *key, const char *fallback);
/* Numbers must be finite; integers must be whole and lie within ±2^62, else the fallback. Beyond ±2^53 they are rounded
 * to the nearest double: nanoseconds of a machine that is up for months, exact to a few. */
double kiln_json_get_double(const struct cJSON *object, const char *key, double fallback);
int64_t kiln_json_get_int(const struct cJSON *object, const char *key, int64_t fallback);
bool kiln_json_get_bool(const struct cJSON *object, const char *key, bool fallback);

bool kiln_json_is_object(const struct cJSON *value);
bool kiln_json_is_array(const struct cJSON *value);
bool kiln_json_is_null(const struct cJSON *value);
const char *kiln_json_as_string(const struct cJSON *value, const char *fallback);
double kiln_json_as_double(const struct cJSON *value, double fallback);
bool kiln_json_as_bool(const struct cJSON *value, bool fallback);

/* Iterate over an array's elements or an object's members: for (v = kiln_json_first(x); v; v = kiln_json_next(v)). */
const struct cJSON *kiln_json_first(const struct cJSON *value);
const struct cJSON *kiln_json_next(const struct cJSON *element);
const char *kiln_json_member_name(const struct cJSON *element); /* NULL in an array */
size_t kiln_json_count(const struct cJSON *value);

#endif
