/*
 * The owner file of a build folder: who works there. Shared by making and reclaiming.
 */
#ifndef KILN_STORE_WORKSPACE_OWNER_H
#define KILN_STORE_WORKSPACE_OWNER_H

#include "base/buf.h"
#include "os/instance.h"

#define KILN_OWNER_FILE "owner"
/* How the name of a build folder in the system's temporary folder begins. */
#define KILN_WORKSPACE_TEMPORARY "kiln-build-"

/* Append the owner file's content. */
void kiln_owner_format(const struct kiln_instance *instance, struct kiln_buf *text);
/* false for anything else. */
bool kiln_owner_parse(const struct kiln_buf *text, struct kiln_instance *instance);

#endif
