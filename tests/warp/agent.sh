# Running small programs under the agent alone: . "$KILN_SOURCE/tests/warp/agent.sh" after tests/lib.sh and need_warp.
# shellcheck shell=sh disable=SC2154,SC2034 # what tests/lib.sh sets; what the tests use
programs=$KILN_SOURCE/tests/warp/agent
events=$work/events
cache=$work/cache
all=$work/all.json
export PYTHONDONTWRITEBYTECODE=1
export WARP_CACHE_PATH="$cache"

# observed COMMAND…: run with the agent; output in $work/out and $work/err, all events in $all, the exit status is kept.
observed() {
  rm -rf "$events"
  mkdir -p "$events" "$cache"
  observed_rc=0
  KILN_EVENTS=$events LD_PRELOAD=$preload "$@" >"$work/out" 2>"$work/err" </dev/null || observed_rc=$?
  cat "$events"/*.jsonl >"$all" 2>/dev/null
  return "$observed_rc"
}

# bare COMMAND…: the same without the agent; output in $work/bare.out and $work/bare.err.
bare() {
  bare_rc=0
  "$@" >"$work/bare.out" 2>"$work/bare.err" </dev/null || bare_rc=$?
  return "$bare_rc"
}

# untimed FILE: what a program printed, without Warp's own timings.
untimed() {
  sed 's/ took [0-9.]* ms/ took/' "$1"
}

# events_say WHAT FILTER [ARGUMENTS of jq]: the filter over the list of all events is true.
events_say() {
  say_what=$1 say_filter=$2
  shift 2
  if jq -s -e "$@" "$say_filter" "$all" >/dev/null 2>"$work/jq.err"; then pass "$say_what"; else
    fail "$say_what: $(head -c 300 "$work/jq.err")"
    jq -c 'select(.ev != "import" and .ev != "declare") | del(.options, .kernels)' "$all" | cut -c1-240 | tail -n 40
  fi
}

# version_is LOWEST: Warp is this version ("1.13") or a later one.
version_is() {
  [ -n "${warp_version:-}" ] || warp_version=$("$python" -c 'import importlib.metadata as m; print(m.version("warp-lang"))')
  printf '%s\n%s\n' "$1" "$warp_version" | sort -V -C
}

# launches: what was counted, as "count dim kernel direction" sorted, one a line, all processes together.
launches() {
  "$python" -I "$programs/counts.py" "$events" | sort -k3,4 -k2,2n -k1,1n
}
