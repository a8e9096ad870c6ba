#!/bin/sh
# shellcheck disable=SC2317 # functions are called by check and by lib.sh
# Many processes, one cold key: one compile, whatever becomes of its owner.
. "$KILN_SOURCE/tests/proc/store_lib.sh"
stub cc

# ---- one key, many keys ----

stub_is sleep_ms=300 guard=1
store one
spec one 1001
check "64 processes behind a barrier: none hangs, none leaves a child" run_herd 64 -- one
check "none fails" no_herd_errors
equal "64 cold loaders: one compile" 1 "$(compiles)"
equal "all 64 got the right code" 64 "$(herd_lines '^ok one [a-z]* 1001 ')"
equal "one entry" 1 "$(entries)"
equal "no build folder is left" 0 "$(build_folders)"

stub_is
forget_compiles
store many
names=''
for i in $(seq 1 64); do
  spec "many$i" $((2000 + i))
  names="$names many$i"
done
# shellcheck disable=SC2086 # a list of names
check "16 processes, 64 keys: none hangs" run_herd 16 -- --shuffle '{i}' $names
check "none fails" no_herd_errors
equal "64 compiles" 64 "$(compiles)"
equal "64 entries" 64 "$(entries)"
wrong=$(cat "$work"/herd/*.out | awk '{ sub("many", "", $2); if ($4 != 2000 + $2) n++ } END { print n + 0 }')
equal "each of the 1024 results is that of its key" "0 1024" "$wrong $(herd_lines '^ok ')"

forget_compiles
store real
stub_is template=
spec real 3001
check "16 processes and the real compiler" run_herd 16 -- real
check "none fails" no_herd_errors
equal "one compile" "1 16" "$(compiles) $(herd_lines '^ok real [a-z]* 3001 ')"

# ---- threads ----

forget_compiles
store threads
stub_is sleep_ms=300
"$loader" --threads 24 "$work/specs/one" >"$work/out" 2>"$work/err"
equal "24 threads of one process: one compile" "1 24" "$(compiles) $(grep -c '^ok one [a-z]* 1001 ' "$work/out")"

# ---- locks that do not lock ----

forget_compiles
store unlocked
stub_is sleep_ms=1000
LD_PRELOAD=$shim KILN_SHIM_CALLS=lock KILN_SHIM_HOW=pretend KILN_SHIM_LOG=$work/shim
export LD_PRELOAD KILN_SHIM_CALLS KILN_SHIM_HOW KILN_SHIM_LOG
run_herd 16 -- one
herd_rc=$?
unset LD_PRELOAD KILN_SHIM_CALLS KILN_SHIM_HOW KILN_SHIM_LOG
equal "locks that lock nothing: no hang" 0 "$herd_rc"
check "no error" no_herd_errors
equal "all 16 right, one entry" "16 1" "$(herd_lines '^ok one [a-z]* 1001 ') $(entries)"
check "more than one compiled, so the locks were really useless ($(compiles))" [ "$(compiles)" -gt 1 ]
check "the shim was asked" grep -q '^lock ' "$work/shim"
equal "no build folder is left" 0 "$(build_folders)"

# ---- the owner dies ----

# start_owner NAME, start_waiter NAME: in the background; their processes are $owner and $waiter.
start_owner() {
  stub_is sleep_ms=60000
  "$loader" --log "$work/specs/$1" >"$work/owner.out" 2>"$work/owner.err" &
  owner=$!
  in_time has_lines "$compile_log" "$2"
  stub_is
}
start_waiter() {
  : >"$work/waiter.err" # what an earlier waiter said is no answer
  "$loader" --log "$work/specs/$1" >"$work/waiter.out" 2>"$work/waiter.err" &
  waiter=$!
}
waits() {
  grep -qs '^progress [^ ]* wait' "$work/waiter.err"
}

best=100000
for round in 1 2 3; do
  forget_compiles
  store "dead$round"
  start_owner one 1
  compiler=$(cut -d ' ' -f 1 "$compile_log")
  start_waiter one
  soon waits || fail "the waiter says that it waits"
  kill -KILL "$owner"
  begin=$(clock)
  wait "$waiter" || fail "the waiter fails: $(cat "$work/waiter.out" "$work/waiter.err")"
  took=$(($(clock) - begin))
  [ "$took" -ge "$best" ] || best=$took
  check "the dead owner's compiler is dead" soon dead "$compiler"
  equal "the waiter built for itself" "ok one built 1001" "$(cut -d ' ' -f 1-4 "$work/waiter.out")"
  wait "$owner" 2>/dev/null
done
check "a waiter takes over within a second of the owner's death (best of 3: $best ms)" [ "$best" -lt 1000 ]
check "the waiter named the owner" grep -q "^progress [^ ]* wait .* $owner\$" "$work/waiter.err"
load one
equal "the next run reclaims the dead owner's folder" 0 "$(build_folders)"

forget_compiles
store stopped
start_owner one 1
start_waiter one
soon waits || fail "the waiter says that it waits"
kill -STOP "$owner"
begin=$(clock)
wait "$waiter" || fail "the waiter fails: $(cat "$work/waiter.out")"
took=$(($(clock) - begin))
equal "a stopped owner is taken over" "ok one built 1001" "$(cut -d ' ' -f 1-4 "$work/waiter.out")"
check "not before its note is stale ($took ms)" [ "$took" -gt 8000 ]
kill -CONT "$owner"
# Its compiler would sleep on; the stub of the owner is ended by hand and the owner reports a failed compiler.
kill -KILL "$(head -n 1 "$compile_log" | cut -d ' ' -f 1)"
wait "$owner" 2>/dev/null
equal "one entry" 1 "$(entries)"
load one
equal "and it is good" "hit 1001" "$(got result) $(got value)"

# An owner that works for longer than the limit of a note, but keeps it fresh, is waited for.
forget_compiles
store patient
stub_is sleep_ms=12000
"$loader" --log "$work/specs/one" >"$work/owner.out" 2>"$work/owner.err" &
owner=$!
in_time has_lines "$compile_log" 1
start_waiter one
wait "$waiter"
wait "$owner" 2>/dev/null
equal "an owner that lives is waited for, however long" "1 ok one hit 1001" \
  "$(compiles) $(cut -d ' ' -f 1-4 "$work/waiter.out")"

# ---- what earlier runs left ----

store leftovers
mkdir -p "$KILN_CACHE_DIR/v1/locks" "$KILN_CACHE_DIR/v1/build/other-host-4242-abcdef" "$KILN_CACHE_DIR/v1/build/x"
chmod -R go-rwx "$KILN_CACHE_DIR"
for i in 00 7f ff; do echo stale >"$KILN_CACHE_DIR/v1/locks/$i"; done
echo "int half(" >"$KILN_CACHE_DIR/v1/build/x/k.c"
stub_is
forget_compiles
check "8 loaders over leftovers of others" run_herd 8 -- one
check "none fails" no_herd_errors
equal "one compile" "1 8" "$(compiles) $(herd_lines '^ok one [a-z]* 1001 ')"

# ---- a key does not wait for another ----

store apart
spec two 1002
load two
start_owner one "$(($(compiles) + 1))"
begin=$(clock)
load two
equal "a hit does not wait for somebody's compile" "hit 1002" "$(got result) $(got value)"
check "(it took $(($(clock) - begin)) ms)" [ $(($(clock) - begin)) -lt 20000 ]
kill -KILL "$owner"
wait "$owner" 2>/dev/null

# ---- the longest wait ----

forget_compiles
store limit
start_owner one 1
load KILN_WAIT_LIMIT=0.5 one
equal "KILN_WAIT_LIMIT ends a wait with an error" error "$(got result)"
check "which names the owner" said "$owner"
kill -KILL "$owner"
wait "$owner" 2>/dev/null
finish
