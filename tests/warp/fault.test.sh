#!/bin/sh
# Every function of the adapter fails once: the program's output, status and artefacts are as without kiln, and the
# failure is told. Some in ./dev test, all in ./dev test-full.
# shellcheck disable=SC2016 # jq's own variables
# shellcheck source=tests/lib.sh
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
need_tool jq cc cmake pkg-config
need_warp
# shellcheck source=tests/warp/agent.sh
. "$KILN_SOURCE/tests/warp/agent.sh"
# shellcheck source=tests/warp/fault.sh
. "$KILN_SOURCE/tests/warp/fault.sh"
build_fault_agent >"$work/build.log" 2>&1 || die "the failing agent cannot be built: $(tail -n 3 "$work/build.log")"
preload=$fault_preload

# Hooks proper: what is called before or after a function of Warp. One error event for each such function.
hooks='started declared hashed loaded modified compile_begin compiled generated options_begin options_set native_begin
  load_begin cache_root cache_cleared backward looked_up unloaded config_begin config_set'
# The rest: called by several hooks, or while hooks are set.
helpers='patch put guarded is_first_sight is_user_file where write argument identity_of kernel_name warp_config
  warp_version patch_context see_context patch_build see_build see_tape write_declare unique_name kernel_digests
  module_of_options patch_config device_alias artefact_folder work_here native_after patch_links dim_place
  signature_fields lookup_of patch_native patch_device'
if [ "${KILN_FULL:-0}" != 1 ]; then
  hooks='started hashed compiled config_set looked_up'
  helpers='patch write signature_fields'
fi
[ -z "${FAULTS:-}" ] || hooks=$FAULTS helpers=

artefacts() { find "$1" -type f -printf '%f\n' | sort; }
program=$programs/faults.py
WARP_CACHE_PATH=$work/bare-cache bare "$python" "$program"
check "the program runs without kiln" test "$bare_rc" -eq 0
artefacts "$work/bare-cache" >"$work/bare.files"
check "it leaves artefacts" test -s "$work/bare.files"

# faulty NAME: run with this function failing; everything but the events is as without kiln.
faulty() {
  rm -rf "$cache"
  export KILN_FAULT="$1"
  observed "$python" "$program"
  unset KILN_FAULT
  artefacts "$cache" >"$work/files"
  untimed "$work/out" | sed "s|$cache|CACHE|" >"$work/got"
  untimed "$work/bare.out" | sed "s|$work/bare-cache|CACHE|" >"$work/expected"
  if [ "$observed_rc" -eq 0 ] && cmp -s "$work/got" "$work/expected" && cmp -s "$work/err" "$work/bare.err" &&
    cmp -s "$work/files" "$work/bare.files"; then
    pass "$1 fails: the program is as it was"
  else
    fail "$1 fails: the program differs (exit $observed_rc)"
    diff "$work/expected" "$work/got"
    diff "$work/bare.err" "$work/err"
    diff "$work/bare.files" "$work/files"
  fi
}
told='[.[] | select(.ev == "error" and (.message | contains("injected fault"))) | .hook]'

faulty none
events_say "without a fault nothing is told" 'all(.ev != "error")'
for name in $hooks; do
  faulty "$name"
  events_say "$name fails: told once a hook" "$told | length >= 1 and length == (unique | length)"
done
for name in $helpers; do
  faulty "$name"
  events_say "$name fails: told" "$told | length >= 1"
done
finish
