# Runs the programs of cases.table under kiln and compares: . "$KILN_SOURCE/tests/warp/cases.sh"; run_cases GROUP
# shellcheck shell=sh disable=SC2016,SC2154 # jq's own variables; what tests/lib.sh sets
# Read after tests/lib.sh and need_warp. Prints one row a case, expected and got where they differ.
cases=$KILN_SOURCE/tests/warp/cases
export PYTHONDONTWRITEBYTECODE=1 # the cases import each other; leave nothing behind in the source tree

# What the report says, as one line of words: counts, ids of findings.
case_summary='
  (.arms[0].samples[0] // {}) as $s | ($s.cold // {}) as $c | ($s.warm // {}) as $w
  | ($c.builds, $c.modules, $c.identities, $c.loads, $c.launches, $w.launches, $w.builds,
     ([.findings[]?.id] | unique | join(",") | if . == "" then "-" else . end))
  | . // "?"'
# All text of all findings, lower case; places as file:line, the file without its folders.
case_text='
  .findings[]? | .sentence, .remedy, .evidence[]?, (.where[]? | "\(.file | sub(".*/"; "")):\(.line)") | . // empty'

# case_row NAME (EXPECTED GOT)…: one line of the printed table.
case_row() {
  case_line=$(printf '%-17s' "$1")
  shift
  while [ $# -ge 2 ]; do
    if [ "$1" = "$2" ]; then case_cell=$1; else case_cell="$1≠$2"; fi
    case_line="$case_line $(printf '%10s' "$case_cell")"
    shift 2
  done
  printf '%s\n' "$case_line"
}

# case_phrases NAME FILE PHRASES REPORT-TEXT: each phrase stands in the text; LATE means the marked lines of FILE.
case_phrases() {
  if [ "$3" = - ]; then return 0; fi
  printf '%s\n' "$3" | tr ';' '\n' >"$work/phrases"
  while IFS= read -r phrase; do
    if [ "$phrase" = LATE ]; then
      # shellcheck disable=SC2013 # numbers
      for late in $(grep -n '# LATE' "$cases/$2" | cut -d: -f1); do
        grep -qxF "$2:$late" "$4" || fail "$1: no finding names $2:$late"
      done
    else
      grep -qiF -- "$phrase" "$4" || fail "$1: '$phrase' is not said"
    fi
  done <"$work/phrases"
}

# case_warnings NAME PHRASES REPORT: as many warnings as phrases, each phrase in one.
case_warnings() {
  jq -r '.warnings[]' "$3" | grep -v -e 'warmup 0' -e 'warm-up' >"$work/warnings" || true
  if [ "$2" = - ]; then : >"$work/phrases"; else printf '%s\n' "$2" | tr ';' '\n' >"$work/phrases"; fi
  if [ "$(wc -l <"$work/warnings")" -ne "$(wc -l <"$work/phrases")" ]; then
    fail "$1: warnings other than expected: $(tr '\n' ' ' <"$work/warnings")"
  fi
  while IFS= read -r phrase; do
    grep -qiF -- "$phrase" "$work/warnings" || fail "$1: no warning says '$phrase'"
  done <"$work/phrases"
}

# case_truth NAME LAUNCHES COLD WARM: the program's own count over both runs is the report's.
case_truth() {
  case $2 in *\*) return 0 ;; esac
  case_counted=$(awk '{ sum += $1 } END { print sum + 0 }' "$work/truth")
  [ "$case_counted" = "$(($3 + $4))" ] ||
    fail "$1: the program launched $case_counted times in both runs, the report says $3 + $4"
}

# case_more NAME REPORT: cases/NAME.jq prints one sentence for each thing that does not hold.
case_more() {
  [ -f "$cases/$1.jq" ] || return 0
  jq -r -f "$cases/$1.jq" "$2" >"$work/more" || fail "$1: $1.jq could not read the report"
  while IFS= read -r sentence; do fail "$1: $sentence"; done <"$work/more"
}

run_case() { # NAME OPTIONS COMMAND EXIT BUILDS MODULES IDENTITIES LOADS LAUNCHES AGAIN FINDINGS PHRASES WARNINGS
  case_before=$failures
  case_report=$work/$1.json
  : >"$work/truth"
  case_options=$2
  [ "$case_options" != - ] || case_options=
  case_status=0
  # shellcheck disable=SC2086 # options and command are lists of words
  KILN_TRUTH=$work/truth "$kiln" measure --warmup 0 --samples 1 --quiet $case_options --json -- \
    "${case_python:-$python}" $cases/$3 >"$case_report" 2>"$work/err" </dev/null || case_status=$?
  if ! jq -e . "$case_report" >/dev/null 2>&1; then
    fail "$1: no report (status $case_status): $(tail -n 3 "$work/err")"
    return 0
  fi
  case_got=$(jq -r "$case_summary" "$case_report" | tr '\n' ' ')
  # shellcheck disable=SC2086
  case_check "$@" $case_got
  case_phrases "$1" "${3%% *}" "${12}" "$work/text"
  case_warnings "$1" "${13}" "$case_report"
  case_more "$1" "$case_report"
  [ "$failures" -ne "$case_before" ] || checks=$((checks + 1))
}

# case_check: the thirteen fields of the table, then builds modules identities loads launches launches' again findings.
case_check() {
  jq -r "$case_text" "$case_report" >"$work/text"
  case_name=$1 case_exit=$4 case_launches=${9%\*} case_full=$9
  case_row "$1" "$4" "$case_status" "$5" "${14}" "$6" "${15}" "$7" "${16}" "$8" "${17}" "$case_launches" "${18}" \
    "$case_launches" "${19}" "${10}" "${20}" "${11}" "${21}" | tee "$work/row"
  if grep -q '≠' "$work/row"; then fail "$1: expected≠got in the row above"; fi
  case_truth "$case_name" "$case_full" "${18}" "${19}"
  [ "$case_status" = "$case_exit" ] || sed 's/^/    /' "$work/err" | tail -n 5
}

# run_cases GROUP: every case of the group.
run_cases() {
  printf '%-17s %10s %10s %10s %10s %10s %10s %10s %10s %10s\n' case exit builds modules identities loads launches \
    launches2 builds2 findings
  grep "^$1|" "$KILN_SOURCE/tests/warp/cases.table" >"$work/table"
  [ -s "$work/table" ] || die "cases.table has no case of group $1"
  while IFS='|' read -r group name options command status builds modules identities loads launches again found phrases \
    warnings; do
    : "$group"
    run_case "$name" "$options" "$command" "$status" "$builds" "$modules" "$identities" "$loads" "$launches" "$again" \
      "$found" "$phrases" "$warnings"
  done <"$work/table"
}
