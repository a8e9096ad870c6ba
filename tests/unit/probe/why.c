#include "probe/why.h"
#include "unit/probe/made.h"

/* What differs between two made reports; released by the test with the arena. */
struct asked {
  struct kiln_report *then, *now;
  struct kiln_arena arena;
  struct kiln_why *why;
};

static void
begin(struct asked *asked)
{
  asked->then = made_report(1);
  asked->now = made_report(1);
  kiln_arena_init(&asked->arena);
}

static void
ask(struct asked *asked)
{
  assert_int_equal(
      kiln_why_find(asked->now, 0, asked->then, 0, "before.json", &asked->arena, &asked->why, NULL), KILN_OK);
  assert_string_equal(asked->why->than, "before.json");
}

static void
end(struct asked *asked)
{
  kiln_report_free(asked->then);
  kiln_report_free(asked->now);
  kiln_arena_release(&asked->arena);
}

/* A module that was loaded, with the table of its key. */
static void
use(struct kiln_report *report, const char *module, const char *identity, const char *kernels, const char *options)
{
  made_load(made_cold(report, 0), module, identity, 1, 5);
  if (kernels)
    made_hash(made_cold(report, 0), module, identity, 1, 4, kernels, options);
}

static void
reason_is(const struct asked *asked, size_t module, size_t reason, enum kiln_why_kind kind, const char *name)
{
  assert_true(module < asked->why->module_count);
  assert_true(reason < asked->why->modules[module].reason_count);
  const struct kiln_why_reason *of = &asked->why->modules[module].reasons[reason];
  assert_string_equal(kiln_why_kind_name(of->kind), kiln_why_kind_name(kind));
  if (name)
    assert_string_equal(of->name, name);
}

static void
test_kernels_and_options(void **state)
{
  (void)state;
  struct asked asked;
  begin(&asked);
  use(asked.then, "sim", "aaa", "a=1 b=2 old=3", "fast_math=False max_unroll=16");
  use(asked.now, "sim", "bbb", "a=1 b=9 new=4", "fast_math=True max_unroll=16");
  use(asked.then, "same", "sss", "k=1", "o=1");
  use(asked.now, "same", "sss", "k=1", "o=1");
  ask(&asked);
  assert_int_equal(asked.why->same, 1);
  assert_int_equal(asked.why->module_count, 1);
  assert_string_equal(asked.why->modules[0].from, "aaa");
  assert_string_equal(asked.why->modules[0].to, "bbb");
  assert_int_equal(asked.why->modules[0].reason_count, 4);
  reason_is(&asked, 0, 0, KILN_WHY_KERNEL_CHANGED, "b");
  reason_is(&asked, 0, 1, KILN_WHY_KERNEL_NEW, "new");
  reason_is(&asked, 0, 2, KILN_WHY_KERNEL_GONE, "old");
  reason_is(&asked, 0, 3, KILN_WHY_OPTION, "fast_math");
  assert_string_equal(asked.why->modules[0].reasons[3].before, "False");
  assert_string_equal(asked.why->modules[0].reasons[3].after, "True");
  end(&asked);
}

static void
test_block_size_is_said_once(void **state)
{
  (void)state;
  struct asked asked;
  begin(&asked);
  use(asked.then, "sim", "aaa", "a=1", "block_dim=256");
  use(asked.now, "sim", "bbb", "a=1", "block_dim=128");
  made_cold(asked.then, 0)->loads[0].block_dim = 256;
  made_cold(asked.now, 0)->loads[0].block_dim = 128;
  ask(&asked);
  assert_int_equal(asked.why->modules[0].reason_count, 1);
  reason_is(&asked, 0, 0, KILN_WHY_BLOCK_SIZE, NULL);
  assert_string_equal(asked.why->modules[0].reasons[0].before, "256");
  assert_string_equal(asked.why->modules[0].reasons[0].after, "128");
  end(&asked);
}

static void
test_another_version(void **state)
{
  (void)state;
  struct asked asked;
  begin(&asked);
  asked.then->framework = "warp 1.18.0";
  use(asked.then, "sim", "aaa", "a=1", "o=1");
  use(asked.now, "sim", "bbb", "a=1", "o=1");
  ask(&asked);
  assert_int_equal(asked.why->modules[0].reason_count, 1);
  reason_is(&asked, 0, 0, KILN_WHY_VERSION, NULL);
  assert_string_equal(asked.why->modules[0].reasons[0].before, "warp 1.18.0");
  end(&asked);
}

static void
test_what_the_table_does_not_hold(void **state)
{
  (void)state;
  struct asked asked;
  begin(&asked);
  use(asked.then, "plain", "aaa", "a=1", "o=1");
  use(asked.now, "plain", "bbb", "a=1", "o=1");
  use(asked.then, "unknown", "ccc", NULL, NULL);
  use(asked.now, "unknown", "ddd", NULL, NULL);
  made_build(made_cold(asked.then, 0), "source", "eee", 1, 1, 1)->source_digest = "1";
  made_build(made_cold(asked.now, 0), "source", "eee", 1, 1, 1)->source_digest = "2";
  use(asked.then, "source", "eee", "a=1", "o=1");
  ask(&asked);
  assert_int_equal(asked.why->module_count, 3);
  reason_is(&asked, 0, 0, KILN_WHY_UNEXPLAINED, NULL);
  reason_is(&asked, 1, 0, KILN_WHY_SOURCE, NULL);
  reason_is(&asked, 2, 0, KILN_WHY_NOT_RECORDED, NULL);
  assert_int_equal(asked.why->same, 0);
  end(&asked);
}

static void
test_new_and_gone(void **state)
{
  (void)state;
  struct asked asked;
  begin(&asked);
  use(asked.then, "old", "aaa", "a=1", "o=1");
  use(asked.now, "new", "bbb", "a=1", "o=1");
  ask(&asked);
  assert_int_equal(asked.why->module_count, 2);
  reason_is(&asked, 0, 0, KILN_WHY_MODULE_NEW, NULL);
  assert_null(asked.why->modules[0].from);
  reason_is(&asked, 1, 0, KILN_WHY_MODULE_GONE, NULL);
  assert_null(asked.why->modules[1].to);
  end(&asked);
}

/* A module of one kernel carries its hash in its name. */
static void
test_a_module_with_a_hash_for_a_name(void **state)
{
  (void)state;
  struct asked asked;
  begin(&asked);
  use(asked.then, "app.k_0123abcd", "aaa", "k=1", "o=1");
  use(asked.now, "app.k_89abcdef", "bbb", "k=2", "o=1");
  ask(&asked);
  assert_int_equal(asked.why->module_count, 1);
  reason_is(&asked, 0, 0, KILN_WHY_KERNEL_CHANGED, "k");
  end(&asked);
}

/* Of two earlier identities the nearer one is told; one that is still in use only when there is no other. */
static void
test_the_nearest_one(void **state)
{
  (void)state;
  struct asked asked;
  begin(&asked);
  use(asked.then, "sim", "far", "x=1 y=2 z=3", "o=1");
  use(asked.then, "sim", "near", "a=1 b=2", "o=1");
  use(asked.then, "sim", "used", "a=1 b=3", "o=1");
  use(asked.now, "sim", "used", "a=1 b=3", "o=1");
  use(asked.now, "sim", "new", "a=1 b=3 c=4", "o=1");
  ask(&asked);
  assert_int_equal(asked.why->same, 1);
  assert_int_equal(asked.why->module_count, 1);
  assert_string_equal(asked.why->modules[0].from, "near");
  end(&asked);
}

static void
test_the_same(void **state)
{
  (void)state;
  struct asked asked;
  begin(&asked);
  use(asked.then, "sim", "aaa", "a=1", "o=1");
  use(asked.now, "sim", "aaa", "a=1", "o=1");
  ask(&asked);
  assert_int_equal(asked.why->module_count, 0);
  assert_int_equal(asked.why->same, 1);
  end(&asked);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_kernels_and_options),
      cmocka_unit_test(test_block_size_is_said_once),
      cmocka_unit_test(test_another_version),
      cmocka_unit_test(test_what_the_table_does_not_hold),
      cmocka_unit_test(test_new_and_gone),
      cmocka_unit_test(test_a_module_with_a_hash_for_a_name),
      cmocka_unit_test(test_the_nearest_one),
      cmocka_unit_test(test_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
