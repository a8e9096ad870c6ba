/* Which levers are tried, and what is said of the others. */
#include "unit/probe/tried.h"

/* Two builds of 1 s with backward code, in a cold run of 3 s. */
static void
fill(struct tried *tried)
{
  struct kiln_model *model = made_cold(tried->result.report, 0);
  for (int i = 0; i < 2; i++) {
    const char *name = kiln_intern_text(&model->intern, i ? "other" : "sim");
    const char *hash = kiln_intern_text(&model->intern, i ? "bb" : "aa");
    made_hash(model, name, hash, 1, 0, "k=1", "enable_backward=True");
    made_build(model, name, hash, 1, 0, 1000)->source_bytes = 300000;
  }
  kiln_report_summarise(tried->result.report);
}

static void
choose(struct tried *tried, const char *const *levers, size_t count)
{
  tried->options.levers = levers;
  tried->options.lever_count = count;
  assert_int_equal(kiln_trial_choose(&tried->trial, NULL), KILN_OK);
}

static bool
trying(const struct tried *tried, const char *id)
{
  for (size_t i = 0; i < tried->trial.count; i++)
    if (kiln_text_equal(tried->trial.candidates[i].id, id))
      return tried->trial.candidates[i].trying;
  return false;
}

static void
what_the_run_supports_is_tried(void **state)
{
  struct tried *tried = *state;
  fill(tried);
  choose(tried, NULL, 0);
  assert_true(trying(tried, "enable_backward"));
  assert_true(trying(tried, "prebuild"));
  assert_false(trying(tried, "max_unroll"));
  tried_is(tried, "max_unroll", KILN_LEDGER_DECLINED, "Not tried: needs your consent.");
  assert_non_null(strstr(tried_entry(tried, "max_unroll")->would_buy, "at most the 2.00 s"));
  tried_is(tried, "fast_math", KILN_LEDGER_DECLINED, "Nothing to gain in this run");
  assert_int_equal(tried->trial.ledger->ceiling.builds, 2);
  assert_string_equal(tried_entry(tried, "enable_backward")->lines[0].text, "wp.config.enable_backward = False");
}

static void
consent_is_enough(void **state)
{
  struct tried *tried = *state;
  fill(tried);
  tried->options.allow_kernels = true;
  choose(tried, NULL, 0);
  assert_true(trying(tried, "max_unroll"));
  assert_false(trying(tried, "fast_math"));
}

static void
names_pick(void **state)
{
  struct tried *tried = *state;
  const char *names[] = {"max_unroll=2", "persistent_cache"};
  fill(tried);
  tried->options.allow_kernels = true;
  choose(tried, names, 2);
  assert_int_equal(tried->trial.count, 2);
  assert_true(trying(tried, "max_unroll") && trying(tried, "persistent_cache"));
  assert_string_equal(tried_entry(tried, "max_unroll")->change, "{\"id\":\"max_unroll\",\"value\":2}");
}

static void
a_tape_is_refused(void **state)
{
  struct tried *tried = *state;
  const char *names[] = {"enable_backward"};
  fill(tried);
  made_cold(tried->result.report, 0)->tape_backward = 1;
  choose(tried, names, 1);
  assert_false(trying(tried, "enable_backward"));
  tried_is(tried, "enable_backward", KILN_LEDGER_REFUSED, "A tape ran backward");
  assert_non_null(strstr(tried_entry(tried, "enable_backward")->would_buy, "--force --lever enable_backward"));
}

static void
force_without_a_name_is_none(void **state)
{
  struct tried *tried = *state;
  fill(tried);
  made_cold(tried->result.report, 0)->tape_backward = 1;
  tried->options.force = true;
  choose(tried, NULL, 0);
  assert_false(trying(tried, "enable_backward"));
}

static void
force_with_a_name_tries(void **state)
{
  struct tried *tried = *state;
  const char *names[] = {"enable_backward"};
  fill(tried);
  made_cold(tried->result.report, 0)->tape_backward = 1;
  tried->options.force = true;
  choose(tried, names, 1);
  assert_true(trying(tried, "enable_backward"));
  assert_true(tried_entry(tried, "enable_backward")->forced);
}

static void
small_compiling_is_left_alone(void **state)
{
  struct tried *tried = *state;
  choose(tried, NULL, 0);
  for (size_t i = 0; i < tried->trial.count; i++)
    assert_false(tried->trial.candidates[i].trying);
  assert_int_equal(tried->trial.ledger->note_count, 1);
}

static void
names_are_checked(void **state)
{
  const char *good[] = {"pch=off", "max_unroll=3"}, *none[] = {"pchs"}, *value[] = {"prebuild=4"}, *odd[] = {"pch=x"},
             *twice[] = {"pch", "pch=on"};
  struct kiln_try_options options = {.levers = good, .lever_count = 2};
  struct kiln_error error = {0};
  (void)state;
  assert_int_equal(kiln_trial_check_names(&options, &error), KILN_OK);
  options.lever_count = 1;
  options.levers = none;
  assert_int_equal(kiln_trial_check_names(&options, &error), KILN_ERROR_ARGUMENT);
  assert_non_null(strstr(error.what, "'pchs'"));
  options.levers = value;
  assert_int_equal(kiln_trial_check_names(&options, &error), KILN_ERROR_ARGUMENT);
  options.levers = odd;
  assert_int_equal(kiln_trial_check_names(&options, &error), KILN_ERROR_ARGUMENT);
  options.levers = twice;
  options.lever_count = 2;
  assert_int_equal(kiln_trial_check_names(&options, &error), KILN_ERROR_ARGUMENT);
  assert_non_null(strstr(error.what, "twice"));
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      TRIED_TEST(what_the_run_supports_is_tried),
      TRIED_TEST(consent_is_enough),
      TRIED_TEST(names_pick),
      TRIED_TEST(a_tape_is_refused),
      TRIED_TEST(force_without_a_name_is_none),
      TRIED_TEST(force_with_a_name_tries),
      TRIED_TEST(small_compiling_is_left_alone),
      cmocka_unit_test(names_are_checked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
