#!/bin/sh
# A command that fails: one sentence, the right exit code, what was measured until then, nothing left behind.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/cli/lib.sh"
report=$work/report.json
quick="--warmup 0 --samples 2"

equal "a command that is not there" 4 "$(status_of "$kiln" measure -o "$report" -- no-such-program)"
check "is quoted" said "The command 'no-such-program' could not be started: it was not found."
equal "and the report says so" failed "$(json "$report" .state)"
equal "a path that is not there" 4 "$(status_of "$kiln" measure -- ./no/such/program)"
check "is quoted" said "'./no/such/program'"

printf 'echo hi\n' >"$work/plain"
chmod 600 "$work/plain"
equal "a file that is not executable" 4 "$(status_of "$kiln" measure -- "$work/plain")"
check "is quoted" said "The command '$work/plain' could not be started: it is not executable."
equal "a folder is no command" 4 "$(status_of "$kiln" measure -- "$work")"
check "a folder is quoted" said "'$work'"

# shellcheck disable=SC2016 # expanded by the command
# shellcheck disable=SC2086 # options
equal "exit code 3 in the cold run" 4 \
  "$(status_of "$kiln" measure $quick -o "$report" -- sh -c 'echo to-out; echo to-err >&2; exit 3')"
check "is said with the run" said "The command 'sh' exited with code 3 in cold run 1 of 2."
check "the end of stdout is shown" said "to-out"
check "the end of stderr is shown" said "to-err"
equal "the state is failed" failed "$(json "$report" .state)"
equal "the sentence is in the report" "The command 'sh' exited with code 3 in cold run 1 of 2." "$(json "$report" .failure)"
equal "it stopped at the first failure" 1 "$(json "$report" '.arms[0].samples | length')"
equal "the same with the unmeasured run" 4 "$(status_of "$kiln" measure -- sh -c 'exit 3')"
check "which is named" said "exited with code 3 in the unmeasured cold run."

# Fails in the second warm run only: cold, warm, cold, warm.
# shellcheck disable=SC2016 # expanded by the command
counter='n=$(($(cat "$0" 2>/dev/null || echo 0) + 1)); echo $n >"$0"; [ $n -ne 4 ] || exit 9'
# shellcheck disable=SC2086 # options
equal "a failure in a warm run only" 4 "$(status_of "$kiln" measure $quick -o "$report" -- sh -c "$counter" "$work/counter")"
check "names the run" said "exited with code 9 in warm run 2 of 2."
equal "the first sample is kept" true "$(json "$report" '.arms[0].samples[0].valid')"
equal "the second does not count" false "$(json "$report" '.arms[0].samples[1].valid')"
equal "the command ran four times" 4 "$(cat "$work/counter")"

# shellcheck disable=SC2016,SC2086
equal "a death by signal" 4 "$(status_of "$kiln" measure $quick -- sh -c 'kill -SEGV $$')"
check "is named" said "The command 'sh' was ended by signal 11 (SIGSEGV) in cold run 1 of 2."
# shellcheck disable=SC2016,SC2086
equal "is a failure also with --ignore-failure" 4 "$(status_of "$kiln" measure $quick --ignore-failure -- sh -c 'kill -KILL $$')"
check "signal 9 is named" said "signal 9 (SIGKILL)"

# shellcheck disable=SC2086
equal "--ignore-failure allows an exit code" 0 \
  "$(status_of "$kiln" measure $quick --ignore-failure -o "$report" -- sh -c 'exit 7')"
equal "all samples count" 2 "$(json "$report" '[.arms[0].samples[] | select(.valid)] | length')"
check "and a warning says so" grep -q 'exited with code 7; --ignore-failure' "$report"

# shellcheck disable=SC2086
equal "the time limit" 3 "$(status_of "$kiln" measure $quick --timeout 0.2 -o "$report" -- sleep 60)"
check "is a sentence" said "The time limit of 0.2 s ended cold run 1 of 2."
equal "and makes the sample invalid" invalid "$(json "$report" .state)"

nothing_left "a failing command"
finish
