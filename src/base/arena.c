#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define CHUNK_SIZE ((size_t)64 * 1024)

struct kiln_arena_chunk {
  struct kiln_arena_chunk *next;
  size_t size, used; /* bytes of data */
  max_align_t data[];
};

void
kiln_arena_init(struct kiln_arena *arena)
{
  *arena = (struct kiln_arena){0};
}

void
kiln_arena_release(struct kiln_arena *arena)
{
  struct kiln_arena_chunk *chunk = arena->chunks;
  while (chunk) {
    struct kiln_arena_chunk *next = chunk->next;
    free(chunk);
    chunk = next;
  }
  kiln_arena_init(arena);
}

static struct kiln_arena_chunk *
chunk_new(struct kiln_arena *arena, size_t size)
{
  size_t wanted = size > CHUNK_SIZE ? size : CHUNK_SIZE;
  struct kiln_arena_chunk *chunk = calloc(1, sizeof *chunk + wanted);
  if (!chunk) {
    arena->failed = true;
    return NULL;
  }
  chunk->size = wanted;
  struct kiln_arena_chunk *head = arena->chunks;
  /* A large block goes behind the head, so that the head's remaining room is still used. */
  if (head && size > CHUNK_SIZE) {
    chunk->next = head->next;
    head->next = chunk;
  } else {
    chunk->next = head;
    arena->chunks = chunk;
  }
  return chunk;
}

void *
kiln_arena_alloc(struct kiln_arena *arena, size_t size)
{
  const size_t align = _Alignof(max_align_t);
  if (size > SIZE_MAX / 2) {
    arena->failed = true;
    return NULL;
  }
  size_t rounded = (size + align - 1) / align * align;
  struct kiln_arena_chunk *chunk = arena->chunks;
  if (!chunk || chunk->size - chunk->used < rounded)
    chunk = chunk_new(arena, rounded);
  if (!chunk)
    return NULL;
  void *block = (char *)chunk->data + chunk->used;
  chunk->used += rounded;
  return block;
}

char *
kiln_arena_copy(struct kiln_arena *arena, const char *text, size_t len)
{
  if (len == SIZE_MAX) {
    arena->failed = true;
    return NULL;
  }
  char *copy = kiln_arena_alloc(arena, len + 1);
  if (copy && len > 0)
    memcpy(copy, text, len);
  return copy;
}

char *
kiln_arena_strdup(struct kiln_arena *arena, const char *text)
{
  return text ? kiln_arena_copy(arena, text, strlen(text)) : NULL;
}

void
kiln_intern_init(struct kiln_intern *intern, struct kiln_arena *arena)
{
  *intern = (struct kiln_intern){.arena = arena};
}

void
kiln_intern_release(struct kiln_intern *intern)
{
  free(intern->slots);
  free(intern->hashes);
  kiln_intern_init(intern, intern->arena);
}

/* FNV-1a: short names, no secrets. */
static uint32_t
hash_text(const char *text)
{
  uint32_t hash = 2166136261U;
  for (const unsigned char *at = (const unsigned char *)text; *at; at++)
    hash = (hash ^ *at) * 16777619U;
  return hash;
}

/* First slot that holds the text or is free; the table always has free slots. */
static size_t
find_slot(const char *const *slots, const uint32_t *hashes, size_t capacity, const char *text, uint32_t hash)
{
  size_t at = hash & (capacity - 1);
  while (slots[at] && !(hashes[at] == hash && kiln_text_equal(slots[at], text)))
    at = (at + 1) & (capacity - 1);
  return at;
}

static bool
intern_grow(struct kiln_intern *intern)
{
  size_t capacity = intern->capacity ? intern->capacity * 2 : 64;
  const char **slots = calloc(capacity, sizeof *slots);
  uint32_t *hashes = calloc(capacity, sizeof *hashes);
  if (!slots || !hashes) {
    free(slots);
    free(hashes);
    return false;
  }
  for (size_t i = 0; i < intern->capacity; i++) {
    if (!intern->slots[i])
      continue;
    size_t at = find_slot(slots, hashes, capacity, intern->slots[i], intern->hashes[i]);
    slots[at] = intern->slots[i];
    hashes[at] = intern->hashes[i];
  }
  free(intern->slots);
  free(intern->hashes);
  intern->slots = slots;
  intern->hashes = hashes;
  intern->capacity = capacity;
  return true;
}

const char *
kiln_intern_text(struct kiln_intern *intern, const char *text)
{
  if (!text)
    return NULL;
  if (intern->used >= intern->capacity / 4 * 3 && !intern_grow(intern)) {
    intern->arena->failed = true;
    return NULL;
  }
  uint32_t hash = hash_text(text);
  size_t at = find_slot(intern->slots, intern->hashes, intern->capacity, text, hash);
  if (!intern->slots[at]) {
    char *copy = kiln_arena_strdup(intern->arena, text);
    if (!copy)
      return NULL;
    intern->slots[at] = copy;
    intern->hashes[at] = hash;
    intern->used++;
  }
  return intern->slots[at];
}

bool
kiln_array_grow(void **items, size_t count, size_t *capacity, size_t size)
{
  if (count < *capacity)
    return true;
  size_t wanted = *capacity < 8 ? 8 : *capacity * 2;
  if (wanted <= count || wanted > SIZE_MAX / 2 / size)
    return false;
  /* The caller's pointer has another type than void *: read and written by memcpy, which may alias anything. */
  void *old;
  memcpy(&old, items, sizeof old);
  void *grown = realloc(old, wanted * size);
  if (!grown)
    return false;
  memcpy(items, &grown, sizeof grown);
  *capacity = wanted;
  return true;
}
