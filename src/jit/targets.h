/*
 * Which GPU architectures a spec is compiled for: what it names, else the GPUs of this machine and KILN_ARCHS; of
 * these, what it supports. Nothing is opened for a spec that names its architectures; for others the driver is asked
 * for its devices, without a context.
 */
#ifndef KILN_JIT_TARGETS_H
#define KILN_JIT_TARGETS_H

#include "jit/arch.h"
#include "jit/context.h"
#include "jit/spec.h"
#include "store/key.h"

/* Are the architectures and limits of a spec well formed, as far as text can tell? KILN_ERROR_ARGUMENT. */
enum kiln_status kiln_targets_check(const struct kiln_spec *spec, struct kiln_error *error);

/* The architectures that the text of a spec names, within what it supports; *native: it also leaves some, or all, to
 * the GPUs of a machine, and those that it names may be none. Asks nothing. Errors as kiln_targets_resolve. */
enum kiln_status kiln_targets_named(
    const struct kiln_spec *spec, struct kiln_arch_list *named, bool *native, struct kiln_error *error);
/* Leave only what the spec supports. KILN_ERROR_ARCHITECTURE: that is nothing, though something was there. */
enum kiln_status kiln_targets_limit(
    const struct kiln_spec *spec, struct kiln_arch_list *targets, struct kiln_error *error);

/* The targets, sorted, at least one. Devices whose version nobody knows get the nearest code that runs there, and a
 * warning in the log. KILN_ERROR_ARGUMENT: malformed; KILN_ERROR_ARCHITECTURE: none of the targets is supported by the
 * spec, the sentence names both; KILN_ERROR_ENVIRONMENT or what the driver answered: no architecture is named and no
 * GPU can be asked. */
enum kiln_status kiln_targets_resolve(
    struct kiln *kiln, const struct kiln_spec *spec, struct kiln_arch_list *targets, struct kiln_error *error);

/* One architecture for a device of this compute capability: its own ("sm_90a"), else the nearest that runs there. The
 * same on every machine: it does not depend on the compiler. false: nothing can. */
bool kiln_targets_of_device(unsigned major, unsigned minor, struct kiln_arch *arch, enum kiln_arch_fit *fit);

/* The targets as one field of a key, "sm_80 sm_90a compute_90". */
void kiln_targets_key(const struct kiln_arch_list *targets, struct kiln_key *key);

#endif
