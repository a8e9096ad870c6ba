#!/bin/sh
# The agent's tests under older Warps, each in a virtual environment of its own (made by ./dev test-full).
# shellcheck source=tests/lib.sh
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
need_full
need_tool jq
# shellcheck disable=SC2086 # a list of words
[ -z "${WARP_VERSIONS:-}" ] || set -- $WARP_VERSIONS
# shellcheck disable=SC2013,SC2046 # one version a line
[ $# -gt 0 ] || set -- $(grep -v '^#' "$KILN_SOURCE/tools/warp-versions.txt")
tried=0
for version; do
  old=$KILN_SOURCE/.venv/warp-$version/bin/python
  if [ ! -x "$old" ]; then
    printf 'not here: Warp %s (./dev test-full installs it)\n' "$version"
    continue
  fi
  tried=$((tried + 1))
  for script in "$KILN_SOURCE"/tests/warp/agent_*.test.sh; do
    name="Warp $version: $(basename "$script" .test.sh)"
    KILN_WARP_PYTHON=$old sh "$script" >"$work/said" 2>&1
    case $? in
    0) pass "$name: $(tail -n 1 "$work/said")" ;;
    77) pass "$name: $(tail -n 1 "$work/said")" ;;
    *)
      fail "$name"
      grep -A 20 '^FAIL' "$work/said" | cut -c1-240
      ;;
    esac
  done
done
[ "$tried" -gt 0 ] || skip "none of $* is installed below .venv"
finish
