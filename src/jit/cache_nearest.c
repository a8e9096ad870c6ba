#include "jit/cache_nearest.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "jit/cache_item.h"
#include "os/clock.h"

#define LOOK_AT_CLOCK 256 /* entries */

struct field {
  const char *tag, *value;
  bool matched;
};

struct fields {
  struct field *items;
  size_t count, capacity;
};

bool
kiln_field_is_late(const char *tag)
{
  return kiln_text_equal(tag, "toolchain identity") || kiln_text_starts(tag, "system ") ||
         kiln_text_starts(tag, "root ");
}

static bool
add(struct fields *fields, const char *tag, const char *value, bool early)
{
  if (early && kiln_field_is_late(tag))
    return true;
  if (!KILN_GROW(fields->items, fields->count, fields->capacity))
    return false;
  fields->items[fields->count++] = (struct field){tag, value, false};
  return true;
}

static int
by_tag_and_value(const void *a, const void *b)
{
  const struct field *x = a, *y = b;
  int order = strcmp(x->tag, y->tag);
  return order ? order : strcmp(x->value, y->value);
}

static bool
of_key(struct fields *fields, const struct kiln_nearest_request *request)
{
  size_t i;
  for (i = 0; i < request->key->count; i++) {
    if (!add(fields, request->key->fields[i].tag, request->key->fields[i].value, request->early))
      return false;
  }
  return true;
}

static bool
of_manifest(struct fields *fields, const struct cJSON *manifest, bool early)
{
  const struct cJSON *field;
  for (field = kiln_json_first(kiln_json_get(manifest, "fields")); field; field = kiln_json_next(field)) {
    if (!add(fields, kiln_json_get_string(field, "tag", ""), kiln_json_get_string(field, "value", ""), early))
      return false;
  }
  return true;
}

static void
sort(struct fields *fields)
{
  if (fields->count > 0)
    qsort(fields->items, fields->count, sizeof *fields->items, by_tag_and_value);
}

/* Mark what both sorted lists hold; how many. */
static size_t
match(struct fields *here, struct fields *there)
{
  size_t i = 0, k = 0, equal = 0;
  while (i < here->count && k < there->count) {
    int order = by_tag_and_value(&here->items[i], &there->items[k]);
    if (order == 0) {
      here->items[i].matched = there->items[k].matched = true;
      equal++;
    }
    i += order <= 0;
    k += order >= 0;
  }
  return equal;
}

/* ---- the nearest ---- */

struct search {
  const struct kiln_nearest_request *request;
  struct fields here;
  struct kiln_nearest *nearest;
  bool same_name, failed;
  uint64_t deadline;
};

static void
take(struct search *search, const struct kiln_cache_item *item, const char *path, size_t equal, bool same_name)
{
  struct kiln_nearest *nearest = search->nearest;
  nearest->found = true;
  nearest->equal = equal;
  memcpy(nearest->key, item->key, sizeof nearest->key);
  nearest->name = kiln_arena_strdup(&nearest->arena, kiln_json_get_string(item->manifest, "name", "?"));
  nearest->path = kiln_arena_strdup(&nearest->arena, path);
  search->same_name = same_name;
  search->failed = nearest->arena.failed;
}

/* Equally near: the spec's own name first, then the smaller key, so that the answer does not change by itself. */
static bool
nearer(const struct search *search, const struct kiln_cache_item *item, size_t equal, bool same_name)
{
  const struct kiln_nearest *nearest = search->nearest;
  if (!nearest->found || equal != nearest->equal)
    return !nearest->found || equal > nearest->equal;
  if (same_name != search->same_name)
    return same_name;
  return strcmp(item->key, nearest->key) < 0;
}

/* Asked only of those that would be the nearest: few are read as a whole. */
static bool
is_sound(const char *path)
{
  struct kiln_cache_item item;
  char reason[KILN_CACHE_REASON_SIZE];
  if (kiln_cache_item_read(path, false, &item, reason, NULL) != KILN_CACHE_ITEM_READ)
    return false;
  kiln_cache_item_release(&item);
  return true;
}

static bool
consider(void *context, const char *path, bool in_layer)
{
  struct search *search = context;
  struct kiln_cache_item item;
  struct fields there = {0};
  char reason[KILN_CACHE_REASON_SIZE];
  bool same_name;
  size_t equal;
  (void)in_layer;
  if (++search->nearest->looked_at % LOOK_AT_CLOCK == 0 && kiln_clock_now() > search->deadline) {
    search->nearest->cut = true;
    return false;
  }
  if (kiln_cache_item_peek(path, false, &item, reason, NULL) != KILN_CACHE_ITEM_READ)
    return true;
  if (of_manifest(&there, item.manifest, search->request->early)) {
    sort(&there);
    equal = match(&search->here, &there);
    same_name = kiln_text_equal(kiln_json_get_string(item.manifest, "name", NULL), search->request->name);
    if (nearer(search, &item, equal, same_name) && is_sound(path))
      take(search, &item, path, equal, same_name);
  } else
    search->failed = true;
  free(there.items);
  kiln_cache_item_release(&item);
  return !search->failed;
}

/* ---- what differs ---- */

static bool
differ(struct kiln_nearest *nearest, const char *tag, const char *here, const char *there)
{
  struct kiln_field_difference *difference;
  if (!KILN_GROW(nearest->differences, nearest->count, nearest->capacity))
    return false;
  difference = &nearest->differences[nearest->count++];
  difference->tag = kiln_arena_strdup(&nearest->arena, tag);
  difference->here = kiln_arena_strdup(&nearest->arena, here);
  difference->there = kiln_arena_strdup(&nearest->arena, there);
  return !nearest->arena.failed;
}

/* The next field without a match, from i on. */
static size_t
unmatched(const struct fields *fields, size_t i)
{
  while (i < fields->count && fields->items[i].matched)
    i++;
  return i;
}

/* Leftovers of both lists, paired where their tags are equal. */
static bool
list_leftovers(struct kiln_nearest *nearest, const struct fields *here, const struct fields *there)
{
  size_t i = unmatched(here, 0), k = unmatched(there, 0);
  bool fits = true;
  while (fits && (i < here->count || k < there->count)) {
    const struct field *left = i < here->count ? &here->items[i] : NULL;
    const struct field *right = k < there->count ? &there->items[k] : NULL;
    int order = !left ? 1 : !right ? -1 : strcmp(left->tag, right->tag);
    fits = differ(nearest, order <= 0 ? left->tag : right->tag, order <= 0 ? left->value : NULL,
        order >= 0 ? right->value : NULL);
    i = order <= 0 ? unmatched(here, i + 1) : i;
    k = order >= 0 ? unmatched(there, k + 1) : k;
  }
  return fits;
}

/* The same fields in another order: say where. */
static bool
list_moved(struct kiln_nearest *nearest, const struct fields *here, const struct fields *there)
{
  size_t i;
  bool fits = true;
  for (i = 0; fits && i < here->count && i < there->count; i++) {
    if (by_tag_and_value(&here->items[i], &there->items[i]) != 0)
      fits = differ(nearest, here->items[i].tag, here->items[i].value, there->items[i].value);
  }
  return fits;
}

static bool
list_differences(struct search *search, const struct cJSON *manifest)
{
  const struct kiln_nearest_request *request = search->request;
  struct fields here = {0}, there = {0};
  bool fits = of_key(&here, request) && of_manifest(&there, manifest, request->early);
  if (fits) {
    sort(&here);
    sort(&there);
    match(&here, &there);
    fits = list_leftovers(search->nearest, &here, &there);
  }
  here.count = there.count = 0;
  if (fits && search->nearest->count == 0)
    fits = of_key(&here, request) && of_manifest(&there, manifest, request->early) &&
           list_moved(search->nearest, &here, &there);
  free(here.items);
  free(there.items);
  return fits;
}

static void
compare(struct search *search)
{
  struct kiln_cache_item item;
  char reason[KILN_CACHE_REASON_SIZE];
  if (kiln_cache_item_read(search->nearest->path, false, &item, reason, NULL) != KILN_CACHE_ITEM_READ) {
    search->nearest->found = false; /* removed meanwhile */
    return;
  }
  search->failed = !list_differences(search, item.manifest);
  kiln_cache_item_release(&item);
}

enum kiln_status
kiln_nearest_find(struct kiln *kiln, const struct kiln_nearest_request *request, struct kiln_nearest *nearest,
    struct kiln_error *error)
{
  struct search search = {.request = request, .nearest = nearest};
  enum kiln_status status = KILN_OK;
  memset(nearest, 0, sizeof *nearest);
  kiln_arena_init(&nearest->arena);
  search.deadline = kiln_clock_now() + request->patience_ns;
  search.failed = !of_key(&search.here, request);
  if (!search.failed) {
    sort(&search.here);
    status = kiln_cache_walk(kiln, consider, &search, error);
  }
  if (status == KILN_OK && !search.failed && nearest->found)
    compare(&search);
  free(search.here.items);
  if (status == KILN_OK && search.failed)
    status = kiln_error_set(error, KILN_ERROR_MEMORY, "Memory is short for comparing keys.");
  return status;
}

void
kiln_nearest_release(struct kiln_nearest *nearest)
{
  free(nearest->differences);
  nearest->differences = NULL;
  kiln_arena_release(&nearest->arena);
}
