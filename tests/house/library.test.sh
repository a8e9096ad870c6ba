#!/bin/sh
# libkiln shows what the public headers declare and nothing else, under a versioned name.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
need_tool nm readelf
library=$KILN_BUILD/lib/libkiln.so
archive=$KILN_BUILD/lib/libkiln.a
{ [ -e "$library" ] && [ -e "$archive" ]; } || die "libkiln is missing; run ./dev build"
cd "$KILN_SOURCE" || exit 1

# declared: names of the functions behind KILN_API, whose prototypes may run over several lines.
declared() {
  cat include/kiln/*.h | tr '\n' ' ' | sed 's#/\*[^*]*\*\+\([^/*][^*]*\*\+\)*/# #g' | tr ';' '\n' |
    sed -n 's/.*KILN_API[^(]*[ *]\(kiln_[a-z0-9_]*\)(.*/\1/p' | sort -u
}
declared >"$work/declared"
nm -D --defined-only "$library" | awk '$2 ~ /[A-Z]/ { print $3 }' | sed 's/@.*//' | grep -v "^__" | sort -u >"$work/exported"
check "$(wc -l <"$work/declared") functions are declared" test "$(wc -l <"$work/declared")" -gt 30
equal "declared, but not in libkiln.so" "" "$(comm -23 "$work/declared" "$work/exported")"
equal "in libkiln.so, but not declared" "" "$(comm -13 "$work/declared" "$work/exported")"
nm -g --defined-only "$archive" 2>/dev/null | awk 'NF == 3 { print $3 }' | sort -u >"$work/archived"
equal "declared, but not in libkiln.a" "" "$(comm -23 "$work/declared" "$work/archived")"
equal "names in libkiln.a that are not kiln's" "" "$(grep -v '^\(kiln_\|__\|_\.\)' "$work/archived")"

version=$(cat VERSION)
minor=${version%.*}
equal "the file bears the version" "libkiln.so.$version" "$(basename "$(readlink -f "$library")")"
equal "the SONAME bears what its ABI depends on" "Library soname: [libkiln.so.$minor]" \
  "$(readelf -d "$library" | sed -n 's/.*\(Library soname: .*\)/\1/p')"
# shellcheck disable=SC2016 # expanded by the inner shell
check "no CUDA library is needed" sh -c '! readelf -d "$1" | grep -E "NEEDED.*(cuda|nvrtc|nccl)"' sh "$library"
finish
