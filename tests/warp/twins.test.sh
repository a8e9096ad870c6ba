#!/bin/sh
# Programs with a mechanism planted, and their repaired twins (twins.table): what `kiln compare` says of the work; in
# ./dev test-full also whether time IMPROVED, and whether `kiln try` finds the same without an edit. TWINS=PATTERN picks
# rows.
# shellcheck disable=SC2016,SC2086 # jq's own variables; options are words
# shellcheck source=tests/lib.sh
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
need_tool jq
need_kiln
need_warp
need_x86_64
# shellcheck source=tests/warp/agent.sh
. "$KILN_SOURCE/tests/warp/agent.sh"
version_is 1.13 || skip "headers and options are those of Warp 1.13 and later, this is $warp_version"
planted=$KILN_SOURCE/tests/mechanisms/programs
twins=$KILN_SOURCE/tests/warp/twins
full=${KILN_FULL:-0}
most_pairs=45
TMPDIR=$work
export TMPDIR PYTHONDONTWRITEBYTECODE=1
unset KILN_LEVERS

# alone FOLDER NAME REPORT: one sample of it, for counts.
alone() {
  equal "$2: measured" 0 "$(status_of "$kiln" measure --warmup 0 --samples 1 --quiet -o "$3" -- "$python" "$1/$2.py")"
}

# work_is NAME WORK BY: two reports that were recorded apart: counts alone decide.
work_is() {
  alone "$planted" "$1" "$work/$1.planted.json"
  alone "$twins" "$1" "$work/$1.repaired.json"
  equal "$1: the repair is not worse" 0 \
    "$(status_of "$kiln" compare --json "$work/$1.planted.json" "$work/$1.repaired.json")"
  equal "$1: work" "$2 $3" \
    "$(jq -r '[.work, .decided_by // "-", if .run == "warm" then "warm" else empty end] | join(" ")' "$work/out")"
}

# time_is NAME VERDICT: both in pairs; the verdict of `kiln compare` on cold CPU time.
time_is() {
  equal "$1: in pairs" 0 "$(status_of "$kiln" measure --quiet --max-pairs "$most_pairs" -o "$work/$1.pairs.json" \
    --arm "planted='$python' '$planted/$1.py'" --arm "repaired='$python' '$twins/$1.py'")"
  equal "$1: compare" 0 "$(status_of "$kiln" compare "$work/$1.pairs.json")"
  equal "$1: time" "$2" "$(json "$work/$1.pairs.json" .time.verdict)"
  time_of "$1 repaired" "$work/$1.pairs.json" '.time | [100 * .effect, 100 * .lo, 100 * .hi, .pairs, .metric]'
}

# time_of WHAT FILE FILTER: a line for who reads the log.
time_of() {
  printf '   %-32s %s\n' "$1" "$(jq -r "$3"' | map(if type == "number" then . * 10 | round / 10 else . end)
    | "\(.[0]) % [\(.[1]), \(.[2])] in \(.[3]) pairs, \(.[4])"' "$2")"
}

# lever_is NAME LEVER OPTIONS: without an edit the same is gained; where CPU time decides, to the interval of the repair
# two per cent wider.
lever_is() {
  lever_id=${2%%=*}
  lever_code=$(status_of "$kiln" try --samples 1 --max-pairs "$most_pairs" $3 --lever "$2" -o "$work/$1.ledger.json" \
    -- "$python" "$planted/$1.py")
  [ -s "$work/$1.ledger.json" ] || {
    fail "$1: $2: no ledger, exit code $lever_code: $(tail -n 3 "$work/err" | tr '\n' ' ')"
    return 0
  }
  jq --arg lever "$lever_id" '[.entries[] | select(.lever == $lever)][0]' "$work/$1.ledger.json" >"$work/entry.json"
  equal "$1: $2 arrived in every module" true \
    "$(json "$work/entry.json" '.modules != [] and ([.modules[].arrived] | all) and .missed == 0')"
  equal "$1: $2 leaves the launches" same "$(json "$work/entry.json" .launches)"
  equal "$1: the work of $2" "$4 ${5% warm}" "$(json "$work/entry.json" '"\(.work) \(.decided_by // "-")"')"
  [ "$6" = IMPROVED ] || return 0
  equal "$1: $2 is accepted" applied "$(json "$work/entry.json" .state)"
  time_of "$1 $2" "$work/entry.json" \
    '.effects[0] | [.percent, .low_percent, .high_percent, .pairs, .metric]'
  jq --slurpfile repair "$work/$1.pairs.json" '.effects[0] as $lever | $repair[0].time
    | $lever.percent != null and (.metric != "cold_cpu" or $lever.metric != "cold_cpu"
      or $lever.percent > 100 * .lo - 2 and $lever.percent < 100 * .hi + 2)' "$work/entry.json" >"$work/gain"
  equal "$1: $2 gains what the repair gains" true "$(cat "$work/gain")"
}

grep -v '^#' "$KILN_SOURCE/tests/warp/twins.table" | grep -E "^(${TWINS:-.*})\|" >"$work/table"
[ -s "$work/table" ] || die "twins.table has no program '${TWINS:-}'"
while IFS='|' read -r name live work_word by time lever options; do
  [ "$live" = test ] || [ "$full" = 1 ] || continue
  [ "$work_word" = - ] || work_is "$name" "$work_word" "$by"
  [ "$full" = 1 ] || continue
  [ "$time" = - ] || time_is "$name" "$time"
  [ "$lever" = - ] || lever_is "$name" "$lever" "$options" "$work_word" "$by" "$time"
done <"$work/table"
finish
