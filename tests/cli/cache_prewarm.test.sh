#!/bin/sh
# kiln cache prewarm: a folder, a list, a spec; counts, progress, failures, interruption, exit codes.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/cli/cache_lib.sh"
KILN_BUDGET_DIR=$work/budget
export KILN_BUDGET_DIR
mkdir "$work/specs" "$work/specs/below"
for n in 1 2 3 4; do
  spec "k$n" "f$n" "return $n;"
  mv "$work/k$n.json" "$work/specs/"
done
mv "$work/specs/k4.json" "$work/specs/below/"
echo 'not a spec' >"$work/specs/readme.txt"

equal "a folder" 0 "$(status_of "$kiln" cache prewarm "$work/specs")"
check "what was done" grep -qx '4 specs: 4 built, 0 hit, 0 failed in .*' "$work/out"
check "nothing else is said" [ ! -s "$work/err" ]
equal "all are there" 4 "$(entries)"
equal "again, with a slash" 0 "$(status_of "$kiln" cache prewarm "$work/specs/")"
check "all are hits" grep -qx '4 specs: 0 built, 4 hit, 0 failed in .*' "$work/out"

# ---- a list, a spec, standard input ----

printf '# kernels\n\n  k1.json  # the first\n%s/specs/k2.json\nbelow/k4.json\n' "$work" >"$work/specs/list"
equal "a list" 0 "$(cd / && status_of "$kiln" cache prewarm --json "$work/specs/list")"
equal "in its order" "k1.json k2.json k4.json" "$(jq -r '[.specs[].spec | split("/")[-1]] | join(" ")' "$work/out")"
equal "members" "total built hit failed skipped seconds specs" "$(jq -r 'keys_unsorted | join(" ")' "$work/out")"
equal "of a spec" "spec result key path ms error" "$(jq -r '.specs[0] | keys_unsorted | join(" ")' "$work/out")"
equal "counts" "3 0 3 0 0" "$(jq -r '[.total, .built, .hit, .failed, .skipped] | join(" ")' "$work/out")"
equal "keys" 64 "$(jq '.specs[2].key | length' "$work/out")"
check "the file is there" test -f "$(json "$work/out" '.specs[1].path')"
equal "one spec" 0 "$(status_of "$kiln" cache prewarm "$work/specs/k1.json")"
check "is counted as one" grep -qx '1 spec: 0 built, 1 hit, 0 failed in .*' "$work/out"
equal "a list on standard input" 2 "$(cd "$work/specs" && printf 'k1.json\nk3.json\n' | "$kiln" cache prewarm --json - | jq .hit)"

# ---- failures ----

spec bad bad 'return nowhere;'
echo '{"name": 7}' >"$work/broken.json"
printf 'specs/k1.json\nbad.json\nspecs/k2.json\n' >"$work/fails"
equal "the compiler refuses one" 4 "$(status_of "$kiln" cache prewarm --jobs 1 "$work/fails")"
check "which, and why" grep -q "^kiln: $work/bad.json: compiling 'bad' failed: .*nowhere" "$work/err"
check "what comes behind it is skipped" grep -qx '3 specs: 0 built, 1 hit, 1 failed, 1 skipped in .*' "$work/out"
equal "--keep-going" 4 "$(status_of "$kiln" cache prewarm --jobs 1 --keep-going --json "$work/fails")"
equal "does the rest" "hit failed hit" "$(jq -r '[.specs[].result] | join(" ")' "$work/out")"
check "the reason is in the JSON" test "$(json "$work/out" '.specs[1].error | contains("nowhere")')" = true
printf 'broken.json\nspecs/k1.json\nabsent.json\n' >"$work/unreadable"
equal "specs that cannot be read" 2 "$(status_of "$kiln" cache prewarm "$work/unreadable")"
check "are named" grep -q "broken.json: member 'name'" "$work/err"
check "the other as well" grep -q "absent.json" "$work/err"
check "nothing is built then" grep -qx '3 specs: 0 built, 0 hit, 2 failed, 1 skipped in .*' "$work/out"
equal "unless it is to go on" 1 "$("$kiln" cache prewarm -k --json "$work/unreadable" 2>/dev/null | jq .hit)"
equal "no compiler" 5 "$(spec new new 'return 9;' && KILN_CC=no-such-cc status_of "$kiln" cache prewarm "$work/new.json")"
equal "KILN_JIT=off" 5 "$(KILN_JIT=off status_of "$kiln" cache prewarm "$work/new.json")"
check "says so" said KILN_JIT

# ---- usage ----

equal "nothing given" 2 "$(status_of "$kiln" cache prewarm)"
equal "no such folder" 2 "$(status_of "$kiln" cache prewarm "$work/nowhere")"
check "is named" said "$work/nowhere"
mkdir "$work/empty"
equal "an empty folder" 2 "$(status_of "$kiln" cache prewarm "$work/empty")"
check "is no success" said "names no spec"
for wrong in 0 -1 x 300 ''; do
  equal "--jobs '$wrong'" 2 "$(status_of "$kiln" cache prewarm "--jobs=$wrong" "$work/specs")"
  check "is quoted" said "'$wrong'"
done
equal "a malformed limit" 2 "$(KILN_JOBS=many status_of "$kiln" cache prewarm "$work/specs")"
check "is quoted" said "'many'"

# ---- several at once, and Ctrl-C ----

cat >"$work/slow-cc" <<STUB
#!/bin/sh
case "\$*" in *" -o "*) echo + >>"$work/running"; while [ ! -e "$work/gate" ]; do sleep 0.02; done ;; esac
exec cc "\$@"
STUB
chmod 755 "$work/slow-cc"
mkdir "$work/many"
for n in 1 2 3 4 5 6; do
  spec "m$n" "g$n" "return 1$n;"
  mv "$work/m$n.json" "$work/many/"
done
: >"$work/running"
KILN_JOBS=3 KILN_CC=$work/slow-cc "$kiln" cache prewarm --json "$work/many" >"$work/out" 2>"$work/err" &
prewarm=$!
# shellcheck disable=SC2317 # called by in_time
begun() { [ "$(wc -l <"$work/running")" -ge "$1" ]; }
check "as many at once as the budget allows" in_time begun 3
touch "$work/gate"
wait "$prewarm"
equal "all come to their end" 6 "$(json "$work/out" .built)"
rm "$work/gate"
: >"$work/running"
KILN_JOBS=8 KILN_CC=$work/slow-cc KILN_EXTRA_FLAGS=-DAGAIN "$kiln" cache prewarm --jobs 2 "$work/many" >"$work/out" 2>"$work/err" &
prewarm=$!
check "two by --jobs" in_time begun 2
kill -INT "$prewarm"
wait "$prewarm"
equal "Ctrl-C: exit code" 130 "$?"
check "Ctrl-C: the summary says what was left" grep -q '4 skipped' "$work/out"
equal "no more were begun" 2 "$(wc -l <"$work/running" | tr -d ' ')"
finish
