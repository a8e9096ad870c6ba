/* Any bytes as a report file: refused with a sentence, or compared with itself and then never found different. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "probe/compare.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A report that disagrees with itself may be unstable; it cannot be more, fewer or unlike. */
static void
compare_with_itself(const struct kiln_loaded_report *report)
{
  struct kiln_comparison comparison;
  if (kiln_compare(report, report, &comparison, NULL) != KILN_OK)
    return;
  if (comparison.work != KILN_WORK_SAME && comparison.work != KILN_WORK_UNSTABLE)
    abort();
  struct kiln_buf out;
  kiln_buf_init(&out);
  kiln_comparison_text(&comparison, 80, true, &out);
  kiln_comparison_json(&comparison, &out);
  kiln_buf_release(&out);
  kiln_comparison_release(&comparison);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct kiln_loaded_report *report = NULL;
  struct kiln_error error = {KILN_OK, 0, "", ""};
  if (kiln_loaded_report_parse((const char *)data, size, "input", &report, &error) == KILN_OK)
    compare_with_itself(report);
  else if (report || error.status == KILN_OK || !error.what[0])
    abort();
  kiln_loaded_report_free(report);
  return 0;
}
