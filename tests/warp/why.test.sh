#!/bin/sh
# Why it compiles anew, on real Warp: an edited kernel, an option, a function that a kernel calls, a renamed file's module.
# shellcheck source=tests/lib.sh
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
need_tool jq
need_kiln
need_warp
export PYTHONDONTWRITEBYTECODE=1
cd "$work" || exit 1
# program UNROLL FACTOR EXTRA: sim.py, one module of two kernels and a function, and a module that stays.
program() {
  cat >still.py <<'PY'
import warp as wp


@wp.kernel
def rest(x: wp.array(dtype=float)):
    x[wp.tid()] = 3.0
PY
  cat >sim.py <<PY
import still
import warp as wp

wp.set_module_options({"max_unroll": $1})


@wp.func
def factor(a: float) -> float:
    return a * $2


@wp.kernel
def step(x: wp.array(dtype=float)):
    x[wp.tid()] = factor(x[wp.tid()])


@wp.kernel
def other(x: wp.array(dtype=float)):
    x[wp.tid()] = 1.0


x = wp.zeros(8, dtype=float, device="cpu")
for kernel in (step, other, still.rest):
    wp.launch(kernel, dim=8, inputs=[x], device="cpu")
PY
}
measure() { "$kiln" measure --quiet --warmup 0 --samples 1 -o "$1" -- "$2" sim.py >/dev/null || die "no report $1"; }
# reasons REPORT: what differs from first.json, as "module kind name …" lines.
reasons() {
  "$kiln" report --quiet --against first.json --json "$1" |
    jq -r '.why | "same \(.same)", (.modules[] | .module as $m | .reasons[] | "\($m) \(.kind) \(.name // "") \(.before // "") \(.after // "")")' |
    sed 's/ *$//' | sort
}
program 16 2.0
measure first.json "$python"
equal "nothing changed" "same 2" "$(measure again.json "$python" && reasons again.json)"
program 16 3.0
measure edited.json "$python"
equal "an edited function: the kernel that calls it" "__main__ kernel_changed step
same 1" "$(reasons edited.json)"
program 4 2.0
measure option.json "$python"
equal "an option" "__main__ option max_unroll 16 4
same 1" "$(reasons option.json)"
equal "compare says it" 0 "$(status_of "$kiln" compare first.json option.json)"
check "in a sentence" grep -q 'option .max_unroll. was 16 and is 4' out

# Another version of Warp, where one is installed (./dev test-full).
program 16 2.0
for old in ${WARP_OLDER:-"$KILN_SOURCE"/.venv/warp-*/bin/python}; do
  if [ "${KILN_FULL:-0}" != 1 ] || [ ! -x "$old" ]; then continue; fi
  version=$("$old" -c 'import importlib.metadata as m; print(m.version("warp-lang"))')
  measure "old-$version.json" "$old"
  "$kiln" report --quiet --against "old-$version.json" --json first.json >out
  equal "Warp $version and this one: no module has the same identity" 0 "$(json out .why.same)"
  check "Warp $version: every module has a reason" test "$(json out '[.why.modules[].reasons | length] | min')" -ge 1
  check "Warp $version: the version is named" \
    test "$(json out "[.why.modules[].reasons[] | select(.kind == \"version\" and .before == \"warp $version\")] | length")" -ge 1
done
finish
