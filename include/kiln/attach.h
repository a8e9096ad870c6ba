/*
 * kiln/attach.h: what another part of a program keeps in a kiln, so that it dies with it.
 *
 * A library above libkiln (its ops, a binding) has caches of its own. They belong to one kiln as the modules in them
 * do; attached to it they need no global state. Thread safety: any number of threads.
 */
#ifndef KILN_ATTACH_H
#define KILN_ATTACH_H

#include "kiln/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The object that is attached under `key` (the address of something that the caller owns for the life of the process).
 * The first time `make` makes it; NULL from it is KILN_ERROR_MEMORY. kiln_free calls `release`, the last attached
 * first, before it releases modules. `make` must not attach anything itself. When it is there already this costs some
 * nanoseconds and takes no lock. */
KILN_API enum kiln_status kiln_attach(struct kiln *kiln, const void *key, void *(*make)(struct kiln *kiln),
    void (*release)(void *object), void **object, struct kiln_error *error);

#ifdef __cplusplus
}
#endif
#endif
