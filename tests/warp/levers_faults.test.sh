#!/bin/sh
# Killed owners and full disks: with levers a start never fails for them, and its result is the same.
# shellcheck disable=SC2016 # jq's own variables
# shellcheck source=tests/lib.sh
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
need_tool jq
need_warp
need_kiln
# shellcheck source=tests/warp/agent.sh
. "$KILN_SOURCE/tests/warp/agent.sh"
version_is 1.13 || skip "levers of the CPU's header need Warp 1.13, this is $warp_version"
cp -R "$KILN_SOURCE/tests/warp/levers" "$work/levers" || exit 1
cd "$work/levers" || exit 1
KILN_CACHE_DIR=$work/kiln
export KILN_CACHE_DIR
state=$KILN_CACHE_DIR/levers
one="sum 64.000000"
small=$work/small
sleeper=

# shellcheck disable=SC2317 # called at the end
cleanup() {
  [ -z "$sleeper" ] || kill -KILL "$sleeper" 2>/dev/null
  umount "$small" 2>/dev/null
}

# applied COMMAND…: a cold run under kiln apply.
applied() {
  rm -rf "$cache"
  status_of "$kiln" apply "$work/levers.json" -- "$@"
}
same() { # WHAT: the program's text and nothing on standard error but Warp's and kiln's
  equal "$1: the same result" "$one" "$(grep '^sum' "$work/out")"
  equal "$1: nothing else is said" "" "$(grep -v -e CUDA -e FutureWarning -e '^kiln: ' "$work/err")"
}

echo '{"schema": "kiln-levers-1", "levers": [{"id": "shared_pch"}, {"id": "one_build"}]}' >"$work/levers.json"

# ---- no room for the header: the compiler's write is refused, as on a full disk ----
equal "a header that cannot be written" 0 "$(ulimit -f 4000 && applied "$python" one.py)"
equal "a header that cannot be written: the same result" "$one" "$(grep '^sum' "$work/out")"
check "is said" grep -q 'did not arrive: shared_pch (the compiler made no header)' "$work/err"
equal "nothing of it is left" "" "$(ls "$state/headers")"

# ---- a disk without any room ----
if [ "$(id -u)" -eq 0 ] && mkdir "$small" && mount -t tmpfs -o size=64k,mode=700 tmpfs "$small" 2>/dev/null; then
  dd if=/dev/zero of="$small/full" bs=4096 count=16 2>/dev/null
  equal "a cache folder on a full disk" 0 "$(KILN_CACHE_DIR=$small applied "$python" one.py)"
  same "a cache folder on a full disk"
  check "is said" grep -q 'did not arrive: shared_pch' "$work/err"
fi

# ---- an owner that was killed while it had the lock ----
equal "a first start" 0 "$(applied "$python" one.py)"
check "makes the header" grep -q 'applied shared_pch, one_build' "$work/err"
header=$(find "$state/headers" -mindepth 1 -maxdepth 1)
cat >owner.py <<'OWNER'
import fcntl, hashlib, os, signal, sys, time
folder = sys.argv[1]
boot = open("/proc/sys/kernel/random/boot_id").read().strip()
name = hashlib.blake2b("\0".join((boot, "header", folder)).encode(), digest_size=16).hexdigest()
fd = os.open(os.path.join(os.path.dirname(os.path.dirname(folder)), "locks", name), os.O_RDWR | os.O_CREAT, 0o600)
fcntl.flock(fd, fcntl.LOCK_EX)
os.pwrite(fd, b"%d" % os.getpid(), 0)
open("locked", "w").close()
time.sleep(600)
OWNER
lock_header() {
  rm -f locked
  chmod 700 "$header" && rm -rf "$header"
  "$python" owner.py "$header" &
  sleeper=$!
  tries=0
  until [ -e locked ] || [ "$tries" -ge 500 ]; do
    tries=$((tries + 1))
    sleep 0.02
  done
}
lock_header
kill -KILL "$sleeper"
wait "$sleeper" 2>/dev/null
equal "an owner that was killed" 0 "$(applied "$python" one.py)"
same "an owner that was killed"
check "is not waited for: the header is made" grep -q 'applied shared_pch' "$work/err"

# ---- Ctrl-C while the program waits for an owner that works ----
sed -i 's/^time\.sleep(600)$/while True:\n    sum(range(100000)) and time.sleep(0.05)/' owner.py
cat >interrupted.py <<'INTERRUPTED'
"""Send SIGINT once the program has written the source that the compiler gets next; say how it ended."""
import glob, os, signal, subprocess, sys, time
program = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
source = os.environ["WARP_CACHE_PATH"] + "/*/*_p%d_t*/*.cpp" % program.pid
begin = time.time()
while not glob.glob(source) and program.poll() is None and time.time() - begin < 60:
    time.sleep(0.02)
time.sleep(0.2)
waits = program.poll() is None
program.send_signal(signal.SIGINT)
said = program.communicate(timeout=60)[1].decode()
print("waits" if waits else "ended", program.returncode, "KeyboardInterrupt" in said)
INTERRUPTED
lock_header
rm -rf "$cache"
equal "an interrupt while it waits is the program's" "waits -2 True" "$(KILN_LEVERS=$work/levers.json \
  KILN_LEVERS_STATE=$state LD_PRELOAD=$preload "$python" -S interrupted.py "$python" one.py)"
kill -KILL "$sleeper"
wait "$sleeper" 2>/dev/null
sed -i 's/^while True:$/time.sleep(600)/; /sum(range/d' owner.py
if [ "${KILN_FULL:-0}" = 1 ]; then
  lock_header
  equal "an owner that does nothing" 0 "$(applied "$python" one.py)"
  same "an owner that does nothing"
  kill -KILL "$sleeper"
  wait "$sleeper" 2>/dev/null
  equal "after it" 0 "$(applied "$python" one.py)"
  check "the header is made" grep -q 'applied shared_pch' "$work/err"
fi
sleeper=

# ---- a builder that is killed, or whose program is ----
observed "$python" main.py
answer=$(grep '^sum' "$work/out")
jq -s --arg how processes -f record.jq "$all" >"$work/levers.json"
cat >killer.py <<'KILLER'
"""Kill every process that builds for this program, as soon as it shows."""
import os, signal, subprocess, sys, time
program = subprocess.Popen(sys.argv[1:])
killed = 0
while program.poll() is None:
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = open("/proc/%s/cmdline" % pid, "rb").read().split(b"\0")
        except OSError:
            continue
        if any(b"_kiln_builder" in word for word in words) and str(program.pid).encode() in words:
            os.kill(int(pid), signal.SIGKILL)
            killed += 1
    time.sleep(0.05)
open("killed", "w").write(str(killed))
sys.exit(program.returncode)
KILLER
rm -rf "$cache" "$state/notes"
KILN_LEVERS=$work/levers.json KILN_LEVERS_STATE=$state observed "$python" -S -c 'import runpy, sys; sys.argv = ["killer.py"] + sys.argv[1:]; runpy.run_path("killer.py", run_name="__main__")' "$python" main.py
equal "a builder that is killed: the program ends well" 0 "$observed_rc"
equal "a builder that is killed: the same result" "$answer" "$(grep '^sum' "$work/out")"
check "one was killed" test "$(cat killed)" -gt 0
rm -rf "$cache" "$state/notes"
printf 'import os, signal, time, warp\nfrom sim import grid\nopen("up", "w").write(str(os.getpid()))\ntime.sleep(600)\n' >waits.py
jq '.levers[0].modules |= map(select(.name | startswith("sim.")))' "$work/levers.json" >"$work/sim.json"
KILN_LEVERS=$work/sim.json KILN_LEVERS_STATE=$state LD_PRELOAD=$preload "$python" waits.py &
sleeper=$!
# shellcheck disable=SC2317 # called by check
{
  built() {
    [ "$(find "$cache" -name '*.meta' 2>/dev/null | wc -l)" -ge 1 ]
  }
  no_builder() {
    ! grep -lz _kiln_builder /proc/[0-9]*/cmdline 2>/dev/null | xargs -r -n1 sh -c 'tr "\0" " " <"$0"' 2>/dev/null | grep -q " $sleeper "
  }
  soon() {
    tries=0
    until "$@"; do
      tries=$((tries + 1))
      [ "$tries" -lt 1500 ] || return 1
      sleep 0.02
    done
  }
}
check "a program that only waits gets its modules built" soon built
kill -KILL "$sleeper"
wait "$sleeper" 2>/dev/null
check "when it is killed its builder ends" soon no_builder
sleeper=
finish
