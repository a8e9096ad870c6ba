/*
 * The hook on imports: import spans, the marks of start-up, and the moment at which a framework can be patched.
 */
#ifndef KILN_AGENT_IMPORTS_H
#define KILN_AGENT_IMPORTS_H

#include <stdbool.h>

#include "agents/preload/python.h"

/* Python: import_hook(watch). Replaces _frozen_importlib._find_and_load, which the interpreter calls by that name for
 * every module that is not loaded yet. watch maps a module's name to a callable that gets the module as soon as it is
 * loaded, before its importer goes on. */
struct kiln_object *kiln_imports_call(struct kiln_object *self, struct kiln_object *args, struct kiln_object *keywords);

#endif
