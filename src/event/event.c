#include "event/event.h"

#include <stddef.h>
#include <string.h>

static const char *const names[KILN_EVENT_UNKNOWN] = {
    [KILN_EVENT_PROCESS] = "process",
    [KILN_EVENT_MARK] = "mark",
    [KILN_EVENT_IMPORT] = "import",
    [KILN_EVENT_DECLARE] = "declare",
    [KILN_EVENT_HASH] = "hash",
    [KILN_EVENT_CODEGEN] = "codegen",
    [KILN_EVENT_COMPILE] = "compile",
    [KILN_EVENT_PCH] = "pch",
    [KILN_EVENT_LINK] = "link",
    [KILN_EVENT_LOAD] = "load",
    [KILN_EVENT_LOOKUP] = "lookup",
    [KILN_EVENT_INVALIDATE] = "invalidate",
    [KILN_EVENT_OPTION] = "option",
    [KILN_EVENT_CACHE] = "cache",
    [KILN_EVENT_SIGNATURE] = "signature",
    [KILN_EVENT_CAPTURE] = "capture",
    [KILN_EVENT_TAPE] = "tape",
    [KILN_EVENT_LEVER] = "lever",
    [KILN_EVENT_REQUEST] = "request",
    [KILN_EVENT_ERROR] = "error",
};

const char *
kiln_event_kind_name(enum kiln_event_kind kind)
{
  return kind >= KILN_EVENT_PROCESS && kind < KILN_EVENT_UNKNOWN ? names[kind] : NULL;
}

enum kiln_event_kind
kiln_event_kind_parse(const char *name)
{
  if (name != NULL)
    for (int kind = 0; kind < KILN_EVENT_UNKNOWN; kind++)
      if (strcmp(names[kind], name) == 0)
        return (enum kiln_event_kind)kind;
  return KILN_EVENT_UNKNOWN;
}
