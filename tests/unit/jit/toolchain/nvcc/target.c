/* What a spec for nvcc may not have, and what its key has besides that of others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "jit/toolchain/nvcc/nvcc.h"
#include "unit/jit/fixture.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static struct kiln_spec *
make_spec(void)
{
  struct kiln_spec *spec;
  assert_int_equal(kiln_spec_new("scale", "nvcc", &spec, NULL), KILN_OK);
  assert_int_equal(kiln_spec_add_source(spec, "scale.cu", "", 0, NULL), KILN_OK);
  return spec;
}

/* ---- what is refused ---- */

enum list { FLAG, DEFINE, SOURCE, LINK, ARCH };

static const struct {
  enum list list;
  const char *text;
  const char *what; /* NULL: allowed */
} words[] = {
    {FLAG, "--maxrregcount=64", NULL},
    {FLAG, "-std=c++20", NULL},
    {FLAG, "--use_fast_math", NULL},
    {FLAG, "-lineinfo", NULL},
    {FLAG, "-Xptxas=-v,-dlcm=cg", NULL},
    {FLAG, "--extended-lambda", NULL},
    {FLAG, "-tool", NULL},
    {FLAG, "-arch=sm_80", "flag '-arch=sm_80' is not allowed with nvcc"},
    {FLAG, "-gencode=arch=compute_80,code=sm_80",
        "flag '-gencode=arch=compute_80,code=sm_80' is not allowed with nvcc"},
    {FLAG, "--gpu-architecture=sm_80", "flag '--gpu-architecture=sm_80' is not allowed with nvcc"},
    {FLAG, "-ptx", "flag '-ptx' is not allowed with nvcc"},
    {FLAG, "-rdc=true", "flag '-rdc=true' is not allowed with nvcc"},
    {FLAG, "-ccbin=/usr/bin/gcc", "flag '-ccbin=/usr/bin/gcc' is not allowed with nvcc"},
    {FLAG, "-Xcompiler=-O2", "flag '-Xcompiler=-O2' is not allowed with nvcc"},
    {FLAG, "-t=8", "flag '-t=8' is not allowed with nvcc"},
    {FLAG, "--threads=8", "flag '--threads=8' is not allowed with nvcc"},
    {FLAG, "--keep", "flag '--keep' is not allowed with nvcc"},
    {FLAG, "-Xptxas=;touch",
        "flag '-Xptxas=;touch' has a character that nvcc hands to a shell, which would take it apart"},
    {FLAG, "-Xptxas=$(id)",
        "flag '-Xptxas=$(id)' has a character that nvcc hands to a shell, which would take it apart"},
    {FLAG, "-Xptxas -v", "flag '-Xptxas -v' has a character that nvcc hands to a shell, which would take it apart"},
    {DEFINE, "N=4 + 4", NULL},
    {DEFINE, "F=f(1, 2)", NULL},
    {DEFINE, "N=$(id)", "define 'N=$(id)' has a character that nvcc hands to a shell, which would take it apart"},
    {DEFINE, "N=`id`", "define 'N=`id`' has a character that nvcc hands to a shell, which would take it apart"},
    {DEFINE, "N=\"a\"", "define 'N=\"a\"' has a character that nvcc hands to a shell, which would take it apart"},
    {SOURCE, "tile.cuh", NULL},
    {SOURCE, "sub folder/tile.h", NULL},
    {SOURCE, "scale.c", "source 'scale.c' is nothing that nvcc compiles"},
    {SOURCE, "other.cu", "spec 'scale' has 2 sources that nvcc compiles, not one"},
    {SOURCE, "$(id).cuh",
        "source name '$(id).cuh' has a character that nvcc hands to a shell, which would take it apart"},
    {LINK, "-lm", "link flag '-lm' has no meaning for device code"},
    {ARCH, "8.0 9.0a", NULL},
    {ARCH, "8.0a", "architecture '8.0a' does not exist: 'a' begins with 9.0"},
};

static enum kiln_status
add(struct kiln_spec *spec, enum list list, const char *text)
{
  switch (list) {
  case FLAG:
    return kiln_spec_add_flag(spec, text, NULL);
  case DEFINE:
    return kiln_spec_add_define(spec, text, NULL);
  case SOURCE:
    return kiln_spec_add_source(spec, text, "", 0, NULL);
  case LINK:
    return kiln_spec_add_link(spec, text, NULL);
  default:
    return kiln_spec_add_arch(spec, text, NULL);
  }
}

static void
test_words(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(words); i++) {
    struct kiln_error error = {0};
    struct kiln_spec *spec = make_spec();
    assert_int_equal(add(spec, words[i].list, words[i].text), KILN_OK);
    const enum kiln_status status = kiln_nvcc_check(spec, &error);
    assert_string_equal(error.what, words[i].what ? words[i].what : "");
    assert_int_equal(status, words[i].what ? KILN_ERROR_ARGUMENT : KILN_OK);
    kiln_spec_free(spec);
  }
}

static void
test_no_source(void **state)
{
  struct kiln_error error = {0};
  struct kiln_spec *spec;
  (void)state;
  assert_int_equal(kiln_spec_new("scale", "nvcc", &spec, NULL), KILN_OK);
  assert_int_equal(kiln_nvcc_check(spec, &error), KILN_ERROR_ARGUMENT);
  assert_string_equal(error.what, "spec 'scale' has 0 sources that nvcc compiles, not one");
  kiln_spec_free(spec);
}

/* ---- the key ---- */

static struct kiln *
make_kiln(const char *launcher, const char *flags, const char *extra)
{
  struct kiln_options options;
  struct kiln *kiln;
  kiln_options_init(&options);
  options.cache_folder = "/nowhere/cache";
  options.launcher = launcher;
  options.cuda_flags = flags;
  options.extra_flags = extra;
  assert_int_equal(kiln_new(&options, &kiln, NULL), KILN_OK);
  return kiln;
}

static struct kiln_digest
key_of(struct kiln *kiln, const struct kiln_spec *spec)
{
  struct kiln_key key;
  struct kiln_error error = {0};
  kiln_key_init(&key);
  if (kiln_nvcc_target(kiln, spec, &key, &error) != KILN_OK)
    fail_msg("%s", error.what);
  const struct kiln_digest digest = kiln_key_digest(&key);
  kiln_key_release(&key);
  return digest;
}

static struct kiln_digest
key_with(const char *arch, const char *launcher, const char *flags, const char *extra)
{
  struct kiln *kiln = make_kiln(launcher, flags, extra);
  struct kiln_spec *spec = make_spec();
  assert_int_equal(kiln_spec_add_arch(spec, arch, NULL), KILN_OK);
  const struct kiln_digest digest = key_of(kiln, spec);
  kiln_spec_free(spec);
  kiln_free(kiln);
  return digest;
}

static void
test_fields(void **state)
{
  const struct kiln_digest plain = key_with("9.0a 8.0", NULL, NULL, NULL);
  const struct kiln_digest same[] = {
      key_with("sm_80;sm_90a", NULL, NULL, NULL), key_with("80, 90a, 8.0", NULL, NULL, "-O2")};
  const struct kiln_digest others[] = {key_with("9.0a", NULL, NULL, NULL), key_with("9.0 8.0", NULL, NULL, NULL),
      key_with("9.0a 8.0+PTX", NULL, NULL, NULL), key_with("9.0a 8.0", "ccache", NULL, NULL),
      key_with("9.0a 8.0", NULL, "-lineinfo", NULL)};
  (void)state;
  for (size_t i = 0; i < COUNT(same); i++)
    assert_true(kiln_digest_equal(&plain, &same[i]));
  for (size_t i = 0; i < COUNT(others); i++)
    assert_false(kiln_digest_equal(&plain, &others[i]));
}

/* A file's place is in what -lineinfo writes, and in nothing else. */
static void
test_places(void **state)
{
  static const char *const folders[] = {"/tmp", "/usr"};
  struct kiln_digest keys[4];
  (void)state;
  for (size_t i = 0; i < 4; i++) {
    struct kiln *kiln = make_kiln(NULL, i < 2 ? NULL : "-lineinfo", NULL);
    struct kiln_spec *spec = make_spec();
    assert_int_equal(kiln_spec_add_include(spec, folders[i % 2], NULL), KILN_OK);
    assert_int_equal(kiln_spec_add_arch(spec, "9.0a", NULL), KILN_OK);
    keys[i] = key_of(kiln, spec);
    kiln_spec_free(spec);
    kiln_free(kiln);
  }
  assert_true(kiln_digest_equal(&keys[0], &keys[1]));
  assert_false(kiln_digest_equal(&keys[2], &keys[3]));
}

static void
test_bad_extra_flags(void **state)
{
  struct kiln *kiln = make_kiln(NULL, "-lineinfo -arch=sm_80", NULL);
  struct kiln_spec *spec = make_spec();
  struct kiln_key key;
  struct kiln_error error = {0};
  (void)state;
  kiln_key_init(&key);
  assert_int_equal(kiln_nvcc_target(kiln, spec, &key, &error), KILN_ERROR_ARGUMENT);
  assert_string_equal(error.what, "flag '-arch=sm_80' is not allowed with nvcc");
  kiln_key_release(&key);
  kiln_spec_free(spec);
  kiln_free(kiln);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_words), cmocka_unit_test(test_no_source),
      cmocka_unit_test(test_fields), cmocka_unit_test(test_places), cmocka_unit_test(test_bad_extra_flags)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
