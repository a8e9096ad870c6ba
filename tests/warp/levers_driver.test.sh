#!/bin/sh
# Builders where there is a CUDA driver, which does not bear a fork: nobody forks after it was started, and what builders
# could not do is said. The driver is a stand-in (tests/fakes) that ends such children.
# shellcheck disable=SC2016 # jq's own variables
# shellcheck source=tests/lib.sh
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
need_tool jq
need_warp
need_kiln
# shellcheck source=tests/warp/agent.sh
. "$KILN_SOURCE/tests/warp/agent.sh"
version_is 1.13 || skip "levers of the CPU's header need Warp 1.13, this is $warp_version"
fake=${KILN_BUILD:?}/tests/fake/libcuda_fork.so
[ -e "$fake" ] || skip "$fake is not built"
[ "$(nproc)" -ge 2 ] || skip "with one core nothing is built ahead"
mkdir -p "$work/driver" "$work/program/pair"
cp "$fake" "$work/driver/libcuda.so" && cp "$fake" "$work/driver/libcuda.so.1" || exit 1
cd "$work/program" || exit 1
inside=$("$python" -c 'import importlib.util as u; print(u.find_spec("warp._src") and "yes" or "")' 2>/dev/null | tail -n 1)
KILN_CACHE_DIR=$work/kiln
KILN_FAKE_LOG=$work/driver.log
export KILN_CACHE_DIR KILN_FAKE_LOG

# ---- a program of two modules, which waits for what is built ahead or said of it ----
cat >pair/a.py <<'MODULE'
import warp as wp


@wp.kernel
def k(x: wp.array(dtype=float)):
    x[wp.tid()] = x[wp.tid()] * 2.0 + 1.0
MODULE
sed 's/2\.0/3.0/' pair/a.py >pair/b.py
: >pair/__init__.py
cp -R pair plain
cat >main.py <<'MAIN'
import glob, os, sys, time
import warp as wp

wp.init()
from pair import a, b


def count(pattern, text):
    return sum(open(path, errors="replace").read().count(text) for path in glob.glob(pattern, recursive=True))


artefacts, said = int(sys.argv[1]), int(sys.argv[2])
cache, log, end = os.environ["WARP_CACHE_PATH"], os.environ.get("KILN_LEVERS_LOG", ""), time.monotonic() + 120.0
while time.monotonic() < end:
    made = len(glob.glob(cache + "/**/wp_pair*/*.meta", recursive=True))
    if made >= artefacts and count(log + "/*.jsonl", '"state":"failed"') >= said:
        break
    time.sleep(0.02)
x = wp.ones(8, dtype=float, device="cpu")
wp.launch(a.k, dim=8, inputs=[x], device="cpu")
wp.launch(b.k, dim=8, inputs=[x], device="cpu")
print("sum %g" % x.numpy().sum())
MAIN
observed "$python" main.py 0 0
equal "a run to learn from" "sum 80" "$(grep '^sum' "$work/out")"
jq -s --arg how processes -f "$KILN_SOURCE/tests/warp/levers/record.jq" "$all" | jq '.levers[0].jobs = 2' >ahead.json
equal "has two modules" 2 "$(jq '.levers[0].modules | length' ahead.json)"

# ahead WHAT ARTEFACTS SAID LINE: a cold start with the driver; kiln's line, and no fork after the driver was started.
ahead() {
  rm -rf "$cache" "$KILN_FAKE_LOG" "$KILN_CACHE_DIR/levers/notes"
  mkdir -p "$cache"
  equal "$1: the program ends well" 0 \
    "$(status_of env LD_LIBRARY_PATH="$work/driver" "$kiln" apply ahead.json -- "$python" main.py "$2" "$3")"
  equal "$1: the same result" "sum 80" "$(grep '^sum' "$work/out")"
  equal "$1: what arrived" "kiln: $4" "$(grep '^kiln: ' "$work/err")"
  check "$1: the driver was started" grep -q '^cuInit ' "$KILN_FAKE_LOG"
  equal "$1: nobody forked afterwards" "" "$(grep '^forked ' "$KILN_FAKE_LOG")"
}
module() { # NAME LINES…: that module begins so
  module_name=$1
  shift
  rm -rf pair
  cp -R plain pair
  { printf '%s\n' "$@" && cat "plain/$module_name.py"; } >"pair/$module_name.py"
}

ahead "plain modules" 2 0 "applied prebuild (2 of 2)."

# ---- for a GPU, by the compiler that does not need one ----
cp ahead.json cpu.json
jq '.levers[0].modules |= map(del(.identity) + {device: "cuda:0", arch: 90, block_dim: 256})' cpu.json >ahead.json
rm -rf "$cache"
gpu() { # prints what there is, as soon as there are two
  KILN_LEVERS=$PWD/ahead.json KILN_LEVERS_STATE=$work/state LD_LIBRARY_PATH=$work/driver observed "$python" main.py 2 0
  find "$cache" -name '*.cubin' | wc -l
}
mkdir -m 700 "$work/state"
rm -f "$KILN_FAKE_LOG"
equal "modules for a GPU: both are built" 2 "$(gpu)"
events_say "modules for a GPU: by forks of one interpreter beside the program" 'map(select(.name == "boot")) | length == 2'
equal "modules for a GPU: nobody forked after the driver was started" "" "$(grep '^forked ' "$KILN_FAKE_LOG")"
cp cpu.json ahead.json

# ---- modules that start the runtime when they are imported, or need it ----
module b 'import warp as wp' 'wp.init()'
ahead "a module that starts the runtime" 2 0 "applied prebuild (2 of 2)."
module b 'import warp as wp' 'wp._src.context.runtime.get_device("cpu")'
if [ -n "$inside" ]; then
  ahead "a module that needs the runtime" 2 0 "applied prebuild (2 of 2)."
fi

# ---- a process that does not bear a fork for another reason ----
module a 'import os, sys' 'if "_kiln_builder" in sys.modules:' \
  '    os.register_at_fork(after_in_child=lambda: os.kill(os.getpid(), 11))'
ahead "a module whose forks end" 2 0 "applied prebuild (2 of 2)."

# ---- builders that end: what the program built is not said to have arrived ----
module a 'import os, sys' 'from warp._src import build' 'if "_kiln_builder" in sys.modules:' \
  '    build.build_cpu = lambda *args, **options: os.kill(os.getpid(), 11)'
cp pair/a.py plain/a.py
module b "$(sed '/^$/,$d' plain/a.py)"
if [ -n "$inside" ]; then
  ahead "builders that end" 0 2 \
    "did not arrive: prebuild (0 of 2 arrived; each of 2 modules: its builder was ended by signal 11)."
fi
finish
