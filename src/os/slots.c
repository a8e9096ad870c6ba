#include "os/slots.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "os/clock.h"

_Static_assert(sizeof(off_t) == sizeof(int64_t), "offsets have 64 bits");

#define MOST_GAPS 256

/* Free bytes between locks of others. */
struct gaps {
  struct kiln_slot_row items[MOST_GAPS];
  unsigned count;
  uint64_t free;
};

int
kiln_slots_open(const char *path)
{
  /* What is opened by number is a link, and refuses O_NOFOLLOW. */
  const bool numbered = path[0] == '/' && path[1] == 'p';
  const int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
  return open(path, numbered ? flags : flags | O_NOFOLLOW, (mode_t)0600);
}

int
kiln_slots_private(void)
{
  return memfd_create("kiln-slots", MFD_CLOEXEC);
}

static int
set_lock(int fd, short type, uint64_t begin, uint64_t size)
{
  struct flock range = {.l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)begin, .l_len = (off_t)size};
  int result;
  do
    result = fcntl(fd, F_OFD_SETLK, &range);
  while (result != 0 && errno == EINTR);
  return result;
}

/* Some lock of another description in [*begin, *end), which then become its bounds; false when there is none, or when
 * the system does not tell. */
static bool
other_lock(int fd, uint64_t *begin, uint64_t *end)
{
  struct flock range = {
      .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)*begin, .l_len = (off_t)(*end - *begin)};
  if (fcntl(fd, F_OFD_GETLK, &range) != 0 || range.l_type == F_UNLCK)
    return false;
  const uint64_t start = (uint64_t)range.l_start;
  const uint64_t stop = range.l_len == 0 ? *end : start + (uint64_t)range.l_len;
  *begin = start > *begin ? start : *begin;
  *end = stop < *end ? stop : *end;
  return true;
}

/* Ranges nobody has asked about yet. */
struct stack {
  struct kiln_slot_row items[MOST_GAPS];
  unsigned count;
};

static void
push(struct stack *stack, uint64_t begin, uint64_t end)
{
  if (begin < end && stack->count < MOST_GAPS)
    stack->items[stack->count++] = (struct kiln_slot_row){begin, end - begin};
}

/* The free bytes of the row, the last ones first, until there are `enough`. The system names any lock of a range, so
 * what lies on both sides of it is asked about next: two questions for each lock. */
static void
find_gaps(int fd, const struct kiln_slot_row *row, uint64_t enough, struct gaps *gaps)
{
  struct stack stack = {.count = 0};
  gaps->count = 0;
  gaps->free = 0;
  push(&stack, row->begin, row->begin + row->size);
  while (stack.count > 0 && gaps->count < MOST_GAPS && gaps->free < enough) {
    const struct kiln_slot_row range = stack.items[--stack.count];
    uint64_t begin = range.begin, end = range.begin + range.size;
    if (other_lock(fd, &begin, &end)) {
      push(&stack, range.begin, begin);
      push(&stack, end, range.begin + range.size);
    } else {
      gaps->items[gaps->count++] = range;
      gaps->free += range.size;
    }
  }
}

/* From the top: whoever may use fewer has only the bottom. */
enum kiln_slot_answer
kiln_slots_take(int fd, const struct kiln_slot_row *row, uint64_t count)
{
  struct gaps gaps;
  if (count == 0)
    return KILN_SLOTS_TAKEN;
  find_gaps(fd, row, count, &gaps);
  if (gaps.free < count)
    return KILN_SLOTS_BUSY;
  for (unsigned i = 0; i < gaps.count && count > 0; i++) {
    const struct kiln_slot_row *gap = &gaps.items[i];
    const uint64_t part = gap->size < count ? gap->size : count;
    if (set_lock(fd, F_WRLCK, gap->begin + gap->size - part, part) != 0) {
      const int failure = errno;
      kiln_slots_give(fd, row);
      return failure == EAGAIN || failure == EACCES ? KILN_SLOTS_BUSY : KILN_SLOTS_UNAVAILABLE;
    }
    count -= part;
  }
  return KILN_SLOTS_TAKEN;
}

void
kiln_slots_give(int fd, const struct kiln_slot_row *row)
{
  (void)set_lock(fd, F_UNLCK, row->begin, row->size);
}

void
kiln_slots_close(int fd)
{
  if (fd < 0)
    return;
  (void)set_lock(fd, F_UNLCK, 0, 0); /* a forked child may have a copy that would hold on */
  close(fd);
}

uint64_t
kiln_slots_free(int fd, const struct kiln_slot_row *row)
{
  struct gaps gaps;
  find_gaps(fd, row, UINT64_MAX, &gaps);
  return gaps.free;
}

bool
kiln_slots_all_free(int fd, const struct kiln_slot_row *row)
{
  uint64_t begin = row->begin, end = row->begin + row->size;
  return !other_lock(fd, &begin, &end);
}

/* ---- pulses ---- */

void
kiln_slots_beat(int fd, enum kiln_slot_pulse pulse)
{
  const struct timespec now = {.tv_nsec = UTIME_NOW}, keep = {.tv_nsec = UTIME_OMIT};
  const struct timespec times[2] = {pulse == KILN_PULSE_LINE ? now : keep, pulse == KILN_PULSE_HELD ? now : keep};
  (void)futimens(fd, times);
}

double
kiln_slots_quiet(int fd, enum kiln_slot_pulse pulse)
{
  struct stat info;
  if (fstat(fd, &info) != 0)
    return 0;
  const struct timespec *then = pulse == KILN_PULSE_LINE ? &info.st_atim : &info.st_mtim;
  const double age = (double)kiln_clock_real() / 1e9 - ((double)then->tv_sec + (double)then->tv_nsec / 1e9);
  return age > 0 ? age : 0;
}
