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

static void
render(struct kiln_comparison *comparison)
{
  struct kiln_buf out;
  kiln_buf_init(&out);
  kiln_comparison_text(comparison, 60, false, &out);
  kiln_comparison_json(comparison, &out);
  if (kiln_comparison_exit(comparison) < 0)
    abort();
  kiln_buf_release(&out);
  kiln_comparison_release(comparison);
}

/* Every arm against the baseline; and the file against itself, which has not become faster or slower. */
static void
compare_file(const struct kiln_loaded_file *file)
{
  struct kiln_comparison comparison;
  for (size_t i = 1; i <= kiln_loaded_file_candidates(file) && i < 4; i++)
    if (kiln_compare_arms(file, i, &comparison, NULL) == KILN_OK)
      render(&comparison);
  if (kiln_compare_files(file, file, NULL, false, &comparison, NULL) != KILN_OK)
    return;
  if (comparison.unlike_environment || comparison.verdict == KILN_VERDICT_REGRESSED ||
      comparison.verdict == KILN_VERDICT_IMPROVED)
    abort();
  render(&comparison);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct kiln_loaded_file *file = NULL;
  struct kiln_loaded_report *report = NULL;
  struct kiln_error error = {KILN_OK, 0, "", ""};
  if (kiln_loaded_report_parse((const char *)data, size, "input", &report, &error) == KILN_OK)
    compare_with_itself(report);
  else if (report || error.status == KILN_OK || !error.what[0])
    abort();
  kiln_loaded_report_free(report);
  if (kiln_loaded_file_parse((const char *)data, size, "input", &file, NULL) == KILN_OK)
    compare_file(file);
  kiln_loaded_file_free(file);
  return 0;
}
