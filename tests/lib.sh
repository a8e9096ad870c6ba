# Shared by every *.test.sh: . "$KILN_SOURCE/tests/lib.sh"
#
# Gives: $work, a private folder that is removed at the end; $kiln, $preload, $spawn: what was built; the helpers below.
# A test calls `need_*` first, then `check "what must hold" COMMAND…` as often as it likes, then `finish` as last line.
# Exit status: 0 all held, 1 something did not, 77 skipped (the reason is printed).
#
# This file is the only place that decides whether a machine can run a test.
set -u

KILN_SOURCE=${KILN_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
KILN_BUILD=${KILN_BUILD:-$KILN_SOURCE/build/dev}
export KILN_SOURCE KILN_BUILD
# shellcheck disable=SC2034 # used by the tests that read this file
{
  kiln=$KILN_BUILD/bin/kiln
  spawn=$KILN_BUILD/bin/kiln-spawn
  preload=$KILN_BUILD/lib/libkiln-preload.so
}
failures=0
checks=0
work=$(mktemp -d "${TMPDIR:-/tmp}/kiln-test.XXXXXX") || exit 1

# Extra clean-up of a test (unmount, kill a child): define a function `cleanup`; it runs before $work is removed.
leave_test() {
  leave_status=$?
  if command -v cleanup >/dev/null 2>&1; then cleanup; fi
  rm -rf "$work"
  exit "$leave_status"
}
trap leave_test EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# skip REASON: end this test as skipped.
skip() {
  printf 'SKIP: %s\n' "$*"
  exit 77
}

# fail TEXT: note a failure and go on. die TEXT: note it and stop.
fail() {
  failures=$((failures + 1))
  checks=$((checks + 1))
  printf 'FAIL: %s\n' "$*"
}
pass() {
  checks=$((checks + 1))
  printf 'ok: %s\n' "$*"
}
die() {
  fail "$@"
  exit 1
}

# check WHAT COMMAND…: WHAT holds if COMMAND succeeds.
check() {
  check_what=$1
  shift
  if "$@"; then pass "$check_what"; else fail "$check_what ($*)"; fi
}

# equal WHAT EXPECTED GOT: two texts are the same.
equal() {
  if [ "$2" = "$3" ]; then pass "$1"; else fail "$1: expected '$2', got '$3'"; fi
}

# status_of COMMAND…: print the exit status; output of COMMAND goes to $work/out and $work/err.
status_of() {
  status_rc=0
  "$@" >"$work/out" 2>"$work/err" </dev/null || status_rc=$?
  echo "$status_rc"
}

# json FILE FILTER: one raw value by jq; "missing" when the file or the value is not there.
json() {
  jq -r "($2) | if . == null then \"missing\" else . end" "$1" 2>/dev/null || echo missing
}

# finish: the last line of a test.
finish() {
  [ "$checks" -gt 0 ] || die "this test checked nothing"
  printf '%d checks, %d failed\n' "$checks" "$failures"
  [ "$failures" -eq 0 ] || exit 1
  exit 0
}

# ---- what this machine can do ----

# need_tool NAME…: programs on the search path.
need_tool() {
  for need_name in "$@"; do
    command -v "$need_name" >/dev/null 2>&1 || skip "the program '$need_name' is not installed (./dev setup)"
  done
}

# need_kiln: the programs under test were built.
need_kiln() {
  for need_name in "$kiln" "$spawn" "$preload"; do
    [ -e "$need_name" ] || die "$need_name is missing; run ./dev build"
  done
}

# need_tvm_ffi: a Python with tvm-ffi and NumPy; its path is then in $python.
need_tvm_ffi() {
  [ -n "${KILN_WARP_PYTHON:-}" ] || skip "KILN_WARP_PYTHON is not set (./dev test sets it)"
  "$KILN_WARP_PYTHON" -c 'import importlib.util, sys; sys.exit(None in map(importlib.util.find_spec, ("tvm_ffi", "numpy")))' \
    2>/dev/null || skip "$KILN_WARP_PYTHON has no apache-tvm-ffi (./dev setup)"
  python=$KILN_WARP_PYTHON
}

# need_torch: a Python with PyTorch and tvm-ffi, on the CPU; its path is then in $python.
need_torch() {
  [ -n "${KILN_TORCH_PYTHON:-}" ] ||
    skip "KILN_TORCH_PYTHON is not set (./dev test-full installs a Python with torch and apache-tvm-ffi, and names it)"
  "$KILN_TORCH_PYTHON" -c 'import importlib.util, sys; sys.exit(None in map(importlib.util.find_spec, ("tvm_ffi", "torch")))' \
    2>/dev/null || skip "$KILN_TORCH_PYTHON has no torch, or no apache-tvm-ffi"
  # shellcheck disable=SC2034 # used by the tests
  python=$KILN_TORCH_PYTHON
}

# need_warp: a Python with NVIDIA Warp; its path is then in $python. Any device.
need_warp() {
  [ -n "${KILN_WARP_PYTHON:-}" ] || skip "KILN_WARP_PYTHON is not set (./dev test sets it; it names a Python with warp-lang)"
  # No import: that would cost a second in every test.
  "$KILN_WARP_PYTHON" -c 'import importlib.util, sys; sys.exit(importlib.util.find_spec("warp") is None)' 2>/dev/null ||
    skip "$KILN_WARP_PYTHON has no warp-lang (./dev setup)"
  # shellcheck disable=SC2034 # used by the tests
  python=$KILN_WARP_PYTHON
}

# need_root: effective user 0 (mounting a small file system, for example).
need_root() {
  [ "$(id -u)" -eq 0 ] || skip "needs root"
}

# need_user: effective user other than 0 (root is not refused by file modes).
need_user() {
  [ "$(id -u)" -ne 0 ] || skip "needs a user other than root"
}

# need_small_disk DIR KILOBYTES: mount a tmpfs of that size at DIR, or skip. The test unmounts it in `cleanup`.
need_small_disk() {
  need_root
  mkdir -p "$1" || die "cannot make $1"
  mount -t tmpfs -o "size=${2}k" tmpfs "$1" 2>/dev/null || skip "cannot mount a small tmpfs here"
}

# need_full: only in ./dev test-full.
need_full() {
  [ "${KILN_FULL:-0}" = 1 ] || skip "long; runs in ./dev test-full"
}

# need_chromium: a browser that runs without a display; its name is then in $chromium.
need_chromium() {
  for chromium in chromium chromium-browser google-chrome; do
    command -v "$chromium" >/dev/null 2>&1 && return 0
  done
  skip "no Chromium (./dev test-full installs it on Debian)"
}

# need_cuda: an NVIDIA device and its driver.
need_cuda() {
  [ -e /dev/nvidiactl ] || skip "no NVIDIA device on this machine"
}

# need_toolkit: a CUDA toolkit with nvcc and NVRTC; its folder is then in $toolkit. Neither device nor driver is needed.
need_toolkit() {
  toolkit=${KILN_TEST_CUDA:-}
  [ -n "$toolkit" ] || for toolkit in "$KILN_SOURCE"/.venv/cuda/lib/python3*/site-packages/nvidia/cu13; do :; done
  [ -x "$toolkit/bin/nvcc" ] || skip "no CUDA toolkit (./dev setup installs one; KILN_TEST_CUDA names another)"
}

# need_x86_64: launch counts exist on this processor only.
need_x86_64() {
  [ "$(uname -m)" = x86_64 ] || skip "launch counts need x86-64, this is $(uname -m)"
}
