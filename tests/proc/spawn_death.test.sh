#!/bin/sh
# SIGKILL of kiln leaves no process and no folder; SIGKILL of the supervisor leaves no command.
. "$KILN_SOURCE/tests/proc/lib.sh"

# parent PID
parent() { sed -n 's/.*) [A-Z] \([0-9]*\) .*/\1/p' "/proc/$1/stat"; }

# begin NAME: a run of a tree of three in the background; $command, $supervisor and $owner are its pids.
begin() {
  mkdir -p "$work/$1.remove/deep" && : >"$work/$1.remove/deep/file"
  "$run_one" "$spawn" "$work/$1.remove" 0 0 "$work/$1.remove" "$misbehave" tree "$work/$1" >"$work/result" &
  job=$!
  check "$1: the tree is there" soon has_lines "$work/$1" 3
  command=$(sed -n 1p "$work/$1")
  supervisor=$(parent "$command")
  owner=$(parent "$supervisor")
  check "$1: the supervisor stands between" [ "$owner" -eq "$job" ]
}

begin owner
kill -KILL "$owner"
check "no process is left" soon all_dead "$work/owner" 3
check "the folder is gone" soon missing "$work/owner.remove"
check "the supervisor has ended" soon dead "$supervisor"
wait "$job" 2>/dev/null

begin signals
kill -INT "$supervisor"
kill -TERM "$supervisor"
kill -HUP "$supervisor"
sleep 0.1
check "the supervisor ignores what is meant for kiln" alive "$supervisor"
check "so does not the command, which runs on" alive "$command"
kill -KILL "$owner"
check "no process is left after all" soon all_dead "$work/signals" 3
wait "$job" 2>/dev/null

begin supervisor
kill -KILL "$supervisor"
check "the command dies with its supervisor" soon dead "$command"
wait "$job"
equal "kiln says that the environment failed" 6 "$(result status)"
check "and who was killed" grep -q 'kiln-spawn.*signal 9' "$work/result"
while read -r pid; do kill -KILL "$pid" 2>/dev/null; done <"$work/supervisor"

mark=$work/marked
(
  KILN_SANDBOX=$mark
  export KILN_SANDBOX
  "$run_one" "$spawn" "$work" 0 0 "" "$misbehave" tree "$work/marked.pids" >"$work/result"
) &
job=$!
check "marked: the tree is there" soon has_lines "$work/marked.pids" 3
kill -KILL "$(parent "$(sed -n 1p "$work/marked.pids")")"
wait "$job"
check "processes that carry the sandbox's mark are found without a supervisor" soon all_dead "$work/marked.pids" 3

mkdir "$work/quick.remove"
"$run_one" "$spawn" "$work" 0 0 "$work/quick.remove" true >"$work/result"
check "a run that ends well removes nothing" [ -d "$work/quick.remove" ]
finish
