#!/bin/sh
# kiln apply on an NVIDIA GPU: a program of five equal modules, alone and with what a record of them builds ahead. After `warp_cuda.sh run` (which installs Warp and builds kiln), or with KILN_BUILD naming a build
# folder and KILN_WARP_PYTHON a Python with Warp. Prints one line a measurement; apply.json and apply.log in $OUT.
#   apply.sh [KERNELS [WHAT…]]    KERNELS: of each module (default 2: about 5 s each on an H200)
#                                 WHAT: threads (Warp's own, to compare), links (a program of link-time objects)
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
store=${KILN_GPU_STORE:-/tmp/kiln-gpu}
build=${KILN_BUILD:-$store/build}
out=${OUT:-$store}
kiln=$build/bin/kiln
python=${KILN_WARP_PYTHON:-$(command -v python3)}
kernels=${1:-2}
[ $# -eq 0 ] || shift
more=" $* "
device=${KILN_DEVICE:-cuda:0}
rounds=2
work=$store/apply
failed=0
[ -n "${KILN_WARP_PYTHON:-}" ] || export PYTHONPATH="$store/site"
export PYTHONDONTWRITEBYTECODE=1
[ -x "$kiln" ] || { echo "apply.sh: $kiln is missing; run warp_cuda.sh run first" >&2; exit 2; }

# Nothing of an earlier run: neither the framework's cache nor the driver's nor kiln's.
fresh() {
  rm -rf "$work/cache" "$work/driver" "$work/kiln"
  mkdir -p "$work/cache" "$work/driver"
}
export WARP_CACHE_PATH="$work/cache" CUDA_CACHE_PATH="$work/driver" KILN_CACHE_DIR="$work/kiln"

check() { # WHAT COMMAND…
  check_what=$1
  shift
  if "$@"; then echo "ok: $check_what"; else
    echo "FAIL: $check_what"
    failed=$((failed + 1))
  fi
}
seconds() { # COMMAND…: elapsed seconds of the whole command; its output in $work/out and $work/err
  "$python" -S -c 'import subprocess, sys, time
begin = time.time()
with open(sys.argv[1] + "/out", "w") as out, open(sys.argv[1] + "/err", "w") as err:
    code = subprocess.run(sys.argv[2:], stdout=out, stderr=err).returncode
print("%.3f" % (time.time() - begin))
sys.exit(code)' "$work" "$@"
}
runs() { # NAME COMMAND…: cold runs; "name: a b" and the least in $work/NAME
  runs_name=$1
  shift
  : >"$work/$runs_name.all"
  for _ in $(seq "$rounds"); do
    fresh
    seconds "$@" >>"$work/$runs_name.all" || { echo "FAIL: $runs_name"; tail -n 5 "$work/err"; failed=$((failed + 1)); }
    grep '^sum' "$work/out" >"$work/$runs_name.sum"
    grep '^kiln:' "$work/err"
  done
  sort -n "$work/$runs_name.all" | head -n 1 >"$work/$runs_name"
  echo "$runs_name: $(tr '\n' ' ' <"$work/$runs_name.all")s, least $(cat "$work/$runs_name")"
}
record() { # NAME COMMAND…: one cold run under kiln record
  record_name=$1
  shift
  fresh
  rm -rf "$work/record.$record_name"
  "$kiln" record --quiet -o "$work/record.$record_name" -- "$@" >"$work/out" 2>"$work/err" || tail -n 5 "$work/err"
}
levers() { # RECORD WHAT FILE
  "$python" "$root/tests/warp/levers/record.py" "$work/record.$1" "$2" "$work/$3.json"
}
ratio() { # A B LIMIT: least of A at most LIMIT of that of B
  awk -v a="$(cat "$work/$1")" -v b="$(cat "$work/$2")" -v l="$3" 'BEGIN { printf "%.2f of %s\n", a / b, b; exit !(a <= l * b) }'
}
lacks() {
  ! grep -q "$1" "$2"
}
# Each identity compiled once, whoever did it.
once() {
  "$python" - "$work/record.$1" <<'ONCE'
import collections, glob, json, sys
seen = collections.Counter()
for path in glob.glob(sys.argv[1] + "/*.jsonl"):
    for line in open(path):
        e = json.loads(line)
        if e["ev"] == "compile" and e.get("step") == "module" and e["result"] == "compiled":
            seen[e["module"], e["identity"], e["block_dim"]] += 1
print("  built: %d, twice: %d" % (len(seen), sum(n > 1 for n in seen.values())))
sys.exit(not seen or any(n > 1 for n in seen.values()))
ONCE
}
same_sum() {
  cmp -s "$work/$1.sum" "$work/$2.sum" && [ -s "$work/$1.sum" ]
}

five() {
  "$python" "$root/tests/warp/levers/make_five.py" "$work/five" "$device" 1 "$kernels"
  record five "$python" "$work/five/main.py"
  levers five prebuild ahead
  runs alone "$python" "$work/five/main.py"
  runs ahead "$kiln" apply "$work/ahead.json" -- "$python" "$work/five/main.py"
  check "four of five modules arrive" grep -q '^kiln: applied prebuild ([45] of 5)' "$work/err"
  check "no builder is ended" lacks 'ended by signal' "$work/err"
  check "whole program at most 0.6 with processes" ratio ahead alone 0.6
  check "the same result" same_sum ahead alone
  record five_ahead "$kiln" apply --quiet "$work/ahead.json" -- "$python" "$work/five/main.py"
  check "nothing is built twice" once five_ahead
}
threads() {
  levers five threads threads
  runs threads "$kiln" apply "$work/threads.json" -- "$python" "$work/five/main.py"
}
links() {
  KILN_TRUTH=$work/truth
  PYTHONPATH=$here/cases${PYTHONPATH:+:$PYTHONPATH}
  export KILN_TRUTH PYTHONPATH
  record lto "$python" "$here/cases/lto.py"
  levers lto lto lto
  runs links_alone "$python" "$here/cases/lto.py"
  runs links_ahead "$kiln" apply "$work/lto.json" -- "$python" "$here/cases/lto.py"
  check "link-time objects ahead cost no more than alone" ratio links_ahead links_alone 1.0
}

mkdir -p "$work" "$out"
{
  nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
  echo "cores: $(nproc)"
  five
  case $more in *" threads "*) threads ;; esac
  case $more in *" links "*) links ;; esac
  [ "$failed" -eq 0 ] && echo "ALL HOLD" || echo "$failed FAILED"
  echo "$failed" >"$work/failed"
} 2>&1 | tee "$out/apply.log"
[ "$(cat "$work/failed")" -eq 0 ]
