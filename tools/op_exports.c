/* Run by the build: prints generated/op_exports.c. Nothing is installed. */
#include <stdio.h>

#include "op/tool/export.h"

int
main(void)
{
  struct kiln_buf out;
  kiln_buf_init(&out);
  kiln_export_entries(&out);
  const int failed = out.failed || fwrite(out.data, 1, out.len, stdout) != out.len || fflush(stdout) != 0;
  kiln_buf_release(&out);
  return failed;
}
