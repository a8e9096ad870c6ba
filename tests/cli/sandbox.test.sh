#!/bin/sh
# What the command sees: private caches, the user's HOME; what it must not do: write to a cache outside.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/cli/lib.sh"
report=$work/report.json
HOME=$work/home
XDG_CACHE_HOME=$work/home/.cache
export HOME XDG_CACHE_HOME
mkdir -p "$HOME/.cache/warp"
# shellcheck disable=SC2016 # expanded by the command
show='printf "%s\n" "$HOME" "$WARP_CACHE_PATH" "$TMPDIR" "$CUDA_CACHE_PATH" "${PYTHONPYCACHEPREFIX:-none}" >>"$0"'

WARP_CACHE_PATH=/a/cache/of/mine "$kiln" measure --warmup 0 --samples 1 --quiet -- sh -c "$show" "$work/seen" >/dev/null
equal "HOME is the user's" "$HOME" "$(sed -n 1p "$work/seen")"
check "the cache is private" sh -c 'case $(sed -n 2p "$1") in "$2"/kiln-*/s1/cache/warp) ;; *) exit 1 ;; esac' sh "$work/seen" "$sandboxes"
check "so is TMPDIR" sh -c 'case $(sed -n 3p "$1") in "$2"/kiln-*/s1/tmp) ;; *) exit 1 ;; esac' sh "$work/seen" "$sandboxes"
check "and the driver's cache" sh -c 'case $(sed -n 4p "$1") in "$2"/kiln-*/s1/cache/cuda) ;; *) exit 1 ;; esac' sh "$work/seen" "$sandboxes"
equal "without a warm-up the interpreter keeps its bytecode as always" none "$(sed -n 5p "$work/seen")"
equal "the warm run has the cache of its cold run" "$(sed -n 2p "$work/seen")" "$(sed -n 7p "$work/seen")"

rm -f "$work/seen"
PYTHONDONTWRITEBYTECODE=1 "$kiln" measure --samples 1 -o "$report" -- sh -c "$show" "$work/seen" >/dev/null 2>&1
check "with one it goes to the sandbox" sh -c 'case $(sed -n 5p "$1") in "$2"/kiln-*/pyc) ;; *) exit 1 ;; esac' sh "$work/seen" "$sandboxes"
equal "the warm-up is a cold and a warm run" 4 "$(($(wc -l <"$work/seen") / 5))"
check "what was removed is said" grep -q 'PYTHONDONTWRITEBYTECODE was set' "$report"
"$kiln" measure --warmup 0 --samples 1 -o "$report" -- true >/dev/null 2>&1
check "a missing warm-up is said" grep -q -e '--warmup 0' "$report"

# shellcheck disable=SC2016
equal "a cold run finds no cache, a warm run what it left" 0 "$(status_of "$kiln" measure --samples 2 -- \
  sh -c 'f=$WARP_CACHE_PATH/x; if [ -e $f ]; then echo warm; else mkdir -p $WARP_CACHE_PATH && : >$f; echo cold; fi >>"$0"' "$work/order")"
equal "in this order" "cold warm cold warm cold warm" "$(xargs <"$work/order")"

# shellcheck disable=SC2016
equal "an artefact in the user's own cache" 3 "$(status_of "$kiln" measure -o "$report" -- \
  sh -c 'mkdir -p "$HOME/.cache/warp/v" && echo x >>"$HOME/.cache/warp/v/m.o"')"
check "names the path" said "'$HOME/.cache/warp/v/m.o'"
equal "and makes the measurement invalid" invalid "$(json "$report" .state)"

# shellcheck disable=SC2016
equal "a process that outlives its command" 0 "$(status_of "$kiln" measure --warmup 0 --samples 1 -o "$report" -- \
  sh -c 'setsid sleep 600 & ')"
check "is killed, and that is said" grep -q 'outlived the command were killed: [1-9]' "$report"
nothing_left "a measurement"
finish
