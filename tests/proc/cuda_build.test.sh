#!/bin/sh
# Compilers for GPUs that lie, break and are overridden: nothing of it becomes an entry, and each has its one line.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/proc/cuda_lib.sh"
spec k 9.0a
toolkit kit 13000
KILN_CUDA=$work/kit
export KILN_CUDA

# ---- what it leaves is looked at ----

number=0
# leaves WHAT PAYLOAD MESSAGE
leaves() {
  number=$((number + 1))
  store "payload$number"
  cp "$2" "$work/kit/payload"
  equal "$1: refused" 4 "$(build k)"
  check "$1: the reason" said "$3"
  equal "$1: no entry" 0 "$(entries)"
}
leaves "plain code where 'a' was asked for" "$corpus/cubin-sm_90" "made code for sm_90 for 'scale', which wants sm_90a"
leaves "another architecture" "$corpus/cubin-sm_100f" "made code for sm_100f for 'scale', which wants sm_90a"
leaves "more than was asked for" "$corpus/fatbin-plain" "for 'scale', which wants sm_90a"
leaves "PTX" "$corpus/ptx-90a" "made code for compute_90a for 'scale', which wants sm_90a"
leaves "half a cubin" "$corpus/cubin-no-sections" "for 'scale'"
leaves "text" "$corpus/text" "that are no cubin, no fatbin and no PTX"
leaves "nothing" /dev/null "left 0 bytes"
cp "$corpus/cubin-sm_90a" "$work/kit/payload"
jq -c '.entry_points = ["absent"]' "$work/specs/k" >"$work/specs/absent"
store absent
equal "a kernel that is not there" 4 "$(build absent)"
check "is named" said "does not define its entry point 'absent'"
equal "and there is no entry" 0 "$(entries)"

# ---- how it ends ----

# ends WHAT SCRIPT MESSAGE
ends() {
  number=$((number + 1))
  store "end$number"
  echo "$2" >"$work/kit/fails"
  equal "$1: refused" 4 "$(build k)"
  check "$1: its one line" said "$3"
  equal "$1: no entry" 0 "$(entries)"
  rm -f "$work/kit/fails"
}
ends "an error of the front end" 'echo "scale.cu(1): error: this is wrong" >&2; exit 2' \
  "compiling 'scale' failed: scale.cu(1): error: this is wrong"
ends "an error of the assembler" 'echo "ptxas error   : Entry function uses too much shared data" >&2; exit 255' \
  "ptxas error   : Entry function uses too much shared data"
ends "status 137" 'exit 137' "the compiler was killed (signal 9) and printed nothing"
ends "status 139" 'exit 139' "the compiler crashed (signal 11) and printed nothing"
ends "signal 9" 'kill -9 $$' "the compiler was killed (signal 9) and printed nothing"
ends "a killed part" "echo \"nvcc error   : 'cicc' died due to signal 9 (Kill signal)\"; exit 9" "'cicc' died due to signal 9"
ends "nothing said" 'exit 1' "the compiler ended with status 1 and printed nothing"
ends "no file" 'exit 0' "the compiler left no file for 'scale'"

# ---- overrides are fields of the key ----

store overrides
equal "as it is" "0 built" "$(build k) $(got result)"
equal "with flags" "0 built" "$(KILN_CUDA_FLAGS=-lineinfo build k) $(got result)"
equal "the same flags" "0 hit" "$(KILN_CUDA_FLAGS=-lineinfo build k) $(got result)"
# shellcheck disable=SC2016 # the launcher's own words
printf '#!/bin/sh\necho launched >>"%s/launched"\nexec "$@"\n' "$work" >"$work/launcher"
chmod +x "$work/launcher"
equal "with a launcher" "0 built" "$(KILN_LAUNCHER=$work/launcher build k) $(got result)"
equal "which runs" launched "$(cat "$work/launched")"
equal "three entries" 3 "$(entries)"
equal "flags of the host compiler are nothing to it" "0 hit" "$(KILN_EXTRA_FLAGS=-O1 build k) $(got result)"
equal "its own variables reach no compiler" "0 hit" "$(NVCC_APPEND_FLAGS=-G build k) $(got result)"
equal "flags that choose the target are refused" 2 "$(KILN_CUDA_FLAGS=-arch=sm_80 build k)"
check "and quoted" said "flag '-arch=sm_80' is not allowed with nvcc"

# ---- spellings of one wish ----

store spelled
equal "one spelling" "0 built" "$(build k) $(got result)"
for archs in sm_90a 90a '9.0a, 90a' ' sm_90a;'; do
  spec again "$archs"
  equal "'$archs' is the same" "0 hit" "$(build again) $(got result)"
done
spec bad 9.0b
equal "a bad one" 2 "$(build bad)"
check "is quoted" said "architecture '9.0b' has an unknown ending"
jq -c '.supports = ["10.0f", "12.x"]' "$work/specs/k" >"$work/specs/limited"
equal "one that the sources are not written for" 5 "$(build limited)"
check "names both" said "'scale' supports 10.0f, 12.x, and was asked for sm_90a"
jq -c 'del(.archs)' "$work/specs/k" >"$work/specs/native"
equal "no architecture and no GPU" 5 "$(KILN_DRIVER=/nowhere/libcuda.so build native)"
check "says what to do" said "KILN_ARCHS"
equal "KILN_ARCHS is one" "0 hit" "$(KILN_DRIVER=/nowhere/libcuda.so KILN_ARCHS=9.0a build native) $(got result)"
finish
