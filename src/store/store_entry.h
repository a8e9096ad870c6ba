/*
 * Reading one entry of one location, shared by finding and publishing.
 */
#ifndef KILN_STORE_STORE_ENTRY_H
#define KILN_STORE_STORE_ENTRY_H

#include "store/place.h"

enum kiln_store_outcome {
  KILN_STORE_FOUND,
  KILN_STORE_MISSING,
  KILN_STORE_REFUSED, /* not trusted; warned about */
  KILN_STORE_DAMAGED,
  KILN_STORE_FAILED /* the system could not read it */
};

/* Read and check the entry of `key` in location i. found is filled in for FOUND and DAMAGED, and then released by the
 * caller; *fault is set for DAMAGED, *error for FAILED. */
enum kiln_store_outcome kiln_store_read_entry(struct kiln_store *store, size_t location, const struct kiln_digest *key,
    struct kiln_found *found, enum kiln_entry_fault *fault, struct kiln_error *error);

/* A fault as one word for file names: "short", "checksum", … */
const char *kiln_entry_fault_word(enum kiln_entry_fault fault);

#endif
