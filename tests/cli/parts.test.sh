#!/bin/sh
# kiln finds its own parts: beside itself, in an installed tree, or where a variable says.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/cli/lib.sh"
quick="--warmup 0 --samples 1 --quiet"
run() {
  program=$1
  shift
  # shellcheck disable=SC2086
  status_of env "$@" "$program" measure $quick -- true
}

equal "a preload library that is not there" 5 "$(run "$kiln" KILN_PRELOAD=/no/such/library.so)"
check "is named" said "'/no/such/library.so'"
equal "a folder without supervisor" 5 "$(run "$kiln" KILN_LIBEXEC="$work")"
check "is named" said "'$work/kiln-spawn'"

for library in lib/kiln lib64/kiln lib/x86_64-linux-gnu/kiln; do
  tree=$work/tree-$(echo "$library" | tr / -)
  mkdir -p "$tree/bin" "$tree/libexec/kiln" "$tree/$library"
  cp "$kiln" "$tree/bin/"
  equal "$library: without its parts" 5 "$(run "$tree/bin/kiln" A=b)"
  check "$library: the places are named" said "/bin/../lib/kiln/libkiln-preload.so'"
  cp "$preload" "$tree/$library/"
  equal "$library: without its supervisor" 5 "$(run "$tree/bin/kiln" A=b)"
  check "$library: the place is named" said "/bin/../libexec/kiln/kiln-spawn'"
  cp "$spawn" "$tree/libexec/kiln/"
  equal "$library: complete" 0 "$(run "$tree/bin/kiln" A=b)"
done
equal "parts by variable" 0 "$(run "$tree/bin/kiln" KILN_PRELOAD="$preload" KILN_LIBEXEC="$(dirname "$spawn")")"
mkdir "$work/with space"
cp "$preload" "$work/with space/"
equal "a path that LD_PRELOAD cannot carry" 5 "$(run "$kiln" KILN_PRELOAD="$work/with space/libkiln-preload.so")"
check "is refused with a reason" said "LD_PRELOAD cannot carry"
nothing_left "a kiln without parts"
finish
