#!/bin/sh
# The truth of one case, found without kiln: oracle.sh CASE.py [ARGUMENTS]. Needs strace and KILN_WARP_PYTHON.
# Prints for a cold and a warm run: builds (build folders made), identities (module folders left), headers made,
# loads (objects opened for reading after their build), processes that ran Python, launches (counted by the case).
# The numbers in cases.table come from here. Where the program keeps its cache elsewhere, folders are counted there too.
set -eu
: "${KILN_WARP_PYTHON:?set it to a Python with warp-lang}"
case=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/tmp"
for run in cold warm; do
  : > "$work/launches"
  status=0
  TMPDIR=$work/tmp WARP_CACHE_PATH=$work/cache KILN_TRUTH=$work/launches PYTHONDONTWRITEBYTECODE=1 \
    strace -f -qq --seccomp-bpf -e trace=mkdir,rename,openat,execve,fork,vfork,clone,clone3 -s 400 -o "$work/$run" \
    "$KILN_WARP_PYTHON" "$here/cases/$case" "$@" > "$work/out" 2>&1 || status=$?
  awk -v run="$run" -v status="$status" '
    function known(name) { sub(/^[^"]*"/, "", name); sub(/".*$/, "", name); return name }
    / mkdir\(".*_p[0-9]+_t[0-9]+", / && !/ = -1/ { builds++; folder = known($0); sub(/_p[0-9]+_t[0-9]+$/, "", folder); identity[folder] = 1 }
    / rename\(".*\.pch"/ && !/ = -1/ { headers++ }
    / openat\(.*\.o", O_RDONLY/ && !/ = -1/ { loads++ }
    { process[$1] = 1 }
    END { for (i in identity) identities++
          printf "%s: exit %d builds %d identities %d headers %d objects_read %d threads %d", run, status, builds, identities, headers, loads, length(process) }' "$work/$run"
  awk '{ sum += $1 } END { printf " launches %d\n", sum }' "$work/launches"
done
