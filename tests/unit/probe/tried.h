/* Trials made by hand for tests: a report, a ledger, candidates. */
#ifndef KILN_TESTS_UNIT_PROBE_TRIED_H
#define KILN_TESTS_UNIT_PROBE_TRIED_H

#include "unit/probe/made.h"

#include "probe/levers/list.h"
#include "probe/trial_state.h"

struct tried {
  struct kiln_try_options options;
  struct kiln_try_result result;
  struct kiln_trial trial;
};

static inline int
tried_setup(void **state)
{
  struct tried *tried = calloc(1, sizeof *tried);
  assert_non_null(tried);
  tried->result.report = made_report(1);
  kiln_report_summarise(tried->result.report);
  tried->result.ledger = kiln_ledger_new();
  assert_non_null(tried->result.ledger);
  tried->result.ledger->compared = "standard output";
  tried->options.measure.resolution = 0.05;
  tried->trial = (struct kiln_trial){.options = &tried->options,
      .result = &tried->result,
      .baseline = tried->result.report,
      .ledger = tried->result.ledger};
  tried->trial.view =
      (struct kiln_lever_view){.report = tried->result.report, .cold = made_cold(tried->result.report, 0), .cores = 4};
  *state = tried;
  return 0;
}

static inline int
tried_teardown(void **state)
{
  struct tried *tried = *state;
  for (size_t i = 0; i < tried->trial.count; i++)
    kiln_buf_release(&tried->trial.candidates[i].difference);
  free(tried->trial.candidates);
  kiln_try_result_release(&tried->result);
  free(tried);
  return 0;
}

#define TRIED_TEST(function) cmocka_unit_test_setup_teardown(function, tried_setup, tried_teardown)

static inline struct kiln_ledger_entry *
tried_entry(struct tried *tried, const char *lever)
{
  struct kiln_ledger_entry *entry = kiln_ledger_entry(tried->trial.ledger, lever);
  assert_non_null(entry);
  return entry;
}

/* Fails unless the entry has this state, and its reason this part. */
static inline void
tried_is(struct tried *tried, const char *lever, enum kiln_ledger_state state, const char *part)
{
  const struct kiln_ledger_entry *entry = tried_entry(tried, lever);
  if (entry->state != state || !strstr(entry->why, part))
    print_message("%s: %s, %s\n", lever, kiln_ledger_state_name(entry->state), entry->why);
  assert_int_equal(entry->state, state);
  assert_non_null(strstr(entry->why, part));
}

/* An accepted lever whose cold runs change by so many per cent. */
static inline void
tried_helped(struct tried *tried, const struct kiln_lever *lever, double percent)
{
  struct kiln_trial_candidate *candidate = kiln_trial_add(&tried->trial, lever, lever->id);
  struct kiln_ledger_entry *entry;
  assert_non_null(candidate);
  candidate->object = "{\"id\":\"x\"}";
  entry = kiln_trial_entry(&tried->trial, candidate);
  entry->state = KILN_LEDGER_APPLIED;
  entry->change = candidate->object;
  assert_true(KILN_GROW(entry->effects, entry->effect_count, entry->effect_capacity));
  entry->effects[entry->effect_count++] = (struct kiln_ledger_effect){.metric = "cold_elapsed",
      .before_s = 2,
      .after_s = 2 * (1 + percent / 100),
      .look = true,
      .pairs = 11,
      .percent = percent,
      .verdict = KILN_VERDICT_IMPROVED};
}

#endif
