/* What a spec is compiled for: its own list, else devices and KILN_ARCHS, within what it supports. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"
#include "jit/targets.h"
#include "unit/device/cuda/fake.h"
#include "unit/jit/fixture.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct {
  const char *devices;     /* of the driver; NULL: there is no driver */
  const char *option;      /* KILN_ARCHS; NULL: not set */
  const char *archs[3];    /* of the spec */
  const char *supports[3]; /* of the spec */
  enum kiln_status status;
  const char *answer; /* targets, or what the error says */
} rows[] = {
    {NULL, NULL, {"9.0a"}, {NULL}, KILN_OK, "sm_90a"},
    {NULL, NULL, {"sm_90a", "8.0+PTX"}, {NULL}, KILN_OK, "sm_80 sm_90a compute_80"},
    {NULL, NULL, {"8.0;9.0a, 12.0f"}, {NULL}, KILN_OK, "sm_80 sm_90a sm_120f"},
    {NULL, "8.0", {"9.0a"}, {NULL}, KILN_OK, "sm_90a"}, /* a spec that names its own is asked for nothing else */
    {NULL, "8.0", {NULL}, {NULL}, KILN_OK, "sm_80"},
    {"9.0", NULL, {NULL}, {NULL}, KILN_OK, "sm_90a"},
    {"9.0", "12.0", {"8.0"}, {NULL}, KILN_OK, "sm_80"},
    {"8.6", NULL, {NULL}, {NULL}, KILN_OK, "sm_86"},
    {"9.0,9.0,8.0", NULL, {NULL}, {NULL}, KILN_OK, "sm_80 sm_90a"},
    {"9.0", "5.2", {NULL}, {NULL}, KILN_OK, "sm_52 sm_90a"}, /* an old entry never takes the device's away */
    {"9.0", NULL, {"native", "8.0"}, {NULL}, KILN_OK, "sm_80 sm_90a"},
    {"9.0", "8.0", {"native"}, {NULL}, KILN_OK, "sm_90a"},
    {"8.7", NULL, {NULL}, {NULL}, KILN_OK, "sm_87"},
    {"7.0", NULL, {NULL}, {NULL}, KILN_OK, "sm_70"},
    {"9.9", NULL, {NULL}, {NULL}, KILN_OK, "sm_90"},
    {"12.5", NULL, {NULL}, {NULL}, KILN_OK, "sm_121f"},
    {"13.0", NULL, {NULL}, {NULL}, KILN_OK, "compute_121"},
    {NULL, NULL, {"8.0 9.0a"}, {"9.x"}, KILN_OK, "sm_90a"},
    {"9.0,8.0", NULL, {NULL}, {"9.0a", "12.0f"}, KILN_OK, "sm_90a"},
    {"8.0", NULL, {NULL}, {"9.0a", "12.0f"}, KILN_ERROR_ARCHITECTURE,
        "'scale' supports 9.0a, 12.0f, and was asked for sm_80"},
    {NULL, NULL, {"9"}, {NULL}, KILN_ERROR_ARGUMENT, "architecture '9' has no minor version"},
    {"none", NULL, {NULL}, {NULL}, KILN_ERROR_ENVIRONMENT,
        "spec 'scale' names no architecture, and no GPU can be asked: "},
    {NULL, NULL, {NULL}, {NULL}, KILN_ERROR_ENVIRONMENT,
        "spec 'scale' names no architecture, and no GPU can be asked: "},
};

static struct kiln_spec *
make_spec(const char *const *archs, const char *const *supports)
{
  struct kiln_spec *spec;
  assert_int_equal(kiln_spec_new("scale", "hostcc", &spec, NULL), KILN_OK);
  for (size_t i = 0; archs[i]; i++)
    assert_int_equal(kiln_spec_add_arch(spec, archs[i], NULL), KILN_OK);
  for (size_t i = 0; supports[i]; i++)
    assert_int_equal(kiln_spec_add_support(spec, supports[i], NULL), KILN_OK);
  return spec;
}

static void
check_row(struct fake *fake, size_t i)
{
  struct fixture fixture = {.folder = ""};
  struct kiln_options options;
  struct kiln_arch_list targets;
  struct kiln_error error = {0};
  struct kiln *kiln;
  char text[400];
  void (*reset)(void);
  fake_symbol(fake->handle, "kiln_fake_reset", &reset);
  setenv("KILN_FAKE_DEVICES", rows[i].devices ? rows[i].devices : "none", 1);
  reset();
  kiln_options_init(&options);
  options.driver = rows[i].devices ? FAKE : "/nowhere/libcuda.so.1";
  options.archs = rows[i].option;
  options.cache_folder = "/nowhere/cache";
  options.log = fixture_log;
  options.callback_context = &fixture;
  assert_int_equal(kiln_new(&options, &kiln, NULL), KILN_OK);
  struct kiln_spec *spec = make_spec(rows[i].archs, rows[i].supports);
  const enum kiln_status status = kiln_targets_resolve(kiln, spec, &targets, &error);
  if (status == KILN_OK)
    kiln_arch_list_text(&targets, text, sizeof text);
  if (status != rows[i].status ||
      strncmp(status == KILN_OK ? text : error.what, rows[i].answer, strlen(rows[i].answer) + (status == KILN_OK)) != 0)
    fail_msg("row %zu: status %d, '%s'", i, (int)status, status == KILN_OK ? text : error.what);
  const bool known = !strstr(rows[i].answer, "sm_121f") && !strstr(rows[i].answer, "compute_121") &&
                     !kiln_text_equal(rows[i].devices, "9.9");
  assert_int_equal(strstr(fixture.messages, "which kiln does not know") == NULL, known);
  assert_true(status == KILN_OK || error.remedy[0] != '\0');
  kiln_spec_free(spec);
  kiln_free(kiln);
}

static void
test_rows(void **state)
{
  for (size_t i = 0; i < COUNT(rows); i++)
    check_row(*state, i);
}

/* Form is refused before anything is asked. */
static void
test_check(void **state)
{
  static const char *const none[] = {NULL}, *const good[] = {"native", "9.0a", NULL}, *const bad[] = {"8.0a", NULL};
  struct kiln_spec *spec;
  (void)state;
  spec = make_spec(good, none);
  assert_int_equal(kiln_targets_check(spec, NULL), KILN_OK);
  assert_int_equal(kiln_spec_add_support(spec, "9.0+PTX", NULL), KILN_ERROR_ARGUMENT);
  assert_int_equal(kiln_spec_add_support(spec, NULL, NULL), KILN_ERROR_ARGUMENT);
  kiln_spec_free(spec);
  spec = make_spec(bad, none);
  assert_int_equal(kiln_targets_check(spec, NULL), KILN_ERROR_ARGUMENT);
  kiln_spec_free(spec);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {FAKE_TEST(test_rows), cmocka_unit_test(test_check)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
