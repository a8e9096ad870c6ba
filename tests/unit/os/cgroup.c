/* Trees of control groups as files under a root of this test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "os/capacity.h"
#include "tests/unit/os/tree.h"

static void
test_this_machine(void **state)
{
  struct kiln_cgroup cgroup;
  (void)state;
  assert_int_equal(kiln_cgroup_read("", &cgroup, NULL), KILN_OK);
  assert_in_range(cgroup.version, 0, 2);
  assert_true(cgroup.memory_bytes > 0 && cgroup.processes > 0 && cgroup.cpus >= 0);
  assert_true(memchr(cgroup.path, '\0', sizeof cgroup.path) != NULL);
  assert_true(kiln_cgroup_memory_left(&cgroup) <= cgroup.memory_bytes);
}

static void
test_nothing_there(void **state)
{
  struct kiln_cgroup cgroup;
  assert_int_equal(kiln_cgroup_read(scratch_path(*state, "none"), &cgroup, NULL), KILN_OK);
  assert_int_equal(cgroup.version, 0);
  assert_true(cgroup.memory_bytes == KILN_UNLIMITED && cgroup.processes == KILN_UNLIMITED && cgroup.cpus == 0);
  assert_true(kiln_cgroup_memory_left(&cgroup) == KILN_UNLIMITED);
}

/* The leaf says "max", a group around it does not. */
static void
test_parent_limits(void **state)
{
  const char *root = tree_root(*state);
  struct kiln_cgroup cgroup;
  tree_file(root, "proc/self/cgroup", "0::/pod/job\n");
  tree_file(root, "sys/fs/cgroup/pod/job/memory.max", "max\n");
  tree_file(root, "sys/fs/cgroup/pod/job/cpu.max", "max 100000\n");
  tree_file(root, "sys/fs/cgroup/pod/job/pids.max", "max\n");
  tree_file(root, "sys/fs/cgroup/pod/memory.max", "1073741824\n");
  tree_file(root, "sys/fs/cgroup/pod/memory.current", "900000000\n");
  tree_file(root, "sys/fs/cgroup/pod/memory.stat", "anon 5\ninactive_file 100000000\n");
  tree_file(root, "sys/fs/cgroup/pod/cpu.max", "300000 100000\n");
  tree_file(root, "sys/fs/cgroup/pod/pids.max", "99\n");
  assert_int_equal(kiln_cgroup_read(root, &cgroup, NULL), KILN_OK);
  assert_int_equal(cgroup.version, 2);
  assert_string_equal(cgroup.path, "/pod/job");
  assert_int_equal(cgroup.memory_bytes, 1073741824);
  assert_int_equal(cgroup.processes, 99);
  assert_true(cgroup.cpus == 3.0);
  assert_non_null(strstr(cgroup.memory_file, "sys/fs/cgroup/pod/memory.max"));
  assert_non_null(strstr(cgroup.cpus_file, "sys/fs/cgroup/pod/cpu.max"));
  assert_int_equal(kiln_cgroup_memory_left(&cgroup), 1073741824 - 800000000);
}

/* memory.high throttles before memory.max kills. */
static void
test_high_counts(void **state)
{
  const char *root = tree_root(*state);
  struct kiln_cgroup cgroup;
  tree_file(root, "proc/self/cgroup", "0::/a\n");
  tree_file(root, "sys/fs/cgroup/a/memory.max", "2000\n");
  tree_file(root, "sys/fs/cgroup/a/memory.high", "1000\n");
  assert_int_equal(kiln_cgroup_read(root, &cgroup, NULL), KILN_OK);
  assert_int_equal(cgroup.memory_bytes, 1000);
}

static void
test_version_1(void **state)
{
  const char *root = tree_root(*state);
  struct kiln_cgroup cgroup;
  tree_file(
      root, "proc/self/cgroup", "9:pids:/p\n7:memory:/docker/abc\n4:cpu,cpuacct:/c/d\n1:name=systemd:/x\n0::/x\n");
  tree_file(root, "sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "9223372036854771712\n");
  tree_file(root, "sys/fs/cgroup/memory/docker/memory.limit_in_bytes", "4096000\n");
  tree_file(root, "sys/fs/cgroup/memory/docker/memory.usage_in_bytes", "5000000\n");
  tree_file(root, "sys/fs/cgroup/cpu,cpuacct/c/d/cpu.cfs_quota_us", "-1\n");
  tree_file(root, "sys/fs/cgroup/cpu,cpuacct/c/d/cpu.cfs_period_us", "100000\n");
  tree_file(root, "sys/fs/cgroup/cpu,cpuacct/c/cpu.cfs_quota_us", "250000\n");
  tree_file(root, "sys/fs/cgroup/cpu,cpuacct/c/cpu.cfs_period_us", "100000\n");
  tree_file(root, "sys/fs/cgroup/pids/p/pids.max", "77\n");
  assert_int_equal(kiln_cgroup_read(root, &cgroup, NULL), KILN_OK);
  assert_int_equal(cgroup.version, 1);
  assert_string_equal(cgroup.path, "/docker/abc");
  assert_int_equal(cgroup.memory_bytes, 4096000);
  assert_int_equal(cgroup.processes, 77);
  assert_true(cgroup.cpus == 2.5);
  assert_int_equal(kiln_cgroup_memory_left(&cgroup), 0);
}

/* In a container whose path is the host's, the top of the mount is the container's own group. */
static void
test_foreign_path(void **state)
{
  const char *root = tree_root(*state);
  struct kiln_cgroup cgroup;
  tree_file(root, "proc/self/cgroup", "3:memory:/docker/0123\n");
  tree_file(root, "sys/fs/cgroup/memory/memory.limit_in_bytes", "12345\n");
  assert_int_equal(kiln_cgroup_read(root, &cgroup, NULL), KILN_OK);
  assert_int_equal(cgroup.memory_bytes, 12345);
  tree_file(root, "proc/self/cgroup", "3:memory:/../../outside\n");
  assert_int_equal(kiln_cgroup_read(root, &cgroup, NULL), KILN_OK);
  assert_int_equal(cgroup.memory_bytes, 12345);
}

static void
test_malformed(void **state)
{
  static const struct {
    const char *file, *text, *quoted;
  } cases[] = {
      {"memory.max", "8G\n", "'8G'"},
      {"memory.max", "\n", "''"},
      {"memory.high", "-5\n", "'-5'"},
      {"pids.max", "many\n", "'many'"},
      {"cpu.max", "3.0 100000\n", "'3.0 100000'"},
      {"cpu.max", "300000 0\n", "'300000 0'"},
      {"cpu.max", "0 100000\n", "'0 100000'"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *root = tree_root(*state);
    struct kiln_cgroup cgroup;
    struct kiln_error error = {0};
    char file[64];
    snprintf(file, sizeof file, "sys/fs/cgroup/%s", cases[i].file);
    tree_file(root, "proc/self/cgroup", "0::/\n");
    tree_file(root, file, cases[i].text);
    assert_int_equal(kiln_cgroup_read(root, &cgroup, &error), KILN_ERROR_ENVIRONMENT);
    assert_non_null(strstr(error.what, cases[i].quoted));
    assert_non_null(strstr(error.what, cases[i].file));
    assert_true(error.remedy[0] != '\0');
    assert_true(cgroup.memory_bytes == KILN_UNLIMITED && cgroup.cpus == 0);
  }
}

/* Lines that are none, more groups than are kept, paths that are too long. */
static void
test_odd_input(void **state)
{
  const char *root = tree_root(*state);
  struct kiln_cgroup cgroup;
  char line[2048];
  tree_file(root, "proc/self/cgroup", "nonsense\n:\n::\n5:memory\n\n0::/1/2/3/4/5/6/7/8/9/10\n");
  for (int depth = 1; depth <= 10; depth++) {
    size_t len = (size_t)snprintf(line, sizeof line, "sys/fs/cgroup");
    for (int i = 1; i <= depth; i++)
      len += (size_t)snprintf(line + len, sizeof line - len, "/%d", i);
    snprintf(line + len, sizeof line - len, "/memory.max");
    char bytes[32];
    snprintf(bytes, sizeof bytes, "%d\n", 100000 + depth);
    tree_file(root, line, bytes);
  }
  assert_int_equal(kiln_cgroup_read(root, &cgroup, NULL), KILN_OK);
  assert_int_equal(cgroup.limited_count, KILN_CGROUP_GROUPS);
  assert_int_equal(cgroup.memory_bytes, 100001);
  memset(line, 'x', sizeof line - 1);
  memcpy(line, "0::/", 4);
  line[sizeof line - 1] = '\0';
  tree_file(root, "proc/self/cgroup", line);
  assert_int_equal(kiln_cgroup_read(root, &cgroup, NULL), KILN_OK);
  assert_true(cgroup.memory_bytes == KILN_UNLIMITED);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_this_machine),
      cmocka_unit_test_setup_teardown(test_nothing_there, scratch_make, scratch_remove),
      cmocka_unit_test_setup_teardown(test_parent_limits, scratch_make, scratch_remove),
      cmocka_unit_test_setup_teardown(test_high_counts, scratch_make, scratch_remove),
      cmocka_unit_test_setup_teardown(test_version_1, scratch_make, scratch_remove),
      cmocka_unit_test_setup_teardown(test_foreign_path, scratch_make, scratch_remove),
      cmocka_unit_test_setup_teardown(test_malformed, scratch_make, scratch_remove),
      cmocka_unit_test_setup_teardown(test_odd_input, scratch_make, scratch_remove),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
