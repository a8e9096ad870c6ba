#!/bin/sh
# kiln op check: the tree agrees; each layer, broken by itself, is seen.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/cli/op_lib.sh"
with_toolkit

equal "the tree" 0 "$(status_of "$kiln" op check)"
check "every layer agrees" grep -qx 'every layer agrees' "$work/out"
equal "as JSON" 0 "$(status_of "$kiln" op check --json rmsnorm)"
equal "says so" "true 0" "$(jq -r '"\(.ok) \(.disagreements | length)"' "$work/out")"
equal "an unknown op" 2 "$(status_of "$kiln" op check rmsnrm)"

# broken LAYER WHAT COMMAND…: after COMMAND in a fresh copy, the check fails and names layer and thing.
broken() {
  broken_layer=$1
  broken_what=$2
  shift 2
  copy_tree
  (cd "$tree" && "$@") || die "the tree could not be broken: $*"
  equal "$broken_layer: $broken_what is broken" 1 "$(status_of "$kiln" op check rmsnorm)"
  check "and is named" grep -qF "rmsnorm: $broken_layer: " "$work/out"
  check "with '$broken_what'" grep -qF "$broken_what" "$work/out"
}
op=kernels/norm/rmsnorm
broken files op.c sed -i 's/"factor of each column"/"factor of columns"/' "$op/op.c"
broken files reference.c sed -i 's/squares += /squares -= /' "$op/reference.c"
broken files params.h sed -i 's/What/which/' "$op/params.h"
broken files README.md rm "$op/README.md"
broken made include/kiln/ops/rmsnorm.h sed -i 's/double eps/float eps/' include/kiln/ops/rmsnorm.h
broken made docs/ops/rmsnorm.md sed -i 's/1e-06/1e-05/' docs/ops/rmsnorm.md
broken made docs/ops/rmsnorm.md rm docs/ops/rmsnorm.md
broken made definition.json sed -i 's/8192/4096/' "$op/definition.json"
broken definition "'x' as parameter of run" sed -i 's/def run(hidden_states/def run(x/' "$op/reference.py"
broken definition "without a function 'run'" sed -i 's/def run(/def walk(/' "$op/reference.py"
broken definition reference.py rm "$op/reference.py"
broken cpu "instead of" sed -i 's/p->eps)/2 * p->eps + 1)/' kernels/include/norm_cpu.h
broken cpu "entry point" sed -i 's/^rmsnorm(const/rms_norm(const/' "$op/cpu.c"
if "$kiln" op check rmsnorm 2>&1 >/dev/null | grep -q 'were not compiled'; then
  printf '   CUDA kernels are not compiled here\n'
else
  broken cuda "for sm80" sed -i 's/rsqrtf/rsqrtff/' kernels/include/norm_device.h
fi

copy_tree
cp -r "$tree/$op" "$tree/kernels/norm/forgotten"
equal "a folder that is in no line of the registry" 1 "$(status_of "$kiln" op check)"
check "is named" grep -qF 'forgotten: registry: kernels/norm/forgotten/op.c' "$work/out"

copy_tree
rm "$tree/docs/ops/rmsnorm.md" "$tree/$op/definition.json" "$tree/include/kiln/ops/rmsnorm.h"
equal "--update" 0 "$(status_of "$kiln" op check --update rmsnorm)"
for file in docs/ops/rmsnorm.md "$op/definition.json" include/kiln/ops/rmsnorm.h; do
  check "writes $file as it was" cmp -s "$tree/$file" "$KILN_SOURCE/$file"
done
equal "without a tree only kernels are checked" 0 "$(KILN_KERNELS=embedded status_of "$kiln" op check)"
finish
