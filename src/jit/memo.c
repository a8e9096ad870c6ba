#include "jit/memo.h"

#include <stdlib.h>
#include <string.h>

#include "os/clock.h"
#include "os/file.h"

/* Beyond this many a spec is one whose files change all the time: nothing more is kept. */
#define MOST_MEMOS 64
/* A file may change twice within one tick of its file system's clock: so young a time says nothing, and is kept as 0.
 */
#define RACY_NS UINT64_C(2000000000)

struct kiln_spec_memo {
  const struct kiln *kiln;
  uint64_t serial;
  struct kiln_digest request;
  struct kiln_spec_memo *next;
  size_t depth, count;
  struct kiln_memo_file files[];
};

bool
kiln_memo_file_look(struct kiln_memo_file *file, const char *path)
{
  struct kiln_file_info info;
  if (kiln_file_target_info(path, &info, NULL) != KILN_OK)
    return false;
  const uint64_t now = kiln_clock_real();
  const bool young = info.mtime_ns + RACY_NS > now;
  *file = (struct kiln_memo_file){path, info.size, info.inode, young ? 0 : info.mtime_ns};
  return true;
}

bool
kiln_memo_file_same(const struct kiln_memo_file *file)
{
  struct kiln_memo_file now;
  return file->mtime_ns != 0 && kiln_memo_file_look(&now, file->path) && now.size == file->size &&
         now.inode == file->inode && now.mtime_ns == file->mtime_ns;
}

static bool
still_true(const struct kiln_spec_memo *memo)
{
  for (size_t i = 0; i < memo->count; i++)
    if (!kiln_memo_file_same(&memo->files[i]))
      return false;
  return true;
}

bool
kiln_memo_recall(const struct kiln *kiln, const struct kiln_spec *spec, struct kiln_digest *request)
{
  const struct kiln_spec_memo *memo = atomic_load_explicit(&spec->memos, memory_order_acquire);
  while (memo && (memo->kiln != kiln || memo->serial != kiln->serial))
    memo = memo->next;
  if (!memo || !still_true(memo))
    return false;
  *request = memo->request;
  return true;
}

void
kiln_memo_keep(const struct kiln *kiln, const struct kiln_spec *spec, const struct kiln_digest *request,
    const struct kiln_memo_file *files, size_t count)
{
  /* The list is a cache inside an object that is otherwise constant to its users. */
  struct kiln_spec *owner = (struct kiln_spec *)spec;
  struct kiln_spec_memo *head = atomic_load(&owner->memos);
  if (head && head->depth >= MOST_MEMOS)
    return;
  struct kiln_spec_memo *memo = malloc(sizeof *memo + count * sizeof *files);
  if (!memo)
    return;
  *memo = (struct kiln_spec_memo){.kiln = kiln, .serial = kiln->serial, .request = *request, .count = count};
  if (count > 0)
    memcpy(memo->files, files, count * sizeof *files);
  do {
    memo->next = head;
    memo->depth = head ? head->depth + 1 : 1;
  } while (!atomic_compare_exchange_weak(&owner->memos, &head, memo));
}

void
kiln_memo_forget(struct kiln_spec *spec)
{
  struct kiln_spec_memo *memo = atomic_exchange(&spec->memos, NULL);
  while (memo) {
    struct kiln_spec_memo *next = memo->next;
    free(memo);
    memo = next;
  }
}
