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
equal "results pass through" "1 True True True" "$(tail -n 4 "$work/out" | tr '\n' ' ' | sed 's/ $//')"
equal "launches by direction and dim" "1 32 far backward
9 64 far forward" "$(launches | cut -d' ' -f1-4)"
events_say "signatures name device and block size" '[.[] | select(.ev == "signature")] | length == 2 and
  all(.device == "cuda:0" and .block_dim == 128 and .module == "__main__" and .kernel == "far")'
events_say "what is not counted is said, once" '[.[] | select(.ev == "error")] | length == 1 and
  .[0].hook == "wp_cuda_graph_launch"'
finish
