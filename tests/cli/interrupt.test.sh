#!/bin/sh
# Ctrl-C, and the death of kiln and of its supervisor, at the worst moment: nothing is left, and what was measured is kept.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/cli/lib.sh"
report=$work/report.json
running=$work/running

# The third run (cold, warm, cold) stays, with a child that stays too.
cat >"$work/program" <<'PROGRAM'
#!/bin/sh
echo run >>"$1.count"
[ "$(wc -l <"$1.count")" -ge "$2" ] || exit 0
sleep 600 &
echo "$$ $!" >"$1"
wait
PROGRAM
chmod 700 "$work/program"

# begin STAYS OPTION…: kiln in the background, in its STAYSth run when this returns; its pid is $job.
begin() {
  stays=$1
  shift
  rm -f "$running" "$running.count"
  "$kiln" measure --warmup 0 --samples 3 "$@" -- "$work/program" "$running" "$stays" >"$work/out" 2>"$work/err" &
  job=$!
  in_time test -s "$running" || die "the command did not start"
}
supervisors() {
  for stat in /proc/[0-9]*/stat; do
    sed -n "s/^\([0-9]*\) (kiln-spawn) [A-WY] $1 .*/\1/p" "$stat" 2>/dev/null
  done
}

# A shell starts its background jobs with SIGINT ignored; kiln listens all the same.
begin 3 -o "$report"
kill -INT "$job"
wait "$job"
equal "Ctrl-C is exit code 130" 130 "$?"
check "a sentence names the run" said "Interrupted in cold run 2 of 3."
equal "the state is interrupted" interrupted "$(json "$report" .state)"
equal "the finished sample is kept" true "$(json "$report" '.arms[0].samples[0].valid')"
equal "the other one does not count" false "$(json "$report" '.arms[0].samples[1].valid')"
nothing_left "Ctrl-C"

begin 1 --json --quiet
kill -TERM "$job"
wait "$job"
equal "SIGTERM is the same" 130 "$?"
equal "the report is on stdout" interrupted "$(json "$work/out" .state)"
equal "and stderr holds the sentence only" "kiln: Interrupted in cold run 1 of 3." "$(cat "$work/err")"
nothing_left "SIGTERM"

begin 1
kill -KILL "$job"
wait "$job" 2>/dev/null
nothing_left "SIGKILL of kiln"

begin 1
helpers=$(supervisors "$job")
equal "there are a supervisor and a guard" 2 "$(echo "$helpers" | wc -l)"
# shellcheck disable=SC2086 # a list of numbers
{
  kill -STOP $helpers
  kill -KILL "$job"
  kill -KILL $helpers
}
wait "$job" 2>/dev/null
equal "the next start succeeds" 0 "$(status_of "$kiln" measure --warmup 0 --samples 1 -- true)"
nothing_left "SIGKILL of kiln and kiln-spawn, after the next start,"
finish
