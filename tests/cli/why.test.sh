#!/bin/sh
# Why it compiles anew: two reports of one program that changed, in compare and in every form of a report.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/cli/lib.sh"
play=$KILN_BUILD/tests/proc.play
[ -x "$play" ] || die "$play is missing; run ./dev build"
cd "$work" || exit 1
measure() { "$kiln" measure --quiet --warmup 0 --samples 1 "$@" >/dev/null || die "no report"; }
measure -o before.json -- "$play" hash:sim:aaaaaaaaaa:step=1,apply=2:fast_math=False,max_unroll=16 use:sim:aaaaaaaaaa \
  hash:same:cccccccccc:k=1:o=1 use:same:cccccccccc launch:3
measure -o after.json -- "$play" hash:sim:bbbbbbbbbb:step=1,apply=9,late=3:fast_math=True,max_unroll=16 use:sim:bbbbbbbbbb \
  hash:same:cccccccccc:k=1:o=1 use:same:cccccccccc launch:3
# shellcheck disable=SC2317 # called by check
line() {
  grep -qxF -- "$1" out || {
    sed 's/^/   stdout: /' out
    return 1
  }
}
# told WHAT: the four lines of a terminal page.
told() {
  check "$1: a section" line "why it compiles anew"
  check "$1: what is the same" line "  1 identity differs from 'before.json'; 1 is the same."
  check "$1: the module with both keys" line "  sim (cpu, block 1) aaaaaaa → bbbbbbb"
  check "$1: a kernel that changed" line "    kernel \`apply\` changed, or a function, struct or constant that it uses"
  check "$1: a new kernel" line "    kernel \`late\` is new"
  check "$1: an option" line "    option \`fast_math\` was False and is True"
}

equal "compare" 0 "$(status_of "$kiln" compare before.json after.json)"
told "compare"
equal "a report with itself" 0 "$(status_of "$kiln" compare before.json before.json)"
check "needs no such section" test "$(grep -c 'why it compiles' out)" -eq 0
equal "compare --json" 0 "$(status_of "$kiln" compare --json before.json after.json)"
equal "kinds" "kernel_changed kernel_new option" "$(json out '.why.modules[0].reasons | map(.kind) | join(" ")')"
equal "report --against" 0 "$(status_of "$kiln" report --against before.json after.json)"
told "report"
equal "other forms" 0 "$(status_of "$kiln" report --quiet --against before.json --html page.html -o kept.json --markdown after.json)"
check "Markdown" line "  - kernel \`late\` is new"
check "the page" grep -q '<code>late</code> is new' page.html
equal "the file, shown again" 0 "$(status_of "$kiln" report kept.json)"
told "the file"
equal "measure --against" 0 "$(status_of "$kiln" measure --quiet --warmup 0 --samples 1 --against before.json -- \
  "$play" hash:sim:dddddddddd:step=1,apply=2:fast_math=False,max_unroll=4 use:sim:dddddddddd use:same:cccccccccc)"
check "says it at once" line "    option \`max_unroll\` was 16 and is 4"
equal "of arms" 0 "$(status_of "$kiln" measure --quiet --max-pairs 1 --warmup 0 -o arms.json --arm "base=$play use:sim:a" --arm "cand=$play use:sim:b")"
status_of "$kiln" compare arms.json >/dev/null
check "the candidate against the baseline" line "  1 identity differs from 'base'; 0 are the same."
equal "--anonymise" 0 "$(status_of "$kiln" report --anonymise --against before.json after.json)"
equal "leaves no name" 0 "$(grep -cE 'late|apply|before' out)"
equal "a report that is not there" 2 "$(status_of "$kiln" measure --against none.json -- touch touched)"
check "is quoted" said "'none.json'"
check "before anything runs" test ! -e touched
finish
