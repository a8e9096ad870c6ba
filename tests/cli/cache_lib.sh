# shellcheck shell=sh disable=SC2154 # work and kiln come from lib.sh
# Shared by the tests of `kiln cache`: a store of its own, and specs.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/cli/lib.sh"
need_tool cc
unset KILN_CACHE KILN_JIT KILN_DEBUG KILN_KEEP KILN_SYNC KILN_CC KILN_LAUNCHER KILN_EXTRA_FLAGS KILN_WORKSPACE \
  KILN_CACHE_LAYERS KILN_CACHE_LIMIT KILN_WAIT_LIMIT XDG_CACHE_HOME
KILN_CACHE_DIR=$work/store
export KILN_CACHE_DIR

# spec NAME FUNCTION BODY [MEMBERS]: write $work/NAME.json; MEMBERS is more JSON, from a comma on.
spec() {
  printf '{"name": "%s", "toolchain": "hostcc", "sources": [{"name": "%s.c", "text": "int %s(void) { %s }"}], "entry_points": ["%s"]%s}\n' \
    "$1" "$1" "$2" "$3" "$2" "${4:-}" >"$work/$1.json"
}
# result_of ARGUMENT…: result of building it, "built" or "hit"; the JSON is in $work/out.
result_of() {
  status_of "$kiln" cache build --json "$@" >/dev/null
  json "$work/out" .result
}
entries() {
  "$kiln" cache ls --json | jq length
}
