#include "agents/preload/imports.h"

#include <stdint.h>
#include <string.h>

#include "agents/preload/agent.h"
#include "base/text.h"
#include "os/clock.h"

/* Nested imports shorter than this are only part of the outer one. */
#define NESTED_MIN_NS UINT64_C(5000000)

static _Thread_local int depth;

/* Modules that an interpreter imports on its own before the program begins, when there is no `site` (-S). */
static const char *const start_up[] = {"_abc", "_codecs", "_frozen_importlib", "_frozen_importlib_external", "_imp",
    "_io", "_signal", "_stat", "_thread", "_warnings", "_weakref", "abc", "builtins", "codecs", "encodings",
    "faulthandler", "io", "marshal", "nt", "posix", "sys", "time", "tracemalloc", "warnings", "winreg", "zipimport"};

static bool
is_start_up(const char *name)
{
  if (kiln_text_starts(name, "encodings."))
    return true;
  for (size_t i = 0; i < sizeof start_up / sizeof start_up[0]; i++)
    if (strcmp(name, start_up[i]) == 0)
      return true;
  return false;
}

static void
mark_main(void)
{
  if (!kiln_agent.main_marked) {
    kiln_agent.main_marked = 1;
    kiln_agent_mark("main");
  }
}

static void
emit_import(const char *name, int at_depth, uint64_t t, uint64_t cpu)
{
  uint64_t dur = kiln_clock_now() - t;
  if (kiln_agent.levers_only || (at_depth > 0 && dur < NESTED_MIN_NS))
    return;
  struct kiln_event_line line;
  if (!kiln_event_begin(&kiln_agent.writer, &line, KILN_EVENT_IMPORT, t, cpu))
    return;
  kiln_event_span_of(&kiln_agent.writer, &line, dur, kiln_clock_thread_cpu() - cpu);
  kiln_json_key(&line.json, "name");
  kiln_json_string(&line.json, name);
  kiln_json_key(&line.json, "depth");
  kiln_json_int(&line.json, at_depth);
  kiln_event_end(&kiln_agent.writer, &line);
}

/* Hand a watched module over. The program's exception state is as before. */
static void
call_watcher(struct kiln_object *watch, const char *name, struct kiln_object *module)
{
  struct kiln_object *watcher = kiln_python.PyDict_GetItemString(watch, name);
  if (watcher == NULL)
    return;
  struct kiln_object *answer = kiln_python.PyObject_CallFunctionObjArgs(watcher, module, NULL);
  if (answer == NULL)
    kiln_python_error_report(name);
  kiln_python.Py_DecRef(answer);
}

/* self is (original, watch). */
static struct kiln_object *
find_and_load(struct kiln_object *self, struct kiln_object *args, struct kiln_object *keywords)
{
  struct kiln_object *subject = kiln_python_argument(args, 0);
  const char *name = subject == NULL ? NULL : kiln_python_text(subject, NULL);
  if (name == NULL)
    return kiln_python.PyObject_Call(kiln_python.PyTuple_GetItem(self, 0), args, keywords);
  bool is_site = strcmp(name, "site") == 0;
  if (depth == 0 && !is_site && !kiln_agent.main_marked && !is_start_up(name))
    mark_main();
  uint64_t t = kiln_clock_now(), cpu = kiln_clock_thread_cpu();
  int own_depth = depth++;
  struct kiln_object *module = kiln_python.PyObject_Call(kiln_python.PyTuple_GetItem(self, 0), args, keywords);
  depth = own_depth;
  if (module != NULL)
    call_watcher(kiln_python.PyTuple_GetItem(self, 1), name, module);
  emit_import(name, own_depth, t, cpu);
  if (own_depth == 0 && is_site)
    mark_main();
  return module;
}

static struct kiln_method find_and_load_method = {
    "_find_and_load", find_and_load, KILN_METHOD_FLAGS, "Find and load the module."};

/* New reference to the replacement, NULL with an exception. */
static struct kiln_object *
replacement_new(struct kiln_object *original, struct kiln_object *watch)
{
  struct kiln_object *self = kiln_python.PyTuple_New(2);
  if (self == NULL)
    return NULL;
  kiln_python.Py_IncRef(original);
  (void)kiln_python.PyTuple_SetItem(self, 0, original);
  kiln_python.Py_IncRef(watch);
  (void)kiln_python.PyTuple_SetItem(self, 1, watch);
  struct kiln_object *function = kiln_python.PyCFunction_NewEx(&find_and_load_method, self, NULL);
  kiln_python.Py_DecRef(self);
  return function;
}

struct kiln_object *
kiln_imports_call(struct kiln_object *self, struct kiln_object *args, struct kiln_object *keywords)
{
  (void)self, (void)keywords;
  struct kiln_object *watch = kiln_python_argument(args, 0);
  if (watch == NULL || kiln_python_type(watch) != kiln_python.PyDict_Type)
    return kiln_python_refuse("import_hook(watch): watch must be a dict");
  struct kiln_object *modules = kiln_python.PyImport_GetModuleDict(); /* borrowed */
  struct kiln_object *importlib = kiln_python.PyDict_GetItemString(modules, "_frozen_importlib");
  if (importlib == NULL)
    return kiln_python_refuse("_frozen_importlib is not loaded");
  struct kiln_object *original = kiln_python.PyObject_GetAttrString(importlib, "_find_and_load");
  struct kiln_object *function = original == NULL ? NULL : replacement_new(original, watch);
  bool done = function != NULL && kiln_python.PyObject_SetAttrString(importlib, "_find_and_load", function) == 0;
  kiln_python.Py_DecRef(original);
  kiln_python.Py_DecRef(function);
  return done ? kiln_python_none() : NULL;
}
