/* Any bytes as a rules file: refused with one sentence, or rules that can be judged and shown. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "probe/gate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A report without a run: every rule is open, none crashes. */
static void
judge(struct kiln_gate *gate)
{
  struct kiln_report *report = kiln_report_new();
  struct kiln_buf out;
  kiln_buf_init(&out);
  if (report && kiln_report_arms_make(report, 1, 1) && kiln_gate_judge(gate, report, NULL) == KILN_OK) {
    if (kiln_gate_exit(gate, report) == 0)
      abort();
    kiln_gate_text(gate, true, &out);
    kiln_gate_json(gate, report, &out);
    kiln_gate_junit(gate, report, &out);
  }
  kiln_buf_release(&out);
  kiln_report_free(report);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct kiln_gate gate;
  struct kiln_error error = {KILN_OK, 0, "", ""};
  kiln_gate_init(&gate);
  if (kiln_gate_parse(&gate, (const char *)data, size, "rules", &error) == KILN_OK)
    judge(&gate);
  else if (!error.what[0] || strchr(error.what, '\n'))
    abort();
  kiln_gate_release(&gate);
  return 0;
}
