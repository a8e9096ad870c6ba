/*
 * Remembered failures: a compile that failed is not tried again for a short time (60 s) by any process, so that a herd
 * of ranks sees one compiler error and not a hundred.
 */
#ifndef KILN_STORE_NEGATIVE_H
#define KILN_STORE_NEGATIVE_H

#include "store/store.h"

#define KILN_NEGATIVE_LIFE_S 60

enum kiln_status kiln_negative_write(
    struct kiln_store *store, const struct kiln_digest *request, const char *message, struct kiln_error *error);
/* true and the message appended when a failure younger than the life is remembered. */
bool kiln_negative_read(struct kiln_store *store, const struct kiln_digest *request, struct kiln_buf *message);
void kiln_negative_forget(struct kiln_store *store, const struct kiln_digest *request);

#endif
