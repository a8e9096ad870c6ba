#include "jit/failed.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "os/file.h"
#include "store/negative.h"

#define MOST_FILES 4000 /* in the folders of a spec; with more, failures are not remembered */
#define MOST_DEPTH 6

/* ---- the state of the folders ---- */

struct folders {
  uint64_t files, sum, newest_ns;
};

static bool
visit(void *context, const char *path, const struct kiln_file_info *info)
{
  struct folders *folders = context;
  uint64_t name = 0;
  for (; *path; path++)
    name = name * 131 + (unsigned char)*path;
  folders->files++;
  folders->sum += (name ^ info->size ^ info->mtime_ns) * UINT64_C(0x9e3779b97f4a7c15);
  if (info->mtime_ns > folders->newest_ns)
    folders->newest_ns = info->mtime_ns;
  return folders->files < MOST_FILES;
}

/* false: too much to look at. */
static bool
look(const struct kiln_plan *plan, struct folders *folders)
{
  *folders = (struct folders){0};
  for (size_t i = 0; i < plan->root_count && folders->files < MOST_FILES; i++)
    if (*plan->roots[i])
      kiln_folder_walk(plan->roots[i], MOST_DEPTH, visit, folders, NULL);
  return folders->files < MOST_FILES;
}

/* ---- the memory ---- */

struct kiln_digest
kiln_plan_build_key(const struct kiln_plan *plan)
{
  struct kiln_hasher hasher = plan->request_hasher;
  kiln_hasher_add(&hasher, plan->identity.bytes, sizeof plan->identity.bytes);
  return kiln_hasher_end(&hasher);
}

static void
stamp_text(const struct folders *folders, struct kiln_buf *text)
{
  kiln_buf_printf(text, "%" PRIu64 ".%" PRIx64, folders->files, folders->sum);
}

/* Three lines: stamp, what, remedy. */
static bool
parse(const struct kiln_plan *plan, char *message, struct kiln_error *error)
{
  struct folders folders;
  struct kiln_buf stamp;
  char *what = strchr(message, '\n'), *remedy = what ? strchr(what + 1, '\n') : NULL;
  if (!remedy)
    return false;
  *what++ = '\0';
  *remedy++ = '\0';
  remedy[strcspn(remedy, "\n")] = '\0';
  kiln_buf_init(&stamp);
  bool same = look(plan, &folders);
  stamp_text(&folders, &stamp);
  same = same && strcmp(kiln_buf_text(&stamp), message) == 0;
  kiln_buf_release(&stamp);
  if (same) {
    kiln_error_set(error, KILN_ERROR_COMMAND, "%s", what);
    kiln_error_advise(error, "%s", remedy);
  }
  return same;
}

bool
kiln_failed_recall(
    struct kiln *kiln, const struct kiln_spec *spec, const struct kiln_plan *plan, struct kiln_error *error)
{
  struct kiln_buf message;
  const struct kiln_digest key = kiln_plan_build_key(plan);
  if (!kiln->store || kiln->options.reuse == KILN_OFF)
    return false;
  kiln_buf_init(&message);
  const bool found = kiln_negative_read(kiln->store, &key, &message) && parse(plan, message.data, error);
  kiln_buf_release(&message);
  if (found)
    kiln_log(kiln, KILN_LOG_INFO, "'%s' failed to compile less than %d s ago; not tried again yet", spec->name,
        KILN_NEGATIVE_LIFE_S);
  return found;
}

/* A message is kept line by line. */
static void
one_line(struct kiln_buf *text, const char *sentence)
{
  for (; *sentence; sentence++)
    kiln_buf_append(text, *sentence == '\n' ? " " : sentence, 1);
  kiln_buf_append(text, "\n", 1);
}

void
kiln_failed_keep(struct kiln *kiln, const struct kiln_plan *plan, uint64_t begin_ns, const struct kiln_error *failure)
{
  struct folders folders;
  struct kiln_buf text;
  const struct kiln_digest key = kiln_plan_build_key(plan);
  if (!kiln->store || !look(plan, &folders) || folders.newest_ns >= begin_ns)
    return;
  kiln_buf_init(&text);
  stamp_text(&folders, &text);
  kiln_buf_append(&text, "\n", 1);
  one_line(&text, failure->what);
  one_line(&text, failure->remedy);
  if (!text.failed)
    (void)kiln_negative_write(kiln->store, &key, kiln_buf_text(&text), NULL);
  kiln_buf_release(&text);
}

void
kiln_failed_forget(struct kiln *kiln, const struct kiln_plan *plan)
{
  const struct kiln_digest key = kiln_plan_build_key(plan);
  if (kiln->store)
    kiln_negative_forget(kiln->store, &key);
}
