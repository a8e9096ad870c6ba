#!/bin/sh
# kiln doctor finds out what can be observed here, by trying, and says where every setting comes from.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/cli/lib.sh"
need_tool python3
real=$(python3 -c 'import os, sys; print(os.path.realpath(sys.executable))')
facts=$work/facts.json
mkdir "$work/bin" "$work/home"
HOME=$work/home
export HOME
unset VIRTUAL_ENV CONDA_PREFIX XDG_CACHE_HOME WARP_CACHE_PATH KILN_CACHE_DIR KILN_JIT LD_PRELOAD
ln -s "$real" "$work/bin/python3"
PATH_BEFORE=$PATH
# doctor: only what is in $work/bin is on PATH. Prints the exit code.
doctor() {
  doctor_code=$(PATH=$work/bin status_of "$kiln" doctor --json)
  cp "$work/out" "$facts"
  echo "$doctor_code"
}
# fact GROUP NAME KEY
fact() {
  jq -r --arg group "$1" --arg name "$2" ".facts[] | select(.group == \$group and .name == \$name) | .$3 // \"missing\"" "$facts"
}

equal "a machine that can be observed" 0 "$(doctor)"
equal "the schema" kiln-doctor-1 "$(json "$facts" .schema)"
equal "the agent" "$preload" "$(fact parts agent value)"
equal "the supervisor" "$spawn" "$(fact parts supervisor value)"
equal "preloading was tried" ok "$(fact preload LD_PRELOAD state)"
equal "so was the interpreter" ok "$(fact python "$work/bin/python3" state)"
# shellcheck disable=SC2016 # expanded by the inner shell
check "and its version is its own" sh -c 'echo "$1" | grep -qF "Python $2,"' sh "$(fact python "$work/bin/python3" value)" \
  "$("$real" -c 'import platform; print(platform.python_version())')"
equal "a cache by default" "$work/home/.cache/warp: not there" "$(fact caches warp value)"
equal "is said to be so" default "$(fact caches warp source)"
mkdir -p "$work/warp/x" && printf '12345' >"$work/warp/x/a.o"
WARP_CACHE_PATH=$work/warp
export WARP_CACHE_PATH
equal "a cache by a variable" 0 "$(doctor)"
equal "with its size" "$work/warp: 5 B in 1 files" "$(fact caches warp value)"
equal "and who set it" WARP_CACHE_PATH "$(fact caches warp source)"
equal "the driver is looked for" true "$(json "$facts" '.facts | any(.group == "cuda" and .name == "driver")')"
equal "the temporary folder" "$sandboxes" "$(fact temporary folder value)"
equal "comes from TMPDIR" TMPDIR "$(fact temporary folder source)"
# shellcheck disable=SC3045 # dash and bash have it
check "open files are those of ulimit" test "$(fact limits 'open files' value)" = "$(ulimit -n)"
equal "the control group" true "$(json "$facts" '.facts | any(.group == "cgroup" and .name == "version")')"
KILN_JIT=off
export KILN_JIT
doctor >/dev/null
equal "a setting" off "$(fact settings jit value)"
equal "has a source" KILN_JIT "$(fact settings jit source)"
KILN_JIT=maybe
equal "a malformed one is exit code 1" 1 "$(doctor)"
check "and quoted" grep -q "'maybe'" "$facts"
unset KILN_JIT
equal "kernels are read from the tree of the build" "$KILN_SOURCE/kernels" "$(doctor >/dev/null; fact kernels sources value)"
equal "as the build folder says" "build folder" "$(fact kernels sources source)"
KILN_KERNELS=embedded
export KILN_KERNELS
equal "or from the copies" "the copies inside kiln" "$(doctor >/dev/null; fact kernels sources value)"
KILN_KERNELS=/no/such/kernels
equal "a folder that is none is exit code 1" 1 "$(doctor)"
unset KILN_KERNELS
KILN_JITT=off
export KILN_JITT
equal "one that does not exist" 0 "$(doctor)"
equal "is noted" note "$(fact settings KILN_JITT state)"
unset KILN_JITT

# ---- what cannot be observed ----
printf '#!/bin/sh\nunset LD_PRELOAD\nexec "%s" "$@"\n' "$real" >"$work/bin/python3.99"
chmod 700 "$work/bin/python3.99"
equal "an interpreter behind a wrapper that drops the agent" 1 "$(doctor)"
equal "is named" limited "$(fact python "$work/bin/python3.99" state)"
check "with a reason" test "$(fact python "$work/bin/python3.99" note)" != missing
printf '#!/bin/sh\nexit 127\n' >"$work/bin/python3.99"
equal "a shim of a version that is not installed" 0 "$(doctor)"
equal "is no complaint" info "$(fact python "$work/bin/python3.99" state)"
rm "$work/bin/python3.99"
if [ "$(id -u)" -eq 0 ] && id daemon >/dev/null 2>&1; then
  cp "$real" "$work/bin/python3.98" && chown daemon "$work/bin/python3.98" && chmod 4755 "$work/bin/python3.98"
  equal "a set-user-id interpreter" 1 "$(doctor)"
  # shellcheck disable=SC2016 # expanded by the inner shell
  check "is explained" sh -c 'echo "$1" | grep -q set-user-id' sh "$(fact python "$work/bin/python3.98" note)"
  rm "$work/bin/python3.98"
fi
mkdir -p "$work/venv/bin" && ln -s "$real" "$work/venv/bin/python"
VIRTUAL_ENV=$work/venv
export VIRTUAL_ENV
equal "a virtual environment" 0 "$(doctor)"
equal "comes first" VIRTUAL_ENV "$(json "$facts" '[.facts[] | select(.group == "python")][0].source')"
unset VIRTUAL_ENV

# ---- nothing can be measured ----
KILN_PRELOAD=$work/no-agent.so
export KILN_PRELOAD
equal "without the agent" 5 "$(doctor)"
equal "it is missing" blocked "$(fact parts agent state)"
equal "the supervisor is found all the same" ok "$(fact parts supervisor state)"
unset KILN_PRELOAD
TMPDIR=$work/no-such-folder
equal "without a temporary folder" 5 "$(doctor)"
equal "it is named" blocked "$(fact temporary folder state)"
TMPDIR=$sandboxes
PATH=$PATH_BEFORE

equal "the page" 0 "$(PATH=$work/bin status_of "$kiln" doctor)"
check "ends with a verdict" grep -qx 'Everything that was found can be observed.' "$work/out"
check "fits its width" test "$(COLUMNS=60 PATH="$work/bin" "$kiln" doctor | wc -L)" -le 60
equal "an argument is refused" 2 "$(status_of "$kiln" doctor x)"
check "nothing is left" no_folder_left
# ---- the budget of builds ----

mkdir -p "$work/machine/proc/self" "$work/machine/sys/devices/system/cpu" "$work/machine/sys/fs/cgroup"
printf 'MemTotal: 16777216 kB\nMemAvailable: 15728640 kB\n' >"$work/machine/proc/meminfo"
echo 0-63 >"$work/machine/sys/devices/system/cpu/online"
echo 0::/ >"$work/machine/proc/self/cgroup"
echo 300000 100000 >"$work/machine/sys/fs/cgroup/cpu.max"
# budget_of NAME: value and source.
budget_of() {
  jq -r --arg name "$1" '.facts[] | select(.group == "budget" and .name == $name) | .value + " by " + .source' "$work/doctor.json"
}
PATH=$work/bin KILN_SYSTEM_ROOT=$work/machine KILN_BUDGET_DIR=$work "$kiln" doctor --json >"$work/doctor.json"
equal "places come from a quota" "3 by $work/machine/sys/fs/cgroup/cpu.max" "$(budget_of "places for compilers")"
equal "memory comes from the machine" "14.00 GiB by seven eighths of MemTotal in $work/machine/proc/meminfo" \
  "$(budget_of "memory for compilers")"
equal "what is taken now" "0 of 3 by $work/budget" "$(budget_of "places taken now")"
PATH=$work/bin KILN_JOBS=7 KILN_MEMORY=2G KILN_JOB_MEMORY=512M KILN_BUDGET_DIR=$work "$kiln" doctor --json >"$work/doctor.json"
equal "places come from a variable" "7 by KILN_JOBS" "$(budget_of "places for compilers")"
equal "memory comes from a variable" "2.00 GiB by KILN_MEMORY" "$(budget_of "memory for compilers")"
equal "the need comes from a variable" "0.50 GiB by KILN_JOB_MEMORY" "$(budget_of "memory of one hostcc")"
echo plenty >"$work/machine/sys/fs/cgroup/memory.max"
equal "a malformed limit: exit code" 1 "$(PATH=$work/bin KILN_SYSTEM_ROOT=$work/machine status_of "$kiln" doctor)"
check "is quoted" grep -q "'plenty'" "$work/out"
finish
