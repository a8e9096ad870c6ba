#!/bin/sh
# Exit code, signal and "could not be started" are separate facts; the command begins in a plain state.
. "$KILN_SOURCE/tests/proc/lib.sh"

run -- sh -c 'exit 137'
equal "an exit status of 137 is no signal" "ended 137 0" "$(result end) $(result code) $(result signal)"
run -- sh -c 'kill -9 $$'
equal "a signal is no exit status" "ended 0 9" "$(result end) $(result code) $(result signal)"
equal "nothing else was killed" 0 "$(result killed)"

run -- kiln-no-such-command
equal "a command that is not found is ENOENT" "not_started 2" "$(result end) $(result errno)"
run -- "$work"
equal "a folder is EACCES" "not_started 13" "$(result end) $(result errno)"
printf 'text\n' >"$work/plain"
run -- "$work/plain"
equal "a file without the right to run is EACCES" "not_started 13" "$(result end) $(result errno)"
run -- sh -c 'exit 127'
equal "an exit status of 127 is an exit status" "ended 127" "$(result end) $(result code)"

(
  trap '' INT TERM HUP USR1
  run -- "$misbehave" signals
)
equal "no signal is ignored or blocked in the command" "" "$(cat "$work/run/stdout")"
run -- "$misbehave" descriptors
equal "the command gets none of kiln's descriptors" "" "$(cat "$work/run/stdout")"

echo typed | run -- cat
equal "stdin is empty" "0 0" "$(result stdout) $(result code)"
echo typed | RUN_ONE_TTY=1 run -- cat
equal "with a terminal stdin is handed on" "typed" "$(cat "$work/run/stdout")"

run -- sh -c 'kill -INT 0; sleep 600'
equal "a command may signal its own group" "ended 2" "$(result end) $(result signal)"

# shellcheck disable=SC2016 # the inner shell expands it
run -- sh -c 'sh -c "i=0; while [ \$i -lt 100000 ]; do i=\$((i+1)); done"'
check "CPU time of grandchildren is counted" [ "$(result cpu_ms)" -ge 10 ]
finish
