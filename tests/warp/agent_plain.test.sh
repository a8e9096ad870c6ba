#!/bin/sh
# What one plain Warp program says: every phase of a cold and a warm run, exact launches, and no difference in output.
# shellcheck disable=SC2016 # jq's own variables
# shellcheck source=tests/lib.sh
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
need_tool jq
need_warp
# shellcheck source=tests/warp/agent.sh
. "$KILN_SOURCE/tests/warp/agent.sh"
build=$(grep -n '# BUILD' "$programs/plain.py" | cut -d: -f1)

check "a cold run ends as it should" observed "$python" "$programs/plain.py"
events_say "no hook failed" 'all(.ev != "error")'
events_say "one process with its marks in order" '(.[] | select(.name == "boot") | .pid) as $pid
  | [.[] | select(.pid == $pid and (.ev == "process" or .ev == "mark")) | .name // .what]
  | . - ["begin"] | .[0:3] == ["start", "boot", "main"] and (index("framework") < index("init")) and
  (index("init") < index("exit")) and (index("exit") < index("end"))'
events_say "spans have ids of their own, a begin and a length" '[.[] | select(has("dur"))]
  | (map(.id) | unique | length) == length and all(.dur >= 0 and .dcpu >= 0 and .t > 0)'
events_say "spans of a thread nest" '[.[] | select(has("dur")) | {b: .t, e: (.t + .dur)}] as $s
  | [range(1; $s | length) as $i | $s[$i] as $o | $s[:$i][] | select(.e > $o.b and .b < $o.b)] == []'
events_say "the kernel was declared where it stands" 'any(.ev == "declare" and .kernel == "scale" and
  .module == "__main__" and .where.line == 4 and .loaded == false)'
events_say "the identity is a whole hash, its parts are told" '[.[] | select(.ev == "hash" and .module == "__main__")]
  | length == 1 and (.[0].identity | test("^[0-9a-f]{64}$")) and (.[0].kernels.scale | test("^[0-9a-f]{16}$")) and
  .[0].options.fast_math == "False"'
events_say "one build" '[.[] | select(.ev == "compile" and .step == "module")] | length == 1 and (.[0]
  | .result == "compiled" and .toolchain == "llvm" and .device == "cpu" and .block_dim == 1 and .aot == false and
  .bytes > 1000 and (.digest | test("^[0-9a-f]{16}$")) and .lto == 0 and .where.line == $line and
  (.where.file | endswith("/plain.py")))' \
  --argjson line "$build"
events_say "the artefact lies where the event says" '.[] | select(.ev == "compile" and .step == "module") |
  .path == ($cache + "/wp___main___" + .identity[:7])' --arg cache "$(find "$cache" -name 'wp___main___*' -type d -printf '%h')"
check "(it does)" test -d "$(jq -r 'select(.step == "module").path' "$all")"
if version_is 1.13; then # there was no header for the CPU before
  events_say "the header is inside the native step, which is inside the build" '
  (.[] | select(.ev == "pch")) as $h | (.[] | select(.step == "native")) as $n | (.[] | select(.step == "module")) as $m
  | $h.t == $n.t and $h.dur < $n.dur and $n.t >= $m.t and $n.t + $n.dur <= $m.t + $m.dur and ($h.path | endswith(".pch"))'
fi
events_say "loaded once, compiled here" '[.[] | select(.ev == "load")] | length == 1 and .[0].result == "compiled" and
  .[0].identity == $id and .[0].device == "cpu"' --arg id "$(jq -r 'select(.step == "module").identity' "$all")"
events_say "its entries were looked up" '[.[] | select(.ev == "lookup") | .kernel] == ["scale", "scale"]'
events_say "the cache was chosen by the environment" 'any(.ev == "cache" and .what == "root" and .by == "environment")'
events_say "a begin was announced before the build" '(map(.ev == "mark" and .name == "begin") | index(true)) <
  (map(.step == "module") | index(true))'
if [ "$(uname -m)" = x86_64 ]; then
  equal "launches are exact: dim 0 is none" "1 8 scale forward
10 16 scale forward" "$(launches | cut -d' ' -f1-4)"
fi

check "a warm run ends as it should" observed "$python" "$programs/plain.py"
events_say "warm: found, not built" '[.[] | select(.step == "module") | .result] == ["cached"] and
  all(.step != "native" and .ev != "pch" and .ev != "codegen")'
events_say "warm: loaded from the cache" '[.[] | select(.ev == "load") | .result] == ["cached"]'
check "the same without kiln" bare "$python" "$programs/plain.py"
equal "standard output is the same" "$(untimed "$work/bare.out")" "$(untimed "$work/out")"
equal "standard error is the same" "$(cat "$work/bare.err")" "$(cat "$work/err")"
finish
