#!/bin/sh
# The main rules of a gate on real Warp: a program with faults breaks them, at the right places; one without keeps them.
# shellcheck source=tests/lib.sh
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
need_tool jq
need_kiln
need_warp
need_x86_64
export PYTHONDONTWRITEBYTECODE=1
cat >"$work/sim.py" <<'PY'
import ctypes
import os
import sys

import warp as wp

mark = getattr(ctypes.CDLL(None), "kiln_mark", lambda name: None)
SALT = float(os.getpid())


@wp.kernel
def step(x: wp.array(dtype=float)):
    x[wp.tid()] = x[wp.tid()] + 1.0


x = wp.zeros(8, dtype=float, device="cpu")
for _ in range(20):
    wp.launch(step, dim=8, inputs=[x], device="cpu")
mark(b"ready")
if "late" in sys.argv:

    @wp.kernel
    def late(x: wp.array(dtype=float)):
        x[wp.tid()] = 2.0

    wp.launch(late, dim=8, inputs=[x], device="cpu")  # LATE
if "salted" in sys.argv:

    @wp.kernel(module="unique")
    def salted(x: wp.array(dtype=float)):
        x[wp.tid()] = wp.static(SALT)

    wp.launch(salted, dim=8, inputs=[x], device="cpu")  # SALTED
PY
place() { printf '%s:%s' "$1" "$(grep -n "# $2\$" "$work/sim.py" | cut -d: -f1)"; }
gate() { status_of "$kiln" gate --quiet --warmup 0 --samples 1 "$@"; }
# shellcheck disable=SC2317 # called by check
has() {
  grep -qE -- "$1" "$work/out" || {
    sed 's/^/   stdout: /' "$work/out"
    return 1
  }
}

printf '%s\n' no-build-when-warm 'max-builds 1' 'no-build-after-launch 20' 'no-build-after-mark ready' stable-identities \
  >"$work/rules"
cd "$work" || exit 1
equal "a program without faults" 0 "$(gate rules -o stored.json -- "$python" sim.py)"
check "keeps all rules" has '^All 5 rules are kept\.$'
equal "a kernel that comes late" 1 "$(gate rules --not-above stored.json --junit gate.xml -- "$python" sim.py late)"
check "is one build too many" has '^BROKEN  max-builds 1: the cold run of sample 1 made 2 builds'
check "behind launch 20" has "^BROKEN  no-build-after-launch 20: .* made 1 build after launch 20: __main__ \($(place sim.py LATE)\)\$"
check "behind the mark" has "^BROKEN  no-build-after-mark ready: .*\($(place sim.py LATE)\)\$"
check "more than the stored report" has '^BROKEN  not-above stored\.json: cold builds 2, there 1; cold identities 2, there 1; cold source_bytes'
check "and its warm run compiles nothing" has '^kept    no-build-when-warm'
check "JUnit says the same" grep -q 'tests="6" failures="4" errors="0"' gate.xml
equal "a key with the process id in it" 1 "$(gate --no-build-when-warm --stable-identities -- "$python" sim.py salted)"
check "builds when warm" has "^BROKEN  no-build-when-warm: the warm run of sample 1 made 1 build: .*\($(place sim.py SALTED)\)\$"
check "and has another identity" has '^BROKEN  stable-identities: .* has identity [0-9a-f]{7} in the '
equal "a program that fails half way" 4 "$(gate rules -- "$python" -c 'exec(open("sim.py").read()); raise SystemExit(3)')"
check "is not judged" has '^The rules were not judged'
finish
