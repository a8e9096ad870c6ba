#!/bin/sh
# Every command of docs/tutorial-add-a-kernel.md, in order. ./dev build is what it does, by hand: a few files are compiled.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/cli/op_lib.sh"
need_tool cmake pkg-config
need_plain_build
page=$KILN_SOURCE/docs/tutorial-add-a-kernel.md
copy_tree

mkdir "$work/bin"
ln -s "$kiln" "$work/bin/kiln"
cp "$KILN_BUILD/bin/kiln-spawn" "$work/bin"
cat >"$tree/dev" <<'END'
#!/bin/sh
. "$KILN_SOURCE/tests/cli/op_lib.sh" >/dev/null
tree=$(pwd)
build_tree "$BUILT.new" && mv "$BUILT.new" "$BUILT"
END
chmod +x "$tree/dev"
BUILT=$work/bin/kiln
export BUILT
PATH=$work/bin:$PATH
cd "$tree" || exit 1

# The blocks between ```sh and ```, each into a file; they share one shell, so that cd holds.
awk -v folder="$work" '/^```sh$/ { n++; on = 1; next } /^```$/ { on = 0 } on { print > (folder "/block" n) }' "$page"
blocks=0
while [ -e "$work/block$((blocks + 1))" ]; do
  blocks=$((blocks + 1))
done
equal "blocks of commands" 9 "$blocks"
set -e
for number in $(seq "$blocks"); do
  # shellcheck disable=SC1090 # made above
  (. "$work/block$number" && pwd >"$work/folder") >"$work/said" 2>&1 || {
    sed 's/^/   /' "$work/block$number" "$work/said"
    die "block $number of the tutorial failed"
  }
  pass "block $number"
  cd "$(cat "$work/folder")"
done
set +e
equal "and in the end it is right" true "$(kiln op run --json softcap --shape 5,33 --set cap=2 | jq .ok)"
equal "one line was added outside of the folder and of what is made" 1 \
  "$(diff "$KILN_SOURCE/src/registry/op.c" src/registry/op.c | grep -c '^[<>]')"
equal "and other files are those of the table" "docs/ops/softcap.md include/kiln/ops/softcap.h" \
  "$(find docs include src -name '*softcap*' | sort | tr '\n' ' ' | sed 's/ $//')"
check "no op was touched" diff -r "$KILN_SOURCE/kernels/norm" kernels/norm
finish
