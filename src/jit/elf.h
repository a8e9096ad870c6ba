/*
 * The little of ELF that kiln needs, read without trust: every offset is checked before it is followed. 64-bit files of
 * this machine's byte order; anything else does not open. A view: the bytes belong to the caller.
 */
#ifndef KILN_JIT_ELF_H
#define KILN_JIT_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum { KILN_ELF_SHARED = 3 };   /* type of a shared object */
enum { KILN_ELF_CUDA = 190 };   /* machine of GPU code */
enum { KILN_SECTION_NOTE = 7 }; /* type of a section of notes */

struct kiln_elf {
  const unsigned char *data;
  size_t len;
  unsigned type, machine, flags, abi; /* abi: version of the ABI, from the ninth byte of the file */
  uint64_t segments, sections;        /* file offsets */
  unsigned segment_size, segment_count, section_size, section_count;
};

/* data may be only the beginning of the file: then what lies behind it is not found. false when it is no such file. */
bool kiln_elf_open(struct kiln_elf *elf, const void *data, size_t len);
/* Append the build-id as hex; false when there is none. */
bool kiln_elf_build_id(const struct kiln_elf *elf, struct kiln_buf *hex);
/* Is it started by a dynamic loader? */
bool kiln_elf_has_interpreter(const struct kiln_elf *elf);
/* Does its dynamic symbol table define this global symbol? */
bool kiln_elf_defines(const struct kiln_elf *elf, const char *symbol);

/* Kernels of GPU code: does the full symbol table define this global function with the mark of an entry? */
bool kiln_elf_defines_kernel(const struct kiln_elf *elf, const char *symbol);

/* The bytes of a section; they lie within the file. */
struct kiln_elf_section {
  unsigned type;
  const unsigned char *data;
  size_t len;
};
/* The i-th section that is stored in the file; *i is counted on. false behind the last. */
bool kiln_elf_next_section(const struct kiln_elf *elf, unsigned *i, struct kiln_elf_section *section);

#endif
