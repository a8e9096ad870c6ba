#!/bin/sh
# Why a build failed, in one line each; which failures are remembered, for whom and for how long.
. "$KILN_SOURCE/tests/proc/store_lib.sh"
stub cc
mkdir "$work/include"
echo '/* 1 */' >"$work/include/k.h"
touch -d '1 hour ago' "$work/include/k.h" "$work/include"
jq -cn --arg folder "$work/include" '{name: "k", toolchain: "hostcc", includes: [$folder],
  sources: [{name: "k.c", text: "int value(void) { return 9; }\n"}], entry_points: ["value"]}' >"$work/specs/k"

# fails WHAT COMPILES-OF-TWO-LOADS TEXT ADVICE SETTING…: one line says TEXT and ADVICE.
number=0
fails() {
  what=$1 compiles=$2 text=$3 advice=$4
  shift 4
  number=$((number + 1))
  store "failed$number"
  stub_is "$@"
  forget_compiles
  load k
  equal "$what: the status" KILN_ERROR_COMMAND "$(got status)"
  equal "$what: one line" 1 "$(wc -l <"$work/out" | tr -d ' ')"
  check "$what: the reason" said "compiling 'k' failed: $text"
  check "$what: what to do" said "$advice"
  echo "   $(sed 's/^error k KILN_ERROR_COMMAND //' "$work/out")"
  load k
  equal "$what: asked again at once" "$compiles compiles" "$(compiles) compiles"
  check "$what: the same reason" said "$text"
}
killed="the compiler was killed (signal 9) and printed nothing"
fails "exit 137" 2 "$killed" "KILN_JOBS" exit=137 silent=1
fails "exit 139" 2 "the compiler crashed (signal 11) and printed nothing" "KILN_CC" exit=139 silent=1
fails "signal 9" 2 "$killed" "KILN_JOBS" signal=9
[ -n "$sanitizer" ] || # the fake compiler would tell its own end
  fails "signal 11" 2 "the compiler crashed (signal 11) and printed nothing" "KILN_CC" signal=11
fails "signal 15" 2 "the compiler was ended by signal 15 and printed nothing" "" signal=15
fails "no output" 1 "the compiler ended with status 1 and printed nothing" "KILN_KEEP" exit=1 silent=1
fails "an error" 1 "k.c:1:5: error: refused by the test" "KILN_KEEP" exit=1

# ---- forgotten ----

# again WHAT: the failure is no longer believed; the compiler is asked, and is well by now.
again() {
  stub_is
  forget_compiles
  load k
  equal "$1: built" "built 9" "$(got result) $(got value)"
}
# remembered NAME: a store with the failure of k, which is believed.
remembered() {
  store "$1"
  stub_is exit=1
  load k
  stub_is
  forget_compiles
  load k
  equal "$1: the failure is believed" "error 0" "$(got result) $(compiles)"
}
remembered minute
find "$KILN_CACHE_DIR/v1/failed" -type f -exec touch -d '61 seconds ago' {} +
again "a minute later"
remembered header
echo '/* 2 */' >"$work/include/k.h"
touch -d '30 minutes ago' "$work/include/k.h"
again "a header of its folders was changed"
remembered extra
echo '/* 3 */' >"$work/include/new.h"
touch -d '30 minutes ago' "$work/include/new.h"
again "a header appeared"
remembered off
load KILN_CACHE=off k
equal "KILN_CACHE=off does not believe it" "built 9" "$(got result) $(got value)"
load k
equal "and what it built is found from then on" "hit 9" "$(got result) $(got value)"
remembered compiler
cp "$KILN_CC" "$work/cc/other" && printf 'x' >>"$work/cc/other" && mv "$work/cc/other" "$KILN_CC"
again "the compiler was replaced"
finish
