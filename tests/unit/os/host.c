#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "os/file.h"
#include "os/host.h"

static void
test_plausible(void **state)
{
  (void)state;
  struct kiln_host host;
  memset(&host, 'x', sizeof host);
  kiln_host_read(&host);
  assert_in_range(host.cores, 1, sysconf(_SC_NPROCESSORS_CONF));
  assert_true(host.memory_bytes > 1000000);
  assert_true(host.load_1m >= 0 || host.load_1m == -1);
  assert_non_null(memchr(host.cpu, '\0', sizeof host.cpu));
  assert_non_null(memchr(host.system, '\0', sizeof host.system));
  assert_null(strchr(host.system, '"'));
  assert_null(strchr(host.cpu, '\n'));
}

/* The name of the machine is nobody's business. */
static void
test_kernel_without_host_name(void **state)
{
  (void)state;
  struct kiln_host host;
  struct utsname name;
  kiln_host_read(&host);
  assert_int_equal(uname(&name), 0);
  assert_int_equal(strncmp(host.kernel, name.sysname, strlen(name.sysname)), 0);
  assert_non_null(strstr(host.kernel, name.release));
  assert_int_equal(strlen(host.kernel), strlen(name.sysname) + 1 + strlen(name.release));
}

static void
test_system_name_is_that_of_the_file(void **state)
{
  (void)state;
  struct kiln_host host;
  struct kiln_buf buf;
  kiln_buf_init(&buf);
  kiln_host_read(&host);
  if (kiln_file_read("/etc/os-release", 65536, &buf, NULL) == KILN_OK && strstr(buf.data, "PRETTY_NAME=")) {
    assert_true(strlen(host.system) > 0);
    assert_non_null(strstr(buf.data, host.system));
  }
  kiln_buf_release(&buf);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_plausible),
      cmocka_unit_test(test_kernel_without_host_name),
      cmocka_unit_test(test_system_name_is_that_of_the_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
