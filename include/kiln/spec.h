/*
 * kiln/spec.h: what is to be compiled.
 *
 * Order: kiln_spec_new (or kiln_spec_parse), kiln_spec_add_…, then pass it to kiln_module_load or kiln_cache_…;
 * kiln_spec_free. A spec is plain data: it touches no file until it is used. All text is copied. A spec may be used by
 * several threads at once as long as nobody adds to it.
 *
 * As JSON: {"name", "toolchain": "hostcc|nvrtc|nvcc", "sources": [{"path"} or {"name", "text"}], "flags": [],
 * "defines": [], "includes": [], "archs": [], "supports": [], "links": [], "entry_points": []}. Unknown members and
 * wrong types are refused with the member's name.
 */
#ifndef KILN_SPEC_H
#define KILN_SPEC_H

#include <stddef.h>

#include "kiln/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct kiln_spec;

/* name: what people call it, 1–200 bytes of [A-Za-z0-9._-]; in logs and listings, not in the key.
 * toolchain: "hostcc", "nvrtc", "nvcc"; others are refused with the list of those that exist. */
KILN_API enum kiln_status kiln_spec_new(
    const char *name, const char *toolchain, struct kiln_spec **spec, struct kiln_error *error);
/* From JSON text of `len` bytes (at most 16 MiB). */
KILN_API enum kiln_status kiln_spec_parse(
    const char *json, size_t len, struct kiln_spec **spec, struct kiln_error *error);
/* Release a spec; loaded modules do not need it. NULL is allowed. */
KILN_API void kiln_spec_free(struct kiln_spec *spec);

/* A source given as text. name: a relative path without "..", unique in the spec ("scale.c"); it is what the compiler
 * calls the file. */
KILN_API enum kiln_status kiln_spec_add_source(
    struct kiln_spec *spec, const char *name, const char *text, size_t len, struct kiln_error *error);
/* A source file. Its content is part of the key, its place is not. Nothing is ever written beside it. */
KILN_API enum kiln_status kiln_spec_add_source_file(struct kiln_spec *spec, const char *path, struct kiln_error *error);
/* A compiler flag, one argument. Flags that choose input, output or a wrapper (-o, -c, -x, -wrapper, @file …) are
 * refused. */
KILN_API enum kiln_status kiln_spec_add_flag(struct kiln_spec *spec, const char *flag, struct kiln_error *error);
/* "NAME" or "NAME=VALUE". */
KILN_API enum kiln_status kiln_spec_add_define(struct kiln_spec *spec, const char *define, struct kiln_error *error);
/* A folder searched for headers. Files in it that are really read are part of the key, its place is not. */
KILN_API enum kiln_status kiln_spec_add_include(struct kiln_spec *spec, const char *folder, struct kiln_error *error);
/* A target architecture. hostcc: "native" (its default), keyed by the instruction set of this machine, or a name that
 * the compiler knows. Toolchains for GPUs: "9.0", "9.0a", "sm_90a", "12.0f", "compute_90" (PTX), "9.0+PTX" (both), or
 * "native" for the GPUs of this machine; a list in one text is allowed, with spaces, commas or semicolons between.
 * Without any: the GPUs of this machine and KILN_ARCHS. */
KILN_API enum kiln_status kiln_spec_add_arch(struct kiln_spec *spec, const char *arch, struct kiln_error *error);
/* GPU architectures that the sources are written for: "9.0" (every suffix), "9.0a", "10.0f" (the family), "9.x" (all of
 * a major), "8.0+" (and newer). Nothing is compiled for others: when none of the targets is supported, the build is
 * refused. Without any limit all are. */
KILN_API enum kiln_status kiln_spec_add_support(struct kiln_spec *spec, const char *limit, struct kiln_error *error);
/* A link flag, one argument ("-lm"). */
KILN_API enum kiln_status kiln_spec_add_link(struct kiln_spec *spec, const char *flag, struct kiln_error *error);
/* A symbol that the result must define; checked before publishing. At least one is needed to build. */
KILN_API enum kiln_status kiln_spec_add_entry_point(
    struct kiln_spec *spec, const char *symbol, struct kiln_error *error);

#ifdef __cplusplus
}
#endif
#endif
