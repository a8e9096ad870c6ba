#include "agents/preload/hook.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "os/clock.h"

/* What a hook's function carries as its `self`: a tuple of these. */
enum hook_part { HOOK_ORIG, HOOK_BEFORE, HOOK_AFTER, HOOK_NAME, HOOK_PARTS };

struct hook_times {
  uint64_t t, cpu;
};

static struct kiln_object *
hook_part(struct kiln_object *self, enum hook_part part)
{
  return kiln_python.PyTuple_GetItem(self, (long)part);
}

static void
hook_report(struct kiln_object *self)
{
  const char *name = kiln_python_text(hook_part(self, HOOK_NAME), NULL);
  kiln_python_error_report(name != NULL ? name : "hook");
}

/* *note receives a new reference to what `before` returned; NULL when there is none or it raised. False, with the
 * exception pending, when a signal handler of the program raised while `before` ran: that is the program's own. */
static bool
hook_before(struct kiln_object *self, struct kiln_object *args, struct kiln_object *keywords, struct kiln_object **note)
{
  struct kiln_object *before = hook_part(self, HOOK_BEFORE);
  *note = NULL;
  if (before == kiln_python._Py_NoneStruct)
    return true;
  *note = kiln_python.PyObject_CallFunctionObjArgs(
      before, args, keywords != NULL ? keywords : kiln_python._Py_NoneStruct, NULL);
  if (*note == NULL && !kiln_python_error_is_ordinary())
    return false;
  if (*note == NULL)
    hook_report(self);
  return true;
}

/* Calls `after` with no exception pending. New reference to what it returned, NULL when it raised. */
static struct kiln_object *
hook_after(struct kiln_object *self, struct kiln_object *result, struct kiln_object *args, struct kiln_object *keywords,
    struct hook_times begin, struct kiln_object *failed, struct kiln_object *note)
{
  struct kiln_object *none = kiln_python._Py_NoneStruct;
  unsigned long long numbers[4] = {begin.t, begin.cpu, kiln_clock_now() - begin.t, kiln_clock_thread_cpu() - begin.cpu};
  struct kiln_object *span = kiln_python_numbers(numbers, 4);
  struct kiln_object *answer = NULL;
  if (span != NULL)
    answer = kiln_python.PyObject_CallFunctionObjArgs(hook_part(self, HOOK_AFTER), result != NULL ? result : none, args,
        keywords != NULL ? keywords : none, span, failed != NULL ? failed : none, note != NULL ? note : none, NULL);
  if (answer == NULL)
    hook_report(self);
  kiln_python.Py_DecRef(span);
  return answer;
}

static struct kiln_object *
hook_run(struct kiln_object *self, struct kiln_object *args, struct kiln_object *keywords, bool may_replace)
{
  struct kiln_object *note;
  if (!hook_before(self, args, keywords, &note))
    return NULL;
  struct hook_times begin = {kiln_clock_now(), kiln_clock_thread_cpu()};
  struct kiln_object *result = kiln_python.PyObject_Call(hook_part(self, HOOK_ORIG), args, keywords);
  if (hook_part(self, HOOK_AFTER) != kiln_python._Py_NoneStruct) {
    struct kiln_python_error error;
    kiln_python_error_save(&error);
    struct kiln_object *answer = hook_after(self, result, args, keywords, begin, error.type, note);
    if (may_replace && result != NULL && answer != NULL && answer != kiln_python._Py_NoneStruct) {
      kiln_python.Py_DecRef(result);
      result = answer;
    } else {
      kiln_python.Py_DecRef(answer);
    }
    kiln_python_error_restore(&error);
  }
  kiln_python.Py_DecRef(note);
  return result;
}

static struct kiln_object *
hook_observe(struct kiln_object *self, struct kiln_object *args, struct kiln_object *keywords)
{
  return hook_run(self, args, keywords, false);
}

static struct kiln_object *
hook_replace(struct kiln_object *self, struct kiln_object *args, struct kiln_object *keywords)
{
  return hook_run(self, args, keywords, true);
}

/* New reference to an attribute that is a str, NULL (and no exception) otherwise. */
static struct kiln_object *
text_attribute(struct kiln_object *object, const char *name)
{
  struct kiln_object *value = kiln_python.PyObject_GetAttrString(object, name);
  if (value != NULL && kiln_python_type(value) == kiln_python.PyUnicode_Type)
    return value;
  kiln_python.Py_DecRef(value);
  kiln_python.PyErr_Clear();
  return NULL;
}

static char *
text_copy(struct kiln_object *text, const char *fallback)
{
  const char *source = text == NULL ? NULL : kiln_python_text(text, NULL);
  if (source == NULL)
    source = fallback;
  size_t size = source == NULL ? 0 : strlen(source) + 1;
  char *copy = size == 0 ? NULL : malloc(size);
  return copy == NULL ? NULL : memcpy(copy, source, size);
}

/* The interpreter keeps a pointer to this for as long as the function lives, which is until the process ends. */
static struct kiln_method *
method_new(struct kiln_object *orig, struct kiln_object *name, bool may_replace)
{
  struct kiln_method *method = calloc(1, sizeof *method);
  struct kiln_object *doc = text_attribute(orig, "__doc__");
  if (method != NULL) {
    method->name = text_copy(name, "hook");
    method->call = may_replace ? hook_replace : hook_observe;
    method->flags = KILN_METHOD_FLAGS;
    method->doc = text_copy(doc, NULL);
  }
  kiln_python.Py_DecRef(doc);
  return method;
}

static struct kiln_object *
hook_tuple(struct kiln_object *args, struct kiln_object *name)
{
  struct kiln_object *self = kiln_python.PyTuple_New(HOOK_PARTS);
  for (long i = 0; self != NULL && i < HOOK_PARTS; i++) {
    struct kiln_object *part = i == HOOK_NAME ? name : kiln_python.PyTuple_GetItem(args, i);
    kiln_python.Py_IncRef(part);
    (void)kiln_python.PyTuple_SetItem(self, i, part);
  }
  return self;
}

static struct kiln_object *
hook_make(struct kiln_object *args, bool may_replace)
{
  if (kiln_python.PyTuple_Size(args) != 4)
    return kiln_python_refuse("hook(orig, before, after, is_method) takes 4 arguments");
  struct kiln_object *orig = kiln_python.PyTuple_GetItem(args, HOOK_ORIG);
  struct kiln_object *name = text_attribute(orig, "__qualname__"), *module = text_attribute(orig, "__module__");
  struct kiln_object *short_name = text_attribute(orig, "__name__");
  if (name == NULL)
    name = kiln_python.PyUnicode_FromString("hook");
  struct kiln_object *self = hook_tuple(args, name), *function = NULL;
  struct kiln_method *method = self == NULL ? NULL : method_new(orig, short_name, may_replace);
  if (method != NULL)
    function = kiln_python.PyCFunction_NewEx(method, self, module);
  if (function != NULL && kiln_python.PyObject_IsTrue(kiln_python.PyTuple_GetItem(args, 3)) == 1) {
    struct kiln_object *bindable = kiln_python.PyInstanceMethod_New(function);
    kiln_python.Py_DecRef(function);
    function = bindable;
  }
  kiln_python.Py_DecRef(self);
  kiln_python.Py_DecRef(short_name);
  kiln_python.Py_DecRef(module);
  kiln_python.Py_DecRef(name);
  if (method == NULL && self != NULL)
    return kiln_python_refuse("hook: out of memory");
  return function;
}

struct kiln_object *
kiln_hook_call(struct kiln_object *self, struct kiln_object *args, struct kiln_object *keywords)
{
  (void)self, (void)keywords;
  return hook_make(args, false);
}

struct kiln_object *
kiln_filter_call(struct kiln_object *self, struct kiln_object *args, struct kiln_object *keywords)
{
  (void)self, (void)keywords;
  return hook_make(args, true);
}
