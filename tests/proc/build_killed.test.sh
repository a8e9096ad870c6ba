#!/bin/sh
# The owner of a build is ended by SIGINT, SIGTERM or SIGKILL: two seconds later nothing of the compiler is left, its
# build folder is gone with the next build, and its place in the budget is free. For every toolchain that starts
# programs, whether a program of its own, kiln cache build or kiln cache prewarm is the owner.
. "$KILN_SOURCE/tests/proc/store_lib.sh"
KILN_JOBS=1 KILN_CC=$real_cc
export KILN_CC

# In front of the compiler: it notes its pid, starts children (one of them in a session of its own), and does not end.
cat >"$work/launcher" <<STUB
#!/bin/sh
echo \$\$ >>"$work/pids"
setsid sh -c 'echo \$\$ >>"$work/pids"; exec sleep 600' &
sh -c 'trap "" INT TERM HUP; echo \$\$ >>"$work/pids"; exec sleep 600' &
wait
STUB
chmod 755 "$work/launcher"
KILN_LAUNCHER=$work/launcher
export KILN_LAUNCHER

# spec_for TOOLCHAIN NUMBER
spec_for() {
  case $1 in
    hostcc) spec "$1$2" "$2" ;;
    *)
      jq -cn --arg name "$1$2" --arg toolchain "$1" '{name: $name, toolchain: $toolchain, archs: ["sm_90"],
        sources: [{name: "k.cu", text: ("extern \"C\" __global__ void value(int *x) { *x = " + ($name | length | tostring) + "; }\n// " + $name + "\n")}],
        entry_points: ["value"]}' >"$work/specs/$1$2"
      ;;
  esac
}
# start OWNER SPEC: in the background; $owner is its pid.
start() {
  # The background of a shell ignores SIGINT, and programs would inherit that.
  case $1 in
    program) env --default-signal=INT "$loader" "$work/specs/$2" >"$work/owner.out" 2>&1 & ;;
    build) env --default-signal=INT "$kiln" cache build "$work/specs/$2" >"$work/owner.out" 2>&1 & ;;
    prewarm) env --default-signal=INT "$kiln" cache prewarm "$work/specs/$2" >"$work/owner.out" 2>&1 & ;;
  esac
  owner=$!
}
# shellcheck disable=SC2317 # called by soon
none_left() {
  all_dead "$work/pids" 3
}
# ended TOOLCHAIN OWNER SIGNAL
ended() {
  what="$1, $2, SIG$3"
  number=$((number + 1))
  spec_for "$1" "$number"
  rm -f "$work/pids"
  start "$2" "$1$number"
  if ! in_time has_lines "$work/pids" 3; then
    fail "$what: the compiler does not start: $(tail -n 1 "$work/owner.out")"
    kill -KILL "$owner"
    wait "$owner" 2>/dev/null
    return
  fi
  before=$(clock)
  kill "-$3" "$owner"
  if soon none_left; then
    pass "$what: 0 compilers after $(($(clock) - before)) ms"
  else
    fail "$what: $(while read -r pid; do alive "$pid" && echo "$pid"; done <"$work/pids" | wc -l) compilers after 2 s"
  fi
  wait "$owner" 2>/dev/null
}

number=0
toolchains=$("$kiln" cache build - 2>&1 <<'JSON' | sed -n 's/.*Choose one of: \(.*\)\./\1/p' | tr -d ','
{"name": "x", "toolchain": "none"}
JSON
)
check "there are toolchains" [ -n "$toolchains" ]
for toolchain in $toolchains; do
  store "$toolchain"
  case $toolchain in
    nvrtc)
      echo "   $toolchain compiles within its process: nothing to leave behind"
      continue
      ;;
    hostcc) ;;
    *)
      spec_for "$toolchain" probe
      if ! env -u KILN_LAUNCHER "$kiln" cache build "$work/specs/${toolchain}probe" >"$work/out" 2>&1; then
        echo "   $toolchain: not here: $(tail -n 1 "$work/out")"
        continue
      fi
      ;;
  esac
  for owner_kind in program build prewarm; do
    for signal in INT TERM KILL; do
      ended "$toolchain" $owner_kind $signal
    done
  done
done

# The place that the last one held is free, and so is its folder.
store hostcc
unset KILN_LAUNCHER
spec after 9
load after
equal "the next build gets its turn" "built 9" "$(got result) $(got value)"
equal "and no build folder is left" 0 "$(build_folders)"
finish
