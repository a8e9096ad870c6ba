# An agent whose adapter fails on purpose: . "$KILN_SOURCE/tests/warp/fault.sh"; build_fault_agent, then $fault_preload.
# Its one difference: a function of the adapter that KILN_FAULT names raises. The product knows nothing of it.
# shellcheck shell=sh disable=SC2154 # what tests/lib.sh sets
build_fault_agent() {
  fault_preload=$work/fault/libkiln-preload.so
  mkdir -p "$work/fault/python" && cp "$KILN_SOURCE"/agents/python/*.py "$work/fault/python/" || return 1
  cat >>"$work/fault/python/warp_graph.py" <<'PYTHON'


def broken(*args: Any, **kwargs: Any) -> None:
    raise RuntimeError("injected fault")


if os.environ.get("KILN_FAULT"):
    globals()[os.environ["KILN_FAULT"]] = broken
PYTHON
  fault_files=$(find "$work/fault/python" -name '*.py' | tr '\n' ';')
  cmake -DOUT="$work/fault/agent_python.c" "-DFILES=${fault_files%;}" -P "$KILN_SOURCE/cmake/EmbedText.cmake" || return 1
  fault_arch=generic
  [ "$(uname -m)" != x86_64 ] || fault_arch=x86_64
  # shellcheck disable=SC2046 # lists of names
  cc -std=c11 -O1 -g -fPIC -fvisibility=hidden -shared -D_GNU_SOURCE -I"$KILN_SOURCE" -I"$KILN_SOURCE/src" \
    -I"$KILN_SOURCE/include" -I"$KILN_BUILD/generated" $(pkg-config --cflags libcjson) -o "$fault_preload" \
    "$KILN_SOURCE"/agents/preload/*.c $(find "$KILN_SOURCE/agents/preload/$fault_arch" -name '*.[cS]') \
    "$work/fault/agent_python.c" "$KILN_SOURCE"/src/os/*.c "$KILN_SOURCE"/src/base/*.c "$KILN_SOURCE"/src/event/*.c \
    $(pkg-config --libs libcjson) -ldl -pthread -Wl,--exclude-libs,ALL -Wl,-z,nodelete
}
