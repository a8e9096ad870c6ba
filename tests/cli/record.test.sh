#!/bin/sh
# One run as it is: the command sees nothing, the record says everything, a job script needs two variables.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/cli/lib.sh"
cd "$work" || exit 1
record=$work/rec
info=$record/record.json

# ---- the command sees nothing ----
cat >"$work/program" <<'PROGRAM'
#!/bin/sh
read -r line
echo "out $line $1"
printf 'err\n' >&2
printf '%s\n' "${WARP_CACHE_PATH:-none}" "${TMPDIR:-none}" "$(cat <&7)" "$(pwd)" >"$2"
exit 3
PROGRAM
chmod 700 "$work/program"
echo content >"$work/file"
echo input | "$work/program" word "$work/plain.seen" >"$work/plain.out" 2>"$work/plain.err" 7<"$work/file"
echo input | "$kiln" record --quiet -o "$record" -- "$work/program" word "$work/seen" >"$work/out" 2>"$work/err" 7<"$work/file"
equal "a command that fails is exit code 4" 4 "$?"
equal "standard output is its own" "$(cat "$work/plain.out")" "$(cat "$work/out")"
equal "standard error too, then kiln's sentence" "$(cat "$work/plain.err")
kiln: The command '$work/program' exited with code 3." "$(cat "$work/err")"
equal "so are caches, folders and descriptors" "$(cat "$work/plain.seen")" "$(cat "$work/seen")"
equal "the record has the exit code" 3 "$(json "$info" .run.exit_code)"
equal "and the command" "$work/program" "$(json "$info" '.command[0]')"
equal "and the schema" kiln-record-1 "$(json "$info" .schema)"
# shellcheck disable=SC2016 # expanded by the inner shell
check "and events" sh -c 'ls "$1"/*.jsonl >/dev/null' sh "$record"
equal "kiln report shows it" 0 "$(status_of "$kiln" report "$record")"
check "with the sentence" grep -q 'exited with code 3' "$work/out"
equal "as JSON" 0 "$(status_of "$kiln" report --json "$record")"
cp "$work/out" "$work/report.json"
equal "it is a record" record "$(json "$work/report.json" .kind)"
equal "it failed" failed "$(json "$work/report.json" .state)"
equal "its numbers count" true "$(json "$work/report.json" '.arms[0].samples[0].valid')"
equal "there is no warm run" missing "$(json "$work/report.json" '.arms[0].samples[0].warm')"
equal "processes were seen" true "$(json "$work/report.json" '.processes | length >= 2')"
equal "each with its builds" 0 "$(json "$work/report.json" '[.processes[].builds] | add')"
equal "phases add up to elapsed" true \
  "$(json "$work/report.json" '.arms[0].samples[0].cold | (([.phases[].elapsed_s] | add) - .elapsed_s) | fabs < 0.001')"

# ---- where it goes ----
equal "a second run in it is refused" 2 "$(status_of "$kiln" record -o "$record" -- touch "$work/ran")"
check "and named" said "'$record'"
check "and does not run" test ! -e "$work/ran"
equal "without -o" 0 "$(status_of "$kiln" record -- true)"
default=$(echo kiln-record-*)
check "there is a folder here" test -f "$default/record.json"
check "and a sentence says how to read it" said "kiln report $work/$default"
equal "a second one" 0 "$(status_of "$kiln" record --quiet -- true)"
equal "is a second folder" 2 "$(find . -name 'kiln-record-*' | wc -l)"
equal "and nothing is said" "" "$(cat "$work/err")"
: >"$work/no-folder"
equal "a folder that cannot be made" 5 "$(status_of "$kiln" record -o "$work/no-folder/x" -- true)"

# ---- ends ----
equal "a command that is not there" 4 "$(status_of "$kiln" record -o "$work/r1" -- kiln-no-such-command)"
check "is said" said "it was not found"
equal "a time limit" 3 "$(status_of "$kiln" record --timeout 0.5 -o "$work/r2" -- sh -c 'sleep 600 & sleep 600')"
check "is said" said "The time limit of 0.5 s ended the command 'sh'."
equal "and recorded" timeout "$(json "$work/r2/record.json" .run.end)"
equal "a signal" 4 "$(status_of "$kiln" record -o "$work/r3" -- sh -c 'kill -SEGV $$')"
equal "is apart from the code" 11 "$(json "$work/r3/record.json" .run.signal)"
cat >"$work/polite" <<'POLITE'
trap 'echo bye; exit 0' INT
echo up >"$1"
while :; do sleep 0.05; done
POLITE
rm -f "$work/up"
"$kiln" record --quiet -o "$work/r4" -- sh "$work/polite" "$work/up" >"$work/out" 2>"$work/err" &
job=$!
in_time test -s "$work/up" || die "the command did not start"
kill -INT "$job"
wait "$job"
equal "Ctrl-C is exit code 130" 130 "$?"
equal "and reaches the command as SIGINT" bye "$(cat "$work/out")"
equal "a process that outlives the command" 0 "$(status_of "$kiln" record -o "$work/r6" -- sh -c 'setsid sleep 600 & exit 0')"
check "is killed, and that is said" said "Processes that outlived the command were killed: 1."
equal "and reported" true "$(status_of "$kiln" report --json "$work/r6" >/dev/null; json "$work/out" '.warnings | any(test("outlived"))')"
equal "the record says so" interrupted "$(json "$work/r4/record.json" .run.end)"

# ---- a job script ----
cat >"$work/job" <<'JOB'
eval "$("$1" record --env "$2")" || exit 9
eval "$("$1" record --env "$2")" || exit 9
echo "$LD_PRELOAD" >"$3"
sh -c 'exit 0'
sh -c 'exit 0' one two
JOB
other=$KILN_BUILD/lib/libkiln-preload.so.none
equal "a job script" 0 "$(LD_PRELOAD=$other status_of sh "$work/job" "$kiln" "run 1" "$work/preload")"
equal "keeps the LD_PRELOAD that was there, and adds one" "$preload:$other" "$(cat "$work/preload")"
equal "is a record" 0 "$(status_of "$kiln" report --json "run 1")"
equal "with its processes" true "$(json "$work/out" '[.processes[].command] | any(. == "sh -c exit 0 one two")')"
equal "and a warning about its times" true "$(json "$work/out" '.warnings | any(test("kiln did not start this run"))')"
check "without record.json" test ! -e "$work/run 1/record.json"
equal "--env runs nothing" 2 "$(status_of "$kiln" record --env "$work/r5" -- touch "$work/ran")"
check "really" test ! -e "$work/ran"
equal "no command" 2 "$(status_of "$kiln" record)"
equal "a wrong time limit" 2 "$(status_of "$kiln" record --timeout x -- true)"

# ---- what is no record ----
mkdir "$work/empty"
equal "a folder without events" 2 "$(status_of "$kiln" report "$work/empty")"
check "is named" said "'$work/empty'"
equal "nothing" 2 "$(status_of "$kiln" report "$work/absent")"
mkdir "$work/broken" && cp "$record"/*.jsonl "$work/broken" && echo '{"schema":"x"}' >"$work/broken/record.json"
equal "a broken record.json" 2 "$(status_of "$kiln" report "$work/broken")"
nothing_left "kiln record"
finish
