/*
 * Counting launches, as the Python side asks for it.
 */
#ifndef KILN_AGENT_LAUNCH_H
#define KILN_AGENT_LAUNCH_H

#include "agents/preload/python.h"

/* Python: thunk(address, fields, kind, offset) -> address to call instead of a native kernel's. The fields become the
 * `signature` event and the name in the counter file; kind and offset are those of count.h. */
struct kiln_object *kiln_launch_thunk_call(
    struct kiln_object *self, struct kiln_object *args, struct kiln_object *keywords);
/* Python: release(address): the code behind a thunk is going away. */
struct kiln_object *kiln_launch_release_call(
    struct kiln_object *self, struct kiln_object *args, struct kiln_object *keywords);
/* Python: can_count() -> bool: are there thunks on this architecture? */
struct kiln_object *kiln_launch_can_count_call(
    struct kiln_object *self, struct kiln_object *args, struct kiln_object *keywords);
/* Python: launched() -> launches that this process has counted so far. */
struct kiln_object *kiln_launch_total_call(
    struct kiln_object *self, struct kiln_object *args, struct kiln_object *keywords);
/* Python: signature(fields) -> id of a signature without thunk, None when there is no room. */
struct kiln_object *kiln_launch_signature_call(
    struct kiln_object *self, struct kiln_object *args, struct kiln_object *keywords);
/* Python: launch_hook(orig, handles, captures, captured) -> callable, without frame, around the one function that
 * launches all kernels of a device: orig(context, kernel, dim, ...). handles maps a kernel's handle to its signature's
 * id. A launch counts when orig returned None or zero: neither raised nor refused. While captures (a dict) is not
 * empty, captured(args, id) is asked first: True when the launch went into a graph instead of running. */
struct kiln_object *kiln_launch_hook_call(
    struct kiln_object *self, struct kiln_object *args, struct kiln_object *keywords);
/* Python: graph_hook(orig, graphs, unknown) -> callable, without frame, around the function that runs a graph:
 * orig(graph, ...). graphs maps a graph's handle to (id, dim, times, id, dim, times, ...): what it launches, counted
 * when orig returned something true. unknown() is called for a graph that is not there. */
struct kiln_object *kiln_launch_graph_call(
    struct kiln_object *self, struct kiln_object *args, struct kiln_object *keywords);

#endif
