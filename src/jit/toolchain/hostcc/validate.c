/* A compiler that ended well may still have left something else than what was asked for. */
#include "jit/elf.h"
#include "jit/toolchain/hostcc/hostcc.h"
#include "os/cpu.h"
#include "os/file.h"

static enum kiln_status
check(const struct kiln_spec *spec, const struct kiln_buf *data, struct kiln_error *error)
{
  struct kiln_elf elf;
  if (!kiln_elf_open(&elf, data->data, data->len))
    return kiln_error_set(error, KILN_ERROR_COMMAND, "the compiler left %zu bytes for '%s' that are no 64-bit ELF file",
        data->len, spec->name);
  if (elf.type != KILN_ELF_SHARED)
    return kiln_error_set(error, KILN_ERROR_COMMAND,
        "the compiler left an ELF file of type %u for '%s', not a shared object", elf.type, spec->name);
  if (kiln_cpu_elf_machine() != 0 && elf.machine != kiln_cpu_elf_machine())
    return kiln_error_set(error, KILN_ERROR_COMMAND,
        "the compiler made code for machine %u for '%s', and this is machine %u", elf.machine, spec->name,
        kiln_cpu_elf_machine());
  for (size_t i = 0; i < spec->entry_points.count; i++)
    if (!kiln_elf_defines(&elf, spec->entry_points.items[i])) {
      kiln_error_set(error, KILN_ERROR_COMMAND, "the code of '%s' does not define its entry point '%s'", spec->name,
          spec->entry_points.items[i]);
      kiln_error_advise(error, "Define it in a source, neither static nor hidden.");
      return KILN_ERROR_COMMAND;
    }
  return KILN_OK;
}

enum kiln_status
kiln_hostcc_validate(const struct kiln_spec *spec, const char *path, struct kiln_error *error)
{
  struct kiln_buf data;
  kiln_buf_init(&data);
  enum kiln_status status = kiln_file_read(path, KILN_ENTRY_MAX_PAYLOAD, &data, error);
  if (status == KILN_ERROR_NOT_FOUND)
    kiln_error_set(error, status = KILN_ERROR_COMMAND, "the compiler left no file for '%s'", spec->name);
  if (status == KILN_OK)
    status = check(spec, &data, error);
  kiln_buf_release(&data);
  return status;
}
