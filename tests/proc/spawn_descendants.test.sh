#!/bin/sh
# Nothing that the command started outlives the run, however it hides.
. "$KILN_SOURCE/tests/proc/lib.sh"

now() { date +%s; }

begin=$(now)
run -- "$misbehave" hold "$work/hold"
check "a child that holds the pipe does not prolong the run" [ $(($(now) - begin)) -lt 20 ]
equal "the command's own end is reported" "ended 0" "$(result end) $(result code)"
equal "the child was killed, and counted" 1 "$(result killed)"
check "the child is dead" all_dead "$work/hold" 1

run -- "$misbehave" daemon "$work/daemon"
equal "a daemon with a session of its own is killed" "ended 1" "$(result end) $(result killed)"
check "the daemon is dead" all_dead "$work/daemon" 1

begin=$(now)
run limit=1000 -- "$misbehave" spam "$work/spam"
check "a child that never stops printing does not prolong the run" [ $(($(now) - begin)) -lt 20 ]
check "the printing child is dead" all_dead "$work/spam" 1

run -- "$misbehave" forks "$work/forks"
equal "a chain of processes that fork and end is stopped" "ended 0 0" "$(result end) $(result code) $(result survivors)"

run timeout=1.5 -- "$misbehave" tree "$work/tree"
equal "a time limit ends the run" "timeout 9" "$(result end) $(result signal)"
equal "child and grandchild were killed" 2 "$(result killed)"
check "the whole tree is dead" all_dead "$work/tree" 3

run timeout=0.5 -- sh -c 'trap "" TERM INT; sleep 600; echo survived; sleep 600'
equal "a shell whose child is killed first still counts as timed out" timeout "$(result end)"

(run -- "$misbehave" tree "$work/interrupted") &
shell=$!
check "the tree is there" soon has_lines "$work/interrupted" 3
owner=$(sed -n 's/.*) [A-Z] \([0-9]*\) .*/\1/p' "/proc/$(sed -n 1p "$work/interrupted")/stat")
owner=$(sed -n 's/.*) [A-Z] \([0-9]*\) .*/\1/p' "/proc/$owner/stat")
kill -TERM "$owner"
wait "$shell"
equal "an interruption of kiln ends the run" interrupted "$(result end)"
check "and leaves nothing" all_dead "$work/interrupted" 3

# On a busy machine the helper may be late: once in ten is enough.
late=""
for attempt in 1 2 3 4 5 6 7 8 9 10; do
  run -- sh -c '(sleep 0.01; echo late) & exit 0'
  late="$(result killed) $(cat "$work/run/stdout")"
  [ "$late" != "0 late" ] || break
done
equal "a helper that ends by itself at once is not killed (attempt $attempt)" "0 late" "$late"
finish
