#!/bin/sh
# kiln try on an NVIDIA GPU: a program of eight modules, built ahead in processes and by Warp's threads. The ceiling that
# is printed before the trial must bound what is measured. After `warp_cuda.sh run` (which installs Warp and builds kiln),
# or with KILN_BUILD naming a build folder and KILN_WARP_PYTHON a Python with Warp. try.json, try.html, try_lto.json and
# try.log in $OUT.
#   try.sh [KERNELS [PAIRS [LEVER…]]]   kernels a module has (default 4); pairs of each lever at most (default 11); with
#                                 levers named: these, from one sample of the program, and no link-time objects.
#                                 KILN_TRY_STEPS: how large a kernel is (default 6: 4 s of compiling on an H200)
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
store=${KILN_GPU_STORE:-/tmp/kiln-gpu}
build=${KILN_BUILD:-$store/build}
out=${OUT:-$store}
kiln=$build/bin/kiln
python=${KILN_WARP_PYTHON:-$(command -v python3)}
work=$store/try
[ -n "${KILN_WARP_PYTHON:-}" ] || export PYTHONPATH="$store/site"
export PYTHONDONTWRITEBYTECODE=1
[ -x "$kiln" ] || { echo "try.sh: $kiln is missing; run warp_cuda.sh run first" >&2; exit 2; }
mkdir -p "$work" "$out"
"$python" "$root/tests/warp/try/make_eight.py" "$work/program" "${KILN_DEVICE:-cuda:0}" "${1:-4}" "${KILN_TRY_STEPS:-6}" ||
  exit 2
pairs=${2:-11}
[ $# -lt 2 ] || shift 2
[ $# -gt 0 ] && samples=1 || samples=3
[ $# -gt 0 ] || set -- prebuild prebuild_threads enable_backward
levers=''
for lever in "$@"; do levers="$levers --lever $lever"; done
{
  nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null
  echo "cores: $(nproc)"
  # shellcheck disable=SC2086 # a list of options
  "$kiln" try --samples "$samples" --max-pairs "$pairs" $levers \
    -o "$out/try.json" --html "$out/try.html" -- "$python" "$work/program/main.py" 2>"$work/err"
  echo "exit code $?"
  grep 'ceiling' "$work/err"
  "$python" -S - "$out/try.json" <<'BOUND'
import json, sys
ledger = json.load(open(sys.argv[1]))
ceiling, failed = ledger["ceiling"], 0
for entry in ledger["entries"]:
    elapsed = [e for e in entry["effects"] if e["metric"] == "cold_elapsed"]
    if not elapsed:
        print("FAIL: %s was not measured: %s" % (entry["lever"], entry["why"]))
        failed += 1
        continue
    gain = elapsed[0]["before_s"] / elapsed[0]["after_s"]
    print("%s: %s, %.2f s -> %.2f s, %.2f times" % (entry["lever"], entry["state"], elapsed[0]["before_s"], elapsed[0]["after_s"], gain))
    if entry["lever"].startswith("prebuild"):
        most = ledger["baseline"]["cold_elapsed_s"] / ceiling["elapsed_s"]
        good = gain <= most
        print("%s: at most %.2f times by the ceiling, %d builds, %d cores" % ("ok" if good else "FAIL", most, ceiling["builds"], ceiling["cores"]))
        failed += not good
if ceiling["builds"] < 8:
    print("FAIL: %d builds, eight were meant" % ceiling["builds"])
    failed += 1
print("ALL HOLD" if not failed else "%d FAILED" % failed)
sys.exit(bool(failed))
BOUND
  echo $? >"$work/failed"
  # Link-time objects from recorded calls: only whether they arrive, the program is long.
  [ "$samples" -eq 1 ] || KILN_TRUTH=$work/truth PYTHONPATH=$here/cases${PYTHONPATH:+:$PYTHONPATH} "$kiln" try --quiet --samples 1 --max-pairs 1 \
    --lever lto_ahead -o "$out/try_lto.json" -- "$python" "$here/cases/lto.py"
} 2>&1 | tee "$out/try.log"
[ "$(cat "$work/failed")" -eq 0 ]
