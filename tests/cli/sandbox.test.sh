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

# seen_in_sandbox LINE PATH: that line of what the command saw is PATH below a sandbox.
# shellcheck disable=SC2317 # called by check
seen_in_sandbox() {
  case $(sed -n "${1}p" "$work/seen") in "$sandboxes"/kiln-*/"$2") ;; *) return 1 ;; esac
}

WARP_CACHE_PATH=/a/cache/of/mine "$kiln" measure --warmup 0 --samples 1 --quiet -- sh -c "$show" "$work/seen" >/dev/null
equal "HOME is the user's" "$HOME" "$(sed -n 1p "$work/seen")"
check "the cache is private" seen_in_sandbox 2 s1/cache/warp
check "so is TMPDIR" seen_in_sandbox 3 s1/tmp
check "and the driver's cache" seen_in_sandbox 4 s1/cache/cuda
equal "without a warm-up the interpreter keeps its bytecode as always" none "$(sed -n 5p "$work/seen")"
equal "the warm run has the cache of its cold run" "$(sed -n 2p "$work/seen")" "$(sed -n 7p "$work/seen")"

rm -f "$work/seen"
PYTHONDONTWRITEBYTECODE=1 "$kiln" measure --samples 1 -o "$report" -- sh -c "$show" "$work/seen" >/dev/null 2>&1
check "with one it goes to the sandbox" seen_in_sandbox 5 pyc
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
# shellcheck disable=SC2016
equal "a command that removes its sandbox" 3 \
  "$(status_of "$kiln" measure --warmup 0 --samples 2 -o "$report" -- sh -c 'rm -rf "$KILN_SANDBOX"')"
check "is not taken for one that did nothing" said "removed the folder of its events"
equal "no sample counts" 0 "$(json "$report" '[.arms[0].samples[] | select(.valid)] | length')"
# shellcheck disable=SC2016
equal "a command that writes into the record" 0 "$(status_of "$kiln" measure --warmup 0 --samples 1 -o "$report" -- \
  sh -c 'echo "{\"ev\":" >"$KILN_EVENTS/1.2.jsonl"; mkfifo "$KILN_EVENTS/2.2.jsonl"; ln -s / "$KILN_EVENTS/3.2.jsonl"')"
check "is told what could not be read" grep -q 'Event lines that could not be read: 1 ' "$report"
# shellcheck disable=SC2016
equal "a command that kills the supervisor" 5 "$(status_of "$kiln" measure --warmup 0 --samples 1 -- sh -c 'kill -KILL $PPID')"
check "is said" said "signal 9"
nothing_left "a measurement"
finish
