#include "agents/preload/count.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "agents/preload/agent.h"
#include "os/clock.h"
#include "os/process.h"
#include "os/shared.h"

_Static_assert(sizeof(struct kiln_thunk) == 64, "thunk.S multiplies by 64");
_Static_assert(offsetof(struct kiln_thunk, target) == 0 && offsetof(struct kiln_thunk, last) == 8 &&
                   offsetof(struct kiln_thunk, offset) == 16 && offsetof(struct kiln_thunk, kind) == 20,
    "thunk.S reads these");
_Static_assert(offsetof(struct kiln_counter_slot, count) == 0 && offsetof(struct kiln_counter_slot, dim) == 16,
    "thunk.S reads these");

/* Slots looked at before a launch is counted under "other dims": probing a full table would cost microseconds. */
#define PROBES 16
#define DIM_FACTOR UINT64_C(0x9E3779B97F4A7C15)
#define SIGNATURE_FACTOR UINT64_C(0xC2B2AE3D27D4EB4F)

struct kiln_thunk kiln_thunk_table[KILN_THUNKS];
uint32_t *kiln_thunk_process;

static struct kiln_counters *counters; /* NULL before the first lookup; the address never changes after */
static struct signature {
  uint32_t at, len;
} signatures[KILN_COUNTERS_SLOTS]; /* where the names lie; not read back from the file, which others can write */
static uint32_t signature_count, name_bytes;
static char saved_names[KILN_COUNTERS_NAMES];

/* A new file for this process, at `at` unless NULL; private memory when the disk does not allow it. */
static struct kiln_counters *
counters_map(struct kiln_counters *at)
{
  char path[sizeof kiln_agent.writer.folder + 64];
  int pid = kiln_process_id();
  uint64_t start = kiln_event_writer_start(&kiln_agent.writer);
  snprintf(path, sizeof path, "%s/%d.%" PRIu64 ".count", kiln_agent.writer.folder, pid, start);
  struct kiln_counters *map = kiln_shared_create(path, sizeof *map, at);
  if (map == NULL) {
    map = kiln_shared_anonymous(sizeof *map, at);
    kiln_agent_hook_error("counters", "the counter file cannot be created: launches of this process are lost");
  }
  if (map == NULL)
    return NULL;
  memcpy(map->magic, KILN_COUNTERS_MAGIC, sizeof map->magic);
  map->pid = (uint32_t)pid;
  map->slots = KILN_COUNTERS_SLOTS;
  map->start_ns = start;
  return map;
}

/* A forked child still has its parent's counters mapped. Give it its own at the same address, with the same names. */
static void
counters_adopt(void)
{
  memcpy(saved_names, counters->names, name_bytes);
  for (uint32_t i = 0; i < KILN_THUNKS; i++)
    kiln_thunk_table[i].last = NULL;
  if (counters_map(counters) == NULL)
    return; /* cannot happen: the range is ours; if it does, the parent counts */
  memcpy(counters->names, saved_names, name_bytes);
  __atomic_store_n(&counters->names_used, name_bytes, __ATOMIC_RELEASE);
}

static void
counters_enter(void)
{
  uint32_t state = __atomic_load_n(kiln_thunk_process, __ATOMIC_ACQUIRE);
  while (state != KILN_THUNK_READY) {
    uint32_t fresh = KILN_THUNK_FRESH;
    if (state == KILN_THUNK_FRESH && __atomic_compare_exchange_n(kiln_thunk_process, &fresh, KILN_THUNK_BUSY, false,
                                         __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
      counters_adopt();
      __atomic_store_n(kiln_thunk_process, KILN_THUNK_READY, __ATOMIC_RELEASE);
      return;
    }
    kiln_clock_sleep(1000);
    state = __atomic_load_n(kiln_thunk_process, __ATOMIC_ACQUIRE);
  }
}

/* Index of the slot with this key among the next ones, taken if one is free; KILN_COUNTERS_SLOTS: all are others'.
 */
static uint64_t
slot_probe(uint64_t key, uint64_t dim, uint32_t signature)
{
  for (uint32_t i = 0; i < PROBES; i++) {
    uint64_t index = ((key >> 32) + i) % KILN_COUNTERS_SLOTS;
    struct kiln_counter_slot *slot = &counters->slot[index];
    uint64_t seen = __atomic_load_n(&slot->key, __ATOMIC_ACQUIRE);
    if (seen == 0 && __atomic_compare_exchange_n(&slot->key, &seen, key, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
      slot->signature = signature;
      slot->first_ns = kiln_clock_now();
      __atomic_store_n(&slot->dim, dim, __ATOMIC_RELEASE);
      return index;
    }
    if (seen == key)
      return index;
  }
  return KILN_COUNTERS_SLOTS;
}

static struct kiln_counter_slot *
slot_find(uint64_t dim, uint32_t signature)
{
  uint64_t base = ((uint64_t)signature + 1) * SIGNATURE_FACTOR;
  uint64_t key = (dim * DIM_FACTOR) ^ base;
  uint64_t index = slot_probe(key == 0 ? 1 : key, dim, signature);
  if (index == KILN_COUNTERS_SLOTS)
    index = slot_probe(base | 1, KILN_COUNTERS_OTHER_DIM, signature);
  return index == KILN_COUNTERS_SLOTS ? NULL : &counters->slot[index];
}

static struct kiln_counter_slot *
launch_add(uint64_t dim, uint32_t signature, uint64_t times)
{
  struct kiln_counter_slot *slot = slot_find(dim, signature);
  if (slot != NULL)
    __atomic_fetch_add(&slot->count, times, __ATOMIC_RELAXED);
  else
    __atomic_fetch_add(&counters->overflow, times > UINT32_MAX ? UINT32_MAX : (uint32_t)times, __ATOMIC_RELAXED);
  return slot;
}

void
kiln_thunk_count(struct kiln_thunk *thunk, const void *first, const void *stack)
{
  int saved = errno;
  counters_enter();
  const char *bounds = thunk->kind == KILN_THUNK_STACK ? (const char *)stack + 8 : (const char *)first;
  uint64_t dim;
  memcpy(&dim, bounds + thunk->offset, sizeof dim);
  __atomic_store_n(&thunk->last, launch_add(dim, thunk->signature, 1), __ATOMIC_RELEASE);
  errno = saved;
}

void
kiln_count_launch(uint32_t signature, uint64_t dim, uint64_t times)
{
  if (signature >= signature_count) /* there are none before the counters are open */
    return;
  counters_enter();
  (void)launch_add(dim, signature, times);
}

uint64_t
kiln_count_total(void)
{
  uint64_t total = 0;
  /* A forked child that has launched nothing still has its parent's file mapped. */
  if (counters == NULL || __atomic_load_n(kiln_thunk_process, __ATOMIC_ACQUIRE) != KILN_THUNK_READY)
    return 0;
  for (uint32_t i = 0; i < KILN_COUNTERS_SLOTS; i++)
    total += __atomic_load_n(&counters->slot[i].count, __ATOMIC_RELAXED);
  return total + __atomic_load_n(&counters->overflow, __ATOMIC_RELAXED);
}

static bool
counters_open(void)
{
  static uint32_t always_ready = KILN_THUNK_READY;
  if (counters != NULL)
    return true;
  counters = counters_map(NULL);
  if (counters == NULL)
    return false;
  kiln_thunk_process = kiln_shared_wiped_on_fork();
  if (kiln_thunk_process == NULL) {
    kiln_thunk_process = &always_ready;
    kiln_agent_error("counters", "this kernel cannot tell a forked child apart: its launches count as its parent's");
  }
  *kiln_thunk_process = KILN_THUNK_READY;
  return true;
}

/* Append a record to the name area. False when it is full. */
static bool
signature_add(const char *name, size_t len)
{
  size_t size = (sizeof(struct kiln_counter_name) + len + 7) / 8 * 8;
  if (signature_count == KILN_COUNTERS_SLOTS || size > sizeof counters->names - name_bytes)
    return false;
  struct kiln_counter_name record = {signature_count, (uint32_t)len};
  char *at = counters->names + name_bytes;
  memcpy(at, &record, sizeof record);
  memcpy(at + sizeof record, name, len);
  signatures[signature_count].at = name_bytes + (uint32_t)sizeof record;
  signatures[signature_count].len = (uint32_t)len;
  signature_count++;
  name_bytes += (uint32_t)size;
  __atomic_store_n(&counters->names_used, name_bytes, __ATOMIC_RELEASE);
  return true;
}

bool
kiln_count_signature(const char *name, size_t len, struct kiln_count_answer *answer)
{
  answer->is_new = false;
  if (!counters_open())
    return false;
  counters_enter();
  for (uint32_t i = 0; i < signature_count; i++)
    if (signatures[i].len == len && memcmp(counters->names + signatures[i].at, name, len) == 0) {
      answer->signature = i;
      return true;
    }
  answer->signature = signature_count;
  answer->is_new = true;
  if (signature_add(name, len))
    return true;
  __atomic_fetch_add(&counters->overflow, 1, __ATOMIC_RELAXED);
  return false;
}

/* The thunk that already counts this kernel, else a free one. NULL when the pool is used up. */
static struct kiln_thunk *
thunk_find(uint64_t address, uint32_t signature)
{
  struct kiln_thunk *unused = NULL;
  for (uint32_t i = 0; i < KILN_THUNKS; i++) {
    struct kiln_thunk *thunk = &kiln_thunk_table[i];
    if (!thunk->used)
      unused = unused == NULL ? thunk : unused;
    else if ((uint64_t)(uintptr_t)thunk->target == address && thunk->signature == signature)
      return thunk;
  }
  return unused;
}

bool
kiln_count_thunk(const struct kiln_count_request *request, struct kiln_count_answer *answer)
{
  answer->address = request->address;
  if (kiln_thunk_code(0) == NULL || !kiln_count_signature(request->name, request->len, answer))
    return false;
  struct kiln_thunk *thunk = thunk_find(request->address, answer->signature);
  if (thunk == NULL) {
    __atomic_fetch_add(&counters->overflow, 1, __ATOMIC_RELAXED);
    return false;
  }
  if (!thunk->used) {
    thunk->target = (void *)(uintptr_t)request->address;
    thunk->offset = request->offset;
    thunk->kind = request->kind;
    thunk->signature = answer->signature;
    thunk->last = NULL;
    thunk->used = 1;
  }
  answer->address = (uint64_t)(uintptr_t)kiln_thunk_code((uint32_t)(thunk - kiln_thunk_table));
  return true;
}

void
kiln_count_release(uint64_t thunk_address)
{
  uint64_t first = (uint64_t)(uintptr_t)kiln_thunk_code(0);
  if (first == 0 || thunk_address < first)
    return;
  uint64_t size = (uint64_t)(uintptr_t)kiln_thunk_code(1) - first, index = (thunk_address - first) / size;
  if (index < KILN_THUNKS)
    kiln_thunk_table[index].used = 0;
}
