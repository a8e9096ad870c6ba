#include "probe/levers/kernels.h"

#include "base/text.h"

bool
kiln_lever_is_number(const char *value, uint64_t most)
{
  uint64_t number;
  return kiln_text_parse_uint(value, &number) && number <= most;
}

int64_t
kiln_lever_number(const struct kiln_lever_view *view, int64_t own)
{
  uint64_t number;
  return view->value && kiln_text_parse_uint(view->value, &number) ? (int64_t)number : own;
}

bool
kiln_lever_nothing_built(const struct kiln_lever_view *view, struct kiln_buf *reason)
{
  if (kiln_lever_builds(view) > 0) {
    return false;
  }
  kiln_buf_text_append(reason, "Nothing was built.");
  return true;
}
