#!/bin/sh
# Nothing is lost however a process ends, and every process counts for itself.
# shellcheck disable=SC2016 # jq's own variables
# shellcheck source=tests/lib.sh
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
need_tool jq
need_warp
# shellcheck source=tests/warp/agent.sh
. "$KILN_SOURCE/tests/warp/agent.sh"

counted() { # WHAT EXPECTED: launches of this run
  [ "$(uname -m)" = x86_64 ] || return 0
  equal "$1" "$2" "$(launches | cut -d' ' -f1-4)"
}

observed "$python" "$programs/ends.py" exit
equal "os._exit: the status is the program's" 3 "$observed_rc"
counted "os._exit: every launch is there" "12345 16 step forward"
events_say "os._exit: the build is there, no end is claimed" 'any(.step == "module") and
  all((.ev == "mark" and .name == "exit" or .what == "end") and (.pid == $pid) | not)' \
  --argjson pid "$(jq 'select(.name == "boot").pid' "$all")"
observed "$python" "$programs/ends.py" kill
equal "SIGKILL: the status is the signal's" 137 "$observed_rc"
counted "SIGKILL: every launch is there" "12345 16 step forward"
observed "$python" "$programs/ends.py" segv
equal "SIGSEGV: the status is the signal's" 139 "$observed_rc"
counted "SIGSEGV: every launch is there" "12345 16 step forward"
events_say "SIGSEGV: load and lookup are there" 'any(.ev == "load") and any(.ev == "lookup")'

check "fork, fork in a fork, spawn" observed "$python" "$programs/processes.py"
counted "each process counts its own launches" "3 16 step forward
5 16 step forward
7 16 step forward
13 16 step forward"
events_say "forked children say so, spawned ones start" '[.[] | select(.ev == "process") | .what] |
  (map(select(. == "fork")) | length) == 2 and (map(select(. == "start")) | length) >= 2'
events_say "a forked child names its parent" '. as $all | any($all[] | select(.name == "boot"); .pid as $p |
  any($all[]; .what == "fork" and .ppid == $p))'
events_say "every file has one process" 'group_by(.pid) | all(map(select(.ev == "process" and .what != "end")) | length == 1)'
events_say "no hook failed" 'all(.ev != "error")'
if [ "$(uname -m)" = x86_64 ]; then
  equal "a counter file for each process that launched, a silent child has none" 4 \
    "$(find "$events" -name '*.count' | wc -l)"
fi

check "threads" observed "$python" "$programs/threads.py"
counted "threads: no launch is lost" "10001 16 step forward
5000 32 step forward
5000 33 step forward"

check "threads that import at once" observed "$python" "$programs/imports.py"
events_say "every hook was set once" 'all(.ev != "error") and ([.[] | select(.ev == "load")] | length) == 1 and
  ([.[] | select(.step == "module")] | length) == 1 and ([.[] | select(.name == "framework")] | length) == 1 and
  ([.[] | select(.ev == "cache")] | length) == 1'

check "a folder that cannot be made leaves the program alone" sh -c "KILN_EVENTS=/proc/none LD_PRELOAD='$preload' \
  '$python' '$programs/plain.py' >'$work/out' 2>&1"
check "a closed standard output stays closed" sh -c "KILN_EVENTS='$events' LD_PRELOAD='$preload' \
  '$python' -c 'import sys, os; sys.exit(sys.stdout is not None)' >&-"
check "a program that closes every descriptor keeps its files" sh -c "KILN_EVENTS='$events' LD_PRELOAD='$preload' \
  '$python' -c 'import os; os.closerange(3, 1024); fds = [os.open(\"$work/theirs\", os.O_RDWR | os.O_CREAT) for _ in range(600)]; import json'"
check "and no event is in them" test ! -s "$work/theirs"
finish
