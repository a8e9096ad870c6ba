/*
 * What a command runs on: its program and the files that its arguments name, as one number. Two arms with the same
 * command and the same digest run the same thing, so one can be the anchor of two reports.
 */
#ifndef KILN_PROBE_INPUTS_H
#define KILN_PROBE_INPUTS_H

#include <stdbool.h>
#include <stdint.h>

/* Content of every regular file that argv names as a whole word (the program also by PATH), up to 256 MB each, in
 * order, with the words themselves. FNV-1a, 64 bits: against change, not against forgery. Never 0. */
uint64_t kiln_inputs_digest(char *const *argv);
/* The content of one regular file of at most 256 MB; false for anything else. */
bool kiln_inputs_file(const char *path, uint64_t *digest);

#endif
