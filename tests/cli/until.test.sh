#!/bin/sh
# Programs that do not end: the time to ready is the headline, the end is clean, and each way to fail has its exit code.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/cli/lib.sh"
report=$work/report.json
server=$KILN_BUILD/tests/proc.server
[ -x "$server" ] || die "$server is missing; run ./dev build"
once="--quiet --warmup 0 --samples 1 -o $report"
cold='.arms[0].samples[0].cold'
# A port that nothing uses: the server asks the system for one.
"$server" 0 die=0 >"$work/port"
port=$(tr -dc '0-9' <"$work/port")
check "a free port is known" test -n "$port"

# shellcheck disable=SC2086 # $once is words
{
  # ---- a server that never exits ----
  equal "a line on standard output" 0 "$(status_of "$kiln" measure $once --until-output '^listening on [0-9]+$' -- "$server" 0 late)"
  equal "the report is complete" complete "$(json "$report" .state)"
  equal "it says what was waited for" "a line of output matches '^listening on [0-9]+\$'" "$(json "$report" .until)"
  equal "the run ended ready" ready "$(json "$report" $cold.end)"
  equal "by SIGTERM" 15 "$(json "$report" $cold.signal)"
  equal "the time to ready is the elapsed time" true "$(json "$report" "$cold.ready_s == $cold.elapsed_s")"
  equal "it is what the program needed" true "$(json "$report" "$cold.ready_s >= 0.5")"
  equal "the phases add up to it" true \
    "$(json "$report" "$cold | ([.phases[].elapsed_s] | add) as \$sum | (\$sum - .ready_s) | fabs < 0.001")"
  equal "the warm run has one too" true "$(json "$report" ".arms[0].samples[0].warm.ready_s >= 0.5")"
  equal "the page" 0 "$(status_of "$kiln" measure --quiet --warmup 0 --samples 1 --until-port "$port" -- "$server" "$port")"
  check "has the time to ready as headline" grep -q '^  ready cold ' "$work/out"
  # shellcheck disable=SC2016 # expanded by sh
  check "and no elapsed time of a run" sh -c '! grep -q "^  elapsed cold " "$1"' sh "$work/out"
  check "and says what was waited for" grep -qF "ready: something listens on port $port" "$work/out"
  nothing_left "a server"
  equal "a line on standard error" 0 "$(status_of "$kiln" measure $once --until-output ready -- sh -c 'echo ready >&2; sleep 600')"
  equal "a port of IPv6" 0 "$(status_of "$kiln" measure $once --timeout 60 --until-port "$port" -- "$server" "$port" family=6 late)"
  equal "is seen when it opens" true "$(json "$report" "$cold.ready_s >= 0.5")"
  # shellcheck disable=SC2016 # expanded by sh
  equal "a server behind a shell, with a child" 0 \
    "$(status_of "$kiln" measure $once --until-output listening -- sh -c 'sleep 600 & "$1" 0; echo never' sh "$server")"
  nothing_left "a group"
  equal "one that is deaf to SIGTERM" 0 "$(status_of "$kiln" measure $once --until-output listening -- "$server" 0 deaf)"
  equal "is killed" 9 "$(json "$report" $cold.signal)"
  equal "with a warning" true "$(json "$report" '.warnings | any(test("5 s of SIGTERM"))')"
  equal "half a line is none" 4 "$(status_of "$kiln" measure $once --until-output '^up$' -- sh -c 'printf u; sleep 0.3; printf "p or not\n"')"

  # ---- one that never gets ready ----
  equal "never ready is invalid" 3 "$(status_of "$kiln" measure $once --timeout 0.5 --until-port "$port" -- "$server" "$port" never)"
  check "a sentence says so" said "was not ready within the time limit of 0.5 s in cold run 1 of 1."
  equal "the state is invalid" invalid "$(json "$report" .state)"
  equal "there is no time to ready" missing "$(json "$report" $cold.ready_s)"
  equal "the sample does not count" false "$(json "$report" '.arms[0].samples[0].valid')"
  nothing_left "a server that never gets ready"

  # ---- one that dies ----
  equal "death before ready is a failure" 4 "$(status_of "$kiln" measure $once --until-output ready -- sh -c 'echo starting; exit 3')"
  check "a sentence says how" said "ended with exit code 3 before it was ready, in cold run 1 of 1."
  check "and its output is shown" said "starting"
  equal "also with exit code 0" 4 "$(status_of "$kiln" measure $once --until-output ready -- true)"
  equal "also with --ignore-failure" 4 "$(status_of "$kiln" measure $once --ignore-failure --until-output ready -- false)"
  equal "also by a signal" 4 "$(status_of "$kiln" measure $once --until-output ready -- sh -c 'kill -SEGV $$')"
  equal "death after ready" 0 "$(status_of "$kiln" measure $once --until-output listening -- "$server" 0 die=7)"
  equal "leaves the time to ready" true "$(json "$report" "$cold.ready_s > 0")"
  equal "and the exit code" 7 "$(json "$report" $cold.exit_code)"
  equal "and a warning" true "$(json "$report" '.warnings | any(test("after it was ready, with exit code 7"))')"
  nothing_left "a server that dies"

  # ---- refused before anything runs ----
  "$server" "$port" >"$work/busy" &
  busy=$!
  in_time test -s "$work/busy" || die "the other server did not start"
  equal "a port that is taken" 5 "$(status_of "$kiln" measure $once --until-port "$port" -- touch "$work/ran")"
  check "is named" said "something listens on port $port already"
  kill "$busy"
  equal "a wrong expression" 2 "$(status_of "$kiln" measure $once --until-output 'a(' -- touch "$work/ran")"
  check "is quoted" said "'a('"
  equal "port 0" 2 "$(status_of "$kiln" measure $once --until-port 0 -- touch "$work/ran")"
  equal "port 65536" 2 "$(status_of "$kiln" measure $once --until-port 65536 -- touch "$work/ran")"
  equal "launches 0" 2 "$(status_of "$kiln" measure $once --until-launches 0 -- touch "$work/ran")"
  equal "two criteria" 2 "$(status_of "$kiln" measure $once --until-launches 1 --until-port 1 -- touch "$work/ran")"
  check "nothing ran" test ! -e "$work/ran"
}
finish
