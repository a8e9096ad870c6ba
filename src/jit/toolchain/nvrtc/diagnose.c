/* From a log to the line that says what is wrong. */
#include <string.h>

#include "base/text.h"
#include "jit/toolchain/nvrtc/nvrtc.h"

#define LONGEST_LINE 500

static bool
has(const char *line, size_t len, const char *needle)
{
  const size_t width = strlen(needle);
  for (size_t i = 0; i + width <= len; i++)
    if (memcmp(line + i, needle, width) == 0)
      return true;
  return false;
}

/* "k.cu(3): error: …", "k.cu(3): catastrophic error: …", "nvrtc: error: …", "ptxas error   : …", "ptxas fatal   : …";
 * with numbers "error #20-D: …". */
static bool
is_error(const char *line, size_t len)
{
  static const char *const errors[] = {"error: ", "error #", "ptxas error", "ptxas fatal", "error   :", "fatal   :"};
  if (has(line, len, "detected in the compilation of"))
    return false;
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
    if (has(line, len, errors[i]))
      return true;
  return false;
}

static const char *
hint_for(const char *line, int result)
{
  if (result == KILN_NVRTC_OUT_OF_MEMORY)
    return "Memory is short: free some, or build fewer things at once.";
  if (strstr(line, "open source file"))
    return "Add the folder of that header as an include of the spec, or the header as a source.";
  if (result == KILN_NVRTC_INVALID_OPTION)
    return "Correct the flags of the spec (and KILN_CUDA_FLAGS): this NVRTC does not know one of them.";
  return "";
}

void
kiln_nvrtc_diagnose(const char *log, int result, const char *words, struct kiln_buf *first_error, const char **hint)
{
  kiln_buf_clear(first_error);
  for (const char *at = log; *at && first_error->len == 0;) {
    const size_t len = strcspn(at, "\n");
    if (is_error(at, len))
      kiln_buf_append(first_error, at, len < LONGEST_LINE ? len : LONGEST_LINE);
    at += len + (at[len] == '\n');
  }
  if (first_error->len == 0)
    kiln_buf_printf(first_error, "NVRTC ended with %s (%d)%s", words, result, *log ? "" : " and printed nothing");
  *hint = hint_for(kiln_buf_text(first_error), result);
}
