/* What helped, together; and what is accepted in the end. */
#include "unit/probe/tried.h"

static struct kiln_trial_candidate *
combined(struct tried *tried)
{
  struct kiln_trial_candidate *candidate;
  assert_int_equal(kiln_trial_combine(&tried->trial, &candidate, NULL), KILN_OK);
  return candidate;
}

/* As if the combination had been measured. */
static void
measured(struct tried *tried, const char *id, double percent)
{
  struct kiln_ledger_entry *entry = tried_entry(tried, id);
  assert_true(KILN_GROW(entry->effects, entry->effect_count, entry->effect_capacity));
  entry->effects[entry->effect_count++] = (struct kiln_ledger_effect){
      .metric = "cold_elapsed", .after_s = 0.5, .look = true, .percent = percent, .verdict = KILN_VERDICT_IMPROVED};
  entry->state = KILN_LEDGER_APPLIED;
}

static void
one_lever_needs_no_combination(void **state)
{
  struct tried *tried = *state;
  tried_helped(tried, &kiln_lever_enable_backward, -20);
  assert_null(combined(tried));
  kiln_trial_conclude(&tried->trial);
  tried_is(tried, "enable_backward", KILN_LEDGER_APPLIED, "");
  assert_true(tried->trial.ledger->remain_elapsed_s > 1.59 && tried->trial.ledger->remain_elapsed_s < 1.61);
}

static void
nothing_that_helped_leaves_all(void **state)
{
  struct tried *tried = *state;
  assert_null(combined(tried));
  kiln_trial_conclude(&tried->trial);
  assert_true(tried->trial.ledger->remain_elapsed_s < 0);
  assert_non_null(strstr(tried->trial.ledger->remain, "Nothing was shown to help"));
}

static void
several_become_one_arm(void **state)
{
  struct tried *tried = *state;
  struct kiln_trial_candidate *candidate;
  tried_helped(tried, &kiln_lever_enable_backward, -20);
  tried_helped(tried, &kiln_lever_max_unroll, -10);
  tried_helped(tried, &kiln_lever_prebuild, -30);
  candidate = combined(tried);
  assert_non_null(candidate);
  assert_string_equal(candidate->id, "enable_backward+max_unroll+prebuild");
  assert_int_equal(candidate->part_count, 3);
  assert_ptr_equal(candidate->lever, &kiln_lever_prebuild); /* so that elapsed time decides */
  assert_true(kiln_trial_change(candidate).elapsed_decides);
  assert_string_equal(
      kiln_trial_entry(&tried->trial, candidate)->change, "[{\"id\":\"x\"},{\"id\":\"x\"},{\"id\":\"x\"}]");
  measured(tried, "enable_backward+max_unroll+prebuild", -45);
  kiln_trial_conclude(&tried->trial);
  tried_is(tried, "enable_backward", KILN_LEDGER_APPLIED, "");
  assert_non_null(strstr(tried->trial.ledger->remain, "enable_backward+max_unroll+prebuild"));
}

static void
of_two_ways_to_the_same_the_better_one_stays(void **state)
{
  struct tried *tried = *state;
  tried_helped(tried, &kiln_lever_pch, -20);
  tried_helped(tried, &kiln_lever_shared_pch, -50);
  tried_helped(tried, &kiln_lever_prebuild, -30);
  tried_helped(tried, &kiln_lever_prebuild_threads, -30); /* a tie: the first stays */
  assert_string_equal(combined(tried)->id, "shared_pch+prebuild");
  tried_is(tried, "pch", KILN_LEDGER_DECLINED, "'shared_pch' does the same");
  tried_is(tried, "prebuild_threads", KILN_LEDGER_DECLINED, "'prebuild' does the same");
}

static void
no_better_together_is_the_best_alone(void **state)
{
  struct tried *tried = *state;
  tried_helped(tried, &kiln_lever_enable_backward, -20);
  tried_helped(tried, &kiln_lever_max_unroll, -10);
  combined(tried);
  measured(tried, "enable_backward+max_unroll", -15);
  kiln_trial_conclude(&tried->trial);
  tried_is(tried, "enable_backward", KILN_LEDGER_APPLIED, "");
  tried_is(tried, "max_unroll", KILN_LEDGER_DECLINED, "together they are no better");
  tried_is(tried, "enable_backward+max_unroll", KILN_LEDGER_DECLINED, "");
}

static void
not_decided_together_is_the_best_alone(void **state)
{
  struct tried *tried = *state;
  tried_helped(tried, &kiln_lever_enable_backward, -20);
  tried_helped(tried, &kiln_lever_max_unroll, -30);
  combined(tried);
  tried_entry(tried, "enable_backward+max_unroll")->state = KILN_LEDGER_INCONCLUSIVE;
  kiln_trial_conclude(&tried->trial);
  tried_is(tried, "max_unroll", KILN_LEDGER_APPLIED, "");
  tried_is(tried, "enable_backward", KILN_LEDGER_DECLINED, "not shown to help");
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      TRIED_TEST(one_lever_needs_no_combination),
      TRIED_TEST(nothing_that_helped_leaves_all),
      TRIED_TEST(several_become_one_arm),
      TRIED_TEST(of_two_ways_to_the_same_the_better_one_stays),
      TRIED_TEST(no_better_together_is_the_best_alone),
      TRIED_TEST(not_decided_together_is_the_best_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
