#!/bin/sh
# The way of an op to a GPU, on a driver that only records: which kernel, which launch, on which device; what is refused.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/cli/op_lib.sh"
KILN_DRIVER=$KILN_BUILD/tests/fake/libcuda.so
[ -e "$KILN_DRIVER" ] || die "the stand-in driver is missing; run ./dev build"
export KILN_DRIVER
with_toolkit

# Kernels of a stand-in do nothing, so results are wrong; an empty batch has none to be wrong.
equal "run" 0 "$(status_of "$kiln" op run rmsnorm --device cuda --shape 0,64)"
if [ "$(status_of "$kiln" op run rmsnorm --device cuda --shape 1,64)" -ne 1 ]; then
  sed 's/^/   /' "$work/err"
  skip "kernels are not compiled for a GPU here"
fi

# launched ARGUMENT…: the launches that the driver saw.
launched() {
  rm -f "$work/log"
  KILN_FAKE_LOG=$work/log status_of "$kiln" op run rmsnorm --calls 1 "$@" >/dev/null
  grep '^cuLaunchKernel' "$work/log" | sort -u
}
equal "aligned rows of a known size, behind the kernel before" "cuLaunchKernelEx rmsnorm_vec 4x1x1 256x1x1 0 attribute 6 1" \
  "$(launched --device cuda --shape 4,4096 --dtype bf16)"
equal "many rows" "cuLaunchKernelEx rmsnorm_vec 300x1x1 256x1x1 0 attribute 6 1" \
  "$(launched --device cuda --shape 300,4096 --dtype bf16)"
equal "rows that a warp can hold" "cuLaunchKernelEx rmsnorm_vec 2x1x1 32x4x1 0 attribute 6 1" \
  "$(launched --device cuda --shape 7,128 --dtype bf16)"
equal "odd sizes" "cuLaunchKernelEx rmsnorm_row 3x1x1 256x1x1 0 attribute 6 1" "$(launched --device cuda --shape 3,111)"
equal "rows that are not aligned" "cuLaunchKernelEx rmsnorm_row 4x1x1 256x1x1 0 attribute 6 1" \
  "$(launched --device cuda --shape 4,4096 --form odd)"
equal "rows that lie apart, aligned" "cuLaunchKernelEx rmsnorm_vec 4x1x1 256x1x1 0 attribute 6 1" \
  "$(launched --device cuda --shape 4,4096 --form aligned)"
equal "heads of tokens are rows" "cuLaunchKernelEx rmsnorm_vec 9x1x1 32x4x1 0 attribute 6 1" \
  "$(launched --device cuda --shape 7,5,128 --dtype bf16 --form aligned)"
equal "of odd width too" "cuLaunchKernelEx rmsnorm_row 15x1x1 256x1x1 0 attribute 6 1" "$(launched --device cuda --shape 5,3,111)"
# rope DTYPE SHAPE: the kernel and the threads of a block.
rope() {
  rm -f "$work/log"
  KILN_FAKE_LOG=$work/log status_of "$kiln" op run apply_rope_pos_ids --calls 1 --device cuda --dtype "$1" --shape "$2" >/dev/null
  sed -n 's/^cuLaunchKernelEx apply_rope_pos_ids_\([a-z]*\) [0-9x]* \([0-9]*\)x1x1 .*/\1 \2/p' "$work/log" | sort -u
}
equal "a thread for each column of each head" "vec 320" "$(rope bf16 5,32,8,128,128)"
equal "more heads than a block has threads for: all have as many" "vec 288" "$(rope bf16 5,64,8,128,128)"
equal "a thread for each cosine" "vec 64" "$(rope bf16 3,1,1,128,128)"
equal "a thread for each column of a wide head" "vec 128" "$(rope f32 2,1,0,1024,16)"
equal "columns that are no power of two" "vec 32" "$(rope f16 3,3,2,96,64)"
equal "heads of odd width" "any 128" "$(rope f16 2,2,1,111,64)"

KILN_FAKE_DEVICES=8.0
export KILN_FAKE_DEVICES
equal "before 9.0 nothing overlaps" 0 "$(launched --device cuda --shape 4,4096 --dtype bf16 | grep -c attribute)"
equal "it is launched all the same" 1 "$(launched --device cuda --shape 4,4096 --dtype bf16 | grep -c 'rmsnorm_vec 4x1x1')"

equal "kernels are compiled as a small language" '["--minimal"]' \
  "$("$kiln" cache show --json "$("$kiln" cache ls --json | jq -r 'map(select(.name | test("^rmsnorm.vec-sm")))[0].key')" | jq -c .spec.flags)"

# warm: the driver calls between two launches of one kernel.
warm=$(KILN_FAKE_DEVICES=9.0 KILN_FAKE_LOG=$work/log2 "$kiln" op run rmsnorm --device cuda --shape 4,4096 --calls 2 >/dev/null
  grep -A1 '^cuLaunchKernel' "$work/log2" | tail -n 2 | head -n 1)
check "a warm call is one launch: $warm" test -n "$warm"

# kernel_on ARCH: the name of the kernel that a device of this architecture runs.
kernel_on() {
  KILN_FAKE_DEVICES=$1 status_of "$kiln" op run --json rmsnorm --device cuda --shape 1,64 >/dev/null
  jq -r .variant "$work/out"
}
equal "on 8.0" rmsnorm.vec@sm80_T.float16_h64 "$(kernel_on 8.0)"
equal "on 9.0" rmsnorm.vec@sm90a_T.float16_h64 "$(kernel_on 9.0)"
equal "on 10.0" rmsnorm.vec@sm100a_T.float16_h64 "$(kernel_on 10.0)"
equal "on 12.0" rmsnorm.vec@sm120a_T.float16_h64 "$(kernel_on 12.0)"
equal "an architecture that no kernel is made for" 5 "$(KILN_FAKE_DEVICES=6.1 status_of "$kiln" op run rmsnorm --device cuda)"
check "is named, with what there is" said 'no variant for sm61; variants: vec [cuda sm80+], row [cuda sm80+], row [cpu]'

equal "of a whole table it is skipped and said" 0 "$(KILN_FAKE_DEVICES=6.1 status_of "$kiln" op run rmsnorm --matrix --device cuda)"
check "how many" grep -q '^0 ok, 0 failed, [0-9]* not supported here' "$work/out"

KILN_FAKE_DEVICES=9.0,8.0
equal "another device has another kernel" rmsnorm.vec@sm80_T.float16_h64 \
  "$(status_of "$kiln" op run --json rmsnorm --device cuda:1 --shape 1,64 >/dev/null && jq -r .variant "$work/out")"
equal "no such device" 2 "$(status_of "$kiln" op run rmsnorm --device cuda:2)"
check "is quoted" said 'no CUDA device 2'
equal "no driver" 5 "$(KILN_DRIVER=/no/such/libcuda.so status_of "$kiln" op run rmsnorm --device cuda)"
check "is said" said 'no CUDA driver'

# ---- rows gigabytes apart: the device is asked first, and only what is used is copied ----

unset KILN_FAKE_DEVICES
equal "too large for the device" 1 "$(status_of "$kiln" op run rmsnorm --matrix --device cuda)"
check "is left out and said" grep -q '[0-9] failed, 14 left out for want of memory$' "$work/out"
equal "alone it is an answer" 5 "$(status_of "$kiln" op run rmsnorm --shape 3,64 --form far --device cuda)"
check "with what there is" said 'the tensors reach over 16384 MiB, and 512 MiB of the device are free'
rm -f "$work/log"
equal "kernels of a stand-in do nothing" 1 \
  "$(KILN_FAKE_MEMORY=60000000000 KILN_FAKE_LOG=$work/log status_of "$kiln" op run rmsnorm --shape 3,64 --form far --calls 0 --device cuda)"
check "what they did not do is seen" grep -q 'FAIL rmsnorm.* far$' "$work/out"
equal "two tensors reach far" 2 "$(awk '$1 == "cuMemAlloc" && $2 > 2^32' "$work/log" | wc -l)"
equal "rows go up one by one, and the weights" 7 "$(grep -c '^cuMemcpyHtoDAsync 640$' "$work/log")"
equal "nothing larger is copied" 0 "$(awk '/^cuMemcpy/ && $2 > 640' "$work/log" | wc -l)"
equal "by a kernel for aligned rows" 0 "$(grep -c '^cuLaunchKernel.* rmsnorm_row' "$work/log")"

equal "a benchmark of wrong results" 1 "$(status_of "$kiln" op bench rmsnorm --device cuda --shape 2,64 --rounds 3)"
check "has no times" grep -q 'wrong, so not timed' "$work/out"
finish
