/*
 * GPU architectures as people and tools write them, read strictly.
 *
 *   9.0  90  sm_90          machine code ("SASS") for compute capability 9.0
 *   9.0a 90a sm_90a         architecture-specific: runs on 9.0 only, may use all of its instructions
 *   12.0f 120f sm_120f      family-specific: runs on 12.0 and later members of its family
 *   compute_90              PTX, which the driver compiles on the machine
 *   9.0+PTX                 both
 *
 * A list has tokens with spaces, commas or semicolons between; it is kept sorted and without repetitions, so that two
 * spellings of one wish are one wish. The parser knows the form of a token, not whether a toolkit can compile for it: a
 * new architecture needs no new kiln. Plain data, no allocation, any thread.
 */
#ifndef KILN_JIT_ARCH_H
#define KILN_JIT_ARCH_H

#include <stdbool.h>
#include <stddef.h>

#include "kiln/error.h"

enum { KILN_ARCH_MOST = 128, KILN_ARCH_TEXT = 24 };

struct kiln_arch {
  unsigned major, minor; /* 9, 0 */
  char suffix;           /* '\0', 'a' or 'f' */
  bool ptx;              /* compute_…, not sm_… */
};

struct kiln_arch_list {
  struct kiln_arch items[KILN_ARCH_MOST]; /* sorted: machine code first, then by number, then by suffix */
  size_t count;
};

/* ---- reading and writing ---- */

/* One token of `len` bytes into the list: one architecture, or two for "…+PTX". KILN_ERROR_ARGUMENT quotes the token
 * and says how it is written. Also when the list is full. */
enum kiln_status kiln_arch_list_add_token(
    struct kiln_arch_list *list, const char *token, size_t len, struct kiln_error *error);
/* All tokens of a text, added to the list (start with {.count = 0}). KILN_ERROR_ARGUMENT: a bad token, or none at all.
 */
enum kiln_status kiln_arch_list_parse(struct kiln_arch_list *list, const char *text, struct kiln_error *error);
/* Keep it sorted and without repetitions; false when the list is full. */
bool kiln_arch_list_add(struct kiln_arch_list *list, struct kiln_arch arch);
bool kiln_arch_list_has(const struct kiln_arch_list *list, struct kiln_arch arch);

/* "sm_90a", "compute_90": what compilers are given and what keys hold. Returns `text`. */
const char *kiln_arch_name(struct kiln_arch arch, char text[KILN_ARCH_TEXT]);
/* "90a", without kind: the part behind "sm_". Returns `text`. */
const char *kiln_arch_number(struct kiln_arch arch, char text[KILN_ARCH_TEXT]);
/* The list as "sm_80 sm_90a compute_90", cut with "…" where it does not fit. Returns `text`. */
const char *kiln_arch_list_text(const struct kiln_arch_list *list, char *text, size_t size);

/* <0, 0, >0 in the order of a list. */
int kiln_arch_compare(struct kiln_arch a, struct kiln_arch b);

/* ---- what runs where ---- */

enum kiln_arch_fit {
  KILN_ARCH_NO = 0,
  KILN_ARCH_BY_DRIVER, /* PTX that the driver can compile for this device */
  KILN_ARCH_RUNS,      /* machine code of a lower minor version of the same major */
  KILN_ARCH_FAMILY,    /* family-specific code of this family */
  KILN_ARCH_EXACT      /* made for this very device */
};

/* Does code for `arch` run on a device of compute capability major.minor? The larger the better. */
enum kiln_arch_fit kiln_arch_fits(struct kiln_arch arch, unsigned major, unsigned minor);
/* The best of a list for a device; false when none runs there. */
bool kiln_arch_best(const struct kiln_arch_list *list, unsigned major, unsigned minor, struct kiln_arch *best);

/* What to compile for a device, with a compiler that knows the architectures `known` (only the machine code in it is
 * looked at): the device's own, with suffix 'a' where there is one; else, for a minor version that nobody knows, the
 * family's or the nearest lower one of the same major; else, for an unknown major, PTX of the newest known. *fit says
 * which. false: the compiler knows nothing that could run there. */
bool kiln_arch_for_device(const struct kiln_arch_list *known, unsigned major, unsigned minor, struct kiln_arch *arch,
    enum kiln_arch_fit *fit);

/* ---- what a spec supports ---- */

/* A limit as specs and ops declare it: an architecture as above, or "9.x" (every minor version and suffix of a major),
 * or "8.0+" (that one and everything newer). */
struct kiln_arch_limit {
  struct kiln_arch arch;
  bool any_minor, or_newer;
};

/* KILN_ERROR_ARGUMENT quotes the text. */
enum kiln_status kiln_arch_limit_parse(const char *text, struct kiln_arch_limit *limit, struct kiln_error *error);
/* May something with these limits be compiled for `arch`? No limits: everything. */
bool kiln_arch_within(const struct kiln_arch_limit *limits, size_t count, struct kiln_arch arch);

/* ---- which toolkit knows it ---- */

/* A toolkit version, 12.9. */
struct kiln_cuda_version {
  unsigned major, minor;
};
int kiln_cuda_version_compare(struct kiln_cuda_version a, struct kiln_cuda_version b);

/* The first toolkit that compiles for it and, in *until, the last (0.0: still). false: no toolkit that kiln knows of;
 * a newer one may. */
bool kiln_arch_since(struct kiln_arch arch, struct kiln_cuda_version *since, struct kiln_cuda_version *until);
/* Everything a toolkit of this version compiles for, machine code and PTX, as far as kiln's table knows: for toolkits
 * that cannot be asked. */
void kiln_arch_known(struct kiln_cuda_version version, struct kiln_arch_list *list);
/* A toolkit of this version says that it knows `number` (90, 120: nvcc --list-gpu-code and NVRTC answer without
 * suffixes): add it as machine code and as PTX, plain and with the suffixes that exist for it. A number that kiln's
 * table does not have gets every suffix its major can have. */
void kiln_arch_list_add_known(struct kiln_arch_list *list, unsigned number, struct kiln_cuda_version version);

/* The refusal of a toolkit, before anything is started. `what`: "nvcc", "NVRTC"; `place`: where it was found. Names the
 * architecture wanted, the toolkit with its version, and the version needed. Returns KILN_ERROR_ENVIRONMENT. */
enum kiln_status kiln_arch_refuse(struct kiln_arch wanted, const char *what, const char *place,
    struct kiln_cuda_version version, const struct kiln_arch_list *known, struct kiln_error *error);

#endif
