#include "os/program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "os/failure.h"
#include "os/file.h"

#define MOST_HEADERS 64
#define MOST_ENTRIES 512
#define NAME_SIZE 128

struct reading {
  int fd;
  Elf64_Phdr headers[MOST_HEADERS];
  size_t count;
};

static bool
read_at(int fd, uint64_t offset, void *data, size_t len)
{
  return offset <= INT64_MAX && pread(fd, data, len, (off_t)offset) == (ssize_t)len;
}

static bool
read_headers(struct reading *reading)
{
  Elf64_Ehdr head;
  const uint16_t one = 1;
  const unsigned char order = *(const unsigned char *)&one ? ELFDATA2LSB : ELFDATA2MSB;
  if (!read_at(reading->fd, 0, &head, sizeof head) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
      head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_ident[EI_DATA] != order ||
      (head.e_type != ET_EXEC && head.e_type != ET_DYN) || head.e_phentsize != sizeof *reading->headers)
    return false;
  reading->count = head.e_phnum < MOST_HEADERS ? head.e_phnum : MOST_HEADERS;
  return read_at(reading->fd, head.e_phoff, reading->headers, reading->count * sizeof *reading->headers);
}

static const Elf64_Phdr *
find_header(const struct reading *reading, uint32_t type)
{
  for (size_t i = 0; i < reading->count; i++)
    if (reading->headers[i].p_type == type)
      return &reading->headers[i];
  return NULL;
}

/* Where an address lies in the file; UINT64_MAX when in no segment. */
static uint64_t
offset_of(const struct reading *reading, uint64_t address)
{
  for (size_t i = 0; i < reading->count; i++) {
    const Elf64_Phdr *header = &reading->headers[i];
    if (header->p_type == PT_LOAD && address >= header->p_vaddr && address - header->p_vaddr < header->p_filesz)
      return header->p_offset + (address - header->p_vaddr);
  }
  return UINT64_MAX;
}

static bool
name_is_python(const struct reading *reading, uint64_t strings, uint64_t at)
{
  char name[NAME_SIZE] = "";
  if (strings > INT64_MAX || at > INT32_MAX || pread(reading->fd, name, sizeof name - 1, (off_t)(strings + at)) <= 0)
    return false;
  return strncmp(name, "libpython", 9) == 0;
}

static bool
needs_python(const struct reading *reading)
{
  static const Elf64_Dyn end = {.d_tag = DT_NULL};
  Elf64_Dyn entries[MOST_ENTRIES];
  const Elf64_Phdr *dynamic = find_header(reading, PT_DYNAMIC);
  uint64_t strings = UINT64_MAX;
  if (!dynamic)
    return false;
  size_t count = dynamic->p_filesz / sizeof *entries;
  count = count < MOST_ENTRIES ? count : MOST_ENTRIES;
  if (!read_at(reading->fd, dynamic->p_offset, entries, count * sizeof *entries))
    return false;
  for (size_t i = 0; i < count && entries[i].d_tag != end.d_tag; i++)
    if (entries[i].d_tag == DT_STRTAB)
      strings = offset_of(reading, entries[i].d_un.d_ptr);
  for (size_t i = 0; i < count && entries[i].d_tag != end.d_tag; i++)
    if (entries[i].d_tag == DT_NEEDED && name_is_python(reading, strings, entries[i].d_un.d_val))
      return true;
  return false;
}

static void
read_linker(const struct reading *reading, struct kiln_program *program)
{
  const Elf64_Phdr *header = find_header(reading, PT_INTERP);
  if (!header)
    return;
  const size_t room = sizeof program->interpreter - 1, len = header->p_filesz < room ? header->p_filesz : room;
  program->dynamic = read_at(reading->fd, header->p_offset, program->interpreter, len);
  program->interpreter[program->dynamic ? len : 0] = '\0';
  program->musl = strstr(program->interpreter, "ld-musl") != NULL;
}

/* Root that runs a set-user-id program of root gains nothing, and the system does not call that secure. */
static bool
is_elevated(int fd)
{
  struct stat info;
  char capabilities[64];
  if (fstat(fd, &info) != 0)
    return false;
  if ((info.st_mode & S_ISUID) && info.st_uid != geteuid())
    return true;
  if ((info.st_mode & S_ISGID) && (info.st_mode & S_IXGRP) && info.st_gid != getegid())
    return true;
  return geteuid() != 0 && fgetxattr(fd, "security.capability", capabilities, sizeof capabilities) > 0;
}

enum kiln_status
kiln_program_read(const char *path, struct kiln_program *program, struct kiln_error *error)
{
  struct reading reading = {.fd = kiln_fd_open(path, KILN_OPEN_READ)};
  *program = (struct kiln_program){.elf = false};
  if (reading.fd < 0)
    return kiln_failure_set(error, errno, "read", path);
  program->elevated = is_elevated(reading.fd);
  program->elf = read_headers(&reading);
  if (program->elf) {
    read_linker(&reading, program);
    program->shared_python = needs_python(&reading);
  }
  kiln_fd_close(reading.fd);
  return KILN_OK;
}
