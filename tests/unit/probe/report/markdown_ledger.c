#include "probe/ledger.h"
#include "probe/report/markdown_parts.h"
#include "unit/probe/made.h"

static void
has(const struct kiln_buf *out, const char *text)
{
  if (!strstr(kiln_buf_text(out), text))
    fail_msg("'%s' is not in:\n%s", text, kiln_buf_text(out));
}

static void
test_a_ledger(void **state)
{
  (void)state;
  struct kiln_report *report = made_report(1);
  struct kiln_ledger *ledger = kiln_ledger_new();
  struct kiln_ledger_effect effect = {.metric = "cold_cpu",
      .before_s = 2,
      .after_s = 1,
      .pairs = 11,
      .look = true,
      .percent = -50,
      .low = -52,
      .high = -48};
  struct kiln_buf out;
  assert_non_null(ledger);
  kiln_buf_init(&out);
  struct kiln_ledger_entry *entry = kiln_ledger_add(ledger, "enable_backward");
  entry->state = KILN_LEDGER_APPLIED;
  entry->title = "no backward code";
  entry->why = "it saves CPU time";
  entry->effects = &effect;
  entry->effect_count = 1;
  entry->launches = entry->output = "same";
  entry->removed = "backward code";
  kiln_ledger_line(ledger, entry, "in sim.py, before 'import warp'", "wp.config.enable_backward = False");
  entry = kiln_ledger_add(ledger, "fast_math");
  entry->state = KILN_LEDGER_DECLINED;
  entry->title = "fast math";
  entry->changes_kernels = true;
  entry->why = "not tried: needs your consent";
  ledger->remain = "1 s remains";
  report->ledger = ledger;
  kiln_markdown_ledger(&out, report);
  has(&out, "It helps:\n\n- **no backward code**: it saves CPU time\n");
  has(&out, "   - cold cpu 2.00 s → 1.00 s (-50.0 %, -52.0 to -48.0, 11 pairs)\n");
  has(&out, "   - checked: it arrived in 0 of 0 modules; launches same; output same\n");
  has(&out, "   - to take it: in sim.py, before 'import warp'\n     `wp.config.enable_backward = False`\n");
  has(&out, "Not taken:\n\n- **fast math** (changes kernels or numbers): not tried: needs your consent\n");
  has(&out, "1 s remains\n");
  ledger->entries[0].effects = NULL;
  ledger->entries[0].effect_count = 0;
  kiln_ledger_free(ledger);
  report->ledger = NULL;
  kiln_buf_clear(&out);
  kiln_markdown_ledger(&out, report);
  assert_int_equal(out.len, 0);
  kiln_buf_release(&out);
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_ledger)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
