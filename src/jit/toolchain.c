#include "jit/toolchain_ops.h"

void
kiln_build_output_init(struct kiln_build_output *output)
{
  *output = (struct kiln_build_output){.exit_code = 0};
  kiln_buf_init(&output->payload_path);
  kiln_buf_init(&output->payload);
  kiln_buf_init(&output->command);
  kiln_buf_init(&output->log);
  kiln_buf_init(&output->first_error);
  kiln_request_record_init(&output->dependencies);
}

void
kiln_build_output_release(struct kiln_build_output *output)
{
  kiln_buf_release(&output->payload_path);
  kiln_buf_release(&output->payload);
  kiln_buf_release(&output->command);
  kiln_buf_release(&output->log);
  kiln_buf_release(&output->first_error);
  kiln_request_record_release(&output->dependencies);
}
