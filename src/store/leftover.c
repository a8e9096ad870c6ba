#include "store/leftover.h"

#include "base/text.h"
#include "os/clock.h"
#include "os/publish.h"
#include "store/files.h"
#include "store/request.h"
#include "store/request_text.h"

#define NS_PER_S 1000000000ull
#define NS_PER_DAY (86400 * NS_PER_S)
#define REQUEST_LIFE_NS (90 * NS_PER_DAY)
#define QUARANTINE_LIFE_NS (30 * NS_PER_DAY)
#define NOTE_LIFE_NS NS_PER_DAY
#define FAILURE_LIFE_NS (3600 * NS_PER_S)

struct cleaning {
  struct kiln_store *store;
  uint64_t now, removed;
};

static bool
is_older(const struct cleaning *cleaning, const struct kiln_file_info *info, uint64_t life_ns)
{
  return info->kind == KILN_FILE_REGULAR && info->mtime_ns + life_ns < cleaning->now;
}

static void
discard(struct cleaning *cleaning, const char *path)
{
  cleaning->removed += kiln_file_remove(path, NULL) == KILN_OK;
}

static bool
entry_exists(struct kiln_store *store, const struct kiln_digest *key)
{
  struct kiln_buf relative, path;
  bool exists = false;
  kiln_buf_init(&relative);
  kiln_buf_init(&path);
  kiln_store_name(&relative, "entries", key);
  for (size_t i = 0; i < store->count && !exists; i++)
    exists = kiln_file_exists(kiln_location_path(store, i, kiln_buf_text(&relative), &path));
  kiln_buf_release(&relative);
  kiln_buf_release(&path);
  return exists;
}

/* A record in use is not written again, so its age alone says nothing: it goes with its entry. */
static bool
is_useless(struct kiln_store *store, const char *path)
{
  struct kiln_request_record record;
  struct kiln_digest request, toolchain;
  struct kiln_buf content;
  bool useless = true;
  kiln_request_record_init(&record);
  kiln_buf_init(&content);
  enum kiln_read_result result = kiln_store_read(store, path, KILN_REQUEST_MAX_BYTES, &content, NULL, NULL);
  if (result == KILN_READ_FAILED)
    useless = false;
  else if (result == KILN_READ_DONE && kiln_request_name_parse(kiln_text_base_name(path), &request, &toolchain) &&
           kiln_request_parse(&content, &request, &toolchain, &record))
    useless = !entry_exists(store, &record.entry);
  kiln_request_record_release(&record);
  kiln_buf_release(&content);
  return useless;
}

static bool
clean_request(void *context, const char *path, const struct kiln_file_info *info)
{
  struct cleaning *cleaning = context;
  if (info->kind == KILN_FILE_FOLDER && info->mtime_ns + REQUEST_LIFE_NS < cleaning->now)
    (void)kiln_folder_remove_empty(path); /* what is not empty stays */
  if (is_older(cleaning, info, REQUEST_LIFE_NS) && is_useless(cleaning->store, path))
    discard(cleaning, path);
  return true;
}

static bool
clean_failure(void *context, const char *path, const struct kiln_file_info *info)
{
  struct cleaning *cleaning = context;
  if (is_older(cleaning, info, FAILURE_LIFE_NS))
    discard(cleaning, path);
  return true;
}

/* Never a lock file: whoever has it open would lock another one than whoever comes next. */
static bool
clean_note(void *context, const char *path, const struct kiln_file_info *info)
{
  struct cleaning *cleaning = context;
  if (kiln_text_ends(path, ".owner") && is_older(cleaning, info, NOTE_LIFE_NS))
    discard(cleaning, path);
  return true;
}

static bool
clean_quarantine(void *context, const char *path, const struct kiln_file_info *info)
{
  struct cleaning *cleaning = context;
  if (is_older(cleaning, info, QUARANTINE_LIFE_NS))
    discard(cleaning, path);
  return true;
}

uint64_t
kiln_leftovers_remove(struct kiln_store *store)
{
  static const struct {
    const char *folder;
    int depth;
    kiln_folder_visit *clean;
  } kinds[] = {{"requests", 2, clean_request}, {"failed", 2, clean_failure}, {"locks", 1, clean_note},
      {"quarantine", 1, clean_quarantine}};
  struct cleaning cleaning = {.store = store, .now = kiln_clock_real()};
  struct kiln_buf path;
  kiln_buf_init(&path);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    (void)kiln_folder_walk(
        kiln_store_path(store, kinds[i].folder, &path), kinds[i].depth, kinds[i].clean, &cleaning, NULL);
  kiln_buf_release(&path);
  return cleaning.removed;
}
