/*
 * The text format of the store's small files (requests, failures, owner notes): a line "kiln <kind> 1", then lines
 * "<label> <value>" in a fixed order, last "checksum <XXH3-128 of everything before, in hex>".
 *
 * Anything that is not exactly this is no record. Plain data; not thread safe on one buffer.
 */
#ifndef KILN_STORE_RECORD_H
#define KILN_STORE_RECORD_H

#include "base/buf.h"
#include "store/digest.h"

/* Start a record of this kind in an empty buffer; append lines by kiln_buf_printf; end it with the checksum. */
void kiln_record_begin(struct kiln_buf *record, const char *kind);
void kiln_record_end(struct kiln_buf *record);
/* One line "<label> <64 hex digits>". */
void kiln_record_append_digest(struct kiln_buf *record, const char *label, const struct kiln_digest *digest);

/* Where reading is. Borrows the buffer. */
struct kiln_record_reader {
  const char *at, *end;
};
/* false unless data is a whole record of this kind with the right checksum and without NUL bytes. */
bool kiln_record_open(struct kiln_record_reader *reader, const struct kiln_buf *data, const char *kind);
/* The next line without its newline; false at the end. */
bool kiln_record_line(struct kiln_record_reader *reader, const char **line, size_t *len);
/* The next line's value, copied with a NUL; false when the label is another or the value does not fit. */
bool kiln_record_text(struct kiln_record_reader *reader, const char *label, char *value, size_t size);
bool kiln_record_number(struct kiln_record_reader *reader, const char *label, uint64_t *value);
bool kiln_record_digest(struct kiln_record_reader *reader, const char *label, struct kiln_digest *digest);

#endif
