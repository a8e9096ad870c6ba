#!/bin/sh
# Compilers of all processes of a host together stay within its budget: memory, processors, control groups, KILN_JOBS.
# The fake compiler notes when it begins and when it ends; most at once is counted from that.
. "$KILN_SOURCE/tests/proc/store_lib.sh"
processes=4 keys=16
stub cc sleep_ms=20 "running=$work/running" "gate=$work/gate"
i=0
while [ "$i" -lt $((processes * keys)) ]; do
  spec "s$i" $((7000 + i))
  i=$((i + 1))
done

# machine [LINE…]: a fresh root with 16 GiB and 64 processors; LINE "FILE CONTENT" adds a file of it.
machine() {
  KILN_SYSTEM_ROOT=$work/machine
  export KILN_SYSTEM_ROOT
  rm -rf "$KILN_SYSTEM_ROOT"
  mkdir -p "$KILN_SYSTEM_ROOT/proc/self" "$KILN_SYSTEM_ROOT/sys/devices/system/cpu"
  printf 'MemTotal: 16777216 kB\nMemFree: 1 kB\nMemAvailable: 15728640 kB\n' >"$KILN_SYSTEM_ROOT/proc/meminfo"
  echo 0-63 >"$KILN_SYSTEM_ROOT/sys/devices/system/cpu/online"
  for line in "$@"; do
    mkdir -p "$KILN_SYSTEM_ROOT/$(dirname "${line%% *}")"
    printf '%s\n' "${line#* }" >"$KILN_SYSTEM_ROOT/${line%% *}"
  done
}
# most_at_once: of the compilers in $work/running.
most_at_once() {
  awk '{ n += $1 == "+" ? 1 : -1; if (n > most) most = n } END { print most + 0 }' "$work/running"
}

# shellcheck disable=SC2317 # called by in_time
begun() {
  [ -e "$work/running" ] && [ "$(grep -c '^+' "$work/running")" -ge "$1" ]
}

# storm WHAT BUDGET: 4 processes, each with 16 threads and 16 cold keys of its own. The compilers wait for a gate until
# BUDGET of them have begun; at no time there are more.
storm() {
  rm -rf "$work/storm" "$work/running" "$work/budget" "$work/gate"
  forget_compiles
  store storm
  p=0
  while [ "$p" -lt $processes ]; do
    set -- "$1" "$2"
    k=0
    while [ "$k" -lt $keys ]; do
      set -- "$@" "$work/specs/s$((p * keys + k))"
      k=$((k + 1))
    done
    storm_what=$1 storm_budget=$2
    shift 2
    # Threads begin with different keys, so that all sixteen are asked for at once.
    "$KILN_BUILD/tests/proc.loader" --log --spread --threads $keys "$@" >"$work/storm.$p" 2>"$work/storm.$p.err" &
    set -- "$storm_what" "$storm_budget"
    p=$((p + 1))
  done
  check "$1: the budget is used" in_time begun "$2"
  touch "$work/gate"
  wait
  peak=$(most_at_once)
  echo "   $1: budget $2, most at once $peak, $(compiles) compiles"
  equal "$1: every key is built once" $((processes * keys)) "$(compiles)"
  equal "$1: and loaded right" 0 "$(cat "$work"/storm.? | awk '{ sub("s", "", $2); if ($1 != "ok" || $4 != 7000 + $2) n++ } END { print n + 0 }')"
  check "$1: never more compilers than the budget" [ "$peak" -le "$2" ]
}
unset KILN_JOBS KILN_MEMORY
machine
KILN_JOB_MEMORY=1G
export KILN_JOB_MEMORY
storm "16 GiB, 64 processors, 1 GiB each" 14
machine "proc/self/cgroup 0::/pod/job" "sys/fs/cgroup/pod/job/memory.max max" "sys/fs/cgroup/pod/memory.max 6442450944"
storm "the parent group has 6 GiB, the leaf no limit" 5
machine "proc/self/cgroup 7:memory:/docker/a" "sys/fs/cgroup/memory/docker/a/memory.limit_in_bytes 4294967296"
storm "version 1, 4 GiB" 3
KILN_JOB_MEMORY=64M
machine "proc/self/cgroup 0::/pod/job" "sys/fs/cgroup/pod/job/cpu.max max 100000" "sys/fs/cgroup/pod/cpu.max 300000 100000"
storm "a quota of 3.0 processors around an unlimited leaf" 3
machine "proc/self/cgroup 4:cpu,cpuacct:/docker/a" "sys/fs/cgroup/cpu,cpuacct/docker/a/cpu.cfs_quota_us 200000" \
  "sys/fs/cgroup/cpu,cpuacct/docker/a/cpu.cfs_period_us 100000"
storm "version 1, a quota of 2.0" 2
machine
KILN_JOBS=4
export KILN_JOBS
storm "KILN_JOBS=4" 4
KILN_JOB_MEMORY=100G
storm "each needs more than there is" 1
unset KILN_SYSTEM_ROOT

# ---- waiting is told, and ends when an owner dies ----

KILN_JOBS=1 KILN_MEMORY=unlimited
export KILN_MEMORY
unset KILN_JOB_MEMORY
rm -f "$work/gate"
stub_is "gate=$work/gate"
forget_compiles
store owner
spec a 1
spec b 2
"$loader" "$work/specs/a" >/dev/null 2>&1 &
owner=$!
in_time has_lines "$compile_log" 1
: >"$work/b.err"
"$loader" --log "$work/specs/b" >"$work/b.out" 2>"$work/b.err" &
waiter=$!
check "who waits for its turn says so" in_time grep -q '^progress b queue ' "$work/b.err"
equal "and does not compile" 1 "$(compiles)"
touch "$work/gate"
kill -KILL "$owner"
wait "$owner" 2>/dev/null
wait "$waiter"
check "when the owner is killed its place is free" grep -q '^ok b built 2 ' "$work/b.out"

# ---- priority ----

own=$(nice)
low=$((own > 10 ? own : 10))
stub_is "nice=$work/priority"
store nice
load a
equal "compilers run at low priority" "$low" "$(cat "$work/priority")"
rm -f "$work/priority"
load KILN_LOW_PRIORITY=off b
equal "unless that is switched off" "$own" "$(cat "$work/priority")"

# ---- malformed limits ----

store malformed
stub_is
for wrong in KILN_JOBS=0 KILN_JOBS=two KILN_JOBS=-1 KILN_JOBS=5000 KILN_JOBS=1.5 KILN_MEMORY=lots KILN_MEMORY=0 \
  KILN_JOB_MEMORY=4X KILN_LOW_PRIORITY=maybe KILN_BUDGET_DIR=relative; do
  load "$wrong" a
  equal "$wrong is refused" KILN_ERROR_ARGUMENT "$(awk '{ print $3; exit }' "$work/out")"
  check "$wrong is quoted" said "'${wrong#*=}'"
  check "with its variable" said "${wrong%%=*}"
done
unset KILN_JOBS KILN_MEMORY
machine "proc/self/cgroup 0::/" "sys/fs/cgroup/cpu.max plenty"
load a
equal "a malformed limit of a group is refused" KILN_ERROR_ENVIRONMENT "$(got status)"
check "and quoted" said "'plenty'"
check "with its file" said "sys/fs/cgroup/cpu.max"
equal "nothing was compiled" 0 "$(entries)"
load KILN_JOBS=2 KILN_MEMORY=4G a
equal "unless the user says what to use" "built 1" "$(got result) $(got value)"
load a
equal "and a hit does not look at it" "hit 1" "$(got result) $(got value)"
finish
