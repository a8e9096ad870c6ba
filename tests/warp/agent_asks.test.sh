#!/bin/sh
# Events that rules need beside the work: where kernels come from, what the source is made of, what the program asks for.
# shellcheck disable=SC2016 # jq's own variables
# shellcheck source=tests/lib.sh
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
need_tool jq
need_warp
# shellcheck source=tests/warp/agent.sh
. "$KILN_SOURCE/tests/warp/agent.sh"
version_is 1.19 || skip "Warp $warp_version captures no graph on the CPU"
at() { grep -n "# $1" "$programs/asks.py" | cut -d: -f1; }

check "it runs" observed "$python" "$programs/asks.py"
events_say "no hook failed" 'all(.ev != "error")'
events_say "products of a factory do the same, and who called it is known" '[.[] | select(.ev == "declare" and .unique)] |
  length == 3 and (map(.code) | unique | length) == 1 and (.[:2] | all(.made.line == $made)) and
  all(.where.line == $declared)' --argjson made "$(at MADE)" --argjson declared "$(at DECLARED)"
events_say "so is the caller of wp.map" '[.[] | select(.ev == "declare" and .kernel == "map_kernel") | .made.line] == [$line]' \
  --argjson line "$(at MAPPED)"
events_say "a kernel at module scope has no maker" '[.[] | select(.ev == "declare" and .kernel == "unrolled")] |
  length == 1 and (.[0] | has("code") or has("made") | not)'
events_say "loop bodies that were repeated are counted" \
  '[.[] | select(.step == "module" and .module == "__main__" and .result == "compiled") | .unrolled] == [16]'
events_say "the source is told apart" '[.[] | select(.step == "module" and .module == "__main__" and .result == "compiled")][0] |
  .kernel_count == 1 and .largest == "unrolled" and .backward_bytes > 1000 and .backward_bytes < .bytes and
  .largest_bytes > .backward_bytes'
events_say "a preload is a request" '[.[] | select(.ev == "request" and .what == "force_load")] | length == 1 and
  (.[0] | .modules == ["__main__"] and .devices == ["cpu"] and .max_workers == 1 and .where.line == $line)' \
  --argjson line "$(at PRELOAD)"
events_say "a tape begins to record" '[.[] | select(.ev == "tape") | [.what, .where.line]] == [["record", $line]]' \
  --argjson line "$(at TAPE)"
events_say "a capture has a begin and an end, and a build between them" '
  [.[] | select(.ev == "request" and .what == "capture_begin") | .t][0] as $from |
  [.[] | select(.ev == "request" and .what == "capture_end") | .t][0] as $to |
  [.[] | select(.step == "module" and .t > $from and .t < $to) | .where.line] == [$inside]' \
  --argjson inside "$(at INSIDE)"
events_say "a header names its module" '[.[] | select(.ev == "pch") | .module] | length == 1 and .[0] != null'
finish
