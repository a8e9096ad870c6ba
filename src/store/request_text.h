/*
 * A request's record as text (format: docs/store.md). Pure.
 */
#ifndef KILN_STORE_REQUEST_TEXT_H
#define KILN_STORE_REQUEST_TEXT_H

#include "store/request.h"

#define KILN_REQUEST_MAX_BYTES ((size_t)16 << 20)
#define KILN_REQUEST_MAX_PATH 4096

/* The time of change to remember of a file that was read at now_ns: 0, which no file has, when it is so recent that the
 * file could change once more without getting another time. Then its content is read again at the next lookup. */
uint64_t kiln_request_believable_time(uint64_t mtime_ns, uint64_t now_ns);
/* Append the record, with times that can be believed at now_ns. KILN_ERROR_ARGUMENT: more dependencies, a longer path
 * or more text than the format allows. */
enum kiln_status kiln_request_format(struct kiln_buf *out, const struct kiln_digest *request,
    const struct kiln_digest *toolchain, const struct kiln_request_record *record, uint64_t now_ns,
    struct kiln_error *error);
/* Replace *record by what the text says; false (and *record empty) for anything that is no whole record of this request
 * and toolchain (NULL: any). */
bool kiln_request_parse(const struct kiln_buf *text, const struct kiln_digest *request,
    const struct kiln_digest *toolchain, struct kiln_request_record *record);

#endif
