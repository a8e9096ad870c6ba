/*
 * A program that costs a known amount of CPU time: `bench.spin SECONDS [SCATTER]`. With SCATTER each run costs SECONDS
 * times e^(SCATTER x), x evenly from -1 … 1: a fake program, as noisy as wanted. Without arguments: 10 ms.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "base/text.h"
#include "os/clock.h"
#include "os/random.h"

int
main(int argc, char **argv)
{
  double seconds = 0.01, scatter = 0;
  uint64_t bits = 0;
  if ((argc > 1 && !kiln_text_parse_seconds(argv[1], &seconds)) ||
      (argc > 2 && !kiln_text_parse_seconds(argv[2], &scatter)) || !kiln_random_bits(&bits)) {
    fprintf(stderr, "usage: %s SECONDS [SCATTER]\n", argv[0]);
    return 2;
  }
  const double x = (double)(bits >> 11) / (double)(UINT64_C(1) << 52) - 1;
  const uint64_t end = (uint64_t)(seconds * exp(scatter * x) * 1e9);
  while (kiln_clock_process_cpu() < end) {
  }
  return 0;
}
