#!/bin/sh
# SIGKILL of kiln at random moments: no compiler, child or sandbox is left after two seconds. kiln and everything that looks after
# the run killed: none is left after the next start. The moments come from a printed seed (KILN_SEED repeats it).
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/cli/lib.sh"
rounds=20
[ "${KILN_FULL:-0}" = 1 ] && rounds=200
seed=${KILN_SEED:-$(date +%s)}
printf '   seed %s, %d kills of each kind\n' "$seed" "$rounds"

# A command with a compiler, a background child and a daemon, which ends by itself now and then so that moments between runs are hit.
cat >"$work/compiler" <<'COMPILER'
#!/bin/sh
echo unfinished >"$TMPDIR/object.o"
exec sleep 600
COMPILER
cat >"$work/program" <<'PROGRAM'
#!/bin/sh
[ $(($$ % 3)) -gt 0 ] || exit 0
sleep 600 &
setsid sleep 600 &
"$(dirname "$0")/compiler" &
wait
PROGRAM
chmod 700 "$work/program" "$work/compiler"

# Seconds to wait before each kill: every second one while the sandbox is being made, the others mostly early.
awk -v seed="$seed" -v n=$((2 * rounds)) 'BEGIN {
  srand(seed)
  for (i = 0; i < n; i++) printf "%.4f\n", i % 2 ? rand() * 0.012 : rand() * rand() * 0.4
}' >"$work/moments"
begin() {
  "$kiln" measure --quiet --warmup 0 --samples 3 -- "$work/program" >/dev/null 2>&1 &
  job=$!
  sleep "$1"
}
# helpers_of PID: supervisors and guards of this kiln.
helpers_of() {
  for stat in /proc/[0-9]*/stat; do
    sed -n "s/^\([0-9]*\) (kiln-spawn) [A-WY] $1 .*/\1/p" "$stat" 2>/dev/null
  done
}
# As no_process_left, by one program: it is asked hundreds of times.
no_process_left() {
  ! grep -qzs "^KILN_SANDBOX=$sandboxes/" /proc/[0-9]*/environ
}
left_processes=0 left_folders=0 ended=0
for moment in $(head -n "$rounds" "$work/moments"); do
  begin "$moment"
  kill -KILL "$job" 2>/dev/null || ended=$((ended + 1))
  wait "$job" 2>/dev/null
  soon no_process_left || left_processes=$((left_processes + 1))
  soon no_folder_left || {
    left_folders=$((left_folders + 1))
    rm -rf "${sandboxes:?}"/*
  }
done
printf '   kiln killed %d times (%d had ended before): process left %d times, sandbox left %d times\n' \
  "$rounds" "$ended" "$left_processes" "$left_folders"
equal "no process is left after 2 s" 0 "$left_processes"
equal "no sandbox is left after 2 s" 0 "$left_folders"

left_processes=0 left_folders=0 orphans=0 refused=0
for moment in $(tail -n "$rounds" "$work/moments"); do
  begin "$moment"
  # Stopped first: none of them sees the others die.
  kill -STOP "$job" 2>/dev/null
  helpers=$(helpers_of "$job")
  # shellcheck disable=SC2086 # a list of numbers
  kill -STOP $helpers 2>/dev/null
  # shellcheck disable=SC2086
  kill -KILL "$job" $helpers 2>/dev/null
  wait "$job" 2>/dev/null
  no_process_left || orphans=$((orphans + 1))
  [ "$(status_of "$kiln" measure --quiet --warmup 0 --samples 1 -- true)" = 0 ] || {
    refused=$((refused + 1))
    sed 's/^/   the next start: /' "$work/err"
  }
  soon no_process_left || left_processes=$((left_processes + 1))
  soon no_folder_left || {
    left_folders=$((left_folders + 1))
    rm -rf "${sandboxes:?}"/*
  }
done
printf '   kiln, supervisor and guard killed %d times (orphans there %d times): after the next start process left %d times, sandbox left %d times\n' \
  "$rounds" "$orphans" "$left_processes" "$left_folders"
equal "the next start succeeds each time" 0 "$refused"
equal "and leaves no process" 0 "$left_processes"
equal "and no sandbox" 0 "$left_folders"
finish
