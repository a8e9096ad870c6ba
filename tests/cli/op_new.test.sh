#!/bin/sh
# kiln op new writes a working op that passes its check and its tests at once, in its folder and one line elsewhere.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/cli/op_lib.sh"
need_tool cmake pkg-config
need_plain_build
copy_tree
before=$(find "$tree" -type f | sort)

equal "new" 0 "$(status_of "$kiln" op new activation/scaled)"
check "says every file" grep -qx 'kernels/activation/scaled/op.c' "$work/out"
sort "$work/out" | grep -v '^src/registry/op.c$' >"$work/said"
echo "$before" >"$work/before"
find "$tree" -type f | sort | comm -13 "$work/before" - | sed "s#^$tree/##" >"$work/added"
check "and nothing else was written" cmp -s "$work/said" "$work/added"
equal "one line in the registry" "> OP(scaled)" "$(diff "$KILN_SOURCE/src/registry/op.c" "$tree/src/registry/op.c" | sed -n 's/^\([<>]\) *\(.*\) \\$/\1 \2/p')"
equal "no name of the template is left" "" "$(grep -rn -i 'new_op\|new_family' "$tree/kernels/activation" "$tree/include/kiln/ops/scaled.h" "$tree/docs/ops/scaled.md")"

check "it is built" build_tree "$work/bin/kiln"
kiln=$work/bin/kiln
equal "it is listed" activation "$("$kiln" op list --json | jq -r '.[] | select(.op == "scaled") | .family')"
equal "its check passes at once" 0 "$(status_of "$kiln" op check scaled)"
equal "its tests pass at once" 0 "$(status_of "$kiln" op run scaled --matrix)"
equal "with all others" 0 "$(status_of "$kiln" op check)"

# refused NAME WORD
refused() {
  equal "new $1" 2 "$(status_of "$kiln" op new "$1")"
  check "is quoted" said "$2"
}
refused activation/scaled "there is an op 'scaled' already"
refused other/rmsnorm "in the family 'norm'"
refused scaled "'scaled' is no name"
refused Big/letters "'Big/letters' is no name"
refused a/b/c "'a/b/c' is no name"
refused a/../b "'a/../b' is no name"
mkdir -p "$tree/kernels/activation/taken"
refused activation/taken "is there already"
equal "without a name" 2 "$(status_of "$kiln" op new)"
equal "without a tree" 5 "$(KILN_KERNELS=embedded status_of "$kiln" op new a/b)"
finish
