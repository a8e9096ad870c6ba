#!/bin/sh
# Include lines point along the architecture; system headers and #if only in src/os. The table: tools/include-direction.awk
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
cd "$KILN_SOURCE" || exit 1
rule=$KILN_SOURCE/tools/include-direction.awk

sources=$({
  find include src agents libexec cli \( -name '*.c' -o -name '*.h' \) | grep -v '^src/op/template/cpu.c$'
  find kernels -name op.c -o -name reference.c # device code has no house to keep to
} | sort)
# shellcheck disable=SC2086 # a list of names without spaces
check "$(echo "$sources" | wc -l) files keep to the table" awk -f "$rule" $sources

# refused FOLDER LINE: the checker sees LINE in a file of FOLDER. permitted: the opposite.
try_line() {
  rm -rf "$work/tree"
  mkdir -p "$work/tree/$1"
  printf '%s\n' "$2" >"$work/tree/$1/x.c"
  (cd "$work/tree" && awk -f "$rule" "$1/x.c" >/dev/null)
}
refused() {
  if try_line "$1" "$2"; then fail "seen in $1: $2"; else pass "seen in $1: $2"; fi
}
permitted() {
  check "permitted in $1: $2" try_line "$1" "$2"
}
refused src/base '#include "os/file.h"'
refused src/os '#include "event/writer.h"'
refused src/event '#include "probe/model.h"'
refused src/event '#include <unistd.h>'
refused src/probe '#include "registry/jit.h"'
refused src/probe '#include <cjson/cJSON.h>'
refused src/probe '#ifdef __linux__'
refused src/probe '  #  if defined(X)'
refused src/store '#include "device/device_ops.h"'
refused src/store '#include "jit/spec.h"'
refused src/device '#include "jit/spec.h"'
refused src/jit '#include <sodium.h>'
refused libexec '#include "event/writer.h"'
refused cli '#include "event/reader.h"'
refused cli '#include "nowhere.h"'
refused agents/preload '#include "probe/model.h"'
refused src/newfolder '#include <stdio.h>'
permitted src/os '#include <unistd.h>'
permitted src/os '#ifdef __linux__'
permitted src/base '#include <cjson/cJSON.h>'
permitted src/probe/rules '#include "registry/probe.h"'
permitted src/registry '#include "probe/rule.h"'
permitted src/store '#include <sodium.h>'
permitted src/device/cpu '#include "store/store.h"'
permitted src/jit '#include "registry/jit.h"'
permitted cli '#include "probe/measure.h"'
permitted cli '#include "op/run.h"'
refused cli '#include "jit/spec.h"'
permitted kernels/norm/rmsnorm '#include "op/op.h"'
refused kernels/norm/rmsnorm '#include "jit/spec.h"'
finish
