#!/bin/sh
# An installed kiln finds its parts beside itself, wherever it was installed to; nothing of the build tree is needed.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
need_tool cmake jq
need_kiln
unset KILN_PRELOAD KILN_LIBEXEC

equal "install" 0 "$(status_of cmake --install "$KILN_BUILD" --prefix "$work/first")"
mv "$work/first" "$work/moved"
installed=$work/moved/bin/kiln
equal "version" "$("$kiln" version | head -n 1)" "$("$installed" version | head -n 1)"
equal "measure" 0 "$(status_of "$installed" measure --warmup 0 --samples 1 -o "$work/report.json" -- true)"
equal "one valid sample" true "$(json "$work/report.json" '.arms[0].samples[0].valid')"
# shellcheck disable=SC2016 # expanded by the inner shell
check "no path of the build tree is in the programs" sh -c '! grep -qF "$1/" "$2" "$3"' sh "$KILN_SOURCE" "$installed" \
  "$work/moved/libexec/kiln/kiln-spawn"
finish
