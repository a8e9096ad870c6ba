#!/bin/sh
# Every program of cases.table prints the same, ends the same and leaves the same files with and without kiln's agent.
# Some in ./dev test, all but Newton in ./dev test-full. CASES="name name" runs these alone.
# shellcheck source=tests/lib.sh
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
need_warp
export PYTHONDONTWRITEBYTECODE=1
cases=$KILN_SOURCE/tests/warp/cases
quick=' exit_three late_kernels os_exit broken_build closed_descriptors fork_child exec_again quiet_child cuda_only '

# run_in NAME ENVIRONMENT… -- COMMAND…: one cold run in a folder of its own, which is always at the same path.
run_in() {
  run_name=$1
  shift
  run_root=$work/run
  rm -rf "$run_root"
  mkdir -p "$run_root/cache" "$run_root/tmp" "$run_root/here"
  run_rc=0
  (cd "$run_root/here" && exec env WARP_CACHE_PATH="$run_root/cache" TMPDIR="$run_root/tmp" KILN_TRUTH="$run_root/truth" \
    "$@" >"$work/$run_name.out" 2>"$work/$run_name.err" </dev/null) || run_rc=$?
  echo "exit $run_rc" >"$work/$run_name.exit"
  # Warp's own timings, and build folders named after processes.
  sed -i 's/ took [0-9.]* ms/ took/' "$work/$run_name.out"
  (cd "$run_root" && find . -type f -exec cksum {} + | sort -k3) >"$work/$run_name.files"
}

# differing A B: lines of A that are not in B at the same place, as line numbers.
differing() {
  awk 'FNR == NR { first[FNR] = $0; n = FNR; next } { if (first[FNR] != $0) print FNR } END { for (i = FNR + 1; i <= n; i++) print i }' \
    "$1" "$2"
}

# same WHAT CASE: equal with and without the agent. What already differs between two runs without it (process ids, times,
# objects with such a thing inside) is left out, and said.
same() {
  differing "$work/one.$1" "$work/two.$1" >"$work/unstable"
  differing "$work/one.$1" "$work/observed.$1" | grep -vxF -f "$work/unstable" >"$work/changed"
  [ ! -s "$work/unstable" ] || said="$said, $(wc -l <"$work/unstable") of $(wc -l <"$work/one.$1") lines of $1 differ anyway"
  [ -s "$work/changed" ] || return 0
  fail "$2: $1 differs with kiln"
  diff "$work/one.$1" "$work/observed.$1" | head -n 10
  return 1
}

grep -v -e '^#' -e '^newton' "$KILN_SOURCE/tests/warp/cases.table" >"$work/table"
while IFS='|' read -r group name options command rest <&3; do
  : "$group" "$options" "$rest"
  if [ -n "${CASES:-}" ]; then
    case " $CASES " in *" $name "*) ;; *) continue ;; esac
  elif [ "${KILN_FULL:-0}" != 1 ]; then
    case $quick in *" $name "*) ;; *) continue ;; esac
  fi
  mkdir -p "$work/events"
  # shellcheck disable=SC2086 # a file and its arguments
  set -- "$python" $cases/$command
  run_in one "$@"
  run_in two "$@"
  run_in observed KILN_EVENTS="$work/events" LD_PRELOAD="$preload" "$@"
  said=''
  same out "$name" && same err "$name" && same exit "$name" && same files "$name" && pass "$name$said"
  [ -n "$(ls "$work/events")" ] || fail "$name: no event, so nothing was compared"
  rm -rf "$work/events"
done 3<"$work/table"
finish
