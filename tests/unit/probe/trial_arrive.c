/* Has a lever arrived? From models made by hand. */
#include "unit/probe/made.h"

#include "probe/levers/list.h"
#include "probe/trial_arrive.h"

struct fixture {
  struct kiln_report *without, *with;
  struct kiln_ledger *ledger;
  struct kiln_lever_view view;
  const char *because;
};

static int
setup(void **state)
{
  struct fixture *fixture = calloc(1, sizeof *fixture);
  assert_non_null(fixture);
  fixture->without = made_report(1);
  fixture->with = made_report(1);
  fixture->ledger = kiln_ledger_new();
  fixture->view = (struct kiln_lever_view){.report = fixture->without, .cold = made_cold(fixture->without, 0)};
  *state = fixture;
  return fixture->ledger ? 0 : -1;
}

static int
teardown(void **state)
{
  struct fixture *fixture = *state;
  kiln_report_free(fixture->without);
  kiln_report_free(fixture->with);
  kiln_ledger_free(fixture->ledger);
  free(fixture);
  return 0;
}

static struct kiln_ledger_entry *
arrive(struct fixture *fixture, const struct kiln_lever *lever, bool expected)
{
  struct kiln_ledger_entry *entry = kiln_ledger_add(fixture->ledger, lever->id);
  const struct kiln_arriving arriving = {lever, &fixture->view, made_cold(fixture->with, 0), false};
  assert_int_equal(kiln_trial_arrived(&arriving, fixture->ledger, entry, &fixture->because), expected);
  return entry;
}

static struct kiln_model_build *
build(struct kiln_report *report, const char *module, const char *identity, int pid)
{
  struct kiln_model *model = made_cold(report, 0);
  /* as a reader interns them: equal strings have equal addresses within a model */
  return made_build(
      model, kiln_intern_text(&model->intern, module), kiln_intern_text(&model->intern, identity), pid, 0, 10);
}

static struct kiln_model_process *
process(struct kiln_report *report, int pid, int ppid)
{
  struct kiln_model *model = made_cold(report, 0);
  assert_true(KILN_GROW(model->processes, model->process_count, model->process_capacity));
  model->processes[model->process_count] = (struct kiln_model_process){.pid = pid, .ppid = ppid};
  return &model->processes[model->process_count++];
}

static void
an_identity_that_moved_has_arrived(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_ledger_entry *entry;
  build(fixture->without, "sim", "aa", 7);
  build(fixture->with, "sim", "bb", 8);
  entry = arrive(fixture, &kiln_lever_enable_backward, true);
  assert_int_equal(entry->module_count, 1);
  assert_string_equal(entry->modules[0].before, "aa");
  assert_string_equal(entry->modules[0].after, "bb");
  assert_non_null(strstr(entry->evidence[0], "aa became bb"));
}

static void
one_that_did_not_is_missed_by_name(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_ledger_entry *entry;
  build(fixture->without, "sim", "aa", 7);
  build(fixture->without, "late", "cc", 7);
  build(fixture->without, "gone", "dd", 7);
  build(fixture->with, "sim", "bb", 8);
  build(fixture->with, "late", "cc", 8);
  entry = arrive(fixture, &kiln_lever_enable_backward, false);
  assert_int_equal(entry->missed, 2);
  assert_true(entry->modules[0].arrived);
  assert_non_null(strstr(entry->modules[1].because, "too late"));
  assert_non_null(strstr(entry->modules[2].because, "not built at all"));
}

/* Built twice, once as before: the module was not reached in time. */
static void
a_build_as_before_beside_a_new_one_is_missed(void **state)
{
  struct fixture *fixture = *state;
  build(fixture->without, "sim", "aa", 7);
  build(fixture->with, "sim", "aa", 8);
  build(fixture->with, "sim", "bb", 8);
  arrive(fixture, &kiln_lever_enable_backward, false);
}

/* A module of one kernel is named after its hash. */
static void
a_module_named_after_its_hash_is_the_same_module(void **state)
{
  struct fixture *fixture = *state;
  build(fixture->without, "kernel_0123abcd", "0123abcd99", 7);
  build(fixture->with, "kernel_99999999", "9999999911", 8);
  arrive(fixture, &kiln_lever_enable_backward, true);
}

static void
other_devices_and_block_sizes_are_other_modules(void **state)
{
  struct fixture *fixture = *state;
  build(fixture->without, "sim", "aa", 7)->block_dim = 128;
  build(fixture->with, "sim", "bb", 8)->block_dim = 256;
  arrive(fixture, &kiln_lever_enable_backward, false);
}

static void
a_build_that_became_a_load_has_arrived(void **state)
{
  struct fixture *fixture = *state;
  build(fixture->without, "sim", "aa", 7);
  build(fixture->with, "sim", "aa", 9); /* by a fork, which loads nothing */
  process(fixture->with, 9, 8)->forked = true;
  build(fixture->with, "sim", "aa", 11); /* by a child of the builder */
  process(fixture->with, 10, 1)->command = "python -c import os, _kiln_builder; _kiln_builder.run() 8";
  process(fixture->with, 11, 10);
  process(fixture->with, 8, 1)->command = "python sim.py";
  made_load(made_cold(fixture->with, 0), "sim", "aa", 8, 5);
  arrive(fixture, &kiln_lever_prebuild, true);
}

static void
a_program_that_built_it_itself_was_missed(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_ledger_entry *entry;
  build(fixture->without, "sim", "aa", 7);
  build(fixture->with, "sim", "aa", 8);
  made_load(made_cold(fixture->with, 0), "sim", "aa", 8, 5);
  entry = arrive(fixture, &kiln_lever_prebuild, false);
  assert_string_equal(entry->modules[0].because, "the program built it itself");
}

/* One that compiles ahead of time has no loads: it looks into the cache. */
static void
a_build_that_was_found_has_arrived(void **state)
{
  struct fixture *fixture = *state;
  build(fixture->without, "sim", "aa", 7);
  build(fixture->with, "sim", "aa", 8)->result = KILN_BUILD_CACHED;
  process(fixture->with, 8, 1)->command = "python sim.py";
  arrive(fixture, &kiln_lever_prebuild, true);
}

static void
add_link(struct kiln_report *report, const char *symbol, int pid, enum kiln_build_result result)
{
  struct kiln_model *model = made_cold(report, 0);
  assert_true(KILN_GROW(model->links, model->link_count, model->link_capacity));
  model->links[model->link_count++] =
      (struct kiln_model_link){.symbol = symbol, .pid = pid, .wall_ns = MS, .result = result};
}

static void
link_time_objects_that_are_found_have_arrived(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_ledger_entry *entry;
  add_link(fixture->without, "dot_a", 7, KILN_BUILD_COMPILED);
  add_link(fixture->without, "dot_b", 7, KILN_BUILD_COMPILED);
  add_link(fixture->without, "dot_c", 7, KILN_BUILD_CACHED);
  process(fixture->with, 9, 8)->forked = true;
  add_link(fixture->with, "dot_a", 9, KILN_BUILD_COMPILED);
  add_link(fixture->with, "dot_a", 8, KILN_BUILD_CACHED);
  entry = arrive(fixture, &kiln_lever_lto_ahead, true);
  assert_int_equal(entry->module_count, 2);
  add_link(fixture->with, "dot_b", 8, KILN_BUILD_COMPILED);
  assert_int_equal(arrive(fixture, &kiln_lever_lto_ahead, false)->missed, 1);
}

static void
says(struct fixture *fixture, const char *state, const char *module, const char *detail)
{
  struct kiln_model *with = made_cold(fixture->with, 0);
  assert_true(KILN_GROW(with->levers, with->lever_count, with->lever_capacity));
  with->levers[with->lever_count++] = (struct kiln_model_lever){"prebuild", state, module, detail, 8, MS};
}

/* Sharing the work is the lever; doing all of it is not. */
static void
what_the_program_built_beside_others_has_arrived(void **state)
{
  struct fixture *fixture = *state;
  build(fixture->without, "sim", "aa", 7);
  build(fixture->without, "other", "bb", 7);
  build(fixture->with, "sim", "aa", 8);
  build(fixture->with, "other", "bb", 8);
  says(fixture, "missed", "sim", "the program built it itself");
  says(fixture, "missed", "other", "the program built it itself");
  assert_int_equal(arrive(fixture, &kiln_lever_prebuild, false)->missed, 2);
  made_cold(fixture->with, 0)->builds[1].result = KILN_BUILD_CACHED;
  assert_non_null(strstr(arrive(fixture, &kiln_lever_prebuild, true)->modules[0].because, "while others built"));
  says(fixture, "failed", "sim", "its builder was ended by signal 11");
  assert_string_equal(arrive(fixture, &kiln_lever_prebuild, false)->modules[0].because,
      "the program built it itself (its builder was ended by signal 11)");
}

static void
what_threads_built_has_arrived(void **state)
{
  struct fixture *fixture = *state;
  build(fixture->without, "sim", "aa", 7);
  build(fixture->with, "sim", "aa", 8);
  says(fixture, "applied", "sim", "threads");
  arrive(fixture, &kiln_lever_prebuild_threads, true);
}

static void
a_load_of_another_identity_is_none(void **state)
{
  struct fixture *fixture = *state;
  build(fixture->without, "sim", "aa", 7);
  made_load(made_cold(fixture->with, 0), "sim", "bb", 8, 5);
  arrive(fixture, &kiln_lever_prebuild, false);
}

static void
a_header_that_nobody_makes_has_arrived(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_model *with = made_cold(fixture->with, 0);
  build(fixture->without, "sim", "aa", 7)->pch.wall_ns = MS;
  made_load(made_cold(fixture->without, 0), "sim", "aa", 7, 5);
  build(fixture->with, "sim", "aa", 8);
  made_load(with, "sim", "aa", 8, 5);
  arrive(fixture, &kiln_lever_shared_pch, true);
  with->builds[0].pch.wall_ns = MS;
  assert_string_equal(
      arrive(fixture, &kiln_lever_shared_pch, false)->modules[0].because, "a precompiled header was made all the same");
}

static void
what_the_agent_says_is_kept(void **state)
{
  struct fixture *fixture = *state;
  struct kiln_model *with = made_cold(fixture->with, 0);
  build(fixture->without, "sim", "aa", 7);
  build(fixture->with, "sim", "aa", 8);
  made_load(with, "sim", "aa", 8, 5);
  assert_true(KILN_GROW(with->levers, with->lever_count, with->lever_capacity));
  with->levers[with->lever_count++] = (struct kiln_model_lever){"prebuild", "missed", "sim", "it was faster", 8, MS};
  assert_non_null(strstr(arrive(fixture, &kiln_lever_prebuild, false)->modules[0].because, "(it was faster)"));
  assert_null(fixture->because);
  with->levers[0] = (struct kiln_model_lever){"prebuild", "failed", NULL, "no folder", 8, MS};
  arrive(fixture, &kiln_lever_prebuild, false);
  assert_string_equal(fixture->because, "no folder");
}

static void
a_run_without_builds_has_nowhere_to_arrive(void **state)
{
  arrive(*state, &kiln_lever_enable_backward, false);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int
main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(an_identity_that_moved_has_arrived),
      TEST(one_that_did_not_is_missed_by_name),
      TEST(a_build_as_before_beside_a_new_one_is_missed),
      TEST(a_module_named_after_its_hash_is_the_same_module),
      TEST(other_devices_and_block_sizes_are_other_modules),
      TEST(a_build_that_became_a_load_has_arrived),
      TEST(a_program_that_built_it_itself_was_missed),
      TEST(a_build_that_was_found_has_arrived),
      TEST(link_time_objects_that_are_found_have_arrived),
      TEST(what_the_program_built_beside_others_has_arrived),
      TEST(what_threads_built_has_arrived),
      TEST(a_load_of_another_identity_is_none),
      TEST(a_header_that_nobody_makes_has_arrived),
      TEST(what_the_agent_says_is_kept),
      TEST(a_run_without_builds_has_nowhere_to_arrive),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
