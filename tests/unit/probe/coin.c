#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "probe/coin.h"

/* Published values of splitmix64 for the seed 1234567. */
static void
test_reference(void **state)
{
  static const uint64_t expected[] = {UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
      UINT64_C(9817491932198370423), UINT64_C(4593380528125082431), UINT64_C(16408922859458223821)};
  struct kiln_coin coin;
  (void)state;
  kiln_coin_init(&coin, 1234567);
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
    assert_true(kiln_coin_bits(&coin) == expected[i]);
}

/* A fixed seed, so this holds always; bounds are four standard errors. */
static void
test_fair(void **state)
{
  struct kiln_coin coin;
  int heads = 0, repeats = 0, last = 0, thirds[3] = {0};
  (void)state;
  kiln_coin_init(&coin, 0x1f3a);
  for (int i = 0; i < 100000; i++) {
    const int head = kiln_coin_flip(&coin);
    heads += head;
    repeats += head == last;
    last = head;
  }
  assert_in_range(heads, 50000 - 633, 50000 + 633);
  assert_in_range(repeats, 50000 - 633, 50000 + 633);
  for (int i = 0; i < 90000; i++)
    thirds[kiln_coin_below(&coin, 3)]++;
  for (int i = 0; i < 3; i++)
    assert_in_range(thirds[i], 30000 - 566, 30000 + 566);
  assert_int_equal(kiln_coin_below(&coin, 1), 0);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_reference), cmocka_unit_test(test_fair)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
