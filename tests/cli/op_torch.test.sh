#!/bin/sh
# Ops beside PyTorch on the CPU: called from Python with its tensors, and every torch.py against reference.py.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/cli/op_lib.sh"
need_full
need_torch
if grep -q '^KILN_SANITIZE:[A-Z]*=..*' "$KILN_BUILD/CMakeCache.txt"; then skip "an instrumented library is not loaded into Python"; fi
KILN_LIBEXEC=$KILN_BUILD/bin
export KILN_LIBEXEC
ffi=$KILN_SOURCE/tests/gpu/python_ffi.py
library=$KILN_BUILD/lib/libkiln_ops.so
code=$(status_of "$kiln" op run --all --save "$work/calls")
[ "$code" -eq 0 ] || die "kiln op run --all --save: exit $code: $(cat "$work/err")"
ops=$("$kiln" op list | grep -c .)

equal "all of them from Python" 0 "$(status_of "$python" "$ffi" "$library" "$KILN_SOURCE/kernels" "$work/calls" cpu)"
sed 's/^/   /' "$work/out" "$work/err"
check "really all" grep -q "^[1-9][0-9]* calls of $ops ops on cpu, 0 wrong$" "$work/out"
for dtype in bfloat16 float16 float32; do
  check "rmsnorm in $dtype" grep -q "^rmsnorm: .*[1-9][0-9]* $dtype" "$work/out"
done
check "what one call costs" grep -q '^kiln, PyTorch tensors through tvm-ffi .* us ' "$work/out"

copy_tree
sed -i 's/ + eps)/ + 2 * eps + 0.01)/' "$tree/kernels/norm/rmsnorm/reference.py"
equal "a reference that says something else" 1 \
  "$(status_of "$python" "$ffi" "$library" "$tree/kernels" "$work/calls" cpu)"
check "is told" grep -q '^FAIL rmsnorm T=.*: out, element [0-9]*: .* instead of ' "$work/out"
check "and only that" test "$(grep '^FAIL' "$work/out" | cut -d' ' -f2 | sort -u)" = rmsnorm
jq '[.[] | select(.op == "rmsnorm")][:2]' "$work/calls/calls.json" >"$work/calls/few" && mv "$work/calls/few" "$work/calls/calls.json"
equal "an op that is not called" 1 "$(status_of "$python" "$ffi" "$library" "$KILN_SOURCE/kernels" "$work/calls" cpu)"
check "is told" grep -q "not called: .*'silu_and_mul'" "$work/out"

# torch.py of every op. fp8: one format. Tokens without a place: see torch.py of append_paged_kv_cache.
unset KILN_KERNELS
equal "the calls again" 0 "$(status_of "$kiln" op run --all --save "$work/calls")"
equal "torch.py of every op" 0 "$(status_of "$python" "$KILN_SOURCE/bench/op_torch.py" "$work/calls" "$KILN_SOURCE/kernels" cpu 3)"
grep '^{"call"' "$work/out" >"$work/lines"
equal "each call has its line" "$(jq length "$work/calls/calls.json")" "$(grep -c . "$work/lines")"
jq -s --slurpfile calls "$work/calls/calls.json" -r '.[] | select(.says) | . as $line | $calls[0][.call] |
  select((.case | test("O=float8_e5m2|nnz=4 num_kv_heads=2 head_dim=32 num_pages=1")) | not) |
  "\(.op) \(.case): \($line.says)"' "$work/lines" >"$work/differ"
sed 's/^/   /' "$work/differ"
check "is right" test ! -s "$work/differ"

KILN_BENCH_PYTHON=$python
export KILN_BENCH_PYTHON
equal "kiln op bench --vs torch" 0 "$(status_of "$kiln" op bench append_paged_kv_cache --shape 16,2,64,32,16,4,32 --rounds 5 --vs torch --json)"
equal "with figures" "5 null true" "$(jq -r '.[0] | "\(.torch.n) \(.torch_says) \(.torch.median_us > 0)"' "$work/out")"
copy_tree
cp -r "$KILN_SOURCE/bench" "$tree/bench"
echo 'run = lambda input: input[..., : input.shape[-1] // 2]' >"$tree/kernels/activation/silu_and_mul/torch.py"
equal "a torch.py that is wrong" 3 "$(status_of "$kiln" op bench silu_and_mul --shape 4,64 --rounds 3 --vs torch)"
check "is not timed" grep -q '^  torch  differs: out, [0-9]* of 256 elements, element [0-9]*: ' "$work/out"
echo 'run = lambda input: input.no_such()' >"$tree/kernels/activation/silu_and_mul/torch.py"
equal "one that fails" 3 "$(status_of "$kiln" op bench silu_and_mul --shape 4,64 --rounds 3 --vs torch)"
check "says why" grep -q "^  torch  failed: AttributeError: .*no_such" "$work/out"
nothing_left "PyTorch"
finish
