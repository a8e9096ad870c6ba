/*
 * Lookup, then the lock of the key, then lookup again or a build:
 *
 *   found ───────────────────────────────────────────────▶ HIT
 *   missed ─ lock taken ─ lookup again ─ found ──────────▶ HIT
 *          │                           └ build ──────────▶ BUILT
 *          ├ lock unavailable, owner's note stale ─ build ▶ BUILT
 *          └ lock busy ─ poll; when free or published: from the start
 *
 * The lock only saves work. Nobody waits here while holding a lock.
 */
#include <string.h>

#include "jit/events.h"
#include "jit/failed.h"
#include "jit/late.h"
#include "jit/produce.h"
#include "os/clock.h"

#define MILLISECOND UINT64_C(1000000)
#define FIRST_POLL_NS (20 * MILLISECOND)
#define LONGEST_POLL_NS (200 * MILLISECOND)
#define REPORT_NS (1000 * MILLISECOND)
#define LOG_NS (5000 * MILLISECOND)
#define NOTE_PATIENCE_NS (10000 * MILLISECOND) /* for an owner that has not written its note */

struct obtain {
  struct kiln *kiln;
  const struct kiln_spec *spec;
  struct kiln_plan *plan;
  struct kiln_found *found;
  enum kiln_result *result;
  double *build_ms;
  uint64_t wait_begin_ns, reported_ns, logged_ns, poll_ns;
};

static bool
looks_up(const struct obtain *obtain)
{
  return obtain->kiln->options.reuse == KILN_ON && !obtain->plan->rebuild && obtain->kiln->store;
}

/* KILN_OK: found. KILN_ERROR_NOT_FOUND: not there. A store that cannot be read is one without the entry. */
static enum kiln_status
lookup(const struct obtain *obtain)
{
  struct kiln_error cause = {0};
  if (!looks_up(obtain) || !obtain->plan->entry_known)
    return KILN_ERROR_NOT_FOUND;
  enum kiln_status status = kiln_store_find(obtain->kiln->store, &obtain->plan->entry, obtain->found, &cause);
  if (status == KILN_OK) {
    *obtain->result = KILN_RESULT_HIT;
    *obtain->build_ms = 0;
    return KILN_OK;
  }
  if (status != KILN_ERROR_NOT_FOUND)
    kiln_log(obtain->kiln, KILN_LOG_WARNING, "'%s' is built again: %s", obtain->spec->name, cause.what);
  return KILN_ERROR_NOT_FOUND;
}

static enum kiln_status
build(const struct obtain *obtain, struct kiln_key_lock *lock, struct kiln_error *error)
{
  struct kiln_error own = {0};
  bool lasting = false;
  const uint64_t begin_ns = kiln_clock_real();
  error = error ? error : &own;
  *obtain->result = KILN_RESULT_FAILED;
  enum kiln_status status =
      kiln_produce(obtain->kiln, obtain->spec, obtain->plan, lock, obtain->found, obtain->build_ms, &lasting, error);
  if (status == KILN_OK) {
    *obtain->result = KILN_RESULT_BUILT;
    kiln_failed_forget(obtain->kiln, obtain->plan);
  } else if (lasting) {
    kiln_failed_keep(obtain->kiln, obtain->plan, begin_ns, error);
  }
  return status;
}

/* ---- waiting for another builder ---- */

static void
report(struct obtain *obtain, const struct kiln_owner *owner, bool known)
{
  char hex[KILN_DIGEST_HEX];
  const uint64_t now = kiln_clock_now();
  const double waited_s = (double)(now - obtain->wait_begin_ns) / 1e9;
  kiln_digest_hex(&obtain->plan->request, hex);
  if (now - obtain->reported_ns >= REPORT_NS) {
    const struct kiln_build_progress progress = {.name = obtain->spec->name,
        .key = hex,
        .phase = "wait",
        .elapsed_s = waited_s,
        .owner_pid = known ? owner->pid : 0,
        .owner_host = known ? owner->host : ""};
    obtain->reported_ns = now;
    kiln_progress(obtain->kiln, &progress);
  }
  if (now - obtain->logged_ns < LOG_NS)
    return;
  obtain->logged_ns = now;
  if (known)
    kiln_log(obtain->kiln, KILN_LOG_INFO, "waiting %.0f s for '%s' (%s), which process %d on %s builds for %.0f s",
        waited_s, obtain->spec->name, hex, owner->pid, owner->host, owner->build_s);
  else
    kiln_log(obtain->kiln, KILN_LOG_INFO, "waiting %.0f s for '%s' (%s), which another process builds", waited_s,
        obtain->spec->name, hex);
}

static enum kiln_status
check_limit(const struct obtain *obtain, const struct kiln_owner *owner, bool known, struct kiln_error *error)
{
  const double limit_s = obtain->kiln->options.wait_limit_s;
  if (limit_s <= 0 || (double)(kiln_clock_now() - obtain->wait_begin_ns) / 1e9 < limit_s)
    return KILN_OK;
  kiln_error_set(error, KILN_ERROR_INVALID, "'%s' was not built within %g s by process %d on %s", obtain->spec->name,
      limit_s, known ? owner->pid : 0, known ? owner->host : "(unknown)");
  kiln_error_advise(error, "Raise KILN_WAIT_LIMIT (option wait_limit_s), or look at what that process does.");
  return KILN_ERROR_INVALID;
}

/* One pause. *take_over: the owner shows no life any more. */
static enum kiln_status
wait_once(struct obtain *obtain, const struct kiln_digest *key, bool *take_over, struct kiln_error *error)
{
  struct kiln_owner owner = {.pid = 0};
  const uint64_t now = kiln_clock_now();
  if (obtain->wait_begin_ns == 0) {
    obtain->wait_begin_ns = obtain->logged_ns = now;
    obtain->poll_ns = FIRST_POLL_NS;
  }
  const bool known = kiln_key_lock_owner(obtain->kiln->store, key, &owner);
  *take_over = known ? owner.age_s > KILN_OWNER_STALE_S : now - obtain->wait_begin_ns > NOTE_PATIENCE_NS;
  if (*take_over) {
    kiln_log(obtain->kiln, KILN_LOG_WARNING, "process %d on %s shows no life; building '%s' here", owner.pid,
        known ? owner.host : "(unknown)", obtain->spec->name);
    return KILN_OK;
  }
  if (kiln_is_stopped(obtain->kiln))
    return kiln_error_set(error, KILN_ERROR_INTERRUPTED, "'%s' was stopped on request while another process built it",
        obtain->spec->name);
  enum kiln_status status = check_limit(obtain, &owner, known, error);
  if (status != KILN_OK)
    return status;
  report(obtain, &owner, known);
  kiln_clock_sleep(obtain->poll_ns);
  obtain->poll_ns = obtain->poll_ns * 3 / 2 < LONGEST_POLL_NS ? obtain->poll_ns * 3 / 2 : LONGEST_POLL_NS;
  return KILN_OK;
}

/* ---- a miss ---- */

/* With the lock: somebody may have been quicker. */
static enum kiln_status
build_locked(struct obtain *obtain, struct kiln_key_lock *lock, struct kiln_error *error)
{
  enum kiln_status status = KILN_ERROR_NOT_FOUND;
  if (looks_up(obtain)) {
    status = kiln_plan_complete(obtain->kiln, obtain->spec, obtain->plan, error);
    if (status != KILN_OK)
      return status;
    status = lookup(obtain);
  }
  if (status == KILN_ERROR_NOT_FOUND)
    status = kiln_failed_recall(obtain->kiln, obtain->spec, obtain->plan, error) ? KILN_ERROR_COMMAND
                                                                                 : build(obtain, lock, error);
  return status;
}

static enum kiln_status
wait_or_build(struct obtain *obtain, struct kiln_error *error)
{
  const struct kiln_digest key = kiln_plan_build_key(obtain->plan);
  while (obtain->kiln->store) {
    struct kiln_key_lock lock;
    bool take_over = false;
    switch (kiln_key_lock_try(obtain->kiln->store, &key, &lock)) {
    case KILN_LOCK_TAKEN: {
      enum kiln_status status = build_locked(obtain, &lock, error);
      kiln_key_lock_release(&lock);
      return status;
    }
    case KILN_LOCK_UNAVAILABLE:
      return build_locked(obtain, NULL, error);
    case KILN_LOCK_BUSY:
      break;
    }
    if (!looks_up(obtain)) /* what the other makes would not be used */
      break;
    enum kiln_status status = wait_once(obtain, &key, &take_over, error);
    if (status != KILN_OK)
      return status;
    if (take_over)
      return build_locked(obtain, NULL, error);
  }
  return build(obtain, NULL, error);
}

static enum kiln_status
refuse(const struct obtain *obtain, struct kiln_error *error)
{
  const struct kiln_error *cause = &obtain->plan->no_toolchain;
  *obtain->result = KILN_RESULT_FAILED;
  kiln_error_set(error, KILN_ERROR_NOT_FOUND, "'%s' is not in the cache%s%s%s, and %s", obtain->spec->name,
      obtain->kiln->options.cache_folder ? " '" : "",
      obtain->kiln->options.cache_folder ? obtain->kiln->options.cache_folder : "",
      obtain->kiln->options.cache_folder ? "'" : "", cause->what);
  kiln_error_advise(error, "%s", cause->remedy);
  return KILN_ERROR_NOT_FOUND;
}

static void
say_no_store(struct kiln *kiln)
{
  if (!kiln->store && !atomic_flag_test_and_set(&kiln->said_no_store))
    kiln_log(kiln, KILN_LOG_WARNING,
        "nothing is kept: HOME is not set to an absolute folder; name a place by KILN_CACHE_DIR");
}

static enum kiln_status
run(struct obtain *obtain, struct kiln_error *error)
{
  enum kiln_status status = lookup(obtain);
  if (status == KILN_OK) {
    kiln_event_cache(obtain->kiln, obtain->spec, obtain->plan, "hit");
    return status;
  }
  kiln_event_cache(obtain->kiln, obtain->spec, obtain->plan, "miss");
  if (!obtain->plan->identity_known)
    return refuse(obtain, error);
  if (kiln_failed_recall(obtain->kiln, obtain->spec, obtain->plan, error)) {
    *obtain->result = KILN_RESULT_FAILED;
    return KILN_ERROR_COMMAND;
  }
  status = kiln_late_ask(obtain->kiln, obtain->spec, obtain->plan, error);
  return status == KILN_OK ? wait_or_build(obtain, error) : status;
}

enum kiln_status
kiln_entry_obtain(struct kiln *kiln, const struct kiln_spec *spec, struct kiln_plan *plan, struct kiln_found *found,
    enum kiln_result *result, double *build_ms, struct kiln_error *error)
{
  struct obtain obtain = {
      .kiln = kiln, .spec = spec, .plan = plan, .found = found, .result = result, .build_ms = build_ms};
  const struct kiln_moment begin = kiln_moment_now(kiln);
  *found = (struct kiln_found){.fd = -1};
  *result = KILN_RESULT_FAILED;
  *build_ms = 0;
  say_no_store(kiln);
  enum kiln_status status = run(&obtain, error);
  const struct kiln_event_module event = {.spec = spec,
      .plan = plan,
      .result = status != KILN_OK              ? "failed"
                : *result == KILN_RESULT_BUILT ? "compiled"
                                               : "cached",
      .path = status == KILN_OK ? found->path : NULL};
  kiln_event_compile(kiln, &event, begin);
  return status;
}
