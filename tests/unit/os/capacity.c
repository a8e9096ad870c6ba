#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <sched.h>

#include "os/capacity.h"
#include "tests/unit/os/tree.h"

#define GIB ((uint64_t)1 << 30)

static void
test_this_machine(void **state)
{
  struct kiln_capacity capacity;
  cpu_set_t set;
  (void)state;
  assert_int_equal(kiln_capacity_read("", &capacity, NULL), KILN_OK);
  assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
  assert_true(capacity.processors > 0 && capacity.processors <= CPU_COUNT(&set));
  assert_true(capacity.memory_bytes > 0 && capacity.memory_bytes != KILN_UNLIMITED);
  assert_true(kiln_capacity_available("", &capacity) <= capacity.memory_bytes);
  assert_true(capacity.processors_source[0] && capacity.memory_source[0]);
}

static void
test_hardware_alone(void **state)
{
  const char *root = tree_root(*state);
  struct kiln_capacity capacity;
  tree_machine(root);
  assert_int_equal(kiln_capacity_read(root, &capacity, NULL), KILN_OK);
  assert_true(capacity.processors == 64);
  assert_int_equal(capacity.memory_bytes, 16 * GIB);
  assert_non_null(strstr(capacity.memory_source, "/proc/meminfo"));
  assert_int_equal(kiln_capacity_available(root, &capacity), 15 * GIB);
}

static void
test_groups_win_when_smaller(void **state)
{
  const char *root = tree_root(*state);
  struct kiln_capacity capacity;
  tree_machine(root);
  tree_file(root, "proc/self/cgroup", "0::/pod/job\n");
  tree_file(root, "sys/fs/cgroup/pod/memory.max", "2147483648\n");
  tree_file(root, "sys/fs/cgroup/pod/memory.current", "1073741824\n");
  tree_file(root, "sys/fs/cgroup/pod/cpu.max", "300000 100000\n");
  assert_int_equal(kiln_capacity_read(root, &capacity, NULL), KILN_OK);
  assert_true(capacity.processors == 3.0);
  assert_non_null(strstr(capacity.processors_source, "cpu.max"));
  assert_int_equal(capacity.memory_bytes, 2 * GIB);
  assert_non_null(strstr(capacity.memory_source, "pod/memory.max"));
  assert_int_equal(kiln_capacity_available(root, &capacity), GIB);
  tree_file(root, "sys/fs/cgroup/pod/memory.max", "999999999999\n");
  tree_file(root, "sys/fs/cgroup/pod/cpu.max", "9900000 100000\n");
  assert_int_equal(kiln_capacity_read(root, &capacity, NULL), KILN_OK);
  assert_true(capacity.processors == 64);
  assert_int_equal(capacity.memory_bytes, 16 * GIB);
}

static void
test_lists_of_processors(void **state)
{
  static const struct {
    const char *text;
    double count; /* 0: malformed */
  } cases[] = {{"0\n", 1}, {"0-3\n", 4}, {"0-3,8,10-11\n", 7}, {"5", 1}, {"\n", 0}, {"0-\n", 0}, {"3-1\n", 0},
      {"0,,1\n", 0}, {"all\n", 0}, {"0-99999999999\n", 0}, {"0 1\n", 0}};
  const char *root = tree_root(*state);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct kiln_capacity capacity;
    struct kiln_error error = {0};
    tree_machine(root);
    tree_file(root, "sys/devices/system/cpu/online", cases[i].text);
    const enum kiln_status status = kiln_capacity_read(root, &capacity, &error);
    assert_int_equal(status, cases[i].count > 0 ? KILN_OK : KILN_ERROR_ENVIRONMENT);
    if (cases[i].count > 0)
      assert_true(capacity.processors == cases[i].count);
    else
      assert_non_null(strstr(error.what, "cpu/online"));
  }
}

static void
test_malformed_memory(void **state)
{
  static const char *const cases[] = {"MemTotal: lots kB\n", "MemTotal: 0 kB\n", "MemTotal: 12 MB\n", "Other: 5 kB\n",
      "MemTotal: 99999999999999999999999 kB\n", "MemTotal: -5 kB\n"};
  const char *root = tree_root(*state);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct kiln_capacity capacity;
    struct kiln_error error = {0};
    tree_file(root, "proc/meminfo", cases[i]);
    assert_int_equal(kiln_capacity_read(root, &capacity, &error), KILN_ERROR_ENVIRONMENT);
    assert_non_null(strstr(error.what, "/proc/meminfo"));
    char quoted[64];
    snprintf(quoted, sizeof quoted, "'%.*s'", (int)strcspn(cases[i], "\n"), cases[i]);
    assert_non_null(strstr(error.what, quoted));
  }
}

static void
test_nothing_says(void **state)
{
  const char *root = tree_root(*state);
  struct kiln_capacity capacity;
  assert_int_equal(kiln_capacity_read(root, &capacity, NULL), KILN_OK);
  assert_true(capacity.processors == 1 && capacity.memory_bytes == KILN_UNLIMITED);
  assert_true(kiln_capacity_available(root, &capacity) == KILN_UNLIMITED);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_this_machine),
      cmocka_unit_test_setup_teardown(test_hardware_alone, scratch_make, scratch_remove),
      cmocka_unit_test_setup_teardown(test_groups_win_when_smaller, scratch_make, scratch_remove),
      cmocka_unit_test_setup_teardown(test_lists_of_processors, scratch_make, scratch_remove),
      cmocka_unit_test_setup_teardown(test_malformed_memory, scratch_make, scratch_remove),
      cmocka_unit_test_setup_teardown(test_nothing_says, scratch_make, scratch_remove),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
