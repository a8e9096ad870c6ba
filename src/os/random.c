#include "os/random.h"

#include <errno.h>
#include <sys/random.h>

bool
kiln_random_bits(uint64_t *bits)
{
  ssize_t got;
  do
    got = getrandom(bits, sizeof *bits, 0);
  while (got < 0 && errno == EINTR);
  return got == (ssize_t)sizeof *bits;
}
