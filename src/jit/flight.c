/*
 * A table of slots, open addressing. Readers take no lock: a slot is never moved or removed, its module pointer is
 * replaced as a whole, and a full table is replaced by a larger copy; old tables and replaced modules stay until the
 * cache is freed, so a reader can never hold something that is gone.
 *
 * Writers hold the guard. Flights belong to one process: a forked child begins with none (jit/guard.h).
 */
#include "jit/flight.h"

#include <stdlib.h>
#include <string.h>

#include "jit/guard.h"
#include "jit/module.h"

#define FIRST_SLOTS 64

struct slot {
  struct kiln_digest key;
  _Atomic(struct kiln_module *) module;
};

struct table {
  struct table *before;
  size_t size, count; /* size: a power of two */
  _Atomic(struct slot *) slots[];
};

struct flight {
  struct kiln_digest key;
  struct flight *next;
  unsigned waiters;
  bool landed;
  enum kiln_status status;
  struct kiln_module *module; /* a reference while somebody waits */
  struct kiln_error error;
};

/* What threads of one process share besides the table; guard's state. */
struct board {
  struct flight *flights;
};

struct kiln_module_cache {
  _Atomic(struct table *) table;
  struct kiln_guard guard;
  struct kiln_module *retired; /* replaced ones, by next_retired */
};

/* ---- the table ---- */

static size_t
start_of(const struct kiln_digest *key, size_t size)
{
  size_t at;
  memcpy(&at, key->bytes, sizeof at);
  return at & (size - 1);
}

static struct slot *
find_slot(const struct kiln_module_cache *cache, const struct kiln_digest *key)
{
  const struct table *table = atomic_load_explicit(&cache->table, memory_order_acquire);
  size_t at = start_of(key, table->size);
  struct slot *slot;
  while ((slot = atomic_load_explicit(&table->slots[at], memory_order_acquire)) != NULL) {
    if (memcmp(slot->key.bytes, key->bytes, sizeof key->bytes) == 0)
      return slot;
    at = (at + 1) & (table->size - 1);
  }
  return NULL;
}

static struct table *
table_new(size_t size)
{
  struct table *table = malloc(sizeof *table + size * sizeof table->slots[0]);
  if (!table)
    return NULL;
  *table = (struct table){.size = size};
  for (size_t i = 0; i < size; i++)
    atomic_init(&table->slots[i], NULL);
  return table;
}

static void
place(struct table *table, struct slot *slot)
{
  size_t at = start_of(&slot->key, table->size);
  while (atomic_load_explicit(&table->slots[at], memory_order_relaxed))
    at = (at + 1) & (table->size - 1);
  atomic_store_explicit(&table->slots[at], slot, memory_order_release);
  table->count++;
}

static struct table *
roomy_table(struct kiln_module_cache *cache)
{
  struct table *table = atomic_load(&cache->table);
  if ((table->count + 1) * 2 <= table->size)
    return table;
  struct table *larger = table_new(table->size * 2);
  if (!larger)
    return NULL;
  for (size_t i = 0; i < table->size; i++) {
    struct slot *slot = atomic_load_explicit(&table->slots[i], memory_order_relaxed);
    if (slot)
      place(larger, slot);
  }
  larger->before = table;
  atomic_store_explicit(&cache->table, larger, memory_order_release);
  return larger;
}

/* ---- life ---- */

struct kiln_module_cache *
kiln_module_cache_new(void)
{
  struct kiln_module_cache *cache = calloc(1, sizeof *cache);
  struct table *table = table_new(FIRST_SLOTS);
  if (!cache || !table || !kiln_guard_init(&cache->guard)) {
    free(table);
    free(cache);
    return NULL;
  }
  atomic_init(&cache->table, table);
  return cache;
}

static void
free_slots(struct table *table)
{
  for (size_t i = 0; i < table->size; i++) {
    struct slot *slot = atomic_load(&table->slots[i]);
    if (slot)
      kiln_module_release(atomic_load(&slot->module));
    free(slot);
  }
}

/* Of a child: flights that its parent had begun. */
static void
free_flights(struct kiln_module_cache *cache)
{
  for (struct kiln_guard_own *own = atomic_load(&cache->guard.own); own; own = own->before) {
    struct board *board = own->state;
    while (board && board->flights) {
      struct flight *flight = board->flights;
      board->flights = flight->next;
      free(flight);
    }
  }
}

void
kiln_module_cache_free(struct kiln_module_cache *cache)
{
  if (!cache)
    return;
  struct table *table = atomic_load(&cache->table);
  free_slots(table);
  while (table) {
    struct table *before = table->before;
    free(table);
    table = before;
  }
  while (cache->retired) {
    struct kiln_module *next = cache->retired->next_retired;
    kiln_module_release(cache->retired);
    cache->retired = next;
  }
  free_flights(cache);
  kiln_guard_release(&cache->guard);
  free(cache);
}

/* ---- publishing; the guard is held ---- */

static bool
publish(struct kiln_module_cache *cache, const struct kiln_digest *key, struct kiln_module *module)
{
  struct slot *slot = find_slot(cache, key);
  if (slot) {
    struct kiln_module *old = atomic_load(&slot->module);
    if (old == module)
      return true;
    old->next_retired = cache->retired;
    cache->retired = old;
    atomic_store_explicit(&slot->module, kiln_module_retain(module), memory_order_release);
    return true;
  }
  struct table *table = roomy_table(cache);
  slot = table ? malloc(sizeof *slot) : NULL;
  if (!slot)
    return false;
  slot->key = *key;
  atomic_init(&slot->module, kiln_module_retain(module));
  place(table, slot);
  return true;
}

/* ---- flights; the guard is held ---- */

static struct board *
board_of(struct kiln_guard_own *own)
{
  if (!own->state)
    own->state = calloc(1, sizeof(struct board));
  return own->state;
}

static struct flight *
flight_of(const struct board *board, const struct kiln_digest *key)
{
  struct flight *flight = board->flights;
  while (flight && !kiln_digest_equal(&flight->key, key))
    flight = flight->next;
  return flight;
}

static void
take_off_board(struct board *board, struct flight *flight)
{
  struct flight **at = &board->flights;
  while (*at != flight)
    at = &(*at)->next;
  *at = flight->next;
}

static void
flight_free(struct flight *flight)
{
  kiln_module_release(flight->module);
  free(flight);
}

/* Passenger: wait for the pilot, share its result. */
static enum kiln_status
wait_for(struct kiln_guard_own *own, struct flight *flight, struct kiln_module **module, struct kiln_error *error)
{
  flight->waiters++;
  while (!flight->landed)
    kiln_condition_wait(&own->condition, &own->mutex, -1);
  const enum kiln_status status = flight->status;
  if (status == KILN_OK)
    *module = kiln_module_retain(flight->module);
  else if (error)
    *error = flight->error;
  if (--flight->waiters == 0)
    flight_free(flight);
  return status;
}

struct request {
  struct kiln_module_cache *cache;
  const struct kiln_digest *key;
  kiln_flight_load *load;
  void *context;
};

static struct kiln_module *
current_of(const struct request *request)
{
  const struct slot *slot = find_slot(request->cache, request->key);
  return slot ? atomic_load_explicit(&slot->module, memory_order_acquire) : NULL;
}

/* Pilot: the guard is given up while loading. */
static enum kiln_status
fly(const struct request *request, struct kiln_guard_own *own, struct board *board, struct flight *flight,
    struct kiln_module **module, struct kiln_error *error)
{
  flight->next = board->flights;
  board->flights = flight;
  kiln_guard_unlock(own);
  flight->status = request->load(request->context, current_of(request), module, &flight->error);
  own = kiln_guard_lock(&request->cache->guard);
  if (flight->status == KILN_OK)
    (void)publish(request->cache, request->key, *module); /* short memory: the next thread that asks loads again */
  if (flight->status != KILN_OK && error)
    *error = flight->error;
  const enum kiln_status status = flight->status;
  take_off_board(board, flight);
  flight->landed = true;
  if (flight->waiters > 0) {
    flight->module = status == KILN_OK ? kiln_module_retain(*module) : NULL;
    if (own)
      kiln_condition_wake_all(&own->condition);
  } else {
    flight_free(flight);
  }
  return status;
}

static enum kiln_status
get_slowly(const struct request *request, struct kiln_module **module, struct kiln_error *error)
{
  enum kiln_status status;
  struct kiln_guard_own *own = kiln_guard_lock(&request->cache->guard);
  struct board *board = own ? board_of(own) : NULL;
  struct kiln_module *current = current_of(request);
  if (current && kiln_module_is_fresh(current)) {
    *module = kiln_module_retain(current);
    status = KILN_OK;
  } else if (!board) {
    status = kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for loading a module");
  } else if (flight_of(board, request->key)) {
    status = wait_for(own, flight_of(board, request->key), module, error);
  } else {
    struct flight *flight = calloc(1, sizeof *flight);
    if (flight) {
      flight->key = *request->key;
      status = fly(request, own, board, flight, module, error);
    } else {
      status = kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for loading a module");
    }
  }
  kiln_guard_unlock(own);
  return status;
}

struct kiln_module *
kiln_module_cache_peek(struct kiln_module_cache *cache, const struct kiln_digest *key)
{
  const struct request request = {.cache = cache, .key = key};
  struct kiln_module *current = current_of(&request);
  return current && kiln_module_is_fresh(current) ? kiln_module_retain(current) : NULL;
}

enum kiln_status
kiln_module_cache_get(struct kiln_module_cache *cache, const struct kiln_digest *key, kiln_flight_load *load,
    void *context, struct kiln_module **module, struct kiln_error *error)
{
  const struct request request = {cache, key, load, context};
  struct kiln_module *current = current_of(&request);
  *module = NULL;
  if (current && kiln_module_is_fresh(current)) {
    *module = kiln_module_retain(current);
    return KILN_OK;
  }
  return get_slowly(&request, module, error);
}
