#!/bin/sh
# What a trial says of a lever: applied, declined, refused, inconclusive; with a program that plays a framework and obeys
# the lever file, or does not.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/cli/lib.sh"
play=$KILN_BUILD/tests/proc.play
[ -x "$play" ] || die "$play is missing; run ./dev build"
unset KILN_LEVERS
export PLAY="$play"
cd "$work" || die "no folder"

# Its identity and its time depend on the lever file: with $LATE the option comes too late, with $WRONG it prints something
# else, with $OTHER it launches something else, with $DIES it fails. Two of its lines are Warp's, one is never the same.
cat >"$work/prog" <<'PROG'
#!/bin/sh
has() { [ -n "${KILN_LEVERS:-}" ] && grep -q "\"$1\"" "$KILN_LEVERS"; }
identity=aaaaaaaaaa backward=True header=True spin=90 launches=10 result=1.5
if has enable_backward && [ -z "${LATE:-}" ]; then identity=bbbbbbbbbb backward=False spin=$((spin - 50)); fi
if has pch && [ -z "${LATE:-}" ]; then identity=c$identity header=False spin=$((spin - 35)); fi
if has enable_backward && [ -n "${STAYS:-}" ]; then echo "$$" >"$STAYS" && exec sleep 600; fi
if has max_unroll; then identity=d$identity spin=$((spin - 50)); fi
if [ -n "${KILN_LEVERS:-}" ]; then
  [ -z "${OTHER:-}" ] || launches=11
  [ -z "${WRONG:-}" ] || result=1.4
  [ -z "${DIES:-}" ] || exit 7
fi
echo "Warp 1.0.0 initialized:"
echo "   Kernel cache: $WARP_CACHE_PATH"
echo "Module sim $identity load on device 'cpu' took $$ ms"
echo "result $result"
echo "process $$"
[ -z "${FILE:-}" ] || echo "result $result" >"$FILE"
[ -e "$WARP_CACHE_PATH/done-$identity" ] && spin=1
mkdir -p "$WARP_CACHE_PATH" && : >"$WARP_CACHE_PATH/done-$identity"
exec "$PLAY" "hash:sim:$identity:k=1:enable_backward=$backward,use_precompiled_headers=$header" \
  "use:sim:$identity" "launch:$launches" "spin:$spin"
PROG
chmod +x "$work/prog"

# try ARGUMENT…: the exit code; the ledger in $work/out as JSON, talk in $work/err.
try() { status_of "$kiln" try --json --samples 1 --max-pairs 1 "$@"; }
# entry LEVER FILTER: what the ledger says of a lever.
entry() { jq -r --arg lever "$1" ".entries[] | select(.lever == \$lever) | $2" "$work/out"; }
# holds LEVER FILTER: the filter is true of a lever's entry.
# shellcheck disable=SC2317 # called by check
holds() { jq -e --arg lever "$1" ".entries[] | select(.lever == \$lever) | $2" "$work/out" >"$work/holds"; }
# why LEVER TEXT
# shellcheck disable=SC2317 # called by check
why() {
  entry "$1" .why | grep -qF -- "$2" || {
    entry "$1" .why
    return 1
  }
}

# ---- what is refused before anything runs ----
equal "no command" 2 "$(status_of "$kiln" try)"
equal "a goal that is none" 2 "$(try --goal speed -- "$work/prog")"
check "is quoted" said "not 'speed'"
equal "a lever that is none" 2 "$(try --lever backward -- "$work/prog")"
check "is quoted, and the levers are named" said "There is no lever 'backward'. Levers are enable_backward, pch,"
equal "a value where there is none" 2 "$(try --lever enable_backward=1 -- "$work/prog")"
check "is quoted" said "'enable_backward=1'"
equal "a value that cannot be" 2 "$(try --lever pch=maybe -- "$work/prog")"
check "is quoted" said "'maybe'"
equal "a lever named twice" 2 "$(try --lever pch --lever pch=on -- "$work/prog")"
check "is said" said "named twice"
equal "levers in the environment" 5 "$(KILN_LEVERS=$work/none try -- "$work/prog")"
check "are said" said "KILN_LEVERS is set to '$work/none'"
equal "a ledger that cannot be written" 5 "$(try -o "$work/no/ledger.json" -- "$work/prog")"
equal "a program that fails" 4 "$(try -- sh -c 'exit 3')"
check "is told" said "exited with code 3"
equal "one that does not exist" 4 "$(try -- "$work/nothing")"

# ---- one lever ----
equal "too few pairs" 3 "$(try --lever enable_backward -- "$work/prog")"
equal "are not decided" inconclusive "$(entry enable_backward .state)"
check "says how many would be" why enable_backward "the first verdict comes at 11"
equal "it arrived" "aaaaaaaaaa bbbbbbbbbb true" "$(entry enable_backward '.modules[0] | "\(.before) \(.after) \(.arrived)"')"
equal "launches and output are the same" "same same" "$(entry enable_backward '"\(.launches) \(.output)"')"
equal "the line that varies by itself is left out, Warp's own are none" \
  "standard output (1 of 2 lines vary by themselves and are not compared)" "$(jq -r .compared "$work/out")"
check "the ceiling is told before the trial" grep -q "The ceiling of building ahead: .* (builds: 1), the largest (sim)" "$work/err"
check "it stands in the ledger" jq -e '.ceiling.builds == 1 and .ceiling.largest == "sim" and .ceiling.cores >= 1' "$work/out"
equal "a lever that comes too late" 1 "$(LATE=1 try --lever enable_backward -- "$work/prog")"
equal "is refused" refused "$(entry enable_backward .state)"
check "module by module" why enable_backward "did not arrive in 1 of 1 modules (sim: its identity is that of the run without"
equal "and not measured" 0 "$(entry enable_backward '.effects | length')"
equal "another output" 1 "$(WRONG=1 try --lever enable_backward -- "$work/prog")"
equal "is refused" "refused differs" "$(entry enable_backward '"\(.state) \(.output)"')"
check "the line is quoted" why enable_backward "without 'result 1.5', with 'result 1.4'"
equal "other launches" 1 "$(OTHER=1 try --lever enable_backward -- "$work/prog")"
equal "are refused" "refused differ" "$(entry enable_backward '"\(.state) \(.launches)"')"
equal "a program that fails with it" 1 "$(DIES=1 try --lever enable_backward -- "$work/prog")"
equal "is refused" refused "$(entry enable_backward .state)"
check "says how it failed" why enable_backward "exited with code 7"

# ---- consent ----
equal "a lever that changes kernels" 1 "$(try --lever max_unroll -- "$work/prog")"
equal "needs consent" "declined Not tried: needs your consent." "$(entry max_unroll '"\(.state) \(.why)"')"
check "and says how to see it" holds max_unroll '.would_buy | test("--allow-kernel-changes --lever max_unroll")'
equal "with consent it is tried" 3 "$(try --allow-kernel-changes --lever max_unroll=2 -- "$work/prog")"
equal "with that value" '{"id":"max_unroll","value":2}' "$(entry max_unroll '.change | tojson')"
equal "its steady cost is measured" 1 "$(entry max_unroll '[.effects[] | select(.metric == "program")] | length')"

# ---- files and checks ----
export FILE="$work/result"
equal "a file that is the same" 3 "$(try --compare-files "$FILE" --lever pch -- "$work/prog")"
equal "is compared in place of the output" "same files '$FILE'" "$(entry pch .output) $(jq -r .compared "$work/out")"
equal "a file that differs" 1 "$(WRONG=1 try --compare-files "$FILE" --lever pch -- "$work/prog")"
check "is named" why pch "The file '$FILE' has another content"
equal "a file that nobody writes" 2 "$(try --compare-files "$work/nowhere" --lever pch -- "$work/prog")"
check "is a mistake of the user" said "It did not write the file '$work/nowhere'."
equal "a file of an earlier run" 2 "$(try --compare-files "$work/prog" --lever pch -- "$work/prog")"
check "is none either" said "what is there is of an earlier run"
unset FILE
equal "a check that says no already" 2 "$(try --check 'echo never; exit 1' --lever pch -- "$work/prog")"
check "is told with what it printed" said "says no (exit code 1): never."
# shellcheck disable=SC2016 # for the check's shell
equal "a check" 1 "$(WRONG=1 try --check 'grep -q "result 1.5" "$KILN_CHECK_STDOUT"' --lever pch -- "$work/prog")"
check "catches what is wrong" why pch "says no (exit code 1)"

# ---- what helps, and both together ----
equal "levers that help" 0 "$(status_of "$kiln" try --json --samples 1 --max-pairs 11 --html "$work/page.html" \
  -o "$work/ledger.json" --lever enable_backward --lever pch -- "$work/prog")"
equal "are applied" "applied applied" "$(entry enable_backward .state) $(entry pch .state)"
equal "together too" "applied true" "$(entry enable_backward+pch '"\(.state) \(.combination)"')"
check "measured, not added up" holds enable_backward+pch '.effects[0] | .verdict == "IMPROVED" and .pairs == 11'
equal "with every pair" 11 "$(entry enable_backward '.effects[0].without_s | length')"
equal "each with its object" '[{"id":"enable_backward","value":false},{"id":"pch","value":false}]' \
  "$(entry enable_backward+pch '.change | tojson')"
check "says what was removed, how to undo it, where to put it" holds enable_backward \
  '(.removed | length > 0) and (.undo | length > 0) and (.lines[0].text == "wp.config.enable_backward = False")'
check "says what remains" jq -e '.remaining.cold_cpu_s < .baseline.cold_cpu_s' "$work/out"
check "the file is what was printed" cmp -s "$work/ledger.json" "$work/out"
check "the page has the ledger" grep -q 'id="ledger"' "$work/page.html"
check "whose claims link to rows" grep -q 'href="#ledger-0-modules"' "$work/page.html"
check "that are there" grep -q 'id="ledger-0-modules"' "$work/page.html"
check "and to pairs" grep -q 'id="ledger-0-pairs"' "$work/page.html"
grep -o 'href="#[^"]*"' "$work/page.html" | sed 's/href="#\(.*\)"/\1/' | sort -u >"$work/targets"
check "no link leads nowhere" test -z "$(while read -r id; do
  grep -q "id=\"$id\"" "$work/page.html" || echo "$id"
done <"$work/targets")"
equal "for people" 3 "$(COLUMNS=70 status_of "$kiln" try --quiet --samples 1 --max-pairs 1 --lever pch -- "$work/prog")"
check "in 70 columns" test -z "$(awk 'length($0) > 76' "$work/out")" # bytes: an arrow has three
check "says the state" grep -q '^inconclusive' "$work/out"
check "nothing is said on standard error" test ! -s "$work/err"

# shellcheck disable=SC2016 # for that shell
equal "kiln apply takes the ledger" 0 "$(status_of "$kiln" apply "$work/ledger.json" -- \
  sh -c 'cp "$KILN_LEVERS" levers.json')"
equal "with what was measured together" '[{"id":"enable_backward","value":false},{"id":"pch","value":false}]' \
  "$(jq -c .levers levers.json)"

# ---- Ctrl-C while a lever is tried ----
STAYS=$work/stays "$kiln" try --samples 1 --lever enable_backward -o "$work/cut.json" -- "$work/prog" >"$work/out" 2>"$work/err" &
job=$!
in_time test -s "$work/stays" || die "the program did not start"
kill -INT "$job"
wait "$job"
equal "Ctrl-C is exit code 130" 130 "$?"
equal "the ledger says how far it came" "inconclusive Interrupted while it was tried." \
  "$(jq -r '.entries[0] | "\(.state) \(.why)"' "$work/cut.json")"
nothing_left "an interrupted trial"

# ---- nothing to gain ----
equal "a program that compiles nothing" 1 "$(try -- "$play" spin:20)"
check "is told what it is" jq -e '.notes[0] | test("there is nothing that a lever could save")' "$work/out"
equal "an edit-run loop is told of options first" enable_backward "$(jq -r '.entries[0].lever' "$work/out")"
equal "for production" 1 "$(try --goal production -- "$play" spin:20)"
equal "kept caches come first" persistent_cache "$(jq -r '.entries[0].lever' "$work/out")"
check "and nothing is tried" jq -e '[.entries[] | select(.launches)] | length == 0' "$work/out"
nothing_left "a trial"
finish
