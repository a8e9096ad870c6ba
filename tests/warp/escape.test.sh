#!/bin/sh
# A program that builds outside the private caches was not measured cold: the sample is invalid and the place is named.
# shellcheck source=tests/lib.sh
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
need_tool jq
need_kiln
need_warp
export PYTHONDONTWRITEBYTECODE=1
program=$KILN_SOURCE/tests/warp/cases/own_cache.py
# A home of its own: this test must not touch the cache of whoever runs it.
mkdir "$work/home" "$work/elsewhere"
export HOME="$work/home"
unset XDG_CACHE_HOME WARP_CACHE_PATH

measure() { status_of "$kiln" measure --warmup 0 --samples 1 --quiet --json -- "$@"; }
because() { json "$work/out" '[.arms[0].samples[0].invalid_because, .failure] | map(. // empty) | join(" ")'; }

equal "env -i: kiln says invalid" 3 "$(measure env -i "HOME=$HOME" "$python" "$program")"
equal "the sample is not valid" false "$(json "$work/out" '.arms[0].samples[0].valid | tostring')"
because >"$work/because"
check "the place is named" grep -qF "$work/home/.cache/warp" "$work/because"

equal "a folder outside, set by the program: kiln says invalid" 3 "$(measure "$python" "$program" "$work/elsewhere")"
because >"$work/because"
check "the place is named" grep -qF "$work/elsewhere" "$work/because"
equal "what it built was seen all the same" 1 "$(json "$work/out" '.arms[0].samples[0].cold.builds')"

equal "without either, nothing escapes" 0 "$(measure "$python" "$program")"
equal "the sample is valid" true "$(json "$work/out" '.arms[0].samples[0].valid | tostring')"
check "nothing new in the user's cache" test "$(find "$work/home" -newer "$work/because" -type f | wc -l)" -eq 0
finish
