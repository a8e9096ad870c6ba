#!/bin/sh
# What makes a loaded module stale, with the line that did it.
# shellcheck disable=SC2016 # jq's own variables
# shellcheck source=tests/lib.sh
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
need_tool jq
need_warp
# shellcheck source=tests/warp/agent.sh
. "$KILN_SOURCE/tests/warp/agent.sh"

# at MARK: the line of changes.py that carries the mark
at() { grep -n "# $1\$" "$programs/changes.py" | cut -d: -f1; }
# says WHAT MARK FILTER: an event that the filter accepts, by the marked line
says() { events_say "$1" "any(.where.line == \$line and ($3))" --argjson line "$(at "$2")"; }

check "the program runs" observed "$python" "$programs/changes.py"
equal "it got to its end" "done" "$(tail -n 1 "$work/out")"
events_say "no hook failed" 'all(.ev != "error")'
says "a configuration write, old and new value" CONFIG '.ev == "option" and .module == null and
  .changes.max_unroll == ["16", "8"] and .loaded == false'
events_say "a new overload is a declaration with its trigger" '[.[] | select(.ev == "declare" and .overload and .module == "__main__")] |
  length == 2 and map(.trigger.line) == [$float, $double] and all(.loaded and .kernel == "generic")' \
  --argjson float "$(at FLOAT)" --argjson double "$(at DOUBLE)"
says "an overload makes a loaded module stale" DOUBLE '.ev == "invalidate" and .module == "__main__"'
says "a late kernel is declared in a loaded module" LATE '.ev == "declare" and .kernel == "late" and .loaded'
# Python 3.9 gives a decorator's call the line of the `def` behind it.
events_say "and makes it stale" 'any(.ev == "invalidate" and .module == "__main__" and .loaded and
  (.where.line == $line or .where.line == $line + 1))' --argjson line "$(at LATE)"
says "only options that changed are told" OPTION '.ev == "option" and .module == "__main__" and .loaded and
  .changes == {"fast_math": ["False", "True"]}'
says "a tape's backward pass" TAPE '.ev == "tape" and .what == "backward"'
says "clearing the cache" "CLEAR" '.ev == "cache" and .what == "clear" and (.path | contains("/cache"))'
says "switching reuse off" OFF '.ev == "cache" and .what == "off"'
events_say "modules of one kernel carry their final name from the start" '
  [.[] | select(.step == "module" and (.module | test("unique"))) | .module] as $built | ($built | unique | length) == 3
  and all($built[]; . as $name | any($names[]; . == $name))' \
  --argjson names "$(jq -s '[.[] | select(.ev == "declare" and (.kernel | test("unique"))) | .module]' "$all")"
events_say "kernels of an identity: overloads by signature, digests differ" '
  [.[] | select(.ev == "hash" and .module == "__main__" and .kernels)] | length >= 4 and (.[-1].kernels
  | has("one") and has("late") and (keys | map(select(startswith("generic<"))) | length) == 2 and
  ([.[]] | unique | length) == 4)'
events_say "every build has an identity that was hashed before" '. as $all |
  [.[] | select(.step == "module")] | all(.identity as $id | any($all[]; .ev == "hash" and .identity == $id))'
if [ "$(uname -m)" = x86_64 ]; then
  equal "each overload counts for itself" "2 1" \
    "$(launches | awk '$3 ~ /^generic</ { n[$3] += $1 } END { print n["generic<a1f4>"], n["generic<a1f8>"] }')"
  equal "forward launches of one: first, six replays, one on the tape" 8 \
    "$(launches | awk '$3 == "one" && $4 == "forward" { n += $1 } END { print n }')"
  equal "one backward pass" 1 "$(launches | awk '$3 == "one" && $4 == "backward" { n += $1 } END { print n }')"
fi
# A cache folder that the program chooses, by the line that set it; a module whose folder has no hash in its name.
cat >"$work/chosen.py" <<PROGRAM
import warp as wp
wp.config.kernel_cache_dir = "$work/chosen"
wp.init()
import common
wp.set_module_options({"strip_hash": True}, module=common)
common.go(1)
PROGRAM
PYTHONPATH=$programs observed "$python" "$work/chosen.py"
equal "it ends as it should" 0 "$observed_rc"
events_say "the folder was set by the program, at this line" '[.[] | select(.ev == "cache" and .what == "root")] |
  length == 1 and .[0].by == "program" and .[0].where.line == 2'
events_say "the artefact lies in a folder without hash" '[.[] | select(.step == "module")] | length == 1 and
  (.[0].path | endswith("/wp_common"))'
check "(it does)" test -d "$(jq -r 'select(.step == "module").path' "$all")"
finish
