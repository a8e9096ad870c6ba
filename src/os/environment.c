#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "os/process.h"

void
kiln_environment_init(struct kiln_environment *env)
{
  *env = (struct kiln_environment){0};
}

void
kiln_environment_release(struct kiln_environment *env)
{
  for (unsigned long i = 0; i < env->count; i++)
    free(env->entries[i]);
  free(env->entries);
  kiln_environment_init(env);
}

/* Takes over entry (malloc'd, may be NULL after a failed allocation). */
static void
append(struct kiln_environment *env, char *entry)
{
  size_t capacity = env->capacity;
  /* count + 1: the closing NULL needs a place too */
  if (!entry || !KILN_GROW(env->entries, env->count + 1, capacity)) {
    env->failed = true;
    free(entry);
    return;
  }
  env->capacity = capacity;
  env->entries[env->count++] = entry;
  env->entries[env->count] = NULL;
}

void
kiln_environment_copy_current(struct kiln_environment *env)
{
  for (char **entry = environ; entry && *entry; entry++)
    append(env, strdup(*entry));
}

/* Index of the entry for name, count if there is none. */
static unsigned long
find(const struct kiln_environment *env, const char *name)
{
  size_t len = strlen(name);
  unsigned long i = 0;
  while (i < env->count && !(strncmp(env->entries[i], name, len) == 0 && env->entries[i][len] == '='))
    i++;
  return i;
}

void
kiln_environment_set(struct kiln_environment *env, const char *name, const char *value)
{
  size_t size = strlen(name) + strlen(value) + 2;
  char *entry = malloc(size);
  if (entry)
    snprintf(entry, size, "%s=%s", name, value);
  unsigned long at = find(env, name);
  if (at < env->count && entry) {
    free(env->entries[at]);
    env->entries[at] = entry;
  } else {
    append(env, entry);
  }
}

void
kiln_environment_unset(struct kiln_environment *env, const char *name)
{
  /* An environment may hold a name twice; none may stay. */
  for (unsigned long at = find(env, name); at < env->count; at = find(env, name)) {
    free(env->entries[at]);
    memmove(env->entries + at, env->entries + at + 1, (env->count - at) * sizeof *env->entries);
    env->count--;
  }
}

const char *
kiln_environment_get(const struct kiln_environment *env, const char *name)
{
  unsigned long at = find(env, name);
  return at < env->count ? env->entries[at] + strlen(name) + 1 : NULL;
}

const char *
kiln_environment_current(const char *name)
{
  return getenv(name);
}
