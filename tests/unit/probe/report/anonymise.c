#include "unit/probe/report/drawn.h"

#include "probe/report/anonymise.h"
#include "probe/report/render.h"

/* Everything that a user might want to keep to themselves in drawn_report. */
static const char *const secrets[] = {"somebody", "secret", "sim.py", "acme", "orbit", "spin_the_wheel", "Secret",
    "--frames", "feedface", "00feedf", "0123456789abcdef", "my cache", "/home", "/usr/bin/python", "dot_symbol"};

typedef void render_report(const struct kiln_report *report, struct kiln_buf *out);

static void
render_page(const struct kiln_report *report, struct kiln_buf *out)
{
  kiln_report_text(report, 100, false, out);
}

static render_report *const renderings[] = {kiln_report_json, kiln_report_html, kiln_report_trace, render_page};

static bool
says(const struct kiln_report *report, size_t rendering, const char *words)
{
  struct kiln_buf out;
  kiln_buf_init(&out);
  renderings[rendering](report, &out);
  assert_false(out.failed);
  const bool found = strstr(kiln_buf_text(&out), words) != NULL;
  kiln_buf_release(&out);
  return found;
}

static void
no_name_is_left_in_any_output(void **state)
{
  (void)state;
  struct kiln_report *report = drawn_report(3, 3);
  size_t known = 0;
  report->failure = "The command '/home/somebody/secret_sim.py' exited with code 3 in cold run 1 of 3.";
  report->state = KILN_REPORT_FAILED;
  report->until = "a line of output matches 'acme is (ready|up)'";
  for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++)
    known += says(report, 0, secrets[i]) || says(report, 2, secrets[i]);
  assert_int_equal(known, sizeof secrets / sizeof *secrets); /* else this test would prove nothing */
  assert_int_equal(kiln_report_anonymise(report, NULL), KILN_OK);
  for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++)
    for (size_t r = 0; r < sizeof renderings / sizeof *renderings; r++)
      if (says(report, r, secrets[i]))
        fail_msg("'%s' is left in rendering %zu", secrets[i], r);
  kiln_report_free(report);
}

static void
numbers_and_links_between_names_stay(void **state)
{
  (void)state;
  struct kiln_report *report = drawn_report(3, 3);
  const double elapsed = report->arms[0].cold.elapsed_s.median;
  assert_int_equal(kiln_report_anonymise(report, NULL), KILN_OK);
  const struct kiln_model *cold = made_cold(report, 0), *other = made_cold(report, 2);
  assert_true(report->arms[0].cold.elapsed_s.median == elapsed);
  assert_int_equal(cold->builds[1].where.line, 11);
  assert_true(kiln_text_ends(cold->builds[1].where.file, ".py"));
  assert_string_equal(cold->builds[1].module, cold->loads[1].module);
  assert_string_equal(cold->builds[1].module, other->builds[1].module);
  assert_string_not_equal(cold->builds[0].module, cold->builds[1].module);
  assert_string_not_equal(cold->builds[0].identity, cold->builds[1].identity);
  assert_true(strncmp(cold->builds[0].identity, cold->builds[1].identity, 7) != 0);
  const struct kiln_finding *finding = &report->findings[0];
  assert_true(made_says(finding, cold->builds[0].module));
  assert_true(made_says(finding, cold->launches[0].kernel));
  assert_true(made_says(finding, "was built 3 times"));
  assert_true(made_says(finding, ":17 after the module was first loaded"));
  kiln_report_free(report);
}

static void
arms_are_not_replaced_twice(void **state)
{
  (void)state;
  struct kiln_report *report = drawn_report(1, 1);
  assert_ptr_equal(report->command, report->arms[0].command);
  report->arms[0].name = "acme_before";
  assert_int_equal(kiln_report_anonymise(report, NULL), KILN_OK);
  assert_string_equal(report->command[0], "word-1");
  assert_string_equal(report->arms[0].name, "arm-1");
  kiln_report_free(report);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_name_is_left_in_any_output),
      cmocka_unit_test(numbers_and_links_between_names_stay),
      cmocka_unit_test(arms_are_not_replaced_twice),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
