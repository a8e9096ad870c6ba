/* From pairs to a decision. */
#include "unit/probe/tried.h"

#include "probe/judge.h"

/* Pairs whose cold runs take `cold` of the CPU time with the lever, and whose program takes `program`. */
static struct kiln_report *
pairs_of(size_t n, double cold, double program)
{
  static struct kiln_report_verdict verdict;
  struct kiln_report *pairs = made_arms(n, cold);
  for (size_t i = 0; i < n; i++) {
    struct kiln_report_sample *without = &pairs->arms[0].samples[i], *with = &pairs->arms[1].samples[i];
    with->cold.cpu_s *= cold;
    without->warm.phase[KILN_PHASE_PROGRAM].wall_ns = (100 + i) * MS;
    with->warm.phase[KILN_PHASE_PROGRAM].wall_ns = (uint64_t)((double)((100 + i) * MS) * program);
  }
  verdict = (struct kiln_report_verdict){.candidate = 1};
  pairs->verdicts = &verdict;
  pairs->verdict_count = 1;
  assert_int_equal(kiln_report_judge_work(pairs, &verdict, NULL), KILN_OK);
  assert_int_equal(kiln_report_judge_time(pairs, &verdict, NULL), KILN_OK);
  return pairs;
}

static struct kiln_trial_candidate *
candidate_of(struct tried *tried, const struct kiln_lever *lever)
{
  struct kiln_trial_candidate *candidate = kiln_trial_add(&tried->trial, lever, lever->id);
  assert_non_null(candidate);
  kiln_trial_entry(&tried->trial, candidate)->changes_kernels = (lever->flags & KILN_LEVER_KERNELS) != 0;
  return candidate;
}

static void
decide(struct tried *tried, const struct kiln_trial_candidate *candidate, struct kiln_report *pairs)
{
  assert_int_equal(kiln_trial_effects(&tried->trial, candidate, pairs, 1, NULL), KILN_OK);
  kiln_report_free(pairs);
}

static void
less_is_applied(void **state)
{
  struct tried *tried = *state;
  const struct kiln_ledger_entry *entry;
  decide(tried, candidate_of(tried, &kiln_lever_enable_backward), pairs_of(11, 0.5, 1));
  tried_is(tried, "enable_backward", KILN_LEDGER_APPLIED, "cold CPU time falls by 50.0 %");
  entry = tried_entry(tried, "enable_backward");
  assert_int_equal(entry->effect_count, 4);
  assert_string_equal(entry->effects[0].metric, "cold_cpu");
  assert_int_equal(entry->effects[0].pairs_raw, 11);
  assert_true(entry->effects[0].percent > -50.1 && entry->effects[0].percent < -49.9);
  assert_true(kiln_trial_gain(entry) < 0);
}

static void
more_is_declined(void **state)
{
  struct tried *tried = *state;
  decide(tried, candidate_of(tried, &kiln_lever_pch), pairs_of(11, 1.2, 1));
  tried_is(tried, "pch", KILN_LEDGER_DECLINED, "It costs: cold CPU time rises by 20.0 %");
}

static void
the_same_is_declined(void **state)
{
  struct tried *tried = *state;
  decide(tried, candidate_of(tried, &kiln_lever_pch), pairs_of(11, 1, 1));
  tried_is(tried, "pch", KILN_LEDGER_DECLINED, "No effect of 5 % or more");
}

static void
few_pairs_decide_nothing(void **state)
{
  struct tried *tried = *state;
  decide(tried, candidate_of(tried, &kiln_lever_pch), pairs_of(1, 0.1, 1));
  tried_is(tried, "pch", KILN_LEDGER_INCONCLUSIVE, "1 pair does not decide");
  assert_false(tried_entry(tried, "pch")->effects[0].look);
}

static void
slower_kernels_are_said_in_an_edit_loop(void **state)
{
  struct tried *tried = *state;
  decide(tried, candidate_of(tried, &kiln_lever_max_unroll), pairs_of(11, 0.5, 2));
  tried_is(tried, "max_unroll", KILN_LEDGER_APPLIED, "the program itself then runs +100.0 %");
  assert_non_null(kiln_ledger_effect_of(tried_entry(tried, "max_unroll"), "program"));
}

static void
slower_kernels_are_declined_in_production(void **state)
{
  struct tried *tried = *state;
  made_cold(tried->result.report, 0)->counts.launches = 8;
  tried->options.production = true;
  decide(tried, candidate_of(tried, &kiln_lever_max_unroll), pairs_of(11, 0.5, 2));
  tried_is(tried, "max_unroll", KILN_LEDGER_DECLINED, "in every start");
  tried->trial.ledger->entries[0].state = KILN_LEDGER_DECLINED;
  decide(tried, candidate_of(tried, &kiln_lever_optimization_level), pairs_of(11, 0.5, 1));
  tried_is(tried, "optimization_level", KILN_LEDGER_APPLIED, "falls by 50.0 %");
}

/* Built ahead of time: nobody knows what the kernels cost when they run. */
static void
kernels_that_nobody_launched(void **state)
{
  struct tried *tried = *state;
  decide(tried, candidate_of(tried, &kiln_lever_mathdx_gemm), pairs_of(11, 0.5, 1));
  tried_is(tried, "enable_mathdx_gemm", KILN_LEDGER_APPLIED, "nothing was launched");
  tried->options.production = true;
  decide(tried, candidate_of(tried, &kiln_lever_mathdx_fft), pairs_of(11, 0.5, 1));
  tried_is(tried, "enable_mathdx_fft", KILN_LEDGER_INCONCLUSIVE, "nothing was launched");
  decide(tried, candidate_of(tried, &kiln_lever_enable_backward), pairs_of(11, 0.5, 1));
  tried_is(tried, "enable_backward", KILN_LEDGER_APPLIED, "falls by 50.0 %");
}

/* What differed in a pair outranks any gain. */
static void
another_output_in_a_pair_is_refused(void **state)
{
  struct tried *tried = *state;
  struct kiln_trial_candidate *candidate = candidate_of(tried, &kiln_lever_enable_backward);
  candidate->output = KILN_OUTPUT_DIFFERS;
  kiln_buf_text_append(&candidate->difference, "Line 3 is another.");
  decide(tried, candidate, pairs_of(11, 0.5, 1));
  tried_is(tried, "enable_backward", KILN_LEDGER_REFUSED, "Line 3 is another.");
}

static void
no_valid_pair_decides_nothing(void **state)
{
  struct tried *tried = *state;
  struct kiln_report *pairs = pairs_of(11, 0.5, 1);
  pairs->verdicts[0].work = NULL;
  decide(tried, candidate_of(tried, &kiln_lever_pch), pairs);
  tried_is(tried, "pch", KILN_LEDGER_INCONCLUSIVE, "No valid pair");
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      TRIED_TEST(less_is_applied),
      TRIED_TEST(more_is_declined),
      TRIED_TEST(the_same_is_declined),
      TRIED_TEST(few_pairs_decide_nothing),
      TRIED_TEST(slower_kernels_are_said_in_an_edit_loop),
      TRIED_TEST(slower_kernels_are_declined_in_production),
      TRIED_TEST(kernels_that_nobody_launched),
      TRIED_TEST(another_output_in_a_pair_is_refused),
      TRIED_TEST(no_valid_pair_decides_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
