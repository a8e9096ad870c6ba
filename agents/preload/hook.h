/*
 * Hooks around Python functions that leave no frame: what the hooked function sees of its caller, and what the program
 * prints as traceback, is as without them.
 */
#ifndef KILN_AGENT_HOOK_H
#define KILN_AGENT_HOOK_H

#include "agents/preload/python.h"

/* Python: hook(orig, before, after, is_method) -> callable.
 *
 * The result calls orig with its own arguments and returns or raises what orig does.
 *   before(args, kwargs) runs first (None: nothing does); what it returns is `note`.
 *   after(result, args, kwargs, span, failed, note) runs last (None: nothing does): result is None when orig raised,
 *   span is (t, cpu, dur, dcpu) of orig alone, failed the exception's type or None. kwargs is a dict or None.
 * Both are called in the frame of the hooked function's caller: sys._getframe(1) in them is that caller.
 * Errors that they raise are swallowed and reported; what is no error (KeyboardInterrupt, from a signal handler that
 * ran inside `before`) goes to the caller, and orig is not called. is_method: the result binds to instances as a
 * function does.
 *
 * Python: filter(orig, before, after, is_method): as hook, but unless orig raised, what `after` returns replaces the
 * result (None keeps it). */
struct kiln_object *kiln_hook_call(struct kiln_object *self, struct kiln_object *args, struct kiln_object *keywords);
struct kiln_object *kiln_filter_call(struct kiln_object *self, struct kiln_object *args, struct kiln_object *keywords);

#endif
