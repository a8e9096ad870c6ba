#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <unistd.h>

#include "device/device_ops.h"
#include "unit/os/native.h"
#include "unit/os/scratch.h"

static const struct kiln_device_ops *const cpu = &kiln_device_cpu;

/* An entry as the store hands it out: sealed, checked, open; its name is already gone. */
static struct kiln_found
make_entry(void **state, int answer, const char *payload)
{
  struct kiln_found found = {.fd = -1};
  char path[1024], hex[KILN_DIGEST_HEX], manifest[100];
  snprintf(path, sizeof path, "%s", scratch_path(*state, "entry"));
  if (!payload) {
    assert_true(native_make(path, answer));
    assert_int_equal(kiln_file_read(path, 1 << 20, &found.entry.data, NULL), KILN_OK);
  } else
    kiln_buf_text_append(&found.entry.data, payload);
  struct kiln_digest key = kiln_digest_of(&answer, sizeof answer);
  kiln_digest_hex(&key, hex);
  snprintf(manifest, sizeof manifest, "{\"key\":\"%s\"}", hex);
  struct kiln_buf *data = &found.entry.data;
  assert_int_equal(kiln_entry_seal(data, &key, manifest, strlen(manifest), NULL), KILN_OK);
  assert_int_equal(kiln_entry_check(data->data, data->len, &key, true, &found.entry), KILN_ENTRY_GOOD);
  assert_int_equal(kiln_file_write(path, data->data, data->len, NULL), KILN_OK);
  found.fd = open(path, O_RDONLY | O_CLOEXEC);
  assert_true(found.fd >= 0);
  assert_int_equal(unlink(path), 0);
  return found;
}

static void
drop_entry(struct kiln_found *found)
{
  close(found->fd);
  kiln_entry_release(&found->entry);
}

static void
assert_loads(struct kiln_found *found, bool noexec, int answer)
{
  struct kiln_loaded *loaded;
  struct kiln_error error;
  const struct kiln_load load = {
      .found = found, .noexec = noexec, .entry_points = (const char *const[]){"answer"}, .entry_point_count = 1};
  if (cpu->load(&load, &loaded, &error) != KILN_OK)
    fail_msg("%s", error.what);
  drop_entry(found); /* the module needs neither descriptor nor bytes of its finder */
  void *address = cpu->function(loaded, "answer", NULL);
  assert_non_null(address);
  assert_int_equal(native_call(address), answer);
  assert_true(cpu->is_here(loaded));
  assert_null(cpu->function(loaded, "nobody", &error));
  assert_int_equal(error.status, KILN_ERROR_NOT_FOUND);
  assert_non_null(strstr(error.what, "'nobody'"));
  cpu->unload(loaded);
}

static void
test_from_the_descriptor(void **state)
{
  assert_string_equal(cpu->name, "cpu");
  for (int answer = 1; answer < 4; answer++) {
    struct kiln_found found = make_entry(state, answer, NULL);
    assert_loads(&found, false, answer);
  }
}

static void
test_from_memory(void **state)
{
  struct kiln_found found = make_entry(state, 5, NULL);
  close(found.fd);
  found.fd = -1; /* it must not be needed */
  assert_loads(&found, true, 5);
}

static void
test_what_cannot_be_loaded(void **state)
{
  for (int noexec = 0; noexec < 2; noexec++) {
    struct kiln_found found = make_entry(state, 0, "this is no library");
    struct kiln_loaded *loaded;
    struct kiln_error error;
    const struct kiln_load load = {.found = &found, .noexec = noexec != 0};
    assert_int_equal(cpu->load(&load, &loaded, &error), KILN_ERROR_FORMAT);
    assert_null(loaded);
    drop_entry(&found);
  }
  cpu->unload(NULL);
}

static void
test_missing_entry_point(void **state)
{
  struct kiln_found found = make_entry(state, 6, NULL);
  struct kiln_loaded *loaded;
  struct kiln_error error;
  const struct kiln_load load = {
      .found = &found, .entry_points = (const char *const[]){"answer", "nobody"}, .entry_point_count = 2};
  assert_int_equal(cpu->load(&load, &loaded, &error), KILN_ERROR_FORMAT);
  assert_non_null(strstr(error.what, "'nobody'"));
  assert_null(loaded);
  drop_entry(&found);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_make, scratch_remove)

int
main(void)
{
  const struct CMUnitTest tests[] = {TEST(test_from_the_descriptor), TEST(test_from_memory),
      TEST(test_what_cannot_be_loaded), TEST(test_missing_entry_point)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
