#!/bin/sh
# kiln op list, show and run: fresh random data against the reference; what is refused is quoted.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/cli/op_lib.sh"

equal "list" 0 "$(status_of "$kiln" op list)"
check "names rmsnorm" grep -q '^rmsnorm ' "$work/out"
equal "list --json" 0 "$(status_of "$kiln" op list --json)"
equal "has the family" norm "$(jq -r '.[] | select(.op == "rmsnorm") | .family' "$work/out")"

equal "kernels to build ahead" "rmsnorm.row@cpu_T.bfloat16 rmsnorm.row@cpu_T.float16 rmsnorm.row@cpu_T.float32" \
  "$("$kiln" op list --ahead cpu rmsnorm | sort | tr '\n' ' ' | sed 's/ $//')"
equal "for a GPU, by size and dtype" 12 "$("$kiln" op list --ahead sm90a rmsnorm --json | jq 'map(select(test("^rmsnorm\\.(vec|row)@sm90a_"))) | length')"
equal "built" 3 "$("$kiln" op list --ahead cpu rmsnorm --build | grep -c '  built$')"
equal "once" 3 "$("$kiln" op list --ahead cpu rmsnorm --build | grep -c '  there$')"
equal "no such target" 2 "$(status_of "$kiln" op list --ahead tpu)"
check "is quoted" said "'tpu'"

equal "show" 0 "$(status_of "$kiln" op show rmsnorm)"
check "is the page of the tree" cmp -s "$work/out" "$KILN_SOURCE/docs/ops/rmsnorm.md"
equal "show --what header" 0 "$(status_of "$kiln" op show rmsnorm --what header)"
check "is the header of the tree" cmp -s "$work/out" "$KILN_SOURCE/include/kiln/ops/rmsnorm.h"
equal "show --json" 0 "$(status_of "$kiln" op show rmsnorm --json --axis hidden_size=7168)"
equal "is a definition of that size" "rmsnorm_h7168 7168" "$(jq -r '"\(.name) \(.axes.hidden_size.value)"' "$work/out")"

# ---- running ----

equal "run" 0 "$(status_of "$kiln" op run rmsnorm --device cpu --shape 4,4096 --dtype bf16)"
check "says which kernel" grep -qF 'rmsnorm.row@cpu_T.bfloat16' "$work/out"
check "says the seed" grep -q 'seed  *[0-9]' "$work/out"
equal "run --json" 0 "$(status_of "$kiln" op run --json rmsnorm --shape 3,100 --dtype f32 --set eps=1e-5 --seed 7)"
equal "op, device, variant, ok" "rmsnorm cpu rmsnorm.row@cpu_T.float32 true" \
  "$(jq -r '"\(.op) \(.device) \(.variant) \(.ok)"' "$work/out")"
equal "errors are small numbers" true "$(jq '.max_abs_err >= 0 and .max_abs_err < 1e-5 and .max_rel_err < 1e-4' "$work/out")"
equal "times are there" true "$(jq '.first_call_ms > 0 and .call_us > 0' "$work/out")"
errors=$(jq .max_abs_err "$work/out")
equal "the seed makes the data" "$errors" "$("$kiln" op run --json rmsnorm --shape 3,100 --dtype f32 --set eps=1e-5 --seed 7 | jq .max_abs_err)"
check "another seed, other data" test "$errors" != "$("$kiln" op run --json rmsnorm --shape 3,100 --dtype f32 --set eps=1e-5 --seed 8 | jq .max_abs_err)"
equal "odd strides" 0 "$(status_of "$kiln" op run rmsnorm --form odd)"
equal "in place" 0 "$(status_of "$kiln" op run rmsnorm --in-place --axis batch_size=5)"
equal "an empty batch" 0 "$(status_of "$kiln" op run rmsnorm --shape 0,64)"
equal "heads of tokens" 0 "$(status_of "$kiln" op run rmsnorm --shape 16,32,128 --form odd)"
check "are said" grep -qF 'batch_size=16 num_heads=32 hidden_size=128 odd' "$work/out"
equal "no heads: a dimension less" 0 "$(status_of "$kiln" op run rmsnorm --shape 16,128)"
check "it is not said" grep -qF 'batch_size=16 hidden_size=128' "$work/out"
equal "no heads, and all dimensions" 0 "$(status_of "$kiln" op run gemma_rmsnorm --shape 16,0,128)"
equal "heads by name" 0 "$(status_of "$kiln" op run rmsnorm --axis num_heads=1)"
check "are a dimension, even one" grep -qF 'num_heads=1' "$work/out"
equal "every case of every op" 0 "$(status_of "$kiln" op run --all)"
if [ "$(cat /proc/sys/vm/overcommit_memory)" = 2 ]; then # nothing is promised that there is not
  check "none failed" grep -q ' ok, 0 failed' "$work/out"
else
  check "none failed, none left out" grep -q ' ok, 0 failed$' "$work/out"
  equal "every op has rows far apart" "$("$kiln" op list | wc -l)" "$(grep ' far$' "$work/out" | cut -d: -f1 | sort -u | wc -l)"
  equal "heads far apart" 0 "$(status_of "$kiln" op run append_paged_kv_cache --shape 37,3,64,23,4,5,19 --form far-2)"
  check "are said" grep -q ' far-2$' "$work/out"
fi

# ---- refused ----

# refused WHAT WORD ARGUMENT…: exit code 2 and WORD quoted.
refused() {
  refused_what=$1
  refused_word=$2
  shift 2
  equal "$refused_what" 2 "$(status_of "$kiln" op "$@")"
  check "is quoted: $refused_word" said "$refused_word"
}
refused "no op" "needs the name" run
refused "an unknown op, with the nearest" "did you mean 'rmsnorm'" run rmsnrm
refused "an unknown op to show" "'nothing_like_it'" show nothing_like_it
refused "too few sizes" "hidden_size" run rmsnorm --shape 4
refused "too many sizes" "'5'" run rmsnorm --shape 4,4,4,5
refused "too many sizes for an op without heads" "'5'" run layernorm --shape 4,4,5
refused "no size" "'y'" run rmsnorm --shape 4,y
refused "an unknown axis" "rows=3" run rmsnorm --axis rows=3
refused "an unknown dtype" "'f23'" run rmsnorm --dtype f23
refused "a dtype the op does not take" "int32" run rmsnorm --dtype i32
refused "an unknown number" "epsilon=1" run rmsnorm --set epsilon=1
refused "no number" "'small'" run rmsnorm --set eps=small
refused "no pair" "'eps'" run rmsnorm --set eps
refused "an unknown device" "'tpu'" run rmsnorm --device tpu
refused "an unknown form" "'slanted'" run rmsnorm --form slanted
refused "rows far apart, and only one" "'far'" run rmsnorm --shape 1,64 --form far
refused "no such rows" "'far-1'" run rmsnorm --shape 3,64 --form far-1
refused "timing what fills the memory" "many sets of such tensors" bench rmsnorm --shape 3,64 --form far
refused "more states than a kernel counts" "0 <= num_states <= 1073741824" run merge_states --shape 0,4294967297,1,8
refused "a size that the op refuses" "1 <= hidden_size <= 131072" run rmsnorm --shape 1,200000
refused "more rows than a grid has" "0 <= all_rows <= 2147483647" run rmsnorm --shape 65536,65536,0
refused "tokens of no request" "nnz == 0 or batch_size > 0" run apply_rope --shape 3,2,2,64,64,0
refused "tokens of no request, Llama 3.1" "nnz is 3 (from q.shape[0])" run apply_llama31_rope --shape 3,2,2,64,64,0
equal "no tokens of no request" 0 "$(status_of "$kiln" op run apply_rope --shape 0,2,2,64,64,0)"
refused "a number that the op refuses" "expected 0 <= eps <= 1" run rmsnorm --set eps=2
refused "one word too many" "'rope'" run rmsnorm rope

# ---- the machine does not allow it ----

equal "no compiler" 5 "$(KILN_CACHE_DIR=$work/fresh status_of env PATH=/nowhere "$kiln" op run rmsnorm)"
equal "compiling is switched off" 5 "$(KILN_CACHE_DIR=$work/fresh KILN_JIT=off status_of "$kiln" op run rmsnorm)"
check "what is missing is named" said 'rmsnorm.row-cpu_T.float16'
equal "a kernel that is there needs no compiler" 0 "$(status_of env PATH=/nowhere "$kiln" op run rmsnorm)"

# ---- a kernel that is wrong ----

copy_tree
sed -i 's/\* scale \* (NORM_ONE_PLUS/* scale + (NORM_ONE_PLUS/' "$tree/kernels/include/norm_cpu.h"
equal "a wrong kernel" 1 "$(status_of "$kiln" op run rmsnorm --shape 2,64)"
check "says where" grep -q 'out, element [0-9]*: .* instead of ' "$work/out"
cp "$KILN_SOURCE/kernels/include/norm_cpu.h" "$tree/kernels/include/norm_cpu.h"
sed -i 's/i < p->width; i++) {$/i <= p->width; i++) {/' "$tree/kernels/include/norm_cpu.h"
equal "one that writes too far" 1 "$(status_of "$kiln" op run rmsnorm --shape 2,64)"
cp "$KILN_SOURCE/kernels/include/norm_cpu.h" "$tree/kernels/include/norm_cpu.h"
sed -i 's/p->input, norm_at(/p->input, (int)norm_at(/' "$tree/kernels/include/norm_cpu.h"
equal "one that counts in 32 bits" 1 "$(status_of "$kiln" op run rmsnorm --shape 3,64 --form far)"
check "says where it went wrong" grep -q 'out, element [0-9]*: .* instead of ' "$work/out"
equal "heads that are counted so" 1 "$(status_of "$kiln" op run rmsnorm --shape 2,7,64 --form far-1)"
equal "is right where rows are near" 0 "$(status_of "$kiln" op run rmsnorm --shape 3,64 --form aligned)"
cp "$KILN_SOURCE/kernels/include/norm_cpu.h" "$tree/kernels/include/norm_cpu.h"
sed -i 's/ + token \* (unsigned long long)gap//' "$tree/kernels/include/norm_cpu.h"
equal "one that knows nothing of tokens that lie apart" 1 "$(status_of "$kiln" op run rmsnorm --shape 3,5,64 --form odd)"
equal "is right where they do not" 0 "$(status_of "$kiln" op run rmsnorm --shape 3,5,64)"
sed -i 's/page \* side->page/(int)(page * side->page)/' "$tree/kernels/page/append_paged_kv_cache/cpu.c"
equal "pages that are counted so" 1 "$(status_of "$kiln" op run append_paged_kv_cache --shape 37,3,64,23,4,5,19 --form far)"
sed -i 's/cache\[place \* p->cache_stride/cache[(int)(place * p->cache_stride)/' "$tree/kernels/include/rope_cpu.h"
equal "rows of a cache that are counted so" 1 \
  "$(status_of "$kiln" op run apply_rope_with_cos_sin_cache --shape 19,5,1,128,64,33 --form far)"
sed -i '1i #error "not today"' "$tree/kernels/norm/rmsnorm/cpu.c"
equal "one that does not compile" 4 "$(status_of "$kiln" op run rmsnorm --shape 2,64)"
check "names the place in the tree" said 'kernels/norm/rmsnorm/cpu.c:1'

# ---- the development loop: nothing but the edited kernel is built again ----

copy_tree
export KILN_CACHE_DIR="$work/loop"
"$kiln" op run rmsnorm --dtype f32 >/dev/null && "$kiln" op run rmsnorm --dtype f16 >/dev/null
equal "two kernels" 2 "$(entries)"
printf '\n/* edited */\n' >>"$tree/kernels/norm/rmsnorm/device.cu"
"$kiln" op run rmsnorm --dtype f32 >/dev/null
equal "an edited device.cu is none of the CPU's business" 2 "$(entries)"
printf '\n/* edited */\n' >>"$tree/kernels/norm/rmsnorm/cpu.c"
"$kiln" op run rmsnorm --dtype f32 >/dev/null
equal "an edited cpu.c builds the variant that runs" 3 "$(entries)"
"$kiln" op run rmsnorm --dtype f32 >/dev/null
equal "once" 3 "$(entries)"
equal "the copies inside kiln are used without a tree" 0 "$(KILN_KERNELS=embedded status_of "$kiln" op run rmsnorm --dtype f32)"
sed -i 's/long long rows;/long long padding, rows;/' "$tree/kernels/include/norm_params.h"
equal "another struct than op.c was built with is refused" 5 "$(status_of "$kiln" op run rmsnorm)"
check "by name" said 'params.h changed since'
equal "no such tree" 2 "$(KILN_KERNELS=/no/such/tree status_of "$kiln" op run rmsnorm)"
check "is quoted" said "'/no/such/tree' (KILN_KERNELS)"
nothing_left "running ops"
finish
