/*
 * Make's syntax as compilers write it:
 *
 *   target: prerequisite prerequisite \
 *     prerequisite
 *
 * A space or '#' in a name is written "\ " and "\#", a '$' is "$$", a backslash stands for itself unless one of these
 * follows. A newline in a name cannot be written; compilers write it as it is. Linkers write every name as it is.
 */
#include <string.h>

#include "base/text.h"
#include "jit/toolchain/hostcc/hostcc.h"

struct scan {
  const char *at, *end;
  const char *const *known;
  size_t known_count, prerequisites;
  struct kiln_buf name;
};

static bool
is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\r';
}

static bool
is_continuation(const struct scan *scan)
{
  const char *at = scan->at;
  if (at == scan->end || *at != '\\')
    return false;
  at++;
  if (at < scan->end && *at == '\r')
    at++;
  return at < scan->end && *at == '\n';
}

/* Blanks and continued lines. */
static void
skip_blank(struct scan *scan)
{
  while (scan->at < scan->end)
    if (is_blank(*scan->at))
      scan->at++;
    else if (is_continuation(scan))
      scan->at = (const char *)memchr(scan->at, '\n', (size_t)(scan->end - scan->at)) + 1;
    else
      return;
}

/* How many bytes from here spell this folder, as a compiler or (without escapes) a linker; 0: they do not. */
static size_t
spelled(const struct scan *scan, const char *folder)
{
  const char *at = scan->at;
  for (; *folder; folder++) {
    const char *next = at + 1;
    if (next < scan->end && *next == *folder &&
        ((*at == '\\' && (*folder == ' ' || *folder == '#')) || (*at == '$' && *folder == '$')))
      at = next;
    if (at == scan->end || *at++ != *folder)
      return 0;
  }
  return at < scan->end && *at == '/' ? (size_t)(at - scan->at) : 0;
}

static void
take_known(struct scan *scan)
{
  for (size_t i = 0; i < scan->known_count; i++) {
    const size_t len = *scan->known[i] ? spelled(scan, scan->known[i]) : 0;
    if (len > 0) {
      kiln_buf_text_append(&scan->name, scan->known[i]);
      scan->at += len;
      return;
    }
  }
}

/* The next name into scan->name; false at the end of the line. A target ends at ": ". */
static bool
take_name(struct scan *scan, bool target)
{
  kiln_buf_clear(&scan->name);
  skip_blank(scan);
  take_known(scan);
  while (scan->at < scan->end && *scan->at != '\n' && !is_blank(*scan->at) && !is_continuation(scan)) {
    const char *at = scan->at;
    const bool more = at + 1 < scan->end;
    if (target && *at == ':' && (!more || is_blank(at[1]) || at[1] == '\n' || at[1] == '\\'))
      break;
    if (more && ((*at == '\\' && (at[1] == ' ' || at[1] == '#')) || (*at == '$' && at[1] == '$')))
      scan->at++;
    kiln_buf_append(&scan->name, scan->at, 1);
    scan->at++;
  }
  return scan->name.len > 0;
}

static void
skip_targets(struct scan *scan)
{
  while (take_name(scan, true))
    if (scan->at < scan->end && *scan->at == ':')
      break;
  if (scan->at < scan->end && *scan->at == ':')
    scan->at++;
}

enum kiln_status
kiln_depfile_read(const struct kiln_buf *text, const char *const *known, size_t known_count,
    bool (*visit)(void *context, const char *path, size_t len), void *context, struct kiln_error *error)
{
  struct scan scan = {.at = kiln_buf_text(text), .known = known, .known_count = known_count};
  enum kiln_status status = KILN_OK;
  scan.end = scan.at + text->len;
  kiln_buf_init(&scan.name);
  while (scan.at < scan.end && status == KILN_OK) {
    skip_targets(&scan);
    while (status == KILN_OK && take_name(&scan, false)) {
      if (++scan.prerequisites > KILN_REQUEST_MAX_DEPENDENCIES)
        status = kiln_error_set(
            error, KILN_ERROR_FORMAT, "a dependency file names more than %d files", KILN_REQUEST_MAX_DEPENDENCIES);
      else if (scan.name.failed || !visit(context, scan.name.data, scan.name.len))
        status = kiln_error_set(error, KILN_ERROR_MEMORY, "memory is short for the dependencies of a build");
    }
    if (scan.at < scan.end && *scan.at == '\n')
      scan.at++;
  }
  kiln_buf_release(&scan.name);
  return status;
}
