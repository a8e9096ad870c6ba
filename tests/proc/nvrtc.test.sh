#!/bin/sh
# The real NVRTC, no GPU: it starts no process and no driver and opens no file of the program, headers of a toolkit and
# names that macros make are found, line information knows its place, and changes are seen.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/proc/cuda_lib.sh"
need_toolkit
need_tool strace
KILN_CUDA=$toolkit
export KILN_CUDA
store store

# spec_of NAME [FILTER]: $work/specs/NAME of $work/code/k.cu, changed by FILTER.
spec_of() {
  jq -cn --arg path "$work/code/k.cu" --arg folder "$work/code/include" '{name: "k", toolchain: "nvrtc",
    archs: ["sm_90a"], entry_points: ["k"], includes: [$folder], sources: [{path: $path}]}' |
    jq -c "${2:-.}" >"$work/specs/$1"
}
mkdir -p "$work/code/include/sub"
cat >"$work/code/k.cu" <<'K'
#include <cuda_fp16.h>
#include "sub/tile.h"
extern "C" __global__ void k(__half *p) { p[threadIdx.x] = __float2half(TILE); }
K
printf '#pragma once\n#include "near.h"\n#define TILE NEAR\n' >"$work/code/include/sub/tile.h"
echo '#define NEAR 2.0f' >"$work/code/include/sub/near.h"
spec_of k

# ---- what it does not do ----

strace -f -o "$work/trace" -e trace=execve,openat,open,clone,clone3,fork,vfork env PATH="$search" "$kiln" cache build \
  --json "$work/specs/k" >"$work/out" 2>"$work/err"
equal "built" built "$(got result)"
equal "no other process" "" "$(grep -c execve "$work/trace" | sed 's/^2$//')" # env and kiln
equal "no driver" 0 "$(grep -c 'libcuda\.so' "$work/trace")"
# NVRTC's own opens come after its library's, and are none but kiln's reading of each file once.
equal "each header is opened for its text and for its digest, by nobody else" 2 \
  "$(grep -c 'include/sub/near\.h".*= [0-9]' "$work/trace")"
head -c "$("$kiln" cache show --json "$(got key)" | jq .payload_size)" "$(got path)" >"$work/payload"
check "there is a result" test -s "$work/payload"
equal "no place of this machine is in it" 0 "$(grep -ca "$work" "$work/payload")"

# ---- what it sees ----

equal "found the second time" "0 hit" "$(build k) $(got result)"
first=$(got key)
mv "$work/code" "$work/moved"
sed "s#$work/code#$work/moved#g" "$work/specs/k" >"$work/specs/moved"
equal "found in another place" "0 hit $first" "$(build moved) $(got result) $(got key)"
mv "$work/moved" "$work/code"
echo '#define NEAR 33.0f' >"$work/code/include/sub/near.h"
equal "a header that changed is another entry" "0 built" "$(build k) $(got result)"
check "with another key" test "$(got key)" != "$first"

# ---- a language without textures and types of the runtime ----

# payload_of NAME: builds it and prints the digest of what NVRTC made.
payload_of() {
  build "$1" >/dev/null
  head -c "$("$kiln" cache show --json "$(got key)" | jq .payload_size)" "$(got path)" | sha256sum
}
spec_of small '.sources = [{name: "k.cu", text: "extern \"C\" __global__ void k(float *p) { p[threadIdx.x] = 1; }"}]'
spec_of minimal '.flags = ["--minimal"] | .sources = [{name: "k.cu", text: "extern \"C\" __global__ void k(float *p) { p[threadIdx.x] = 1; }"}]'
spec_of wide '.flags = ["--minimal"] | .sources = [{name: "k.cu", text: "extern \"C\" __global__ void k(cudaError_t *p) { *p = cudaSuccess; }"}]'
code=$(payload_of small)
equal "the code is the same" "0 built $code" "$(build minimal) $(got result) $(payload_of minimal)"
equal "what needs more than it has is compiled without" "0 built" "$(build wide) $(got result)"

# ---- line information ----

spec_of lines '.flags = ["-lineinfo"]'
equal "with line information" "0 built" "$(build lines) $(got result)"
check "the source is named by its path" grep -qa "$work/code/k.cu" "$(got path)"
lines=$(got key)
(cd "$work/code" && build lines) >"$work/code.rc"
check "elsewhere it is another entry" test "$(got key)" != "$lines"

# ---- large headers ----

cat >"$work/code/k.cu" <<'K'
#include <cub/block/block_reduce.cuh>
#include <cuda/std/array>
extern "C" __global__ void k(int *p)
{
  using reduce = cub::BlockReduce<int, 128>;
  __shared__ typename reduce::TempStorage storage;
  const int sum = reduce(storage).Sum(p[threadIdx.x]);
  if (threadIdx.x == 0)
    p[0] = sum + cuda::std::array<int, 3>{1, 2, 3}[1];
}
K
if [ -d "$toolkit/include/cccl" ] || [ -d "$toolkit/include/cub" ]; then
  equal "CUB and libcu++, whose headers are named by macros" "0 built" "$(build k) $(got result)"
fi

# ---- what is wrong is said in one line ----

printf 'extern "C" __global__ void k(int *p) { *p = nobody; }\n' >"$work/code/k.cu"
equal "a program that is wrong" 4 "$(build k)"
check "its first error, with file and line" said 'k.cu(1): error: identifier "nobody" is undefined'
printf '#include "nowhere.h"\n' >"$work/code/k.cu"
equal "a header that is nowhere" 4 "$(build k)"
check "its name" said 'could not open source file "nowhere.h"'
check "and what to do" said 'include of the spec'
finish
