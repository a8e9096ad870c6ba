/*
 * Layouts as seen in the output of nvcc, ptxas and NVRTC 12.4 to 13.0.
 *
 * Cubin: ELF, machine 190. ABI version 7: number of the architecture in bits 0 to 7 of the flags, 'a' is bit 11.
 * ABI version 8: number in bits 8 to 15; the suffix is only in a note, "… -arch sm_90a …".
 * Fatbin: a header {magic u32, version u16, header size u16, length u64}, then images {kind u16, version u16, header
 * size u32, length u64, compressed length u32, …, architecture u32 at 28, flags u64 at 40}. All little-endian.
 */
#include "jit/cubin.h"

#include <stdint.h>
#include <string.h>

#include "jit/elf.h"

#define FATBIN_MAGIC UINT32_C(0xba55ed50)
enum { FATBIN_HEADER = 16, IMAGE_HEADER = 64, IMAGE_PTX = 1, IMAGE_ELF = 2, MOST_IMAGES = 4096 };
enum { OLD_SPECIFIC = 1 << 11, NEW_SPECIFIC = 1 << 3 };
#define FLAG_COMPRESSED UINT64_C(0xa000) /* by either of two methods */
#define FLAG_SPECIFIC UINT64_C(0x100000)
#define FLAG_FAMILY UINT64_C(0x200000)
#define PTX_HEAD ((size_t)64 << 10) /* directives stand at the beginning, behind comments */

struct bytes {
  const unsigned char *data;
  size_t len;
};

static uint64_t
little(const unsigned char *from, size_t size)
{
  uint64_t value = 0;
  for (size_t i = 0; i < size; i++)
    value |= (uint64_t)from[i] << (8 * i);
  return value;
}

/* Where `needle` begins; NULL: nowhere. */
static const unsigned char *
find(struct bytes in, const char *needle)
{
  const size_t len = strlen(needle);
  const unsigned char *at = in.data, *end = in.data + in.len;
  while ((size_t)(end - at) >= len && (at = memchr(at, needle[0], (size_t)(end - at) - len + 1)) != NULL) {
    if (memcmp(at, needle, len) == 0)
      return at;
    at++;
  }
  return NULL;
}

static bool
is_word(unsigned char c)
{
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

/* The architecture that a text begins with, "sm_90a". */
static bool
take_arch(struct bytes text, struct kiln_arch *arch)
{
  struct kiln_arch_list list = {.count = 0};
  size_t len = 0;
  while (len < text.len && len < 16 && is_word(text.data[len]))
    len++;
  if (len < 4 || memcmp(text.data, "sm_", 3) != 0 ||
      kiln_arch_list_add_token(&list, (const char *)text.data, len, NULL) != KILN_OK)
    return false;
  *arch = list.items[0];
  return true;
}

/* ---- cubin ---- */

/* What the assembler's note says it was asked for. */
static bool
noted_arch(const struct kiln_elf *elf, struct kiln_arch *arch)
{
  static const char option[] = "-arch";
  struct kiln_elf_section section;
  for (unsigned i = 0; kiln_elf_next_section(elf, &i, &section);) {
    const struct bytes note = {section.data, section.len};
    const unsigned char *at = section.type == KILN_SECTION_NOTE ? find(note, option) : NULL;
    if (!at)
      continue;
    at += sizeof option; /* and what is between option and value */
    const unsigned char *end = note.data + note.len;
    if (at < end && take_arch((struct bytes){at, (size_t)(end - at)}, arch))
      return true;
  }
  return false;
}

static bool
open_cubin(struct bytes data, struct kiln_elf *elf)
{
  return kiln_elf_open(elf, data.data, data.len) && elf->machine == KILN_ELF_CUDA;
}

static bool
read_cubin(struct bytes data, struct kiln_arch *arch)
{
  struct kiln_elf elf;
  struct kiln_arch noted;
  if (!open_cubin(data, &elf))
    return false;
  const bool old = elf.abi < 8;
  const unsigned number = old ? elf.flags & 0xff : elf.flags >> 8 & 0xff;
  *arch = (struct kiln_arch){.major = number / 10, .minor = number % 10};
  if (number < 10 || number > 250)
    return false;
  if (elf.flags & (old ? OLD_SPECIFIC : NEW_SPECIFIC))
    arch->suffix = arch->major >= 9 ? 'a' : '\0';
  if (!old && noted_arch(&elf, &noted) && noted.major == arch->major && noted.minor == arch->minor)
    arch->suffix = noted.suffix;
  return true;
}

/* ---- PTX ---- */

/* Text up to a NUL that says ".version" and ".target" near its beginning. */
static bool
read_ptx(struct bytes data, struct kiln_arch *arch)
{
  static const char directive[] = ".target";
  struct bytes head = {data.data, data.len < PTX_HEAD ? data.len : PTX_HEAD};
  const unsigned char *nul = memchr(head.data, '\0', head.len);
  if (nul)
    head.len = (size_t)(nul - head.data);
  const unsigned char *at = find(head, ".version") ? find(head, directive) : NULL;
  if (!at)
    return false;
  at += sizeof directive - 1;
  const unsigned char *end = head.data + head.len;
  while (at < end && (*at == ' ' || *at == '\t'))
    at++;
  if (!take_arch((struct bytes){at, (size_t)(end - at)}, arch))
    return false;
  arch->ptx = true;
  return true;
}

static bool
ptx_defines(struct bytes data, const char *symbol)
{
  static const char directive[] = ".entry";
  const unsigned char *nul = memchr(data.data, '\0', data.len), *end = nul ? nul : data.data + data.len;
  const size_t len = strlen(symbol);
  const unsigned char *at = data.data;
  while ((at = find((struct bytes){at, (size_t)(end - at)}, directive)) != NULL) {
    at += sizeof directive - 1;
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
      at++;
    if ((size_t)(end - at) > len && memcmp(at, symbol, len) == 0 && !is_word(at[len]))
      return true;
  }
  return false;
}

/* ---- fatbin ---- */

struct image {
  unsigned kind;
  bool compressed;
  struct kiln_arch arch; /* as the header says */
  struct bytes data;
};

struct images {
  struct bytes rest; /* what is still to be read */
};

static bool
open_fatbin(struct bytes data, struct images *images)
{
  if (data.len < FATBIN_HEADER || little(data.data, 4) != FATBIN_MAGIC)
    return false;
  const uint64_t header = little(data.data + 6, 2), len = little(data.data + 8, 8);
  if (header < FATBIN_HEADER || header > data.len || len > data.len - header)
    return false;
  images->rest = (struct bytes){data.data + header, (size_t)len};
  return true;
}

/* The next image; *damaged when what follows is none. */
static bool
next_image(struct images *images, struct image *image, bool *damaged)
{
  const struct bytes rest = images->rest;
  *damaged = false;
  if (rest.len == 0)
    return false;
  *damaged = true;
  if (rest.len < IMAGE_HEADER)
    return false;
  const uint64_t header = little(rest.data + 4, 4), len = little(rest.data + 8, 8), flags = little(rest.data + 40, 8);
  const uint64_t number = little(rest.data + 28, 4);
  if (header < IMAGE_HEADER || header > rest.len || len > rest.len - header || number < 10 || number > 999)
    return false;
  *damaged = false;
  image->kind = (unsigned)little(rest.data, 2);
  image->compressed = (flags & FLAG_COMPRESSED) != 0;
  image->arch = (struct kiln_arch){.major = (unsigned)number / 10, .minor = (unsigned)number % 10};
  image->arch.suffix = flags & FLAG_SPECIFIC ? 'a' : flags & FLAG_FAMILY ? 'f' : '\0';
  image->arch.ptx = image->kind == IMAGE_PTX;
  image->data = (struct bytes){rest.data + header, (size_t)len};
  images->rest = (struct bytes){rest.data + header + len, rest.len - (size_t)(header + len)};
  return true;
}

/* The inside of an image must be of the kind and number that its header says; its suffix is then the inside's. */
static bool
take_image(const struct image *image, struct kiln_gpu_binary *binary)
{
  struct kiln_arch arch = image->arch;
  if (image->kind != IMAGE_PTX && image->kind != IMAGE_ELF)
    return true; /* intermediate code that no device runs */
  if (image->compressed)
    binary->compressed++;
  else if (!(image->kind == IMAGE_PTX ? read_ptx(image->data, &arch) : read_cubin(image->data, &arch)) ||
           arch.major != image->arch.major || arch.minor != image->arch.minor)
    return false;
  return kiln_arch_list_add(&binary->archs, arch);
}

static bool
read_fatbin(struct bytes data, struct kiln_gpu_binary *binary)
{
  struct images images;
  struct image image;
  bool damaged = false;
  if (!open_fatbin(data, &images))
    return false;
  while (next_image(&images, &image, &damaged))
    if (++binary->images > MOST_IMAGES || !take_image(&image, binary))
      return false;
  return !damaged && binary->archs.count > 0;
}

static bool
image_defines(const struct image *image, const char *symbol)
{
  struct kiln_elf elf;
  if (image->compressed || (image->kind != IMAGE_PTX && image->kind != IMAGE_ELF))
    return true;
  if (image->kind == IMAGE_PTX)
    return ptx_defines(image->data, symbol);
  return open_cubin(image->data, &elf) && kiln_elf_defines_kernel(&elf, symbol);
}

static bool
fatbin_defines(struct bytes data, const char *symbol)
{
  struct images images;
  struct image image;
  bool damaged;
  if (!open_fatbin(data, &images))
    return false;
  while (next_image(&images, &image, &damaged))
    if (!image_defines(&image, symbol))
      return false;
  return !damaged;
}

/* ---- any ---- */

bool
kiln_gpu_read(const void *data, size_t len, struct kiln_gpu_binary *binary)
{
  const struct bytes bytes = {data, len};
  struct kiln_arch arch;
  *binary = (struct kiln_gpu_binary){.kind = KILN_GPU_OTHER};
  if (len == 0)
    return false;
  if (read_fatbin(bytes, binary)) {
    binary->kind = KILN_GPU_FATBIN;
    return true;
  }
  *binary = (struct kiln_gpu_binary){.kind = KILN_GPU_OTHER, .images = 1};
  if (read_cubin(bytes, &arch))
    binary->kind = KILN_GPU_CUBIN;
  else if (bytes.data[0] != 0x7f && read_ptx(bytes, &arch))
    binary->kind = KILN_GPU_PTX;
  if (binary->kind != KILN_GPU_OTHER)
    kiln_arch_list_add(&binary->archs, arch);
  return binary->kind != KILN_GPU_OTHER;
}

bool
kiln_gpu_defines(const void *data, size_t len, const char *symbol)
{
  struct kiln_gpu_binary binary;
  struct kiln_elf elf;
  const struct bytes bytes = {data, len};
  if (!*symbol || !kiln_gpu_read(data, len, &binary))
    return false;
  switch (binary.kind) {
  case KILN_GPU_FATBIN:
    return fatbin_defines(bytes, symbol);
  case KILN_GPU_PTX:
    return ptx_defines(bytes, symbol);
  default:
    return open_cubin(bytes, &elf) && kiln_elf_defines_kernel(&elf, symbol);
  }
}

const char *
kiln_gpu_kind_name(enum kiln_gpu_kind kind)
{
  static const char *const names[] = {"something else", "cubin", "fatbin", "PTX"};
  return names[kind];
}
