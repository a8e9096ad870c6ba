#!/bin/sh
# shellcheck disable=SC2317 # functions are called by lib.sh
# Where the store lies, and places that are not good ones.
. "$KILN_SOURCE/tests/proc/store_lib.sh"
stub cc
spec k 801

# ---- the order of locations ----

# lies WHAT FOLDER [VARIABLE=VALUE…]: a load with these variables makes its store in FOLDER and nothing elsewhere.
lies() {
  what=$1 folder=$2
  shift 2
  rm -rf "${work:?}/home" "$work/xdg" "$work/given"
  mkdir "$work/home"
  load "$@" k
  equal "$what" "built 801" "$(got result) $(got value)"
  equal "$what: the store is $folder" "$folder" \
    "$(cd "$work" && find home xdg given -type d -name v1 2>/dev/null | sed 's|/v1$||' | sort | tr '\n' ' ' | sed 's/ $//')"
}
unset KILN_CACHE_DIR
lies "nothing set" home/.cache/kiln
lies "XDG_CACHE_HOME" xdg/kiln "XDG_CACHE_HOME=$work/xdg"
lies "XDG_CACHE_HOME with a slash" xdg/kiln "XDG_CACHE_HOME=$work/xdg/"
lies "XDG_CACHE_HOME, relative" home/.cache/kiln XDG_CACHE_HOME=xdg
lies "XDG_CACHE_HOME, empty" home/.cache/kiln XDG_CACHE_HOME=
lies "KILN_CACHE_DIR" given "KILN_CACHE_DIR=$work/given" "XDG_CACHE_HOME=$work/xdg"
lies "KILN_CACHE_DIR, empty" xdg/kiln KILN_CACHE_DIR= "XDG_CACHE_HOME=$work/xdg"
lies "HOME, relative" "" HOME=home
check "no store is said" said "HOME"
lies "HOME, empty" "" HOME=
load KILN_CACHE_DIR=relative k
equal "a relative KILN_CACHE_DIR is refused or made absolute, never lost" 0 "$(
  if [ "$(got result)" = error ]; then grep -c relative "$work/out" | sed 's/1/0/'; else echo 0; fi
)"
rm -rf relative
for bad in KILN_CACHE_LIMIT=lots KILN_JIT=maybe KILN_CACHE=perhaps KILN_WAIT_LIMIT=soon KILN_DEBUG=2; do
  store bad
  load "$bad" k
  equal "$bad is refused" "error KILN_ERROR_ARGUMENT" "$(got result) $(got status)"
  check "$bad: with its name" said "${bad%%=*}"
  check "$bad: and its value" said "'${bad#*=}'"
done

# ---- a network file system ----

store network
load "LD_PRELOAD=$shim" KILN_SHIM_CALLS=statfs KILN_SHIM_HOW=nfs "KILN_SHIM_PATH=$work/network" k
equal "a network file system works" "built 801" "$(got result) $(got value)"
equal "and is warned about once" 1 "$(grep -c -i 'network' "$work/err")"
check "with the real place" said "$work/network"
load "LD_PRELOAD=$shim" KILN_SHIM_CALLS=statfs KILN_SHIM_HOW=nfs "KILN_SHIM_PATH=$work/network" --again k
equal "hits, too" "hit 801 2" "$(got result) $(got value) $(grep -c '^ok' "$work/out")"

# ---- code that cannot be mapped, places that cannot be written ----

cleanup() {
  umount "$work/noexec" 2>/dev/null
}
if [ "$(id -u)" -eq 0 ] && mkdir "$work/noexec" && mount -t tmpfs -o noexec,size=4m tmpfs "$work/noexec" 2>/dev/null; then
  KILN_CACHE_DIR=$work/noexec/store
  load k
  equal "a store on a noexec file system: built" "built 801" "$(got result) $(got value)"
  load k
  equal "a store on a noexec file system: hit" "hit 801" "$(got result) $(got value)"
  check "noexec is said at most once" [ "$(grep -c -i noexec "$work/err")" -le 1 ]
else
  echo "   (noexec needs root: not tried)"
fi
store nowhere
load "LD_PRELOAD=$shim" KILN_SHIM_CALLS=map KILN_SHIM_ERROR=1 k
equal "code that can be mapped nowhere is an error" error "$(got result)"

store fine
if [ "$(id -u)" -eq 0 ]; then
  echo "   (root is refused nowhere: store_owner tries it as others)"
else
  mkdir -m 500 "$work/sealed"
  load "KILN_CACHE_DIR=$work/sealed/store" k
  equal "a store that cannot be made: works" "built 801" "$(got result) $(got value)"
  load "KILN_CACHE_DIR=$work/sealed/store" "TMPDIR=$work/sealed" k
  equal "no place at all: an error" error "$(got result)"
  check "that names both" said "$work/sealed"
fi
equal "nothing is left in the temporary folder" "" "$(ls -A "$work/tmp")"
finish
