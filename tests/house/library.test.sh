#!/bin/sh
# libkiln and libkiln_ops show what the public headers declare and nothing else, under a versioned name.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
need_tool nm readelf
library=$KILN_BUILD/lib/libkiln.so
archive=$KILN_BUILD/lib/libkiln.a
{ [ -e "$library" ] && [ -e "$archive" ]; } || die "libkiln is missing; run ./dev build"
cd "$KILN_SOURCE" || exit 1

# declared FILE…: names of the functions behind KILN_API, whose prototypes may run over several lines.
declared() {
  cat "$@" | tr '\n' ' ' | sed 's#/\*[^*]*\*\+\([^/*][^*]*\*\+\)*/# #g' | tr ';' '\n' |
    sed -n 's/.*KILN_API[^(]*[ *]\(kiln_[a-z0-9_]*\)(.*/\1/p' | sort -u
}
# exported LIBRARY
exported() {
  nm -D --defined-only "$1" | awk '$2 ~ /[A-Z]/ { print $3 }' | sed 's/@.*//' | sort -u
}
# shellcheck disable=SC2046,SC2010 # names without spaces
declared $(ls include/kiln/*.h | grep -v -e '/op\.h$' -e '/ffi\.h$') >"$work/declared"
exported "$library" | grep -v "^__" >"$work/exported"
check "$(wc -l <"$work/declared") functions are declared" test "$(wc -l <"$work/declared")" -gt 30
equal "declared, but not in libkiln.so" "" "$(comm -23 "$work/declared" "$work/exported")"
equal "in libkiln.so, but not declared" "" "$(comm -13 "$work/declared" "$work/exported")"
nm -g --defined-only "$archive" 2>/dev/null | awk 'NF == 3 { print $3 }' | sort -u >"$work/archived"
equal "declared, but not in libkiln.a" "" "$(comm -23 "$work/declared" "$work/archived")"
equal "names in libkiln.a that are not kiln's" "" "$(grep -v '^\(kiln_\|__\|_\.\)' "$work/archived")"

# What ops add: op.h, a header an op, and for tvm-ffi a function an op. TVMFFI… may be used, but never be shown.
ops=$KILN_BUILD/lib/libkiln_ops.so
declared include/kiln/op.h include/kiln/ffi.h include/kiln/ops/*.h >"$work/declared"
exported "$ops" >"$work/exported"
equal "declared, but not in libkiln_ops.so" "" "$(comm -23 "$work/declared" "$work/exported")"
equal "in libkiln_ops.so, but neither declared nor a function of tvm-ffi" "" \
  "$(comm -13 "$work/declared" "$work/exported" | grep -v '^__tvm_ffi_')"
for header in include/kiln/ops/*.h; do
  op=$(basename "$header" .h)
  for symbol in "__tvm_ffi_$op" "__tvm_ffi__metadata_$op" "__tvm_ffi__doc_$op"; do
    check "$symbol" grep -qx "$symbol" "$work/exported"
  done
done
equal "nothing of tvm-ffi is needed" "" "$(nm -D --undefined-only "$ops" | grep ' U TVMFFI')"

version=$(cat VERSION)
minor=${version%.*}
equal "the file bears the version" "libkiln.so.$version" "$(basename "$(readlink -f "$library")")"
equal "the SONAME bears what its ABI depends on" "Library soname: [libkiln.so.$minor]" \
  "$(readelf -d "$library" | sed -n 's/.*\(Library soname: .*\)/\1/p')"
# shellcheck disable=SC2016 # expanded by the inner shell
check "no CUDA library is needed" sh -c '! readelf -d "$1" | grep -E "NEEDED.*(cuda|nvrtc|nccl)"' sh "$library"
finish
