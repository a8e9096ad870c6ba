#include "agents/preload/boot.h"

#include <stdlib.h>
#include <string.h>

#include "agents/preload/agent.h"
#include "agents/preload/embedded.h"
#include "agents/preload/emit.h"
#include "agents/preload/hook.h"
#include "agents/preload/imports.h"
#include "agents/preload/launch.h"
#include "agents/preload/python.h"
#include "os/clock.h"
#include "os/dl.h"

#define FILE_INPUT 257 /* Py_file_input */

static struct {
  int armed, booted;
  void *handle;
  struct kiln_object *(*codecs)(void); /* the interpreter's own */
} boot;

static struct kiln_object *
call_now(struct kiln_object *self, struct kiln_object *args, struct kiln_object *keywords)
{
  (void)self, (void)args, (void)keywords;
  unsigned long long numbers[2] = {kiln_clock_now(), kiln_clock_thread_cpu()};
  return kiln_python_numbers(numbers, 2);
}

static struct kiln_object *
call_pch(struct kiln_object *self, struct kiln_object *args, struct kiln_object *keywords)
{
  (void)self, (void)args, (void)keywords;
  struct kiln_header_made made = kiln_agent_header_take();
  if (made.t == 0)
    return kiln_python_none();
  unsigned long long numbers[3] = {made.t, made.cpu, 0};
  struct kiln_object *tuple = kiln_python_numbers(numbers, 3);
  struct kiln_object *path = kiln_python.PyUnicode_FromString(made.path);
  if (path == NULL) {
    kiln_python.PyErr_Clear(); /* a path that is no UTF-8: the time is what counts */
    path = kiln_python_none();
  }
  if (tuple != NULL)
    (void)kiln_python.PyTuple_SetItem(tuple, 2, path);
  else
    kiln_python.Py_DecRef(path);
  return tuple;
}

static struct kiln_object *
call_source(struct kiln_object *self, struct kiln_object *args, struct kiln_object *keywords)
{
  (void)self, (void)keywords;
  struct kiln_object *subject = kiln_python_argument(args, 0);
  const char *name = subject == NULL ? NULL : kiln_python_text(subject, NULL);
  for (const struct kiln_embedded *file = kiln_embedded_python; name != NULL && file->name != NULL; file++)
    if (strcmp(file->name, name) == 0)
      return kiln_python.PyUnicode_FromString(file->text);
  return kiln_python_refuse("source(name): there is no such embedded file");
}

static struct kiln_object *
call_mark_exit(struct kiln_object *self, struct kiln_object *args, struct kiln_object *keywords)
{
  (void)self, (void)args, (void)keywords;
  kiln_agent_mark_exit();
  return kiln_python_none();
}

static struct kiln_method functions[] = {
    {"emit", kiln_emit_call, KILN_METHOD_FLAGS, "emit(kind, fields, span=None): write an event"},
    {"now", call_now, KILN_METHOD_FLAGS, "now() -> (t, cpu)"},
    {"hook", kiln_hook_call, KILN_METHOD_FLAGS, "hook(orig, before, after, is_method) -> callable"},
    {"filter_hook", kiln_filter_call, KILN_METHOD_FLAGS, "as hook; what after returns replaces the result"},
    {"thunk", kiln_launch_thunk_call, KILN_METHOD_FLAGS,
        "thunk(address, fields, kind, offset) -> address to call instead"},
    {"release", kiln_launch_release_call, KILN_METHOD_FLAGS, "release(address): this thunk is not called any more"},
    {"can_count", kiln_launch_can_count_call, KILN_METHOD_FLAGS, "can_count() -> can kernel entries be counted here"},
    {"launched", kiln_launch_total_call, KILN_METHOD_FLAGS, "launched() -> launches of this process so far"},
    {"signature", kiln_launch_signature_call, KILN_METHOD_FLAGS, "signature(fields) -> id, None when there is no room"},
    {"launch_hook", kiln_launch_hook_call, KILN_METHOD_FLAGS,
        "launch_hook(orig, handles, captures, captured) -> callable"},
    {"graph_hook", kiln_launch_graph_call, KILN_METHOD_FLAGS, "graph_hook(orig, graphs, unknown) -> callable"},
    {"pch", call_pch, KILN_METHOD_FLAGS, "pch() -> (t, cpu, path) of the header this thread has just made, or None"},
    {"source", call_source, KILN_METHOD_FLAGS, "source(name) -> text of an embedded Python file"},
    {"import_hook", kiln_imports_call, KILN_METHOD_FLAGS, "import_hook(watch): watch imports"},
    {"mark_exit", call_mark_exit, KILN_METHOD_FLAGS, "mark_exit(): write `mark exit` once"},
};

/* New private dict with the agent's functions; never anybody's __main__. */
static struct kiln_object *
globals_new(void)
{
  struct kiln_object *dict = kiln_python.PyDict_New();
  if (dict == NULL)
    return NULL;
  bool ok = kiln_python.PyDict_SetItemString(dict, "__builtins__", kiln_python.PyEval_GetBuiltins()) == 0;
  for (size_t i = 0; ok && i < sizeof functions / sizeof functions[0]; i++) {
    struct kiln_object *function = kiln_python.PyCFunction_NewEx(&functions[i], NULL, NULL);
    ok = function != NULL && kiln_python.PyDict_SetItemString(dict, functions[i].name, function) == 0;
    kiln_python.Py_DecRef(function);
  }
  if (ok)
    return dict;
  kiln_python.Py_DecRef(dict);
  return NULL;
}

static void
run_boot_code(void)
{
  struct kiln_object *dict = globals_new(), *code = NULL, *result = NULL;
  const struct kiln_embedded *file = kiln_embedded_python;
  while (file->name != NULL && strcmp(file->name, "boot") != 0)
    file++;
  if (dict != NULL && file->name != NULL)
    code = kiln_python.Py_CompileString(file->text, "<kiln:boot>", FILE_INPUT);
  if (code != NULL)
    result = kiln_python.PyEval_EvalCode(code, dict, dict);
  if (result == NULL)
    kiln_python_error_report("boot");
  kiln_python.Py_DecRef(result);
  kiln_python.Py_DecRef(code);
  kiln_python.Py_DecRef(dict);
}

static void
mark_boot(void)
{
  struct kiln_event_line line;
  if (kiln_agent.levers_only ||
      !kiln_event_begin(&kiln_agent.writer, &line, KILN_EVENT_MARK, kiln_clock_now(), kiln_clock_thread_cpu()))
    return;
  const char *version = kiln_python.Py_GetVersion();
  kiln_json_key(&line.json, "name");
  kiln_json_string(&line.json, "boot");
  kiln_json_key(&line.json, "python");
  kiln_json_string_n(&line.json, version, strcspn(version, " "));
  kiln_event_end(&kiln_agent.writer, &line);
}

static struct kiln_object *
codecs_init(void)
{
  struct kiln_object *module = boot.codecs();
  if (boot.booted || module == NULL)
    return module;
  boot.booted = 1;
  const char *missing = kiln_python_load(boot.handle);
  if (missing != NULL) {
    kiln_agent_error("python", missing);
    return module;
  }
  mark_boot();
  struct kiln_python_error error;
  kiln_python_error_save(&error);
  run_boot_code();
  kiln_python_error_restore(&error);
  return module;
}

static size_t
table_size(const struct kiln_builtin *table)
{
  size_t count = 0;
  while (table[count].name != NULL)
    count++;
  return count + 1;
}

bool
kiln_boot_arm(void *handle)
{
  const char *variable = "PyImport_Inittab";
  struct kiln_builtin **table =
      (struct kiln_builtin **)(handle == NULL ? kiln_dl_symbol(variable) : kiln_dl_symbol_in(handle, variable));
  if (table == NULL || *table == NULL || boot.armed)
    return false;
  size_t count = table_size(*table);
  struct kiln_builtin *copy = malloc(count * sizeof *copy);
  if (copy == NULL)
    return false;
  memcpy(copy, *table, count * sizeof *copy);
  for (struct kiln_builtin *entry = copy; entry->name != NULL; entry++)
    if (strcmp(entry->name, "_codecs") == 0) {
      boot.codecs = entry->init;
      boot.handle = handle;
      boot.armed = 1;
      entry->init = codecs_init;
      *table = copy; /* the interpreter may read it until its end */
      return true;
    }
  free(copy);
  kiln_agent_error("inittab", "the interpreter has no built-in module _codecs");
  return false;
}
