#!/bin/sh
# What kiln costs the program that it observes; prints figures, never fails on time:
#   run.sh [DEVICE] [BLOCKS]      KILN_WARP_PYTHON: a Python with warp-lang; KILN_BUILD: default build/dev
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=${KILN_BUILD:-$here/../../build/dev}
python=${KILN_WARP_PYTHON:?set it to a Python with warp-lang}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/events" "$work/cache"
export KILN_EVENTS="$work/events" WARP_CACHE_PATH="$work/cache" PYTHONDONTWRITEBYTECODE=1
preload=$build/lib/libkiln-preload.so
program=$build/bench/disturb-thunk

if [ -x "$program" ]; then
  "$program"
  if command -v valgrind >/dev/null 2>&1; then
    for loop in direct thunk; do
      valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" "$loop" 2>&1 |
        sed -n 's/.*Collected : //p' >"$work/$loop"
    done
    echo "instructions added to a call: $((($(cat "$work/thunk") - $(cat "$work/direct")) / 1000000))"
  fi
fi

LD_PRELOAD=$preload "$python" "$here/launch.py" "${1:-cpu}" "${2:-600}" 2>/dev/null | grep -v '^Warp\|^ \|^Module'

# The first run builds; then least of three each, one after the other.
env -u KILN_EVENTS "$python" "$here/memory.py" >/dev/null 2>&1
for _ in 1 2 3; do
  env -u KILN_EVENTS "$python" "$here/memory.py" 2>/dev/null | sed -n 's/^largest //p' >>"$work/bare"
  LD_PRELOAD=$preload "$python" "$here/memory.py" 2>/dev/null | sed -n 's/^largest //p' >>"$work/observed"
done
least() { sort -n "$1" | head -n 1; }
bare=$(least "$work/bare")
echo "memory after 200 000 launches: $((bare / 1024)) MiB without kiln, $(($(least "$work/observed") - bare)) KiB more with it"
