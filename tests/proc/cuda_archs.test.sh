#!/bin/sh
# A real toolkit, no GPU: a small and a large kernel for every architecture that it knows, by nvcc and by NVRTC; what is
# in each binary is read by other means than kiln's; the same spec twice gives the same bytes.
# In ./dev test a few architectures, in ./dev test-full all.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/proc/cuda_lib.sh"
need_toolkit
KILN_CUDA=$toolkit
export KILN_CUDA
kernels=$KILN_SOURCE/tests/data/gpu

# Numbers as nvcc answers, with the suffixes that exist for them.
known=''
for number in $("$toolkit/bin/nvcc" --list-gpu-code | sed 's/sm_//'); do
  known="$known $number"
  [ "$number" -lt 90 ] || known="$known ${number}a"
  [ "$number" -lt 100 ] || known="$known ${number}f"
done
if [ "${KILN_FULL:-0}" = 1 ]; then
  small=$known large=$known
else
  small='80 90a 100f 120a' large='90a'
fi

# spec_of KERNEL TOOLCHAIN ARCHS: $work/specs/k.
spec_of() {
  case $1 in
  small) entries_of='["scale"]' ;;
  *) entries_of='["product_f16", "product_bf16"]' ;;
  esac
  jq -cn --arg path "$kernels/$1.cu" --arg toolchain "$2" --arg archs "$3" --argjson entries "$entries_of" \
    '{name: "kernel", toolchain: $toolchain, archs: [$archs], entry_points: $entries, sources: [{path: $path}]}' \
    >"$work/specs/k"
}
# number_in FILE: the architecture's number in the flags of a cubin.
number_in() {
  od -An -tu1 -j49 -N1 "$1" | tr -d ' '
}

# built KERNEL TOOLCHAIN NUMBER: one build, and what is in it.
built() {
  spec_of "$1" "$2" "sm_$3"
  code=$(build k)
  [ "$code" = 0 ] || cat "$work/err"
  equal "$1, $2, sm_$3" "0 built" "$code $(got result)"
  entry=$(got path)
  equal "$1, $2, sm_$3: number in the binary" "${3%[af]}" "$(number_in "$entry")"
  check "$1, $2, sm_$3: note in the binary" grep -qa -- "-arch sm_$3 " "$entry"
}

store archs
for number in $small; do
  built small nvcc "$number"
  built small nvrtc "$number"
done
for number in $large; do
  built large nvcc "$number"
  built large nvrtc "$number"
done

# ---- the same bytes again ----

# payload FILE: the cubin in an entry, without what kiln puts behind it.
payload() {
  head -c "$("$kiln" cache show --json "$(basename "$1")" | jq -r .payload_size)" "$1"
}
for toolchain in nvcc nvrtc; do
  for kernel in small large; do
    spec_of $kernel $toolchain sm_90a
    store first
    build k >/dev/null
    payload "$(got path)" >"$work/one"
    store second
    build k >/dev/null
    payload "$(got path)" >"$work/two"
    check "$kernel, $toolchain: something" test -s "$work/one"
    check "$kernel, $toolchain: twice the same bytes" cmp "$work/one" "$work/two"
    rm -rf "$work/first" "$work/second"
  done
done

# ---- several at once, and PTX ----

store several
spec_of small nvcc '8.0+PTX 9.0a 12.0f'
equal "a fatbin of three architectures and PTX" "0 built" "$(build k) $(got result)"
for number in 80 90a 120f; do
  check "has sm_$number" grep -qa -- "-arch sm_$number " "$(got path)"
done
check "and PTX" grep -qa '^.target sm_80' "$(got path)"
equal "by several threads the same as by one" "0 hit" "$(build k) $(got result)"
for toolchain in nvcc nvrtc; do
  spec_of small $toolchain compute_90
  equal "PTX alone by $toolchain" "0 built" "$(build k) $(got result)"
  check "is text for sm_90" grep -qa '^.target sm_90' "$(got path)"
done

# ---- refused at once, by both ----

for toolchain in nvcc nvrtc; do
  spec_of small $toolchain 13.0
  begin=$(date +%s%N)
  equal "an architecture that $toolchain does not know" 5 "$(build k)"
  check "within a second" test $((($(date +%s%N) - begin) / 1000000)) -lt 1000
  check "names it" said sm_130
  check "and the toolkit's version" said " 13.0 "
done
finish
