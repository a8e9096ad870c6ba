/*
 * The event record: names and limits shared by writer and reader. The specification is docs/events.md.
 */
#ifndef KILN_EVENT_EVENT_H
#define KILN_EVENT_EVENT_H

#define KILN_EVENT_VERSION 1
#define KILN_EVENT_MAX_LINE 65536
/* Names the folder that events go to; unset or empty: nothing is written. */
#define KILN_EVENT_VARIABLE "KILN_EVENTS"

enum kiln_event_kind {
  KILN_EVENT_PROCESS,
  KILN_EVENT_MARK,
  KILN_EVENT_IMPORT,
  KILN_EVENT_DECLARE,
  KILN_EVENT_HASH,
  KILN_EVENT_CODEGEN,
  KILN_EVENT_COMPILE,
  KILN_EVENT_PCH,
  KILN_EVENT_LINK,
  KILN_EVENT_LOAD,
  KILN_EVENT_LOOKUP,
  KILN_EVENT_INVALIDATE,
  KILN_EVENT_OPTION,
  KILN_EVENT_CACHE,
  KILN_EVENT_SIGNATURE,
  KILN_EVENT_CAPTURE,
  KILN_EVENT_TAPE,
  KILN_EVENT_LEVER,
  KILN_EVENT_REQUEST,
  KILN_EVENT_ERROR,
  KILN_EVENT_UNKNOWN /* a kind of a later version: skipped */
};

/* Name as written in "ev"; NULL for KILN_EVENT_UNKNOWN. */
const char *kiln_event_kind_name(enum kiln_event_kind kind);
/* KILN_EVENT_UNKNOWN for a name that is not in the list or NULL. */
enum kiln_event_kind kiln_event_kind_parse(const char *name);

#endif
