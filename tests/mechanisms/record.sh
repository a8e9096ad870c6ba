#!/bin/sh
# Records programs of catalogue.table into recorded/: record.sh NAME… (KILN_BUILD, KILN_WARP_PYTHON as for tests; a NAME
# whose row says `old` runs with KILN_OLD_WARP_PYTHON). Paths of the machine stay out: all of it happens below one
# neutral folder, $place.
set -u
here=$(cd "$(dirname "$0")" && pwd)
kiln=${KILN_BUILD:?the build folder}/bin/kiln
place=${PLACE:-/tmp/kiln-mechanisms}
out=${RECORDED:-$here/recorded}

# python_of LIVE: a path below $place, which leads to the folder that the Python is installed in.
python_of() {
  environment=${KILN_WARP_PYTHON:?a Python with warp-lang}
  [ "$1" != old ] || environment=${KILN_OLD_WARP_PYTHON:?a Python with Warp 1.16 or older}
  ln -sfn "$("$environment" -c 'import sys; print(sys.prefix)')" "$place/warp"
  echo "$place/warp/bin/python3"
}

record() {
  row=$(grep "^$1|" "$here/catalogue.table") || {
    echo "record.sh: catalogue.table has no program '$1'" >&2
    return 2
  }
  python=$(python_of "$(echo "$row" | cut -d'|' -f2)")
  command=$(echo "$row" | cut -d'|' -f4)
  rm -rf "$place/cache" "$place/tmp" "$place/driver" "${place:?}/$1"
  mkdir -p "$place/cache" "$place/tmp" "$place/driver"
  # shellcheck disable=SC2086 # a list of words
  (cd "$place/programs" && env -i PATH="/usr/local/bin:/usr/bin:/bin" HOME="$place/tmp" TMPDIR="$place/tmp" \
    WARP_CACHE_PATH="$place/cache" CUDA_CACHE_PATH="$place/driver" PYTHONDONTWRITEBYTECODE=1 ${PYTHONPATH:+PYTHONPATH="$PYTHONPATH"} \
    ${LD_LIBRARY_PATH:+LD_LIBRARY_PATH="$LD_LIBRARY_PATH"} \
    "$kiln" record --quiet -o "$place/$1" -- "$python" $command >/dev/null) || return 1
  tar czf "$out/$1.tar.gz" --sparse --owner=0 --group=0 --numeric-owner -C "$place" "$1"
  echo "$1: $(wc -c <"$out/$1.tar.gz") bytes"
}

mkdir -p "$out"
rm -rf "$place"
mkdir -p "$place"
cp -R "$here/programs" "$place/programs"
status=0
for name; do
  (record "$name") || {
    echo "$name: not recorded" >&2
    status=1
  }
done
rm -rf "$place"
exit "$status"
