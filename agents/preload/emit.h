/*
 * Events written by the Python side: a dict becomes the fields of a line.
 */
#ifndef KILN_AGENT_EMIT_H
#define KILN_AGENT_EMIT_H

#include "agents/preload/python.h"
#include "base/json_write.h"

/* Write one Python value. Exactly str, int, float, bool, None, dict, list and tuple are kept, anything else becomes its
 * str(); what is nested deeper than 8, or stands behind the length of a line, is left out. Never leaves an exception.
 */
void kiln_emit_value(struct kiln_json *json, struct kiln_object *value);
/* Write a dict's items into the open object. */
void kiln_emit_fields(struct kiln_json *json, struct kiln_object *dict);

/* Python: emit(kind, fields, span=None). A span is (t, cpu) for a moment or (t, cpu, dur, dcpu); None is now. */
struct kiln_object *kiln_emit_call(struct kiln_object *self, struct kiln_object *args, struct kiln_object *keywords);

#endif
