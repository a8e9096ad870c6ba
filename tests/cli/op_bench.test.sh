#!/bin/sh
# kiln op bench: figures with their timer, checked; nothing is said about what is wrong.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/cli/op_lib.sh"

equal "bench" 0 "$(status_of "$kiln" op bench rmsnorm --shape 8,256 --rounds 3)"
check "names its timer" grep -q 'clock, [0-9]* sets of buffers; checked' "$work/out"
check "and a copy beside it" grep -q '^  copy ' "$work/out"
equal "as JSON" 0 "$(status_of "$kiln" op bench rmsnorm --shape 8,256 --dtype f32 --rounds 5 --json)"
equal "what, where, how often" "rmsnorm cpu rmsnorm.row@cpu_T.float32 true clock 17408 5 5" \
  "$(jq -r '.[0] | "\(.op) \(.device) \(.variant) \(.ok) \(.timer) \(.bytes) \(.kiln.n) \(.copy.n)"' "$work/out")"
equal "figures are in order" true \
  "$(jq '.[0].kiln | .p10_us <= .median_us and .median_us <= .p90_us and .median_us > 0 and .gb_per_s > 0' "$work/out")"
check "no cache holds the buffers" test "$(jq '.[0].buffer_sets * .[0].bytes' "$work/out")" -gt 64000000
for option in "--rounds 2" "--rounds many" "--vs triton" "--form far" "--in-place"; do
  # shellcheck disable=SC2086 # words
  equal "refused: $option" 2 "$(status_of "$kiln" op bench rmsnorm $option)"
  check "and quoted" said "${option##* }"
done
equal "without an op" 2 "$(status_of "$kiln" op bench)"
equal "torch without a Python that has it" 4 "$(KILN_BENCH_PYTHON=/no/such/python status_of "$kiln" op bench rmsnorm --shape 2,8 --rounds 3 --vs torch)"
check "says which one was tried" said /no/such/python

check "with the last line that it said" said "No such file"
check "and what was measured" grep -q '^  kiln ' "$work/out"
equal "all and one" 2 "$(status_of "$kiln" op bench --all rmsnorm)"
check "says which" said "'rmsnorm' names one of them"
equal "sizes of all" 2 "$(status_of "$kiln" op bench --all --dtype f32)"

# A stand-in for Python: what it is given, and what becomes of its answers.
cat >"$work/python" <<'PYTHON'
#!/bin/sh
[ -f "$1" ] && [ -d "$3/norm/rmsnorm" ] || exit 9
cp "$2/calls.json" "$2/calls.bin" "$KILN_TEST_WORK"
echo "$4 $5" >"$KILN_TEST_WORK/where"
echo "some talk"
cat "$KILN_TEST_WORK/answers"
PYTHON
chmod +x "$work/python"
with_answers() {
  printf '%s\n' "$1" >"$work/answers"
  shift
  KILN_TEST_WORK=$work KILN_BENCH_PYTHON=$work/python status_of "$kiln" op bench "$@" --rounds 3 --vs torch
}
equal "torch beside it" 0 "$(with_answers '{"call":0,"version":"9.1","times":[3e-6,1e-6,2e-6]}' rmsnorm --shape 2,8 --json --set eps=0.5)"
equal "its figures" "2 3 9.1 null" "$(jq -r '.[0] | "\(.torch.median_us) \(.torch.n) \(.torch_version) \(.torch_says)"' "$work/out")"
equal "where and how often" "cpu 3" "$(cat "$work/where")"
equal "by name: inputs, results, numbers" "out:null:out input:hidden_states:null weight:weight:null eps:eps:null 0.5" \
  "$(jq -r '.[0].arguments | map("\(.name):\(.input):\(.output)") + [.[3].value] | join(" ")' "$work/calls.json")"
equal "reals are anybody's" '["bfloat16",[2,8],[8,1],null]' "$(jq -c '.[0].arguments[1].tensor | [.dtype, .shape, .strides, .at]' "$work/calls.json")"
equal "one that differs" 3 "$(with_answers '{"call":0,"version":"9.1","says":"differs: q"}' rmsnorm --shape 2,8)"
check "is said" grep -q '^  torch  differs: q$' "$work/out"
equal "indices are kiln's own" 0 "$(with_answers '{"call":0,"version":"9.1","times":[1e-6]}' append_paged_kv_cache --shape 6,1,8,4,2,2,4)"
indices=$(jq '.[0].arguments[] | select(.name == "kv_indptr") | .tensor.at' "$work/calls.json")
equal "kv_indptr" "0 2 4" "$(od -An -t d4 -j "$indices" -N 12 "$work/calls.bin" | tr -s ' ' | sed 's/^ //')"
equal "as many sets" "$(sed -n 's/.*, \([0-9]*\) sets of buffers.*/\1/p' "$work/out")" "$(jq '.[0].sets' "$work/calls.json")"

# The same calls for any other program.
equal "calls of an op, saved" 0 "$(status_of "$kiln" op run merge_states --matrix --save "$work/new/calls")"
equal "each of them, but for far rows" "$(grep '^ok  ' "$work/out" | grep -vc ' far')" "$(jq length "$work/new/calls/calls.json")"
scores=$(jq '[.[] | .arguments[1].tensor | select(.at != null) | .at + 4 * (.shape | reduce .[] as $e (1; . * $e))] | max' \
  "$work/new/calls/calls.json")
check "with all their scores" test "$scores" -le "$(wc -c <"$work/new/calls/calls.bin")"
: >"$work/file"
equal "where no folder can be" 5 "$(status_of "$kiln" op run rmsnorm --save "$work/file")"
equal "and nowhere" 2 "$(status_of "$kiln" op run rmsnorm --save '')"

copy_tree
sed -i 's/\* scale \* (NORM_ONE_PLUS/* scale + (NORM_ONE_PLUS/' "$tree/kernels/include/norm_cpu.h"
equal "a wrong kernel" 1 "$(status_of "$kiln" op bench rmsnorm --shape 8,256 --rounds 3 --json)"
equal "has no times" "false null null" "$(jq -r '.[0] | "\(.ok) \(.kiln) \(.copy)"' "$work/out")"
nothing_left "benchmarking"
finish
