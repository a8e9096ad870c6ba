/*
 * The Python sources of agents/python, embedded at build time (cmake/EmbedText.cmake).
 */
#ifndef KILN_AGENT_EMBEDDED_H
#define KILN_AGENT_EMBEDDED_H

struct kiln_embedded {
  const char *name; /* file name without ".py" */
  const char *text; /* NUL-terminated */
  unsigned long size;
};

extern const struct kiln_embedded kiln_embedded_python[]; /* ends with name NULL */

#endif
