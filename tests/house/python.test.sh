#!/bin/sh
# The agent's Python parses on the oldest supported version and says its types.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
need_tool python3
cd "$KILN_SOURCE" || exit 1
export PYTHONDONTWRITEBYTECODE=1
system=/usr/bin/python3
[ -x "$system" ] || system=python3

found=$(find agents/python tools -name '*.py' | sort)
# shellcheck disable=SC2086 # a list of names without spaces
check "typed, and readable by Python 3.9: $(echo "$found" | tr '\n' ' ')" "$system" tools/check_python.py $found
printf 'def f(a):\n    return a\n' >"$work/untyped.py"
equal "an untyped function is seen" 1 "$(status_of "$system" tools/check_python.py "$work/untyped.py")"
printf 'match 1:\n    case 1:\n        pass\n' >"$work/new.py"
equal "syntax newer than 3.9 is seen" 1 "$(status_of "$system" tools/check_python.py "$work/new.py")"
finish
