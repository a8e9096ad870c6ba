/* A cubin is an ELF file of machine 190. ABI version 8 (CUDA 13) has the number of its architecture in bits 8 to 15 of
 * the flags, earlier ones in bits 0 to 7. */
#include "device/cuda/image.h"

#include <stdint.h>
#include <string.h>

enum { HEADER_SIZE = 64, ABI_VERSION_AT = 8, MACHINE_AT = 18, FLAGS_AT = 48, MACHINE_CUDA = 190, ABI_CUDA_13 = 8 };
enum { FATBIN_MAGIC_LEN = 4, PTX_LOOK = 4096 };

static unsigned
number(const unsigned char *at, size_t size)
{
  unsigned value = 0;
  for (size_t i = size; i-- > 0;)
    value = value << 8 | at[i];
  return value;
}

static void
look_at_cubin(struct kiln_image *image, const unsigned char *data)
{
  const unsigned flags = number(data + FLAGS_AT, 4);
  const unsigned sm = data[ABI_VERSION_AT] >= ABI_CUDA_13 ? flags >> 8 & 0xff : flags & 0xff;
  image->kind = KILN_IMAGE_CUBIN;
  image->major = sm / 10;
  image->minor = sm % 10;
}

/* Text whose first word, behind comments and blanks, is ".version". */
static bool
is_ptx(const char *data, size_t len)
{
  static const char word[] = ".version";
  len = len < PTX_LOOK ? len : PTX_LOOK;
  for (size_t i = 0; i < len;) {
    if (data[i] == ' ' || data[i] == '\t' || data[i] == '\n' || data[i] == '\r') {
      i++;
    } else if (data[i] == '/' && i + 1 < len && data[i + 1] == '/') {
      const char *end = memchr(data + i, '\n', len - i);
      i = end ? (size_t)(end - data) + 1 : len;
    } else {
      return len - i >= sizeof word - 1 && memcmp(data + i, word, sizeof word - 1) == 0;
    }
  }
  return false;
}

void
kiln_image_look(struct kiln_image *image, const void *data, size_t len)
{
  static const unsigned char elf[] = {0x7f, 'E', 'L', 'F', 2, 1}, fatbin[] = {0x50, 0xed, 0x55, 0xba};
  const unsigned char *bytes = data;
  *image = (struct kiln_image){.kind = KILN_IMAGE_UNKNOWN};
  if (len >= HEADER_SIZE && memcmp(bytes, elf, sizeof elf) == 0 && number(bytes + MACHINE_AT, 2) == MACHINE_CUDA)
    look_at_cubin(image, bytes);
  else if (len >= FATBIN_MAGIC_LEN && memcmp(bytes, fatbin, sizeof fatbin) == 0)
    image->kind = KILN_IMAGE_FATBIN;
  else if (is_ptx(data, len))
    image->kind = KILN_IMAGE_PTX;
}

bool
kiln_image_fits(const struct kiln_image *image, unsigned major, unsigned minor)
{
  if (image->kind != KILN_IMAGE_CUBIN || image->major == 0)
    return true;
  return image->major == major && image->minor <= minor;
}
