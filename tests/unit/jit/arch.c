/* Architectures: a table of good and bad tokens with the exact messages; what runs where; which toolkit knows what. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "jit/arch.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define FORMS "Write 9.0, 90 or sm_90; with 'a' (9.0a) or 'f' (12.0f) behind it; compute_90 for PTX; 9.0+PTX for both."

static const struct {
  const char *text, *list;
} good[] = {
    {"9.0", "sm_90"},
    {"90", "sm_90"},
    {"sm_90", "sm_90"},
    {"9.0a", "sm_90a"},
    {"90a", "sm_90a"},
    {"sm_90a", "sm_90a"},
    {"10.0", "sm_100"},
    {"100", "sm_100"},
    {"10.0a", "sm_100a"},
    {"100f", "sm_100f"},
    {"12.0f", "sm_120f"},
    {"120f", "sm_120f"},
    {"sm_120f", "sm_120f"},
    {"12.1a", "sm_121a"},
    {"compute_90", "compute_90"},
    {"compute_90a", "compute_90a"},
    {"compute_120f", "compute_120f"},
    {"9.0+PTX", "sm_90 compute_90"},
    {"sm_90+PTX", "sm_90 compute_90"},
    {"9.0a+PTX", "sm_90a compute_90a"},
    {"5.0", "sm_50"},
    {"7.5", "sm_75"},
    {"8.4", "sm_84"},     /* the form is right; whether a toolkit knows it is another question */
    {"13.0a", "sm_130a"}, /* one of tomorrow */
    {"99.9", "sm_999"},
    {"8.0 9.0a", "sm_80 sm_90a"},
    {"9.0a,8.0", "sm_80 sm_90a"},
    {"9.0a;8.0", "sm_80 sm_90a"},
    {"  8.0  9.0a ", "sm_80 sm_90a"},
    {"8.0;9.0a;", "sm_80 sm_90a"},
    {"8.0, 9.0a", "sm_80 sm_90a"},
    {"8.0\t9.0a\n", "sm_80 sm_90a"},
    {"9.0a 90a sm_90a", "sm_90a"},
    {"9.0a 90a sm_90a 12.0f compute_90", "sm_90a sm_120f compute_90"},
    {"12.0 9.0 9.0a 8.0+PTX compute_75", "sm_80 sm_90 sm_90a sm_120 compute_75 compute_80"},
};

static const struct {
  const char *text, *what, *remedy;
} bad[] = {
    {"", "the list of architectures '' is empty", FORMS},
    {" ; ,", "the list of architectures ' ; ,' is empty", FORMS},
    {"9", "architecture '9' has no minor version", "Write both numbers, as in 9.0 or 90."},
    {"sm_9", "architecture 'sm_9' has no minor version", "Write both numbers, as in 9.0 or 90."},
    {"9.", "architecture '9.' has a minor version that is not one digit", FORMS},
    {"9.00", "architecture '9.00' has a minor version that is not one digit", FORMS},
    {"9.10", "architecture '9.10' has a minor version that is not one digit", FORMS},
    {"100.0", "architecture '100.0' has a minor version that is not one digit", FORMS},
    {".0", "architecture '.0' has no number where one is expected", FORMS},
    {"09.0", "architecture '09.0' has a number that begins with 0", FORMS},
    {"0.0", "architecture '0.0' has a number that begins with 0", FORMS},
    {"1000", "architecture '1000' has too many digits", FORMS},
    {"99999999999", "architecture '99999999999' has too many digits", FORMS},
    {"-9.0", "architecture '-9.0' has no number where one is expected", FORMS},
    {"+9.0", "architecture '+9.0' has no number where one is expected", FORMS},
    {"9.0b", "architecture '9.0b' has an unknown ending", FORMS},
    {"9.0aa", "architecture '9.0aa' has an unknown ending", FORMS},
    {"9.0af", "architecture '9.0af' has an unknown ending", FORMS},
    {"9.0.1", "architecture '9.0.1' has an unknown ending", FORMS},
    {"9.0A", "architecture '9.0A' has a capital suffix", "Write it small, as in 9.0a."},
    {"12.0F", "architecture '12.0F' has a capital suffix", "Write it small, as in 9.0a."},
    {"8.0a", "architecture '8.0a' does not exist: 'a' begins with 9.0", "Leave the 'a' out."},
    {"sm_89a", "architecture 'sm_89a' does not exist: 'a' begins with 9.0", "Leave the 'a' out."},
    {"9.0f", "architecture '9.0f' does not exist: 'f' begins with 10.0", "Leave the 'f' out, or use 'a'."},
    {"90f", "architecture '90f' does not exist: 'f' begins with 10.0", "Leave the 'f' out, or use 'a'."},
    {"3.5", "architecture '3.5' is too old", "kiln compiles for 5.0 and newer."},
    {"sm_37", "architecture 'sm_37' is too old", "kiln compiles for 5.0 and newer."},
    {"sm_9.0", "architecture 'sm_9.0' has a dot behind its prefix", "Write sm_90 or 9.0."},
    {"compute_9.0", "architecture 'compute_9.0' has a dot behind its prefix", "Write sm_90 or 9.0."},
    {"sm90", "architecture 'sm90' has no number where one is expected", FORMS},
    {"SM_90", "architecture 'SM_90' has no number where one is expected", FORMS},
    {"sm_", "architecture 'sm_' has no number where one is expected", FORMS},
    {"lto_90", "architecture 'lto_90' has no number where one is expected", FORMS},
    {"hopper", "architecture 'hopper' has no number where one is expected", FORMS},
    {"gfx942", "architecture 'gfx942' has no number where one is expected", FORMS},
    {"9.0+ptx", "architecture '9.0+ptx' has an unknown ending", FORMS},
    {"9.0+", "architecture '9.0+' has an unknown ending", FORMS},
    {"9.0PTX", "architecture '9.0PTX' has an unknown ending", FORMS},
    {"9.0+PTX+PTX", "architecture '9.0+PTX+PTX' has an unknown ending", FORMS},
    {"compute_90+PTX", "architecture 'compute_90+PTX' is PTX already",
        "Leave '+PTX' out, or write sm_ instead of compute_."},
    {"+PTX", "architecture '+PTX' stands alone", "Write it behind an architecture without a space, as in 9.0+PTX."},
    {"9.0 +PTX", "architecture '+PTX' stands alone", "Write it behind an architecture without a space, as in 9.0+PTX."},
    {"native", "architecture 'native' is no architecture here",
        "Name one, or leave the list empty for those of this machine."},
    {"all", "architecture 'all' is no architecture", "Name each one."},
    {"all-major", "architecture 'all-major' is no architecture", "Name each one."},
    {"8.0:9.0", "architecture '8.0:9.0' has an unknown ending", FORMS},
    {"8.0/9.0", "architecture '8.0/9.0' has an unknown ending", FORMS},
    {"8.0 9.0x 10.0", "architecture '9.0x' has an unknown ending", FORMS},
    {"'9.0'", "architecture ''9.0'' has no number where one is expected", FORMS},
    {"9,0", "architecture '9' has no minor version", "Write both numbers, as in 9.0 or 90."},
    {"0123456789012345678901234567890123456789",
        "architecture '01234567890123456789012345678901' has a number that begins with 0", FORMS},
};

static void
test_good_tokens(void **state)
{
  char text[400];
  (void)state;
  for (size_t i = 0; i < COUNT(good); i++) {
    struct kiln_arch_list list = {.count = 0};
    struct kiln_error error = {0};
    assert_int_equal(kiln_arch_list_parse(&list, good[i].text, &error), KILN_OK);
    assert_string_equal(error.what, "");
    assert_string_equal(kiln_arch_list_text(&list, text, sizeof text), good[i].list);
  }
}

static void
test_bad_tokens(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(bad); i++) {
    struct kiln_arch_list list = {.count = 0};
    struct kiln_error error = {0};
    assert_int_equal(kiln_arch_list_parse(&list, bad[i].text, &error), KILN_ERROR_ARGUMENT);
    assert_string_equal(error.what, bad[i].what);
    assert_string_equal(error.remedy, bad[i].remedy);
  }
}

/* What a list prints is read as the same list. */
static void
test_round_trip(void **state)
{
  char text[400], again[400];
  (void)state;
  for (size_t i = 0; i < COUNT(good); i++) {
    struct kiln_arch_list list = {.count = 0}, second = {.count = 0};
    assert_int_equal(kiln_arch_list_parse(&list, good[i].text, NULL), KILN_OK);
    kiln_arch_list_text(&list, text, sizeof text);
    assert_int_equal(kiln_arch_list_parse(&second, text, NULL), KILN_OK);
    assert_string_equal(kiln_arch_list_text(&second, again, sizeof again), text);
  }
}

static void
test_has(void **state)
{
  struct kiln_arch_list list = {.count = 0};
  (void)state;
  assert_int_equal(kiln_arch_list_parse(&list, "8.0 9.0a+PTX", NULL), KILN_OK);
  assert_true(kiln_arch_list_has(&list, (struct kiln_arch){9, 0, 'a', false}));
  assert_true(kiln_arch_list_has(&list, (struct kiln_arch){9, 0, 'a', true}));
  assert_false(kiln_arch_list_has(&list, (struct kiln_arch){9, 0, '\0', false}));
  assert_false(kiln_arch_list_has(&list, (struct kiln_arch){8, 0, '\0', true}));
}

static void
test_full_list(void **state)
{
  struct kiln_arch_list list = {.count = 0};
  struct kiln_error error = {0};
  char text[16], all[40];
  (void)state;
  for (unsigned i = 0; i < KILN_ARCH_MOST; i++) {
    snprintf(text, sizeof text, "%u", 100 + i);
    assert_int_equal(kiln_arch_list_parse(&list, text, &error), KILN_OK);
  }
  assert_int_equal(kiln_arch_list_parse(&list, "100", &error), KILN_OK); /* there already */
  assert_int_equal(kiln_arch_list_parse(&list, "9.0a", &error), KILN_ERROR_ARGUMENT);
  assert_string_equal(error.what, "more than 128 architectures, the last is '9.0a'");
  assert_string_equal(kiln_arch_list_text(&list, all, 20), "sm_100 sm_101 …");
  list.count = 2;
  assert_string_equal(kiln_arch_list_text(&list, all, sizeof "sm_100 sm_101"), "sm_100 sm_101");
  assert_string_equal(kiln_arch_list_text(&list, all, sizeof "sm_100 sm_101" - 1), "sm_100 …");
  list.count = KILN_ARCH_MOST;
  assert_string_equal(kiln_arch_list_text(&list, all, 3), "");
}

/* ---- limits ---- */

static const struct {
  const char *limit, *in, *out;
} limits[] = {
    {"9.0", "sm_90 sm_90a compute_90", "sm_89 sm_100"},
    {"9.0a", "sm_90a compute_90a", "sm_90 sm_100a"},
    {"9.x", "sm_90 sm_90a", "sm_89 sm_100 sm_120"},
    {"10.x", "sm_100 sm_103a sm_101f", "sm_90 sm_110"},
    {"8.0+", "sm_80 sm_86 sm_90a sm_120f compute_80", "sm_75 compute_75"},
    {"8.6+", "sm_86 sm_90", "sm_80"},
    {"10.0f", "sm_100f sm_100a sm_103a sm_103f", "sm_100 sm_101f sm_103 sm_120f"},
    {"12.0f", "sm_120f sm_121a", "sm_120 sm_100f"},
};

static void
test_limits(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(limits); i++) {
    struct kiln_arch_limit limit;
    struct kiln_arch_list in = {.count = 0}, out = {.count = 0};
    assert_int_equal(kiln_arch_limit_parse(limits[i].limit, &limit, NULL), KILN_OK);
    assert_int_equal(kiln_arch_list_parse(&in, limits[i].in, NULL), KILN_OK);
    assert_int_equal(kiln_arch_list_parse(&out, limits[i].out, NULL), KILN_OK);
    for (size_t k = 0; k < in.count; k++)
      assert_true(kiln_arch_within(&limit, 1, in.items[k]));
    for (size_t k = 0; k < out.count; k++)
      assert_false(kiln_arch_within(&limit, 1, out.items[k]));
  }
  assert_true(kiln_arch_within(NULL, 0, (struct kiln_arch){5, 0, '\0', false}));
}

static void
test_bad_limits(void **state)
{
  static const char *const texts[] = {"9.0+PTX", "compute_90", "9.0a+", "x", "9.y", ".x", "100.x", "09.x", "", "+"};
  (void)state;
  for (size_t i = 0; i < COUNT(texts); i++) {
    struct kiln_arch_limit limit;
    struct kiln_error error = {0};
    assert_int_equal(kiln_arch_limit_parse(texts[i], &limit, &error), KILN_ERROR_ARGUMENT);
    assert_non_null(strstr(error.what, texts[i]));
    assert_true(error.remedy[0] != '\0');
  }
}

/* ---- devices ---- */

static const struct {
  const char *arch;
  unsigned major, minor;
  enum kiln_arch_fit fit;
} fits[] = {
    {"sm_90", 9, 0, KILN_ARCH_EXACT},
    {"sm_90a", 9, 0, KILN_ARCH_EXACT},
    {"sm_90a", 9, 9, KILN_ARCH_NO},
    {"sm_90a", 10, 0, KILN_ARCH_NO},
    {"sm_80", 8, 6, KILN_ARCH_RUNS},
    {"sm_86", 8, 0, KILN_ARCH_NO},
    {"sm_80", 9, 0, KILN_ARCH_NO},
    {"sm_100f", 10, 0, KILN_ARCH_EXACT},
    {"sm_100f", 10, 3, KILN_ARCH_FAMILY},
    {"sm_100f", 10, 1, KILN_ARCH_NO},
    {"sm_103f", 10, 0, KILN_ARCH_NO},
    {"sm_120f", 12, 1, KILN_ARCH_FAMILY},
    {"sm_100f", 12, 0, KILN_ARCH_NO},
    {"compute_80", 9, 0, KILN_ARCH_BY_DRIVER},
    {"compute_90", 9, 0, KILN_ARCH_BY_DRIVER},
    {"compute_90", 8, 9, KILN_ARCH_NO},
    {"compute_90a", 9, 0, KILN_ARCH_BY_DRIVER},
    {"compute_90a", 10, 0, KILN_ARCH_NO},
    {"compute_120f", 12, 1, KILN_ARCH_BY_DRIVER},
};

static struct kiln_arch
one(const char *text)
{
  struct kiln_arch_list list = {.count = 0};
  assert_int_equal(kiln_arch_list_parse(&list, text, NULL), KILN_OK);
  assert_int_equal(list.count, 1);
  return list.items[0];
}

static void
test_fits(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(fits); i++)
    assert_int_equal(kiln_arch_fits(one(fits[i].arch), fits[i].major, fits[i].minor), fits[i].fit);
}

static const struct {
  const char *list;
  unsigned major, minor;
  const char *best; /* NULL: none */
} bests[] = {
    {"8.0 9.0 9.0a compute_90", 9, 0, "sm_90a"},
    {"8.0 8.6 compute_80", 8, 9, "sm_86"},
    {"8.0 compute_80", 9, 0, "compute_80"},
    {"8.0 8.9", 9, 0, NULL},
    {"9.0a", 9, 1, NULL},
    {"10.0f 10.0", 10, 3, "sm_100f"},
    {"10.0f 10.3", 10, 3, "sm_103"},
    {"7.5+PTX 8.0+PTX", 12, 0, "compute_80"},
};

static void
test_best(void **state)
{
  char name[KILN_ARCH_TEXT];
  (void)state;
  for (size_t i = 0; i < COUNT(bests); i++) {
    struct kiln_arch_list list = {.count = 0};
    struct kiln_arch best;
    assert_int_equal(kiln_arch_list_parse(&list, bests[i].list, NULL), KILN_OK);
    const bool found = kiln_arch_best(&list, bests[i].major, bests[i].minor, &best);
    assert_int_equal(found, bests[i].best != NULL);
    if (found)
      assert_string_equal(kiln_arch_name(best, name), bests[i].best);
  }
}

/* Devices that nobody knows yet have a defined target. */
static const struct {
  struct kiln_cuda_version toolkit;
  unsigned major, minor;
  const char *arch; /* NULL: none */
  enum kiln_arch_fit fit;
} devices[] = {
    {{13, 0}, 9, 0, "sm_90a", KILN_ARCH_EXACT},
    {{13, 0}, 8, 9, "sm_89", KILN_ARCH_EXACT},
    {{13, 0}, 8, 7, "sm_87", KILN_ARCH_EXACT},
    {{11, 1}, 8, 7, "sm_86", KILN_ARCH_RUNS},
    {{13, 0}, 9, 9, "sm_90", KILN_ARCH_RUNS},
    {{13, 0}, 12, 5, "sm_121f", KILN_ARCH_FAMILY},
    {{13, 0}, 13, 0, "compute_121", KILN_ARCH_BY_DRIVER},
    {{11, 5}, 9, 0, "compute_87", KILN_ARCH_BY_DRIVER},
    {{13, 0}, 7, 0, NULL, KILN_ARCH_NO},
};

static void
test_unknown_devices(void **state)
{
  char name[KILN_ARCH_TEXT];
  (void)state;
  for (size_t i = 0; i < COUNT(devices); i++) {
    struct kiln_arch_list known;
    struct kiln_arch arch;
    enum kiln_arch_fit fit;
    kiln_arch_known(devices[i].toolkit, &known);
    const bool found = kiln_arch_for_device(&known, devices[i].major, devices[i].minor, &arch, &fit);
    assert_int_equal(found, devices[i].arch != NULL);
    assert_int_equal(fit, devices[i].fit);
    if (found)
      assert_string_equal(kiln_arch_name(arch, name), devices[i].arch);
  }
}

/* ---- toolkits ---- */

static const struct {
  const char *arch;
  struct kiln_cuda_version toolkit;
  const char *what;
} refusals[] = {
    {"9.0a", {11, 5}, "nvcc 11.5 in '/usr' does not compile for sm_90a, which needs CUDA 12.0 or newer"},
    {"12.0f", {12, 8}, "nvcc 12.8 in '/usr' does not compile for sm_120f, which needs CUDA 12.9 or newer"},
    {"compute_103", {12, 8}, "nvcc 12.8 in '/usr' does not compile for compute_103, which needs CUDA 12.9 or newer"},
    {"7.0", {13, 0}, "nvcc 13.0 in '/usr' does not compile for sm_70, which needs CUDA 12.9 or older"},
    {"13.0", {13, 0}, "nvcc 13.0 in '/usr' does not compile for sm_130, which no toolkit that kiln knows of does"},
    {"8.4", {13, 0}, "nvcc 13.0 in '/usr' does not compile for sm_84, which no toolkit that kiln knows of does"},
    {"9.0", {13, 0}, "nvcc 13.0 in '/usr' does not compile for sm_90, though CUDA 11.8 and newer do"},
};

static void
test_refusals(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(refusals); i++) {
    struct kiln_arch_list known = {.count = 0};
    struct kiln_error error = {0};
    assert_int_equal(kiln_arch_list_parse(&known, "8.0 8.6+PTX", NULL), KILN_OK);
    assert_int_equal(kiln_arch_refuse(one(refusals[i].arch), "nvcc", "/usr", refusals[i].toolkit, &known, &error),
        KILN_ERROR_ENVIRONMENT);
    assert_string_equal(error.what, refusals[i].what);
    assert_string_equal(error.remedy, one(refusals[i].arch).ptx
                                          ? "Name another toolkit by KILN_CUDA, or choose among: compute_86."
                                          : "Name another toolkit by KILN_CUDA, or choose among: sm_80 sm_86.");
  }
}

static void
test_known(void **state)
{
  char text[1000];
  struct kiln_arch_list list;
  (void)state;
  kiln_arch_known((struct kiln_cuda_version){13, 0}, &list);
  assert_string_equal(kiln_arch_list_text(&list, text, sizeof text),
      "sm_75 sm_80 sm_86 sm_87 sm_88 sm_89 sm_90 sm_90a sm_100 sm_100a sm_100f sm_103 sm_103a sm_103f sm_110 sm_110a "
      "sm_110f sm_120 sm_120a sm_120f sm_121 sm_121a sm_121f compute_75 compute_80 compute_86 compute_87 compute_88 "
      "compute_89 compute_90 compute_90a compute_100 compute_100a compute_100f compute_103 compute_103a compute_103f "
      "compute_110 compute_110a compute_110f compute_120 compute_120a compute_120f compute_121 compute_121a "
      "compute_121f");
  kiln_arch_known((struct kiln_cuda_version){5, 5}, &list);
  assert_int_equal(list.count, 0);
}

/* What a toolkit answers has no suffixes. */
static void
test_numbers(void **state)
{
  static const struct {
    unsigned number;
    struct kiln_cuda_version version;
    const char *list;
  } rows[] = {
      {86, {11, 1}, "sm_86 compute_86"},
      {90, {11, 8}, "sm_90 compute_90"},
      {90, {12, 0}, "sm_90 sm_90a compute_90 compute_90a"},
      {120, {12, 8}, "sm_120 sm_120a compute_120 compute_120a"},
      {120, {13, 0}, "sm_120 sm_120a sm_120f compute_120 compute_120a compute_120f"},
      {130, {14, 0}, "sm_130 sm_130a sm_130f compute_130 compute_130a compute_130f"},
  };
  char text[200];
  (void)state;
  for (size_t i = 0; i < COUNT(rows); i++) {
    struct kiln_arch_list list = {.count = 0};
    kiln_arch_list_add_known(&list, rows[i].number, rows[i].version);
    assert_string_equal(kiln_arch_list_text(&list, text, sizeof text), rows[i].list);
  }
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_good_tokens),
      cmocka_unit_test(test_bad_tokens),
      cmocka_unit_test(test_round_trip),
      cmocka_unit_test(test_has),
      cmocka_unit_test(test_full_list),
      cmocka_unit_test(test_limits),
      cmocka_unit_test(test_bad_limits),
      cmocka_unit_test(test_fits),
      cmocka_unit_test(test_best),
      cmocka_unit_test(test_unknown_devices),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_known),
      cmocka_unit_test(test_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
