#include "agents/preload/emit.h"

#include <stdint.h>

#include "agents/preload/agent.h"
#include "os/clock.h"

#define MAX_DEPTH 8

static void emit_nested(struct kiln_json *json, struct kiln_object *value, int depth);

/* Behind the longest line nothing is worth writing: the writer cuts there. */
static bool
line_is_full(const struct kiln_json *json)
{
  return json->buf->failed || json->buf->len > KILN_EVENT_MAX_LINE;
}

/* Paths may hold bytes that are no UTF-8; Python keeps them as lone surrogates. */
static void
emit_escaped(struct kiln_json *json, struct kiln_object *value)
{
  struct kiln_object *bytes = kiln_python.PyUnicode_AsEncodedString(value, "utf-8", "surrogateescape");
  char *text = NULL;
  long len = 0;
  if (bytes != NULL && kiln_python.PyBytes_AsStringAndSize(bytes, &text, &len) == 0)
    kiln_json_string_n(json, text, (size_t)len);
  else
    kiln_json_null(json);
  kiln_python.Py_DecRef(bytes);
  kiln_python.PyErr_Clear();
}

static void
emit_text(struct kiln_json *json, struct kiln_object *value)
{
  size_t len;
  const char *text = kiln_python_text(value, &len);
  if (text != NULL)
    kiln_json_string_n(json, text, len);
  else
    emit_escaped(json, value);
}

static void
emit_other(struct kiln_json *json, struct kiln_object *value)
{
  struct kiln_object *text = kiln_python.PyObject_Str(value);
  if (text != NULL)
    emit_text(json, text);
  else
    kiln_json_null(json);
  kiln_python.Py_DecRef(text);
  kiln_python.PyErr_Clear();
}

static void
emit_int(struct kiln_json *json, struct kiln_object *value)
{
  int overflow = 0;
  long long number = kiln_python.PyLong_AsLongLongAndOverflow(value, &overflow);
  if (overflow != 0)
    emit_other(json, value);
  else
    kiln_json_int(json, number);
}

static void
emit_dict(struct kiln_json *json, struct kiln_object *dict, int depth)
{
  struct kiln_object *key, *value;
  long at = 0;
  while (!line_is_full(json) && kiln_python.PyDict_Next(dict, &at, &key, &value)) {
    const char *name = kiln_python_text(key, NULL);
    if (name == NULL)
      continue;
    kiln_json_key(json, name);
    emit_nested(json, value, depth + 1);
  }
}

static void
emit_sequence(struct kiln_json *json, struct kiln_object *value, bool is_list, int depth)
{
  kiln_json_array(json);
  for (long i = 0; !line_is_full(json); i++) {
    long size = is_list ? kiln_python.PyList_Size(value) : kiln_python.PyTuple_Size(value);
    if (i >= size)
      break;
    emit_nested(
        json, is_list ? kiln_python.PyList_GetItem(value, i) : kiln_python.PyTuple_GetItem(value, i), depth + 1);
  }
  kiln_json_array_end(json);
}

static void
emit_nested(struct kiln_json *json, struct kiln_object *value, int depth)
{
  struct kiln_object *type = kiln_python_type(value);
  if (value == kiln_python._Py_NoneStruct || depth > MAX_DEPTH) {
    kiln_json_null(json);
  } else if (type == kiln_python.PyUnicode_Type) {
    emit_text(json, value);
  } else if (type == kiln_python.PyBool_Type) {
    kiln_json_bool(json, value == kiln_python._Py_TrueStruct);
  } else if (type == kiln_python.PyLong_Type) {
    emit_int(json, value);
  } else if (type == kiln_python.PyFloat_Type) {
    kiln_json_double(json, kiln_python.PyFloat_AsDouble(value));
  } else if (type == kiln_python.PyDict_Type) {
    kiln_json_object(json);
    emit_dict(json, value, depth);
    kiln_json_object_end(json);
  } else if (type == kiln_python.PyList_Type || type == kiln_python.PyTuple_Type) {
    emit_sequence(json, value, type == kiln_python.PyList_Type, depth);
  } else {
    emit_other(json, value);
  }
}

void
kiln_emit_value(struct kiln_json *json, struct kiln_object *value)
{
  emit_nested(json, value, 0);
}

void
kiln_emit_fields(struct kiln_json *json, struct kiln_object *dict)
{
  emit_dict(json, dict, 0);
}

/* t, cpu and, of a span, dur and dcpu. Returns how many there are: 0 for a wrong argument. */
static long
span_read(struct kiln_object *span, uint64_t numbers[4])
{
  if (span == NULL || span == kiln_python._Py_NoneStruct) {
    numbers[0] = kiln_clock_now();
    numbers[1] = kiln_clock_thread_cpu();
    return 2;
  }
  if (kiln_python_type(span) != kiln_python.PyTuple_Type)
    return 0;
  long count = kiln_python.PyTuple_Size(span);
  if (count != 2 && count != 4)
    return 0;
  for (long i = 0; i < count; i++)
    numbers[i] = kiln_python.PyLong_AsUnsignedLongLongMask(kiln_python.PyTuple_GetItem(span, i));
  kiln_python.PyErr_Clear();
  return count;
}

struct kiln_object *
kiln_emit_call(struct kiln_object *self, struct kiln_object *args, struct kiln_object *keywords)
{
  (void)self, (void)keywords;
  struct kiln_object *name = kiln_python_argument(args, 0), *fields = kiln_python_argument(args, 1);
  if (name == NULL || fields == NULL || kiln_python_type(fields) != kiln_python.PyDict_Type)
    return kiln_python_refuse("emit(kind, fields, span=None): fields must be a dict");
  enum kiln_event_kind kind = kiln_event_kind_parse(kiln_python_text(name, NULL));
  uint64_t span[4] = {0};
  long count = span_read(kiln_python_argument(args, 2), span);
  if (kind == KILN_EVENT_UNKNOWN || count == 0)
    return kiln_python_refuse("emit(kind, fields, span=None): unknown kind, or span is no (t, cpu[, dur, dcpu])");
  struct kiln_event_line line;
  if (kiln_event_begin(&kiln_agent.writer, &line, kind, span[0], span[1])) {
    if (count == 4)
      kiln_event_span_of(&kiln_agent.writer, &line, span[2], span[3]);
    kiln_emit_fields(&line.json, fields);
    kiln_event_end(&kiln_agent.writer, &line);
  }
  return kiln_python_none();
}
