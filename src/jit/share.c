/* Taking and giving back a part of the budget (jit/budget.h). */
#include <stdlib.h>
#include <string.h>

#include "jit/budget_rows.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/process.h"

#define MILLISECOND UINT64_C(1000000)
#define POLL_NS (10 * MILLISECOND)
#define BEAT_NS (1000 * MILLISECOND)
#define LOG_NS (5000 * MILLISECOND)
#define QUIET_S 10.0 /* without a pulse for so long nobody is there */
#define QUIET_NS (10000 * MILLISECOND)

static const struct kiln_slot_row the_line = {0, 1};
static const struct kiln_slot_row all_places = {KILN_BUDGET_PLACES, KILN_MOST_JOBS};

/* A descriptor that holds something, so that a forked child can let go of it. */
struct kiln_share_held {
  struct kiln_share_held *next;
  int fd;
};

/* What this process holds; the guard's state. */
struct holdings {
  struct kiln_share_held *first;
};

/* ---- what is held ---- */

/* Descriptions are shared with a forked child: it closes its copies before it takes anything, never unlocks. */
static void
let_go_of_the_parents(struct kiln_guard_own *own)
{
  for (own = own->before; own; own = own->before) {
    struct holdings *holdings = own->state;
    while (holdings && holdings->first) {
      struct kiln_share_held *held = holdings->first;
      holdings->first = held->next;
      kiln_fd_close(held->fd);
      free(held);
    }
  }
}

static struct kiln_share_held *
hold(struct kiln_budget *budget, int fd)
{
  struct kiln_share_held *held = malloc(sizeof *held);
  struct kiln_guard_own *own = kiln_guard_lock(&budget->guard);
  if (own && !own->state) {
    own->state = calloc(1, sizeof(struct holdings));
    let_go_of_the_parents(own);
  }
  struct holdings *holdings = own ? own->state : NULL;
  if (held && holdings) {
    *held = (struct kiln_share_held){holdings->first, fd};
    holdings->first = held;
  } else {
    free(held);
    held = NULL;
  }
  kiln_guard_unlock(own);
  return held;
}

static void
let_go(struct kiln_budget *budget, struct kiln_share_held *held)
{
  struct kiln_guard_own *own = kiln_guard_lock(&budget->guard);
  struct holdings *holdings = own ? own->state : NULL;
  struct kiln_share_held **at = holdings ? &holdings->first : NULL;
  while (at && *at && *at != held)
    at = &(*at)->next;
  if (at && *at)
    *at = held->next;
  kiln_guard_unlock(own);
  free(held);
}

/* ---- one try ---- */

struct wait {
  struct kiln *kiln;
  struct kiln_budget *budget;
  const struct kiln_budget_request *request;
  int fd;
  uint64_t places, units, bytes; /* what is wanted */
  uint64_t begin_ns, logged_ns, beaten_ns;
  bool in_line, short_of_memory;
};

/* More than there is means everything there is: it runs alone. */
static void
count_wants(struct wait *wait)
{
  const struct kiln_budget *budget = wait->budget;
  const uint64_t threads = wait->request->threads > 0 ? wait->request->threads : 1;
  const uint64_t need = wait->request->need_bytes;
  wait->places = threads < budget->places ? threads : budget->places;
  wait->bytes = need < KILN_UNLIMITED / threads ? need * threads : KILN_UNLIMITED;
  wait->units = 0;
  if (budget->memory_bytes == KILN_UNLIMITED)
    return;
  const uint64_t most = kiln_budget_units(budget->memory_bytes);
  wait->units = kiln_budget_units(wait->bytes);
  wait->units = wait->units < most ? wait->units : most;
}

/* The machine may be full of what kiln did not start. One build always goes on. */
static bool
fits_now(const struct wait *wait, bool alone)
{
  const char *root = wait->kiln->options.system_root;
  return alone || !wait->budget->brakes ||
         kiln_capacity_available(root ? root : "", &wait->budget->capacity) >= wait->bytes;
}

static enum kiln_slot_answer
try_once(struct wait *wait)
{
  const struct kiln_slot_row places = {KILN_BUDGET_PLACES, wait->budget->places};
  const bool alone = kiln_slots_all_free(wait->fd, &all_places);
  enum kiln_slot_answer answer = kiln_slots_take(wait->fd, &places, wait->places);
  wait->short_of_memory = answer == KILN_SLOTS_TAKEN;
  if (answer != KILN_SLOTS_TAKEN || wait->units == 0)
    return answer;
  const struct kiln_slot_row memory = {KILN_BUDGET_MEMORY, kiln_budget_units(wait->budget->memory_bytes)};
  answer = kiln_slots_take(wait->fd, &memory, wait->units);
  if (answer == KILN_SLOTS_TAKEN && !fits_now(wait, alone)) {
    kiln_slots_give(wait->fd, &memory);
    answer = KILN_SLOTS_BUSY;
  }
  if (answer != KILN_SLOTS_TAKEN)
    kiln_slots_give(wait->fd, &places);
  return answer;
}

/* ---- the line ---- */

static enum kiln_slot_answer
line_up(struct wait *wait)
{
  if (!wait->in_line) {
    const enum kiln_slot_answer answer = kiln_slots_take(wait->fd, &the_line, 1);
    if (answer == KILN_SLOTS_UNAVAILABLE)
      return answer;
    wait->in_line = answer == KILN_SLOTS_TAKEN;
  }
  /* A head of the line that shows no life is passed. */
  if (wait->in_line || (wait->begin_ns > 0 && kiln_clock_now() - wait->begin_ns > QUIET_NS &&
                           kiln_slots_quiet(wait->fd, KILN_PULSE_LINE) > QUIET_S))
    return try_once(wait);
  return KILN_SLOTS_BUSY;
}

static void
say_waiting(struct wait *wait, uint64_t now)
{
  if (now - wait->logged_ns < LOG_NS)
    return;
  wait->logged_ns = now;
  const struct kiln_slot_row places = {KILN_BUDGET_PLACES, wait->budget->places};
  const double waited_s = (double)(now - wait->begin_ns) / 1e9;
  if (wait->in_line && wait->short_of_memory)
    kiln_log(wait->kiln, KILN_LOG_INFO, "'%s' waits for memory since %.0f s: it needs %.2f GiB", wait->request->name,
        waited_s, (double)wait->bytes / (double)((uint64_t)1 << 30));
  else
    kiln_log(wait->kiln, KILN_LOG_INFO, "'%s' waits for a place since %.0f s: %u of %u are free", wait->request->name,
        waited_s, (unsigned)kiln_slots_free(wait->fd, &places), wait->budget->places);
}

/* Everybody who holds something shows no life: whoever waits for them waits for ever. */
static bool
must_pass(const struct wait *wait, uint64_t now)
{
  if (now - wait->begin_ns < QUIET_NS || kiln_slots_quiet(wait->fd, KILN_PULSE_HELD) < QUIET_S ||
      (!wait->in_line && kiln_slots_quiet(wait->fd, KILN_PULSE_LINE) < QUIET_S))
    return false;
  kiln_log(wait->kiln, KILN_LOG_WARNING, "'%s' is built beyond the budget: who holds its places shows no life",
      wait->request->name);
  return true;
}

/* One pause; false: do not wait any more. */
static bool
pause_once(struct wait *wait)
{
  const uint64_t now = kiln_clock_now();
  if (wait->begin_ns == 0)
    wait->begin_ns = wait->logged_ns = now;
  if (must_pass(wait, now))
    return false;
  if (wait->in_line && now - wait->beaten_ns >= BEAT_NS) {
    wait->beaten_ns = now;
    kiln_slots_beat(wait->fd, KILN_PULSE_LINE);
  }
  say_waiting(wait, now);
  if (wait->request->tick)
    wait->request->tick(wait->request->context);
  kiln_clock_sleep(POLL_NS);
  return true;
}

/* KILN_OK: taken, or *passed: nothing is held. */
static enum kiln_status
wait_for_turn(struct wait *wait, bool *passed, struct kiln_error *error)
{
  *passed = false;
  for (;;) {
    const enum kiln_slot_answer answer = line_up(wait);
    *passed = answer == KILN_SLOTS_UNAVAILABLE;
    if (answer != KILN_SLOTS_BUSY)
      return KILN_OK;
    if (kiln_is_stopped(wait->kiln))
      return kiln_error_set(
          error, KILN_ERROR_INTERRUPTED, "'%s' was stopped on request before its turn came", wait->request->name);
    if (!pause_once(wait)) {
      *passed = true;
      return KILN_OK;
    }
  }
}

/* ---- public ---- */

enum kiln_status
kiln_budget_take(
    struct kiln *kiln, const struct kiln_budget_request *request, struct kiln_share *share, struct kiln_error *error)
{
  struct wait wait = {.kiln = kiln, .request = request};
  bool passed = true;
  *share = (struct kiln_share){.fd = -1};
  enum kiln_status status = kiln_budget_of(kiln, &wait.budget, error);
  if (status != KILN_OK)
    return status;
  wait.fd = kiln_slots_open(wait.budget->path);
  struct kiln_share_held *held = wait.fd >= 0 ? hold(wait.budget, wait.fd) : NULL;
  if (held) {
    count_wants(&wait);
    status = wait_for_turn(&wait, &passed, error);
  }
  if (status == KILN_OK && !passed) {
    kiln_slots_give(wait.fd, &the_line);
    kiln_slots_beat(wait.fd, KILN_PULSE_HELD);
    *share = (struct kiln_share){wait.budget, held, wait.fd, kiln_process_id()};
    return KILN_OK;
  }
  if (held)
    let_go(wait.budget, held);
  kiln_slots_close(wait.fd);
  return status;
}

void
kiln_budget_refresh(const struct kiln_share *share)
{
  if (share->held && share->pid == kiln_process_id())
    kiln_slots_beat(share->fd, KILN_PULSE_HELD);
}

void
kiln_budget_return(struct kiln_share *share)
{
  if (share->held && share->pid == kiln_process_id()) {
    let_go(share->budget, share->held);
    kiln_slots_close(share->fd);
  }
  *share = (struct kiln_share){.fd = -1};
}
