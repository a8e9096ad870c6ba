#!/bin/sh
# A temporary folder without room is said before anything runs; a file system that fills later harms nobody.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/cli/lib.sh"
# shellcheck disable=SC2317 # called by tests/lib.sh
cleanup() { umount "$work/small" 2>/dev/null; }
need_small_disk "$work/small" 64
TMPDIR=$work/small
equal "64 KB of room" 5 "$(status_of "$kiln" measure -- touch "$work/touched")"
check "the folder is named" said "'$work/small/kiln-"
check "what to do is said" said "TMPDIR"
check "nothing ran" test ! -e "$work/touched"
equal "and nothing is left" "" "$(ls -A "$work/small")"
head -c 1000000 /dev/zero >"$work/small/filler" 2>/dev/null
equal "no room at all" 5 "$(status_of "$kiln" measure -- true)"
check "the folder is named again" said "'$work/small"
rm -f "$work/small/filler"
umount "$work/small"

need_small_disk "$work/small" 4096
# shellcheck disable=SC2016
equal "output that does not fit" 0 "$(status_of "$kiln" measure --warmup 0 --samples 1 -o "$work/report.json" -- head -c 20000000 /dev/zero)"
check "is a warning" grep -q 'output could not be kept' "$work/report.json"
equal "nothing is left there" "" "$(ls -A "$work/small")"

equal "a folder that is not there" 5 "$(TMPDIR=$work/no/where status_of "$kiln" measure -- true)"
check "is quoted" said "'$work/no/where'"
finish
