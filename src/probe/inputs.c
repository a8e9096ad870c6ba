#include "probe/inputs.h"

#include <string.h>

#include "base/buf.h"
#include "os/file.h"
#include "os/process.h"

#define LARGEST ((uint64_t)256 << 20)
#define OFFSET_BASIS UINT64_C(14695981039346656037)
#define PRIME UINT64_C(1099511628211)

static uint64_t
add_bytes(uint64_t digest, const void *data, size_t len)
{
  const unsigned char *byte = data;
  for (size_t i = 0; i < len; i++)
    digest = (digest ^ byte[i]) * PRIME;
  return digest;
}

static uint64_t
add_file(uint64_t digest, const char *path)
{
  struct kiln_file_info info;
  char block[16384];
  long got;
  if (kiln_file_target_info(path, &info, NULL) != KILN_OK || info.kind != KILN_FILE_REGULAR)
    return digest;
  digest = add_bytes(digest, &info.size, sizeof info.size);
  const int fd = info.size <= LARGEST ? kiln_fd_open(path, KILN_OPEN_READ) : -1;
  if (fd < 0)
    return digest;
  while ((got = kiln_fd_read(fd, block, sizeof block)) > 0)
    digest = add_bytes(digest, block, (size_t)got);
  kiln_fd_close(fd);
  return digest;
}

bool
kiln_inputs_file(const char *path, uint64_t *digest)
{
  struct kiln_file_info info;
  if (kiln_file_target_info(path, &info, NULL) != KILN_OK || info.kind != KILN_FILE_REGULAR || info.size > LARGEST)
    return false;
  *digest = add_file(OFFSET_BASIS, path);
  return true;
}

/* The program as the system would find it. */
static uint64_t
add_program(uint64_t digest, const char *name)
{
  struct kiln_buf path;
  const char *at = kiln_environment_current("PATH");
  if (strchr(name, '/') || !at)
    return add_file(digest, name);
  kiln_buf_init(&path);
  while (*at) {
    const size_t len = strcspn(at, ":");
    kiln_buf_clear(&path);
    kiln_buf_printf(&path, "%.*s/%s", len ? (int)len : 1, len ? at : ".", name);
    if (kiln_file_executable(kiln_buf_text(&path))) {
      digest = add_file(digest, kiln_buf_text(&path));
      break;
    }
    at += len + (at[len] == ':');
  }
  kiln_buf_release(&path);
  return digest;
}

uint64_t
kiln_inputs_digest(char *const *argv)
{
  uint64_t digest = OFFSET_BASIS;
  for (size_t i = 0; argv[i]; i++) {
    digest = add_bytes(digest, argv[i], strlen(argv[i]) + 1);
    digest = i == 0 ? add_program(digest, argv[i]) : add_file(digest, argv[i]);
  }
  return digest ? digest : 1;
}
