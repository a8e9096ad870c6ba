#include "agents/preload/python.h"

#include <string.h>

#include "agents/preload/agent.h"
#include "os/dl.h"

struct kiln_python kiln_python;

struct symbol {
  const char *name;
  size_t at; /* offset in struct kiln_python */
};

static const struct symbol symbols[] = {
#define SYMBOL(result, name, parameters) {#name, offsetof(struct kiln_python, name)},
    KILN_PYTHON_FUNCTIONS(SYMBOL)
#undef SYMBOL
#define SYMBOL(name) {#name, offsetof(struct kiln_python, name)},
        KILN_PYTHON_OBJECTS(SYMBOL)
#undef SYMBOL
            {"PyExc_TypeError", offsetof(struct kiln_python, PyExc_TypeError)},
    {"PyExc_Exception", offsetof(struct kiln_python, PyExc_Exception)},
};

const char *
kiln_python_load(void *handle)
{
  for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
    void *address = handle == NULL ? kiln_dl_symbol(symbols[i].name) : kiln_dl_symbol_in(handle, symbols[i].name);
    if (address == NULL)
      return symbols[i].name;
    memcpy((char *)&kiln_python + symbols[i].at, &address, sizeof address);
  }
  return NULL;
}

void
kiln_python_error_save(struct kiln_python_error *error)
{
  kiln_python.PyErr_Fetch(&error->type, &error->value, &error->trace);
}

void
kiln_python_error_restore(struct kiln_python_error *error)
{
  kiln_python.PyErr_Restore(error->type, error->value, error->trace);
}

bool
kiln_python_error_is_ordinary(void)
{
  return kiln_python.PyErr_ExceptionMatches(*kiln_python.PyExc_Exception) != 0;
}

void
kiln_python_error_report(const char *hook)
{
  struct kiln_python_error error;
  kiln_python_error_save(&error);
  struct kiln_object *value = error.value != NULL ? error.value : error.type;
  struct kiln_object *text = value == NULL ? NULL : kiln_python.PyObject_Str(value);
  const char *message = text == NULL ? NULL : kiln_python_text(text, NULL);
  kiln_agent_hook_error(hook, message != NULL ? message : "unknown exception");
  if (text != NULL)
    kiln_python.Py_DecRef(text);
  kiln_python.Py_DecRef(error.type);
  kiln_python.Py_DecRef(error.value);
  kiln_python.Py_DecRef(error.trace);
  kiln_python.PyErr_Clear();
}

struct kiln_object *
kiln_python_type(struct kiln_object *object)
{
  struct kiln_object *type = kiln_python.PyObject_Type(object);
  kiln_python.Py_DecRef(type); /* the object keeps it alive */
  return type;
}

const char *
kiln_python_text(struct kiln_object *object, size_t *len)
{
  long size = 0;
  const char *text = kiln_python.PyUnicode_AsUTF8AndSize(object, &size);
  if (text == NULL)
    kiln_python.PyErr_Clear();
  if (len != NULL)
    *len = text == NULL ? 0 : (size_t)size;
  return text;
}

struct kiln_object *
kiln_python_numbers(const unsigned long long *numbers, long count)
{
  struct kiln_object *tuple = kiln_python.PyTuple_New(count);
  for (long i = 0; tuple != NULL && i < count; i++) {
    struct kiln_object *number = kiln_python.PyLong_FromUnsignedLongLong(numbers[i]);
    if (number == NULL || kiln_python.PyTuple_SetItem(tuple, i, number) != 0) {
      kiln_python.Py_DecRef(tuple);
      return NULL;
    }
  }
  return tuple;
}

struct kiln_object *
kiln_python_argument(struct kiln_object *args, long index)
{
  return index < kiln_python.PyTuple_Size(args) ? kiln_python.PyTuple_GetItem(args, index) : NULL;
}

struct kiln_object *
kiln_python_none(void)
{
  kiln_python.Py_IncRef(kiln_python._Py_NoneStruct);
  return kiln_python._Py_NoneStruct;
}

struct kiln_object *
kiln_python_refuse(const char *message)
{
  kiln_python.PyErr_SetString(*kiln_python.PyExc_TypeError, message);
  return NULL;
}
