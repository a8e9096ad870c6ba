#include "probe/sandbox_folder.h"

#include <string.h>

#include "base/text.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/lock.h"
#include "os/process.h"
#include "os/random.h"
#include "os/runner.h"
#include "os/user.h"

#define PREFIX "kiln-sandbox-"
#define SUFFIX_LENGTH 12
#define MARK "kiln sandbox\n"
#define DIGITS "0123456789abcdefghijklmnopqrstuvwxyz"
#define ATTEMPTS 50
#define PAUSE_NS UINT64_C(20000000)

/* What `owner` says about a folder. */
enum claim { CLAIM_NONE, CLAIM_EMPTY, CLAIM_OURS };

bool
kiln_sandbox_folder_name(const char *parent, struct kiln_buf *path)
{
  char name[sizeof PREFIX + SUFFIX_LENGTH] = PREFIX;
  uint64_t bits;
  if (!kiln_random_bits(&bits))
    return false;
  for (size_t i = 0; i < SUFFIX_LENGTH; i++, bits /= sizeof DIGITS - 1)
    name[sizeof PREFIX - 1 + i] = DIGITS[bits % (sizeof DIGITS - 1)];
  kiln_text_join(path, parent, name);
  return !path->failed;
}

static bool
name_is_ours(const char *name)
{
  return kiln_text_starts(name, PREFIX) && strlen(name) == sizeof PREFIX - 1 + SUFFIX_LENGTH &&
         strspn(name + sizeof PREFIX - 1, DIGITS) == SUFFIX_LENGTH;
}

static int
lock_owner(const char *folder)
{
  struct kiln_buf owner;
  kiln_buf_init(&owner);
  kiln_text_join(&owner, folder, KILN_SANDBOX_OWNER);
  int lock = owner.failed ? -1 : kiln_lock_try(owner.data);
  /* A sweeper may have taken it between its making and our lock: then the folder is its to remove. */
  if (lock >= 0 && (!kiln_file_exists(owner.data) || !kiln_fd_write(lock, MARK, strlen(MARK)))) {
    kiln_fd_close(lock);
    lock = -1;
  }
  kiln_buf_release(&owner);
  return lock;
}

int
kiln_sandbox_folder_make(const char *folder, struct kiln_error *error)
{
  if (kiln_folder_make_new(folder, error) != KILN_OK)
    return -1;
  const int lock = lock_owner(folder);
  if (lock < 0) {
    kiln_error_set(error, KILN_ERROR_ENVIRONMENT, "no locked file can be written in the temporary folder '%s'", folder);
    kiln_sandbox_folder_remove(folder, NULL);
  }
  return lock;
}

enum kiln_status
kiln_sandbox_folder_remove(const char *folder, struct kiln_error *error)
{
  return kiln_folder_remove_marked(folder, KILN_SANDBOX_OWNER, error);
}

static enum claim
read_claim(const char *owner)
{
  struct kiln_buf text;
  struct kiln_file_info info;
  enum claim claim = CLAIM_NONE;
  kiln_buf_init(&text);
  if (kiln_file_info(owner, &info, NULL) == KILN_OK && info.kind == KILN_FILE_REGULAR &&
      kiln_file_read(owner, sizeof MARK, &text, NULL) == KILN_OK) {
    if (text.len == 0)
      claim = CLAIM_EMPTY;
    else if (kiln_text_equal(kiln_buf_text(&text), MARK))
      claim = CLAIM_OURS;
  }
  kiln_buf_release(&text);
  return claim;
}

/* Also what a process of it writes while it is being killed. */
static bool
bury(const char *folder, struct kiln_sandbox_swept *swept)
{
  for (int i = 0; i < ATTEMPTS; i++) {
    swept->processes += kiln_process_kill_marked(KILN_SANDBOX_VARIABLE, folder);
    if (kiln_sandbox_folder_remove(folder, NULL) == KILN_OK)
      return true;
    kiln_clock_sleep(PAUSE_NS);
  }
  return false;
}

static bool
count_entry(void *context, const char *path, const struct kiln_file_info *info)
{
  (void)path;
  (void)info;
  *(size_t *)context += 1;
  return false;
}

/* Killed before it had written its mark: there is the folder, and the file. */
static bool
bury_unmarked(const char *folder, const char *owner)
{
  size_t entries = 0;
  kiln_folder_walk(folder, 1, count_entry, &entries, NULL);
  return entries == 1 && kiln_folder_remove(owner, NULL) == KILN_OK && kiln_folder_remove_empty(folder);
}

static bool
sweep_one(const char *folder, struct kiln_sandbox_swept *swept)
{
  struct kiln_buf owner;
  bool gone = false;
  kiln_buf_init(&owner);
  kiln_text_join(&owner, folder, KILN_SANDBOX_OWNER);
  if (!owner.failed && !kiln_file_exists(owner.data)) {
    gone = kiln_folder_remove_empty(folder);
  } else if (!owner.failed) {
    const enum claim claim = read_claim(owner.data);
    const int lock = claim != CLAIM_NONE ? kiln_lock_try(owner.data) : -1;
    if (lock >= 0) {
      /* Its kiln may have written the mark since, and died: what it says now counts. */
      gone = read_claim(owner.data) == CLAIM_OURS ? bury(folder, swept) : bury_unmarked(folder, owner.data);
      kiln_fd_close(lock);
    }
  }
  kiln_buf_release(&owner);
  return gone;
}

static bool
visit(void *context, const char *path, const struct kiln_file_info *info)
{
  struct kiln_sandbox_swept *swept = context;
  if (info->kind == KILN_FILE_FOLDER && info->uid == kiln_user_id() && name_is_ours(kiln_text_base_name(path)))
    swept->folders += sweep_one(path, swept);
  return false;
}

void
kiln_sandbox_folder_sweep(const char *parent, struct kiln_sandbox_swept *swept)
{
  kiln_folder_walk(parent, 1, visit, swept, NULL);
}
