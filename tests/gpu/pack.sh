#!/bin/sh
# What warp_cuda.sh needs on a machine without a network, in two parts of about 51 MiB, one transfer each:
#   pack.sh WHEEL [DRIVER-RECORDER.c]      writes build/gpu/1, build/gpu/2, ...
# The wheel is unpacked and compressed again (149 MB become 106 MB: a wheel's own compression is weak).
# Run it on a Debian machine that can download packages; needs python3, xz, apt-get, dpkg-deb.
set -eu
[ $# -ge 1 ] || { echo "usage: pack.sh WHEEL [DRIVER-RECORDER.c]" >&2; exit 2; }
case $1 in /*) wheel=$1 ;; *) wheel=$PWD/$1 ;; esac
recorder=${2:-}
case $recorder in '' | /*) ;; *) recorder=$PWD/$recorder ;; esac
cd "$(dirname "$0")/../.."
out=build/gpu
rm -rf "$out"
mkdir -p "$out/tree" "$out/debs"
python3 -m zipfile -e "$wheel" "$out/tree"
(cd "$out/tree" && tar cf - .) | xz -6 -T0 >"$out/warp.tar.xz"
rm -rf "$out/tree"
(cd "$out" && split -n 2 -a 1 --numeric-suffixes=1 warp.tar.xz part)
for part in "$out"/part?; do
  number=${part##*part}
  mkdir "$out/$number"
  mv "$part" "$out/$number/part$number"
done
rm "$out/warp.tar.xz"
(cd "$out/debs" && apt-get download -q pkgconf pkgconf-bin libpkgconf3 libcjson-dev libcjson1 libsodium-dev libsodium23 \
  libxxhash-dev libxxhash0)
mv "$out/debs" "$out/$number/debs"
[ -z "$recorder" ] || cp "$recorder" "$out/$number/recorder.c"
du -sh "$out"/?
