#include "kiln/error.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define ELLIPSIS "\xe2\x80\xa6"

const char *
kiln_status_name(enum kiln_status status)
{
  switch (status) {
  case KILN_OK:
    return "KILN_OK";
  case KILN_ERROR_ARGUMENT:
    return "KILN_ERROR_ARGUMENT";
  case KILN_ERROR_MEMORY:
    return "KILN_ERROR_MEMORY";
  case KILN_ERROR_IO:
    return "KILN_ERROR_IO";
  case KILN_ERROR_FORMAT:
    return "KILN_ERROR_FORMAT";
  case KILN_ERROR_NOT_FOUND:
    return "KILN_ERROR_NOT_FOUND";
  case KILN_ERROR_ENVIRONMENT:
    return "KILN_ERROR_ENVIRONMENT";
  case KILN_ERROR_COMMAND:
    return "KILN_ERROR_COMMAND";
  case KILN_ERROR_INVALID:
    return "KILN_ERROR_INVALID";
  case KILN_ERROR_INTERRUPTED:
    return "KILN_ERROR_INTERRUPTED";
  case KILN_ERROR_DEVICE:
    return "KILN_ERROR_DEVICE";
  case KILN_ERROR_ARCHITECTURE:
    return "KILN_ERROR_ARCHITECTURE";
  case KILN_ERROR_CAPTURE:
    return "KILN_ERROR_CAPTURE";
  case KILN_ERROR_FORKED:
    return "KILN_ERROR_FORKED";
  case KILN_ERROR_LATE:
    return "KILN_ERROR_LATE";
  }
  return "KILN_UNKNOWN";
}

/* text holds size - 1 bytes of a longer sentence: end it in "…" without leaving half a character in front. */
static void
cut(char *text, size_t size)
{
  size_t at = size - sizeof ELLIPSIS;
  while (at > 0 && ((unsigned char)text[at] & 0xC0) == 0x80)
    at--;
  memcpy(text + at, ELLIPSIS, sizeof ELLIPSIS);
}

static void format_sentence(char *text, size_t size, const char *format, va_list args) KILN_PRINTF(3, 0);

static void
format_sentence(char *text, size_t size, const char *format, va_list args)
{
  int needed = vsnprintf(text, size, format, args);
  if (needed < 0)
    text[0] = '\0';
  else if ((size_t)needed >= size)
    cut(text, size);
}

enum kiln_status
kiln_error_set(struct kiln_error *error, enum kiln_status status, const char *format, ...)
{
  if (!error)
    return status;
  /* Formatted aside, because an argument may be the sentence that is replaced. */
  struct kiln_error fresh = {.status = status};
  va_list args;
  va_start(args, format);
  format_sentence(fresh.what, sizeof fresh.what, format, args);
  va_end(args);
  *error = fresh;
  return status;
}

enum kiln_status
kiln_error_system(struct kiln_error *error, enum kiln_status status, int sys_errno, const char *format, ...)
{
  if (!error)
    return status;
  struct kiln_error fresh = {.status = status, .sys_errno = sys_errno};
  /* The reason is the part that must survive, so it is the sentence in front that is cut. */
  char reason[128];
  snprintf(reason, sizeof reason, ": %s", strerror(sys_errno));
  size_t reason_len = strlen(reason);
  va_list args;
  va_start(args, format);
  format_sentence(fresh.what, sizeof fresh.what - reason_len, format, args);
  va_end(args);
  memcpy(fresh.what + strlen(fresh.what), reason, reason_len + 1);
  *error = fresh;
  return status;
}

void
kiln_error_advise(struct kiln_error *error, const char *format, ...)
{
  if (!error)
    return;
  char remedy[KILN_ERROR_REMEDY_SIZE];
  va_list args;
  va_start(args, format);
  format_sentence(remedy, sizeof remedy, format, args);
  va_end(args);
  memcpy(error->remedy, remedy, sizeof remedy);
}
