/* Any bytes as a report file that is shown again: refused with a sentence, or every renderer takes it. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "probe/report/render.h"
#include "probe/report_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct kiln_report *report;
  struct kiln_error error = {.status = KILN_OK};
  if (kiln_report_parse((const char *)data, size, "input", &report, &error) != KILN_OK) {
    if (error.status == KILN_OK || error.what[0] == '\0' || report)
      abort();
    return 0;
  }
  struct kiln_buf out;
  kiln_buf_init(&out);
  kiln_report_text(report, 80, true, &out);
  kiln_report_json(report, &out);
  kiln_report_html(report, &out);
  kiln_report_trace(report, &out);
  kiln_buf_release(&out);
  kiln_report_free(report);
  return 0;
}
