#include "agents/preload/launch.h"

#include "agents/preload/agent.h"
#include "agents/preload/count.h"
#include "agents/preload/emit.h"
#include "os/clock.h"

/* The signature event and the counter file carry the same fields. */
static void
emit_signature(uint32_t id, struct kiln_object *fields)
{
  struct kiln_event_line line;
  if (!kiln_event_begin(&kiln_agent.writer, &line, KILN_EVENT_SIGNATURE, kiln_clock_now(), kiln_clock_thread_cpu()))
    return;
  kiln_json_key(&line.json, "id");
  kiln_json_uint(&line.json, id);
  kiln_emit_fields(&line.json, fields);
  kiln_event_end(&kiln_agent.writer, &line);
}

static void
name_write(struct kiln_buf *name, struct kiln_object *fields)
{
  struct kiln_json json;
  kiln_buf_init(name);
  kiln_json_init(&json, name, false);
  kiln_json_object(&json);
  kiln_emit_fields(&json, fields);
  kiln_json_object_end(&json);
}

static bool
is_dict(struct kiln_object *object)
{
  return object != NULL && kiln_python_type(object) == kiln_python.PyDict_Type;
}

/* 0 (and no exception) for what is no number. */
static uint64_t
number_of(struct kiln_object *object)
{
  uint64_t number = kiln_python.PyLong_AsUnsignedLongLongMask(object);
  kiln_python.PyErr_Clear();
  return number == UINT64_MAX ? 0 : number;
}

struct kiln_object *
kiln_launch_thunk_call(struct kiln_object *self, struct kiln_object *args, struct kiln_object *keywords)
{
  (void)self, (void)keywords;
  struct kiln_object *fields = kiln_python_argument(args, 1), *offset = kiln_python_argument(args, 3);
  if (!is_dict(fields) || offset == NULL)
    return kiln_python_refuse("thunk(address, fields, kind, offset): fields must be a dict");
  uint64_t kind = number_of(kiln_python.PyTuple_GetItem(args, 2));
  struct kiln_buf name;
  name_write(&name, fields);
  struct kiln_count_request request = {.address = number_of(kiln_python.PyTuple_GetItem(args, 0)),
      .kind = kind == KILN_THUNK_STACK ? KILN_THUNK_STACK : KILN_THUNK_POINTER,
      .offset = (uint32_t)number_of(offset),
      .name = kiln_buf_text(&name),
      .len = name.len};
  struct kiln_count_answer answer = {.address = request.address};
  bool counted = !name.failed && kiln_count_thunk(&request, &answer);
  kiln_buf_release(&name);
  if (counted && answer.is_new)
    emit_signature(answer.signature, fields);
  return kiln_python.PyLong_FromUnsignedLongLong(answer.address);
}

struct kiln_object *
kiln_launch_release_call(struct kiln_object *self, struct kiln_object *args, struct kiln_object *keywords)
{
  (void)self, (void)keywords;
  struct kiln_object *address = kiln_python_argument(args, 0);
  if (address != NULL)
    kiln_count_release(number_of(address));
  return kiln_python_none();
}

struct kiln_object *
kiln_launch_can_count_call(struct kiln_object *self, struct kiln_object *args, struct kiln_object *keywords)
{
  (void)self, (void)args, (void)keywords;
  if (kiln_thunk_code(0) == NULL)
    return kiln_python_none();
  kiln_python.Py_IncRef(kiln_python._Py_TrueStruct);
  return kiln_python._Py_TrueStruct;
}

struct kiln_object *
kiln_launch_total_call(struct kiln_object *self, struct kiln_object *args, struct kiln_object *keywords)
{
  (void)self, (void)args, (void)keywords;
  return kiln_python.PyLong_FromUnsignedLongLong(kiln_count_total());
}

struct kiln_object *
kiln_launch_signature_call(struct kiln_object *self, struct kiln_object *args, struct kiln_object *keywords)
{
  (void)self, (void)keywords;
  struct kiln_object *fields = kiln_python_argument(args, 0);
  if (!is_dict(fields))
    return kiln_python_refuse("signature(fields): fields must be a dict");
  struct kiln_buf name;
  struct kiln_count_answer answer = {0};
  name_write(&name, fields);
  bool counted = !name.failed && kiln_count_signature(kiln_buf_text(&name), name.len, &answer);
  kiln_buf_release(&name);
  if (!counted)
    return kiln_python_none();
  if (answer.is_new)
    emit_signature(answer.signature, fields);
  return kiln_python.PyLong_FromUnsignedLongLong(answer.signature);
}

/* True when the launch was recorded into a graph that is being captured; what `captured` raises is reported. */
static bool
is_captured(struct kiln_object *self, struct kiln_object *args, struct kiln_object *signature)
{
  if (kiln_python.PyObject_IsTrue(kiln_python.PyTuple_GetItem(self, 2)) != 1)
    return false;
  struct kiln_object *answer =
      kiln_python.PyObject_CallFunctionObjArgs(kiln_python.PyTuple_GetItem(self, 3), args, signature, NULL);
  if (answer == NULL)
    kiln_python_error_report("captured");
  bool yes = answer == kiln_python._Py_TrueStruct;
  kiln_python.Py_DecRef(answer);
  return yes;
}

/* self is (orig, handles, captures, captured). */
static struct kiln_object *
launch(struct kiln_object *self, struct kiln_object *args, struct kiln_object *keywords)
{
  struct kiln_object *result = kiln_python.PyObject_Call(kiln_python.PyTuple_GetItem(self, 0), args, keywords);
  if (result == NULL || (result != kiln_python._Py_NoneStruct && number_of(result) != 0))
    return result;
  struct kiln_object *kernel = kiln_python_argument(args, 1), *dim = kiln_python_argument(args, 2);
  struct kiln_object *signature =
      dim == NULL ? NULL : kiln_python.PyDict_GetItem(kiln_python.PyTuple_GetItem(self, 1), kernel);
  if (signature != NULL && signature != kiln_python._Py_NoneStruct && !is_captured(self, args, signature))
    kiln_count_launch((uint32_t)number_of(signature), number_of(dim), 1);
  return result;
}

static struct kiln_method launch_method = {"launch", launch, KILN_METHOD_FLAGS, NULL};

struct kiln_object *
kiln_launch_hook_call(struct kiln_object *self, struct kiln_object *args, struct kiln_object *keywords)
{
  (void)self, (void)keywords;
  if (kiln_python.PyTuple_Size(args) != 4 || !is_dict(kiln_python.PyTuple_GetItem(args, 1)) ||
      !is_dict(kiln_python.PyTuple_GetItem(args, 2)))
    return kiln_python_refuse("launch_hook(orig, handles, captures, captured): handles and captures must be dicts");
  return kiln_python.PyCFunction_NewEx(&launch_method, args, NULL);
}

/* The launches of a graph, a tuple or NULL; borrowed. The handle is an int, or a ctypes object with `value`. */
static struct kiln_object *
graph_find(struct kiln_object *graphs, struct kiln_object *handle)
{
  if (handle == NULL)
    return NULL;
  struct kiln_object *value = kiln_python.PyObject_GetAttrString(handle, "value");
  kiln_python.PyErr_Clear();
  struct kiln_object *found = kiln_python.PyDict_GetItem(graphs, value != NULL ? value : handle);
  kiln_python.Py_DecRef(value);
  return found != NULL && kiln_python_type(found) == kiln_python.PyTuple_Type ? found : NULL;
}

static void
graph_count(struct kiln_object *self, struct kiln_object *handle)
{
  struct kiln_object *launches = graph_find(kiln_python.PyTuple_GetItem(self, 1), handle);
  if (launches == NULL) {
    struct kiln_object *answer = kiln_python.PyObject_CallFunctionObjArgs(kiln_python.PyTuple_GetItem(self, 2), NULL);
    if (answer == NULL)
      kiln_python_error_report("graph");
    kiln_python.Py_DecRef(answer);
    return;
  }
  long size = kiln_python.PyTuple_Size(launches);
  for (long i = 0; i + 2 < size; i += 3)
    kiln_count_launch((uint32_t)number_of(kiln_python.PyTuple_GetItem(launches, i)),
        number_of(kiln_python.PyTuple_GetItem(launches, i + 1)),
        number_of(kiln_python.PyTuple_GetItem(launches, i + 2)));
}

/* self is (orig, graphs, unknown). */
static struct kiln_object *
graph(struct kiln_object *self, struct kiln_object *args, struct kiln_object *keywords)
{
  struct kiln_object *result = kiln_python.PyObject_Call(kiln_python.PyTuple_GetItem(self, 0), args, keywords);
  if (result != NULL && kiln_python.PyObject_IsTrue(result) == 1)
    graph_count(self, kiln_python_argument(args, 0));
  return result;
}

static struct kiln_method graph_method = {"graph", graph, KILN_METHOD_FLAGS, NULL};

struct kiln_object *
kiln_launch_graph_call(struct kiln_object *self, struct kiln_object *args, struct kiln_object *keywords)
{
  (void)self, (void)keywords;
  if (kiln_python.PyTuple_Size(args) != 3 || !is_dict(kiln_python.PyTuple_GetItem(args, 1)))
    return kiln_python_refuse("graph_hook(orig, graphs, unknown): graphs must be a dict");
  return kiln_python.PyCFunction_NewEx(&graph_method, args, NULL);
}
