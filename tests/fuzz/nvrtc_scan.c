/* Sources are anything: the scan for #include lines must stay within them, and name what lies in them. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "jit/toolchain/nvrtc/nvrtc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
  const char *text;
  size_t len, last;
};

static void
must(bool holds)
{
  if (!holds)
    abort();
}

static bool
visit(void *context, const struct kiln_scan_hit *hit)
{
  struct seen *seen = context;
  must(hit->begin < hit->end && hit->end <= seen->len && hit->begin >= seen->last);
  must(!memchr(seen->text + hit->begin, '\n', hit->end - hit->begin));
  must(!hit->macro || (hit->macro >= seen->text && hit->macro + hit->macro_len <= seen->text + hit->begin));
  seen->last = hit->end;
  return true;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char *exact = malloc(size > 0 ? size : 1); /* so that a byte too far is seen */
  if (!exact)
    return 0;
  memcpy(exact, data, size);
  struct seen seen = {exact, size, 0};
  must(kiln_scan_includes(exact, size, visit, &seen));
  free(exact);
  return 0;
}
