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

/* The first free bytes from *at on; *at moves behind the lock that ends them. The system names any lock, not the first:
 * asked again about what lies before it until nothing does. */
static struct kiln_slot_row
next_gap(int fd, uint64_t *at, uint64_t last)
{
  uint64_t stop = last, behind = last;
  while (*at < last) {
    uint64_t begin = *at, end = stop;
    if (!other_lock(fd, &begin, &end))
      break;
    if (begin > *at) {
      stop = begin;
      behind = end;
    } else {
      *at = end;
      stop = behind = last;
    }
  }
  const struct kiln_slot_row gap = {*at, *at < stop ? stop - *at : 0};
  *at = behind;
  return gap;
}

static void
find_gaps(int fd, const struct kiln_slot_row *row, struct gaps *gaps)
{
  const uint64_t last = row->begin + row->size;
  gaps->count = 0;
  gaps->free = 0;
  for (uint64_t at = row->begin; at < last && gaps->count < MOST_GAPS;) {
    const struct kiln_slot_row gap = next_gap(fd, &at, last);
    if (gap.size == 0)
      continue;
    gaps->items[gaps->count++] = gap;
    gaps->free += gap.size;
  }
}

/* From the top: whoever may use fewer has only the bottom. */
enum kiln_slot_answer
kiln_slots_take(int fd, const struct kiln_slot_row *row, uint64_t count)
{
  struct gaps gaps;
  if (count == 0)
    return KILN_SLOTS_TAKEN;
  find_gaps(fd, row, &gaps);
  if (gaps.free < count)
    return KILN_SLOTS_BUSY;
  for (unsigned i = gaps.count; i > 0 && count > 0; i--) {
    const struct kiln_slot_row *gap = &gaps.items[i - 1];
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
  find_gaps(fd, row, &gaps);
  return gaps.free;
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
