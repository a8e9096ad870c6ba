#!/bin/sh
# Launches on a GPU, with Warp's entries into its CUDA library replaced: counted by handle, refused ones not.
# shellcheck disable=SC2016 # jq's own variables
# shellcheck source=tests/lib.sh
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
need_tool jq
need_warp
# shellcheck source=tests/warp/agent.sh
. "$KILN_SOURCE/tests/warp/agent.sh"

check "the program runs" observed "$python" "$programs/cuda.py"
equal "results pass through" "1 True True True True True False" "$(tail -n 7 "$work/out" | tr '\n' ' ' | sed 's/ $//')"
# Recorded launches count when the graph runs: 2 + 1 + 1 of them, 5 times; the refused and the destroyed one do not.
equal "launches by direction and dim" "5 16 far backward
1 32 far backward
2 8 far forward
10 16 far forward
5 24 far forward
9 64 far forward" "$(launches | cut -d' ' -f1-4)"
events_say "signatures name device and block size" '[.[] | select(.ev == "signature")] | length == 2 and
  all(.device == "cuda:0" and .block_dim == 128 and .module == "__main__" and .kernel == "far")'
events_say "the capture is an event, with its line" '[.[] | select(.ev == "capture")] | length == 1 and
  .[0].launches == 4 and .[0].where.line == $line' \
  --argjson line "$(grep -n '# LATE' "$programs/cuda.py" | cut -d: -f1)"
events_say "what is not counted is said, once each" '[.[] | select(.ev == "error") | .hook] == ["graph", "condition"]'
finish
