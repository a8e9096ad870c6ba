#!/bin/sh
# Ahead-of-time builds for a GPU that is not here: real NVRTC and MathDx.
# shellcheck disable=SC2016 # jq's own variables
# shellcheck source=tests/lib.sh
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
need_tool jq
need_warp
# shellcheck source=tests/warp/agent.sh
. "$KILN_SOURCE/tests/warp/agent.sh"
# 1.9 compiles for a GPU only where one is; until 1.11 all is built each time, with the objects of backward passes.
version_is 1.12 || skip "Warp $warp_version does not do what this test holds to"
line=$(grep -n '# AOT' "$programs/aot.py" | cut -d: -f1)

check "it compiles" observed "$python" "$programs/aot.py" "$work/aot"
events_say "no hook failed" 'all(.ev != "error")'
events_say "two builds and one that was there" '[.[] | select(.step == "module") | .result] ==
  ["compiled", "compiled", "cached"]'
events_say "they are for a GPU, ahead of time, by NVRTC" '[.[] | select(.step == "module")] |
  all(.aot and .device == "cuda" and .toolchain == "nvrtc" and .block_dim == 256) and
  (.[:2] | all(.where.line == $line and .lto == 1 and .bytes > 1000)) and (map(.identity) | unique | length) == 1' \
  --argjson line "$line"
events_say "the folder is the program's" '[.[] | select(.step == "module") | .path] == [$a, $b, $a]' \
  --arg a "$work/aot/a" --arg b "$work/aot/b"
events_say "the artefacts lie there" '[.[] | select(.step == "native" and .result == "compiled")] | length == 2'
check "(they do)" sh -c "ls '$work'/aot/a/*.cubin '$work'/aot/b/*.cubin >/dev/null"
events_say "a link-time object is built once" '[.[] | select(.ev == "link") | .result] == ["compiled", "cached"]'
events_say "with the call that made it" '[.[] | select(.ev == "link" and .result == "compiled")] | length == 1 and
  (.[0] | .function == "build_lto_dot" and .arguments.arch == 90 and (.arguments.M | type) == "number" and
   (.arguments.adtype | startswith("warp.")) and (.arguments | has("builder") | not) and .module != null)'
events_say "and announced" 'any(.ev == "mark" and .name == "begin" and .what == "link" and (.symbol | startswith("dot_")))'
events_say "nothing was loaded or launched" 'all(.ev != "load" and .ev != "signature")'
finish
