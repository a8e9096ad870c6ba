#!/bin/sh
# kiln op bench: figures with their timer, checked; nothing is said about what is wrong.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/cli/op_lib.sh"

equal "bench" 0 "$(status_of "$kiln" op bench rmsnorm --shape 8,256 --rounds 3)"
check "names its timer" grep -q 'clock, [0-9]* sets of buffers; checked' "$work/out"
check "and a copy beside it" grep -q '^  copy ' "$work/out"
equal "as JSON" 0 "$(status_of "$kiln" op bench rmsnorm --shape 8,256 --dtype f32 --rounds 5 --json)"
equal "what, where, how often" "rmsnorm cpu rmsnorm.row@cpu_T.float32 true clock 17408 5 5" \
  "$(jq -r '.[0] | "\(.op) \(.device) \(.variant) \(.ok) \(.timer) \(.bytes) \(.kiln.n) \(.copy.n)"' "$work/out")"
equal "figures are in order" true \
  "$(jq '.[0].kiln | .p10_us <= .median_us and .median_us <= .p90_us and .median_us > 0 and .gb_per_s > 0' "$work/out")"
check "no cache holds the buffers" test "$(jq '.[0].buffer_sets * .[0].bytes' "$work/out")" -gt 64000000
for option in "--rounds 2" "--rounds many" "--vs triton" "--in-place"; do
  # shellcheck disable=SC2086 # words
  equal "refused: $option" 2 "$(status_of "$kiln" op bench rmsnorm $option)"
  check "and quoted" said "${option##* }"
done
equal "without an op" 2 "$(status_of "$kiln" op bench)"
equal "torch without a Python that has it" 4 "$(KILN_BENCH_PYTHON=/no/such/python status_of "$kiln" op bench rmsnorm --shape 2,8 --rounds 3 --vs torch)"
check "says which one was tried" said /no/such/python

copy_tree
sed -i 's/\* scale \* (NORM_ONE_PLUS/* scale + (NORM_ONE_PLUS/' "$tree/kernels/include/norm_cpu.h"
equal "a wrong kernel" 1 "$(status_of "$kiln" op bench rmsnorm --shape 8,256 --rounds 3 --json)"
equal "has no times" "false null null" "$(jq -r '.[0] | "\(.ok) \(.kiln) \(.copy)"' "$work/out")"
nothing_left "benchmarking"
finish
