#!/bin/sh
# Newton in full, in a virtual environment of its own (network, about two minutes): only in ./dev test-full.
# shellcheck source=tests/lib.sh
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
need_full
need_tool jq
need_kiln
need_warp
need_x86_64
venv=${KILN_NEWTON_VENV:-$KILN_SOURCE/.venv/newton}
if ! "$venv/bin/python" -c 'import newton' 2>/dev/null; then
  "$python" -m venv "$venv" || skip "no virtual environment can be made here"
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check newton==1.8.0 warp-lang==1.19.0 \
    numpy==2.4.6 || skip "newton 1.8.0 cannot be installed here"
fi
# shellcheck source=tests/warp/cases.sh
. "$KILN_SOURCE/tests/warp/cases.sh"
# shellcheck disable=SC2034 # read by cases.sh
case_python=$venv/bin/python
run_cases newton
finish
