/*
 * Who runs this process, and where that user's home is.
 */
#ifndef KILN_OS_USER_H
#define KILN_OS_USER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* Effective user id. */
uint32_t kiln_user_id(void);
/* Home folder as the user database has it (HOME is not looked at), appended to path; false when it is not there. */
bool kiln_user_home(struct kiln_buf *path);

#endif
