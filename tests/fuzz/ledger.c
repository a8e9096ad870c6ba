/* Any bytes as a ledger: refused with one sentence, or read, shown, made into a lever file, and written as it was read.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "probe/ledger.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is written once is written the same again. */
static void
write_again(const struct kiln_ledger *ledger)
{
  struct kiln_ledger *again = NULL;
  struct kiln_buf first, second;
  kiln_buf_init(&first);
  kiln_buf_init(&second);
  kiln_ledger_json(ledger, &first);
  if (!first.failed) {
    if (kiln_ledger_parse(kiln_buf_text(&first), first.len, "again", &again, NULL) != KILN_OK) {
      abort();
    }
    kiln_ledger_json(again, &second);
    if (first.len != second.len || memcmp(first.data, second.data, first.len) != 0) {
      abort();
    }
  }
  kiln_ledger_free(again);
  kiln_buf_release(&first);
  kiln_buf_release(&second);
}

static void
use(const struct kiln_ledger *ledger)
{
  struct kiln_buf out;
  size_t count;
  kiln_buf_init(&out);
  kiln_ledger_render(ledger, 60, true, &out);
  kiln_ledger_levers(ledger, &out, &count, NULL);
  kiln_buf_release(&out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct kiln_ledger *ledger = NULL;
  struct kiln_error error = {KILN_OK, 0, "", ""};
  if (kiln_ledger_parse((const char *)data, size, "ledger", &ledger, &error) == KILN_OK) {
    use(ledger);
    write_again(ledger);
  } else if (!error.what[0] || strchr(error.what, '\n')) {
    abort();
  }
  kiln_ledger_free(ledger);
  return 0;
}
