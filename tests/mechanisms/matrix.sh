# Holds kiln's diagnosis of each program of catalogue.table against its truth, and prints program × mechanism.
# shellcheck shell=sh disable=SC2016,SC2154 # jq's own variables; what tests/lib.sh sets
# Read after tests/lib.sh. $mechanisms: this folder. Cells:
#   F fired, as planted    . ruled out    o not reached, and the table says why that must be so
#   X fired, not planted   M missed: planted, not fired   ? not reached, though the record could tell
mechanisms=$KILN_SOURCE/tests/mechanisms
export PYTHONDONTWRITEBYTECODE=1

# The 28 cells of a report; $truth and $open are lists of ids with commas.
matrix_cells='
  def ids: [range(1; 14) | "CS-\(.)"] + [range(1; 16) | "N-\(.)"];
  ([.findings[] | select(.state == "fired") | .id]) as $fired
  | ([.findings[] | select(.state == "not_reached") | .id]) as $not_reached
  | ($truth | split(",")) as $truth | ($open | split(",")) as $open
  | [ids[] | . as $id
     | if ($truth | index($id)) then (if ($fired | index($id)) then "F" else "M" end)
       elif ($fired | index($id)) then "X"
       elif ($not_reached | index($id)) then (if ($open | index($id)) then "o" else "?" end)
       else "." end]
  | join(" ")'

matrix_head() {
  printf '%-24s %s\n' '' 'CS                        N'
  printf '%-24s 1 2 3 4 5 6 7 8 9 0 1 2 3 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5\n' 'program'
}

# matrix_row NAME TRUTH OPEN REPORT HOW: one line; fails on X, M and ?.
matrix_row() {
  matrix_line=$(jq -r --arg truth "$2" --arg open "$3" "$matrix_cells" "$4" 2>/dev/null) || matrix_line=
  if [ -z "$matrix_line" ]; then
    fail "$1: no report: $(tail -n 2 "$work/err" 2>/dev/null | tr '\n' ' ')"
    return 0
  fi
  printf '%-24s %s %s\n' "$1" "$matrix_line" "$5"
  checks=$((checks + 1))
  case $matrix_line in
  *[XM?]*)
    failures=$((failures + 1))
    printf 'FAIL: %s: planted %s; kiln says:\n' "$1" "$2"
    jq -r --arg truth "$2" --arg open "$3" '.findings[]
      | select((.state == "fired") != ([.id] | inside($truth | split(",")))
          or (.state == "not_reached" and ([.id] | inside($open | split(",")) | not)))
      | select(.state != "ruled_out" or ([.id] | inside($truth | split(","))))
      | "   \(.id) \(.state): \(.sentence)"' "$4"
    ;;
  esac
}

# matrix_live NAME SAMPLES COMMAND TRUTH OPEN PYTHON: measured now.
matrix_live() {
  # shellcheck disable=SC2086 # a list of words
  (cd "$mechanisms/programs" && "$kiln" diagnose --warmup 0 --samples "$2" --quiet --json -- "$6" $3) \
    >"$work/$1.json" 2>"$work/err" </dev/null || true
  matrix_row "$1" "$4" "$5" "$work/$1.json" live
}

# matrix_replay NAME TRUTH OPEN: from the events that record.sh or tests/gpu/mechanisms.sh kept; 1: there are none.
matrix_replay() {
  [ -f "$mechanisms/recorded/$1.tar.gz" ] || return 1
  mkdir -p "$work/recorded" && tar xzf "$mechanisms/recorded/$1.tar.gz" -C "$work/recorded" || return 1
  "$kiln" diagnose --quiet --json "$work/recorded/$1" >"$work/$1.json" 2>"$work/err" </dev/null || true
  matrix_row "$1" "$2" "$3" "$work/$1.json" recorded
}

# matrix_old: a Python with a Warp that does not guard loads for the CPU, in $old.
matrix_old() {
  old=${KILN_OLD_WARP_PYTHON:-$KILN_SOURCE/.venv/warp-1.12.1/bin/python}
  [ -x "$old" ]
}

# matrix_one NAME LIVE SAMPLES COMMAND TRUTH OPEN RECORDED-TRUTH RECORDED-OPEN: live where it can and may be.
matrix_one() {
  case $2 in
  test) matrix_live "$1" "$3" "$4" "$5" "$6" "$python" ;;
  full)
    if [ "${KILN_FULL:-0}" = 1 ]; then
      matrix_live "$1" "$3" "$4" "$5" "$6" "$python"
    else
      matrix_replay "$1" "$7" "$8" || printf '%-24s not recorded\n' "$1"
    fi
    ;;
  old)
    if [ "${KILN_FULL:-0}" = 1 ] && matrix_old; then
      matrix_live "$1" "$3" "$4" "$5" "$6" "$old"
    else
      matrix_replay "$1" "$7" "$8" || printf '%-24s not recorded\n' "$1"
    fi
    ;;
  gpu) matrix_replay "$1" "$7" "$8" || printf '%-24s not recorded: needs a GPU (tests/gpu/mechanisms.sh)\n' "$1" ;;
  *) fail "$1: '$2' is no way to run" ;;
  esac
}

# matrix_all [PATTERN]: every row of the table whose name matches.
matrix_all() {
  matrix_head
  grep -v '^#' "$mechanisms/catalogue.table" | grep -E "^(${1:-.*})\|" >"$work/catalogue"
  [ -s "$work/catalogue" ] || die "catalogue.table has no program '${1:-}'"
  while IFS='|' read -r name live samples command truth open recorded_truth recorded_open; do
    matrix_one "$name" "$live" "$samples" "$command" "$truth" "$open" "$recorded_truth" "$recorded_open"
  done <"$work/catalogue"
}
