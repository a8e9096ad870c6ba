/*
 * Makes an entry that is sound in form and wrong in content, as a bug or an older library could have left it.
 *
 * usage: proc.plant KEY PAYLOAD ENTRY     seals the file PAYLOAD under the key (64 hex digits) and writes it to ENTRY
 */
#include <stdio.h>

#include "os/file.h"
#include "os/publish.h"
#include "store/entry.h"

int
main(int argc, char **argv)
{
  struct kiln_digest key;
  struct kiln_buf payload, manifest;
  struct kiln_error error = {0};
  if (argc != 4 || !kiln_digest_parse(argv[1], &key)) {
    fprintf(stderr, "usage: proc.plant KEY PAYLOAD ENTRY\n");
    return 2;
  }
  kiln_buf_init(&payload);
  kiln_buf_init(&manifest);
  kiln_buf_printf(&manifest, "{\"key\":\"%s\",\"name\":\"planted\",\"toolchain\":\"hostcc\"}", argv[1]);
  enum kiln_status status = kiln_file_read(argv[2], (size_t)1 << 24, &payload, &error);
  if (status == KILN_OK)
    status = kiln_entry_seal(&payload, &key, manifest.data, manifest.len, &error);
  if (status == KILN_OK)
    status = kiln_file_write(argv[3], payload.data, payload.len, &error);
  if (status == KILN_OK)
    status = kiln_file_set_mode(argv[3], 0400, &error);
  if (status != KILN_OK)
    fprintf(stderr, "proc.plant: %s\n", error.what);
  kiln_buf_release(&payload);
  kiln_buf_release(&manifest);
  return status == KILN_OK ? 0 : 1;
}
