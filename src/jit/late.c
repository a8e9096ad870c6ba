#include "jit/late.h"

#include <stdlib.h>
#include <string.h>

#include "kiln/prefetch.h"

struct kiln_late_policy {
  struct kiln_late_policy *before; /* some thread may still look at it */
  bool ended;
  struct kiln_late_options options;
};

void
kiln_late_options_init(struct kiln_late_options *options)
{
  memset(options, 0, sizeof *options);
  options->size = sizeof *options;
}

enum kiln_status
kiln_late_watch(struct kiln *kiln, const struct kiln_late_options *options, struct kiln_error *error)
{
  if (options && (options->size < offsetof(struct kiln_late_options, context) || options->size > sizeof *options))
    return kiln_error_set(error, KILN_ERROR_ARGUMENT,
        "options of %zu bytes were not filled by kiln_late_options_init of this library", options->size);
  struct kiln_late_policy *policy = calloc(1, sizeof *policy);
  if (!policy)
    return kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for watching compiles");
  policy->ended = !options;
  if (options)
    memcpy(&policy->options, options, options->size);
  policy->before = atomic_load(&kiln->late);
  while (!atomic_compare_exchange_weak(&kiln->late, &policy->before, policy))
    ;
  return KILN_OK;
}

unsigned long long
kiln_late_count(const struct kiln *kiln)
{
  return atomic_load(&kiln->late_count);
}

enum kiln_status
kiln_late_ask(struct kiln *kiln, const struct kiln_spec *spec, const struct kiln_plan *plan, struct kiln_error *error)
{
  char hex[KILN_DIGEST_HEX];
  const struct kiln_late_policy *policy = atomic_load_explicit(&kiln->late, memory_order_acquire);
  if (!policy || policy->ended)
    return KILN_OK;
  kiln_digest_hex(plan->entry_known ? &plan->entry : &plan->request, hex);
  atomic_fetch_add(&kiln->late_count, 1);
  if (policy->options.late) {
    struct kiln_guard_own *own = kiln_guard_lock(&kiln->callbacks);
    policy->options.late(policy->options.context, spec->name, hex);
    kiln_guard_unlock(own);
  }
  if (!policy->options.refuse)
    return KILN_OK;
  kiln_error_set(error, KILN_ERROR_LATE,
      "'%s' (%.16s) would have to be compiled now, and this program lets nothing be "
      "compiled any more",
      spec->name, hex);
  kiln_error_advise(error, "Build it ahead: kiln cache prewarm, or kiln_module_prefetch before kiln_late_watch.");
  return KILN_ERROR_LATE;
}

void
kiln_late_release(struct kiln_late_policy *policy)
{
  while (policy) {
    struct kiln_late_policy *before = policy->before;
    free(policy);
    policy = before;
  }
}
