# Shared by the tests of the store and the JIT: . "$KILN_SOURCE/tests/proc/store_lib.sh"
#
# Order: `stub cc`, `store a`, `spec k 42`, then `load k` or `herd 64 k`; `compiles` and `entries` count.
. "$KILN_SOURCE/tests/proc/lib.sh"

loader=$KILN_BUILD/tests/proc.loader
herd=$KILN_BUILD/tests/proc.herd
shim=$KILN_BUILD/tests/proc.shim.so
for needed in "$loader" "$herd" "$shim" "$KILN_BUILD/tests/proc.stub_cc" "$KILN_BUILD/tests/proc.kernel.so"; do
  [ -x "$needed" ] || die "$needed is missing; run ./dev build"
done
# A sanitizer wants to be the first that is preloaded, and makes calls of its own.
sanitizer=$(ldd "$loader" 2>/dev/null | sed -n 's/^.*lib[at]san[^ ]* => \([^ ]*\).*/\1/p')
shim="$sanitizer${sanitizer:+ }$shim"
need_plain() {
  [ -z "$sanitizer" ] || skip "says nothing under a sanitizer"
}
real_cc=$(command -v gcc || command -v cc || command -v clang) || skip "no C compiler"

# What the caller has set is not what is tested; everything of this test lies in $work.
for name in $(env | sed -n 's/^\(KILN_[A-Z_]*\)=.*/\1/p'); do
  case $name in KILN_SOURCE | KILN_BUILD | KILN_FULL | KILN_SEED | KILN_WRITE) ;; *) unset "$name" ;; esac
done
unset CPATH C_INCLUDE_PATH LIBRARY_PATH XDG_CACHE_HOME
mkdir "$work/home" "$work/tmp" "$work/specs"
# A budget of its own: neither does this test wait for others, nor for the processors of this machine.
HOME=$work/home TMPDIR=$work/tmp KILN_LIBEXEC=$KILN_BUILD/bin KILN_JOBS=256 KILN_MEMORY=unlimited KILN_BUDGET_DIR=$work/budget
export HOME TMPDIR KILN_LIBEXEC KILN_JOBS KILN_MEMORY KILN_BUDGET_DIR

# stub NAME [SETTING=VALUE…]: a compiler of its own kind in $work/NAME, which counts in $work/NAME/log; now the compiler.
# Without further settings it hands out a library at once. "template=" makes it compile with the real compiler.
stub() {
  stub_name=$1
  shift
  mkdir -p "$work/$stub_name"
  [ -x "$work/$stub_name/cc" ] || cp "$KILN_BUILD/tests/proc.stub_cc" "$work/$stub_name/cc"
  KILN_CC=$work/$stub_name/cc
  export KILN_CC
  compile_log=$work/$stub_name/log
  stub_is "$@"
}
# stub_is [SETTING=VALUE…]: how the present compiler behaves from now on.
stub_is() {
  {
    printf 'real=%s\nlog=%s\ntemplate=%s\n' "$real_cc" "$compile_log" "$KILN_BUILD/tests/proc.kernel.so"
    for setting in "$@"; do printf '%s\n' "$setting"; done
  } >"$KILN_CC.next"
  mv "$KILN_CC.next" "${KILN_CC%/cc}/stub.conf"
}
compiles() {
  if [ -e "$compile_log" ]; then wc -l <"$compile_log" | tr -d ' '; else echo 0; fi
}
forget_compiles() {
  rm -f "$compile_log"
}

# store NAME: a fresh store in $work/NAME is now the store.
store() {
  KILN_CACHE_DIR=$work/$1
  export KILN_CACHE_DIR
}
entry_files() {
  find "$KILN_CACHE_DIR/v1/entries" -type f 2>/dev/null
}
entries() {
  entry_files | wc -l | tr -d ' '
}
build_folders() {
  find "$KILN_CACHE_DIR/v1/build" -mindepth 1 -maxdepth 1 -type d 2>/dev/null | wc -l | tr -d ' '
}

# spec NAME NUMBER: $work/specs/NAME, whose function returns NUMBER.
spec() {
  printf '{"name":"%s","toolchain":"hostcc","sources":[{"name":"k.c","text":"int value(void);\\nint value(void) { return %s; }\\n/* end of source */\\n"}],"entry_points":["value"]}\n' \
    "$1" "$2" >"$work/specs/$1"
}

# load [VARIABLE=VALUE…] [--OPTION…] NAME… : one process that loads these specs; its lines are in $work/out, messages in
# $work/err, its status is returned. got FIELD: a field of its first line (result, value, key, path, status).
load() {
  # The words turn around once: variables stay in front of the program, specs get their path.
  load_left=$# load_rc=0
  load_program=''
  while [ "$load_left" -gt 0 ]; do
    load_word=$1
    shift
    load_left=$((load_left - 1))
    case $load_word in
      -*) ;;
      *=*)
        set -- "$@" "$load_word"
        continue
        ;;
      *) load_word=$work/specs/$load_word ;;
    esac
    [ -n "$load_program" ] || set -- "$@" timeout 120 "$loader" --log
    load_program=given
    set -- "$@" "$load_word"
  done
  env "$@" >"$work/out" 2>"$work/err" </dev/null || load_rc=$?
  return "$load_rc"
}
got() {
  case $1 in
    result) awk 'NR == 1 { print $1 == "ok" ? $3 : $1 }' "$work/out" ;;
    value) awk 'NR == 1 { print $1 == "ok" ? $4 : "none" }' "$work/out" ;;
    key) awk 'NR == 1 && $1 == "ok" { print $5 }' "$work/out" ;;
    path) awk 'NR == 1 && $1 == "ok" { print $6 }' "$work/out" ;;
    status) awk 'NR == 1 && $1 == "error" { print $3 }' "$work/out" ;;
  esac
}
said() {
  grep -qF -- "$1" "$work/out" "$work/err" || {
    sed 's/^/   said: /' "$work/out" "$work/err"
    return 1
  }
}

# run_herd COUNT OPTION… -- NAME…: COUNT loaders behind a barrier; their lines are in $work/herd/*.out, the summary in
# $work/summary. Options are the herd's.
run_herd() {
  herd_count=$1
  shift
  herd_options=''
  while [ "$1" != -- ]; do
    herd_options="$herd_options $1"
    shift
  done
  shift
  herd_specs=''
  for herd_word in "$@"; do
    case $herd_word in
      -* | '{i}') herd_specs="$herd_specs $herd_word" ;;
      *) herd_specs="$herd_specs $work/specs/$herd_word" ;;
    esac
  done
  rm -rf "$work/herd"
  mkdir "$work/herd"
  # shellcheck disable=SC2086 # lists of names without blanks
  "$herd" --processes "$herd_count" --out "$work/herd" --barrier "$work/barrier" $herd_options -- \
    "$loader" --log --barrier "$work/barrier" $herd_specs >"$work/summary"
  herd_rc=$?
  [ "$herd_rc" -eq 0 ] || sed 's/^/   herd: /' "$work/summary"
  return "$herd_rc"
}
# herd_lines PATTERN: how many lines of the herd match.
herd_lines() {
  cat "$work"/herd/*.out | grep -c "$1"
}
# no_herd_errors: every line is a success; the first others are shown.
no_herd_errors() {
  cat "$work"/herd/*.out | grep -v '^ok ' >"$work/herd_errors"
  head -n 5 "$work/herd_errors" | sed 's/^/   /'
  [ ! -s "$work/herd_errors" ]
}

# in_time COMMAND…: as soon, for what a loaded machine may take longer to do.
in_time() {
  in_time_left=15
  until soon "$@"; do
    in_time_left=$((in_time_left - 1))
    [ "$in_time_left" -gt 0 ] || return 1
  done
}

# milliseconds since some moment
clock() {
  awk '{ printf "%d\n", $1 * 1000 }' /proc/uptime
}
