#!/bin/sh
# The output of the command: all of it when it is short, head and tail when it is long; never an error for the program.
. "$KILN_SOURCE/tests/proc/lib.sh"
# shellcheck disable=SC2317 # called by tests/lib.sh
cleanup() { umount "$work/small" 2>/dev/null; }

run -- "$misbehave" flood 1000000000
equal "a gigabyte of output is no failure" "ended 0 0" "$(result end) $(result code) $(result signal)"
equal "every byte was counted" 1000000000 "$(result stdout)"
size=$(stat -c %s "$work/run/stdout")
check "the file holds the limit" [ "$size" -ge 67108864 ]
check "and one line more" [ "$size" -le 67109000 ]
equal "that output was cut is said" "1 0" "$(result cut) $(result lost)"
rm -f "$work/run/stdout"

run limit=1000 -- sh -c 'echo first; seq 1 20000; echo last'
equal "the head stays" first "$(head -n 1 "$work/run/stdout")"
equal "the tail stays" last "$(tail -n 1 "$work/run/stdout")"
notice=$(grep -c '^\[kiln: [0-9]* bytes left out\]$' "$work/run/stdout")
equal "one line says what is missing" 1 "$notice"
left_out=$(sed -n 's/^\[kiln: \([0-9]*\) bytes left out\]$/\1/p' "$work/run/stdout")
equal "its number is right" "$(($(result stdout) - 1000))" "$left_out"

run limit=1000 -- sh -c 'printf %01000d 0'
equal "what just fits is not cut" "0 1000" "$(result cut) $(stat -c %s "$work/run/stdout")"

# The supervisor sleeps until the command has ended.
# shellcheck disable=SC2016 # the inner shell expands it
run -- sh -c 'kill -STOP $PPID; (sleep 0.5; kill -CONT $PPID) & exec "$0" burst 1000000' "$misbehave"
equal "what lies in the pipe when the command ends is kept" "0 1000000" "$(result code) $(stat -c %s "$work/run/stdout")"

run -- sh -c 'exec >&- 2>&-; sleep 0.1; exit 5'
equal "a command that closes its output runs on" "ended 5" "$(result end) $(result code)"

run -- sh -c 'seq 1 1000; seq 1 1000 >&2'
equal "the streams are kept apart" "1000 1000" "$(wc -l <"$work/run/stdout") $(wc -l <"$work/run/stderr")"

if [ "$(id -u)" -eq 0 ] && mkdir "$work/small" && mount -t tmpfs -o size=64k tmpfs "$work/small" 2>/dev/null; then
  run folder="$work/small" -- "$misbehave" flood 3000000
  equal "a full disk never reaches the program" "ended 0" "$(result end) $(result code)"
  equal "all bytes were read" 3000000 "$(result stdout)"
  equal "that the disk refused is said" 1 "$(result lost)"
else
  echo "not checked: a full disk (needs root and the right to mount)"
fi
finish
