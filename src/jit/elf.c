/* Layout of ELF64: System V ABI, chapters 4 and 5. */
#include "jit/elf.h"

#include <string.h>

enum { SEGMENT_INTERPRETER = 3, SEGMENT_NOTE = 4, SECTION_SYMBOLS = 2, SECTION_NOT_STORED = 8, NOTE_BUILD_ID = 3 };
enum { SECTION_DYNAMIC_SYMBOLS = 11, BIND_LOCAL = 0, TYPE_FUNCTION = 2, OTHER_KERNEL = 0x10 };
enum { HEADER_SIZE = 64, SEGMENT_SIZE = 56, SECTION_SIZE = 64, SYMBOL_SIZE = 24, MOST_BUILD_ID = 64 };

/* A number of `size` bytes in this machine's order; the caller has checked the bounds. */
static uint64_t
number(const struct kiln_elf *elf, uint64_t at, size_t size)
{
  uint16_t half;
  uint32_t word;
  uint64_t wide;
  const unsigned char *from = elf->data + at;
  switch (size) {
  case 2:
    memcpy(&half, from, sizeof half);
    return half;
  case 4:
    memcpy(&word, from, sizeof word);
    return word;
  default:
    memcpy(&wide, from, sizeof wide);
    return wide;
  }
}

static bool
within(const struct kiln_elf *elf, uint64_t at, uint64_t size)
{
  return at <= elf->len && size <= elf->len - at;
}

static bool
is_host_order(unsigned char mark)
{
  const uint16_t one = 1;
  unsigned char first;
  memcpy(&first, &one, 1);
  return mark == (first ? 1 : 2);
}

bool
kiln_elf_open(struct kiln_elf *elf, const void *data, size_t len)
{
  static const unsigned char magic[] = {0x7f, 'E', 'L', 'F', 2};
  *elf = (struct kiln_elf){.data = data, .len = len};
  if (len < HEADER_SIZE || memcmp(data, magic, sizeof magic) != 0 || !is_host_order(elf->data[5]))
    return false;
  elf->type = (unsigned)number(elf, 16, 2);
  elf->machine = (unsigned)number(elf, 18, 2);
  elf->flags = (unsigned)number(elf, 48, 4);
  elf->abi = elf->data[8];
  elf->segments = number(elf, 32, 8);
  elf->sections = number(elf, 40, 8);
  elf->segment_size = (unsigned)number(elf, 54, 2);
  elf->segment_count = (unsigned)number(elf, 56, 2);
  elf->section_size = (unsigned)number(elf, 58, 2);
  elf->section_count = (unsigned)number(elf, 60, 2);
  return true;
}

/* Offset of the i-th program header; false when it is not there. */
static bool
segment_at(const struct kiln_elf *elf, unsigned i, uint64_t *at)
{
  if (i >= elf->segment_count || elf->segment_size < SEGMENT_SIZE || elf->segments > elf->len)
    return false;
  *at = elf->segments + (uint64_t)i * elf->segment_size;
  return within(elf, *at, SEGMENT_SIZE);
}

static bool
section_at(const struct kiln_elf *elf, unsigned i, uint64_t *at)
{
  if (i >= elf->section_count || elf->section_size < SECTION_SIZE || elf->sections > elf->len)
    return false;
  *at = elf->sections + (uint64_t)i * elf->section_size;
  return within(elf, *at, SECTION_SIZE);
}

/* ---- build-id ---- */

static uint64_t
aligned(uint64_t size)
{
  return (size + 3) & ~UINT64_C(3);
}

static bool
build_id_in(const struct kiln_elf *elf, uint64_t at, uint64_t size, struct kiln_buf *hex)
{
  const uint64_t end = at + size;
  while (end - at >= 12) {
    const uint64_t name = number(elf, at, 4), value = number(elf, at + 4, 4), type = number(elf, at + 8, 4);
    at += 12;
    if (aligned(name) > end - at || aligned(value) > end - at - aligned(name))
      return false;
    if (type == NOTE_BUILD_ID && name == 4 && memcmp(elf->data + at, "GNU", 4) == 0 && value > 0 &&
        value <= MOST_BUILD_ID) {
      for (uint64_t i = 0; i < value; i++)
        kiln_buf_printf(hex, "%02x", elf->data[at + 4 + i]);
      return true;
    }
    at += aligned(name) + aligned(value);
  }
  return false;
}

bool
kiln_elf_build_id(const struct kiln_elf *elf, struct kiln_buf *hex)
{
  uint64_t at;
  for (unsigned i = 0; segment_at(elf, i, &at); i++) {
    const uint64_t offset = number(elf, at + 8, 8), size = number(elf, at + 32, 8);
    if (number(elf, at, 4) == SEGMENT_NOTE && within(elf, offset, size) && build_id_in(elf, offset, size, hex))
      return true;
  }
  return false;
}

bool
kiln_elf_has_interpreter(const struct kiln_elf *elf)
{
  uint64_t at;
  for (unsigned i = 0; segment_at(elf, i, &at); i++)
    if (number(elf, at, 4) == SEGMENT_INTERPRETER)
      return true;
  return false;
}

/* ---- symbols ---- */

struct table {
  uint64_t at, size;
};

static bool
table_of(const struct kiln_elf *elf, uint64_t section, struct table *table)
{
  *table = (struct table){number(elf, section + 24, 8), number(elf, section + 32, 8)};
  return within(elf, table->at, table->size);
}

static bool
name_is(const struct kiln_elf *elf, const struct table *names, uint64_t offset, const char *symbol, size_t len)
{
  if (offset >= names->size || names->size - offset <= len)
    return false;
  return memcmp(elf->data + names->at + offset, symbol, len + 1) == 0;
}

/* Is this symbol what is looked for: of any kind, or a function that may be launched? */
static bool
symbol_fits(const struct kiln_elf *elf, uint64_t at, bool kernel)
{
  const unsigned bind = elf->data[at + 4] >> 4, type = elf->data[at + 4] & 15, other = elf->data[at + 5];
  if (bind == BIND_LOCAL || number(elf, at + 6, 2) == 0)
    return false;
  return !kernel || (type == TYPE_FUNCTION && (other & OTHER_KERNEL) != 0);
}

static bool
table_defines(const struct kiln_elf *elf, uint64_t section, const char *symbol, bool kernel)
{
  struct table symbols, names;
  uint64_t strings;
  const size_t len = strlen(symbol);
  if (!section_at(elf, (unsigned)number(elf, section + 40, 4), &strings) || !table_of(elf, section, &symbols) ||
      !table_of(elf, strings, &names))
    return false;
  for (uint64_t i = 0; i < symbols.size / SYMBOL_SIZE; i++) {
    const uint64_t at = symbols.at + i * SYMBOL_SIZE;
    if (symbol_fits(elf, at, kernel) && name_is(elf, &names, number(elf, at, 4), symbol, len))
      return true;
  }
  return false;
}

static bool
defines(const struct kiln_elf *elf, unsigned table, const char *symbol, bool kernel)
{
  uint64_t at;
  for (unsigned i = 0; section_at(elf, i, &at); i++)
    if (number(elf, at + 4, 4) == table && table_defines(elf, at, symbol, kernel))
      return true;
  return false;
}

bool
kiln_elf_defines(const struct kiln_elf *elf, const char *symbol)
{
  return defines(elf, SECTION_DYNAMIC_SYMBOLS, symbol, false);
}

bool
kiln_elf_defines_kernel(const struct kiln_elf *elf, const char *symbol)
{
  return defines(elf, SECTION_SYMBOLS, symbol, true);
}

bool
kiln_elf_next_section(const struct kiln_elf *elf, unsigned *i, struct kiln_elf_section *section)
{
  uint64_t at;
  struct table place;
  while (section_at(elf, (*i)++, &at)) {
    section->type = (unsigned)number(elf, at + 4, 4);
    if (section->type == SECTION_NOT_STORED || !table_of(elf, at, &place))
      continue;
    section->data = elf->data + place.at;
    section->len = (size_t)place.size;
    return true;
  }
  return false;
}
