#!/bin/sh
# kiln apply stands in for the program: streams, descriptors, signals, exit status; and never trusts a folder of others.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/cli/lib.sh"
cd "$work" || exit 1
KILN_CACHE_DIR=$work/cache
export KILN_CACHE_DIR
state=$KILN_CACHE_DIR/levers
echo '{"schema": "kiln-levers-1", "levers": [{"id": "shared_pch"}, {"id": "max_unroll", "value": 4}]}' >levers.json

# ---- the program sees no difference but what levers need ----
cat >program <<'PROGRAM'
#!/bin/sh
read -r line
echo "out $line $1 $(cat <&7) $(pwd)"
printf 'err\n' >&2
printf '%s\n' "${KILN_LEVERS:-none}" >"$2"
stat -c '%a' "${KILN_LEVERS:-.}" >>"$2"
cat "${KILN_LEVERS:-/dev/null}" >>"$2"
printf '%s\n' "${KILN_LEVERS_STATE:-none}" >>"$2"
exit 3
PROGRAM
chmod 700 program
echo content >file
echo input | ./program word plain.seen >plain.out 2>plain.err 7<file
echo input | "$kiln" apply levers.json -- ./program word seen >out 2>err 7<file
equal "the exit code is the program's" 3 "$?"
equal "so is standard output, with input and descriptors" "$(cat plain.out)" "$(cat out)"
equal "standard error has one line more" "$(cat plain.err)
kiln: had nothing to do: shared_pch, max_unroll." "$(cat err)"
levers=$(sed -n 1p seen)
equal "the lever file is in kiln's cache folder" "$state" "$(dirname "$(dirname "$levers")")"
equal "for this user alone" 600 "$(sed -n 2p seen)"
equal "with the levers" "$(cat levers.json)" "$(sed -n 3p seen)"
equal "and a folder to keep things in" "$state" "$(sed -n 4p seen)"
check "the run leaves nothing there" test ! -e "$(dirname "$levers")"
equal "the folder is this user's alone" 700 "$(stat -c %a "$state")"
equal "--quiet" 0 "$(status_of "$kiln" apply --quiet levers.json -- true)"
equal "says nothing" "" "$(cat "$work/err")"
equal "-- may be left out" 1 "$(status_of "$kiln" apply levers.json false)"
equal "a program that is not there" 4 "$(status_of "$kiln" apply levers.json -- kiln-no-such-program)"
check "is said" said "cannot start 'kiln-no-such-program'"

# ---- signals ----
# shellcheck disable=SC2016 # expanded by the inner shell
"$kiln" apply -q levers.json -- sh -c 'kill -KILL $$' 2>/dev/null
equal "a program that was killed" 137 "$?"
cat >polite <<'POLITE'
trap 'echo term; exit 7' TERM
trap 'echo usr1' USR1
echo $$ >"$1"
while :; do sleep 0.02; done
POLITE
"$kiln" apply -q levers.json -- sh polite up >polite.out 2>&1 &
job=$!
in_time test -s up || die "the program did not start"
kill -USR1 "$job"
in_time grep -q usr1 polite.out || fail "a signal does not reach the program"
kill -TERM "$job"
wait "$job"
equal "SIGTERM is the program's too, and its exit code" 7 "$?"
equal "it saw both" "usr1
term" "$(cat polite.out)"
rm -f up
"$kiln" apply -q levers.json -- sh polite up >polite.out 2>&1 &
job=$!
in_time test -s up || die "the program did not start"
program=$(cat up)
kill -KILL "$job"
wait "$job" 2>/dev/null
# shellcheck disable=SC2317 # called by check
gone() {
  ! kill -0 "$program" 2>/dev/null
}
check "a program whose stand-in is killed ends too" in_time gone

# ---- files that are no ledger ----
equal "no such file" 2 "$(status_of "$kiln" apply nowhere.json -- touch ran)"
check "is named" said "'nowhere.json'"
echo '{"schema": "kiln-report-1"}' >other.json
equal "another schema" 2 "$(status_of "$kiln" apply other.json -- touch ran)"
check "is quoted" said "its schema is 'kiln-report-1'"
echo 'schema' >text.json
equal "no JSON" 2 "$(status_of "$kiln" apply text.json -- touch ran)"
check "is named too" said "text.json"
echo '{"schema": "kiln-levers-1", "levers": [{"value": 1}]}' >no_id.json
equal "a lever without id" 2 "$(status_of "$kiln" apply no_id.json -- touch ran)"
check "is counted" said "Lever 1 of 'no_id.json'"
echo '{"schema": "kiln-levers-1", "levers": []}' >empty.json
equal "no lever at all" 0 "$(status_of "$kiln" apply empty.json -- true)"
check "is said, and the program runs" said "accepted no lever"
check "none of the refused has run anything" test ! -e ran

# ---- folders of others ----
hostile() {
  rm -f seen
  equal "$1: the program runs" 3 "$(status_of "$kiln" apply levers.json -- ./program word seen)"
  check "$1: that is said" said "nothing is kept ("
  equal "$1: nothing is kept" none "$(sed -n 4p seen)"
}
exec 7<file
chmod 770 "$state"
hostile "others may read it"
rm -rf "$state"
mkdir elsewhere
chmod 700 elsewhere
ln -s "$work/elsewhere" "$state"
hostile "it is a link"
equal "nothing was written behind the link" "" "$(ls elsewhere)"
rm "$state"
: >"$state"
hostile "it is a file"
rm "$state"
chmod 777 "$KILN_CACHE_DIR"
hostile "others may write the cache folder"
chmod 700 "$KILN_CACHE_DIR"
equal "a cache folder that cannot be made" 3 "$(KILN_CACHE_DIR=$work/file/x status_of "$kiln" apply levers.json -- ./program word seen)"
check "is said" said "nothing is kept ("
no_folder_left || fail "a folder is left in the temporary folder"

# ---- a run whose kiln was killed leaves its folder to a later one ----
rm -rf "$KILN_CACHE_DIR"
mkdir -p "$state/run-old" "$state/run-new"
chmod 700 "$KILN_CACHE_DIR" "$state"
touch -d '2 days ago' "$state/run-old"
equal "a later run" 0 "$(status_of "$kiln" apply levers.json -- true)"
check "removes an old one" test ! -e "$state/run-old"
check "and leaves a new one" test -d "$state/run-new"
finish
