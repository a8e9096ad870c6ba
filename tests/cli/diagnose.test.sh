#!/bin/sh
# kiln diagnose on a command, a stored report and a record: states, first line, outputs, exit codes.
# shellcheck disable=SC2016 # backticks of sentences
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/cli/lib.sh"
report=$work/report.json

equal "a command that builds nothing" 0 "$(status_of "$kiln" diagnose --quiet --warmup 0 --samples 1 -- true)"
equal "the first line says so" "No module was built: there is nothing that a lever could save." "$(sed -n 1p "$work/out")"
equal "as JSON" 0 "$(status_of "$kiln" diagnose --quiet --json --warmup 0 --samples 1 -o "$report" -- true)"
equal "every mechanism has a state" 28 "$(jq '[.findings[] | select(.id | test("^(CS|N)-")) | .id] | unique | length' "$work/out")"
equal "what is not reached says what to measure" 0 \
  "$(jq '[.findings[] | select(.state == "not_reached" and .to_measure == null)] | length' "$work/out")"
equal "no lever is advised" true "$(jq .diagnosis.small "$work/out")"
equal "the file is the same" "$(jq -cS .findings "$work/out")" "$(jq -cS .findings "$report")"

equal "the report again" 0 "$(status_of "$kiln" diagnose "$report")"
equal "begins alike" "No module was built: there is nothing that a lever could save." "$(sed -n 1p "$work/out")"
equal "a measurement" 0 "$(status_of "$kiln" measure --quiet --warmup 0 --samples 1 -o "$report" -- true)"
equal "is silent about what did not fire" 0 "$(grep -c 'ruled out' "$work/out")"
equal "its report knows it" 0 "$(status_of "$kiln" diagnose --json "$report")"
equal "and no floor" "not measured" "$(jq -r .diagnosis.floor_note "$work/out")"
jq 'del(.not_fired, .diagnosis)' "$report" >"$work/old.json"
equal "of an older kiln" 0 "$(status_of "$kiln" diagnose --json "$work/old.json")"
equal "nothing is made up" 28 "$(jq '[.findings[] | select(.state == "not_reached")] | length' "$work/out")"

# A record made by hand: one module built under two identities because of a kernel at app.py:9.
record=$work/record
mkdir "$record"
event() { # event <time in ms> <more fields>
  printf '{"v":1,"t":%s000000,"cpu":0,"pid":7,"tid":7,%s}\n' "$1" "$2" >>"$record/7.1.jsonl"
}
hash='"ev":"hash","id":1,"dur":1000,"dcpu":1000,"framework":"warp","module":"app","block_dim":1'
build='"ev":"compile","framework":"warp","step":"module","module":"app","device":"cpu","block_dim":1,"toolchain":"llvm","result":"compiled"'
event 1 '"ev":"process","what":"start","argv":["python","app.py"],"ppid":1,"exe":"python"'
event 2 '"ev":"mark","name":"boot","python":"3.11.2"'
event 3 '"ev":"mark","name":"main"'
event 4 '"ev":"mark","name":"framework","framework":"warp","version":"1.19.0"'
event 9 "$hash"',"identity":"aaaaaaaa","kernels":{"first":"1"},"options":{}'
event 10 '"id":2,"dur":800000000,"dcpu":800000000,'"$build"',"identity":"aaaaaaaa"'
event 900 '"ev":"declare","id":3,"dur":1000,"dcpu":1000,"framework":"warp","module":"app","kernel":"second","loaded":true,"where":{"file":"/x/app.py","line":9}'
event 910 "$hash"',"identity":"bbbbbbbb","kernels":{"first":"1","second":"2"},"options":{}'
event 920 '"id":4,"dur":700000000,"dcpu":700000000,'"$build"',"identity":"bbbbbbbb"'
event 1700 '"ev":"process","what":"end","process_cpu":1500000000'
equal "a record" 0 "$(status_of "$kiln" diagnose "$record")"
check "names the kernel" grep -q 'kernel `second` was declared at app.py:9' "$work/out"
check "says what a second run would tell" grep -q 'to tell' "$work/out"
equal "as JSON" 0 "$(status_of "$kiln" diagnose --json --html "$work/page.html" "$record")"
equal "one mechanism fired" '["CS-1"]' "$(jq -c '[.findings[] | select(.state == "fired") | .id]' "$work/out")"
equal "with its line" 9 "$(jq '.findings[0].where[0].line' "$work/out")"
equal "and remedies, best first" true "$(jq '.findings[0] | .remedy == .remedies[0] and (.remedies | length) > 1' "$work/out")"
check "the page has what did not fire" grep -q 'Not reached' "$work/page.html"
equal "without names" 0 "$(status_of "$kiln" diagnose --anonymise --json "$record")"
equal "there are none" 0 "$(grep -c 'second' "$work/out")"
# A small share of a long run: the finding stays, its remedy goes.
event 60000 '"ev":"process","what":"end","process_cpu":60000000000'
equal "a small share" 0 "$(status_of "$kiln" diagnose --json "$record")"
equal "is the first line" true "$(jq '.diagnosis.small and (.diagnosis.sentence | test("No lever is advised"))' "$work/out")"
equal "and nothing is advised" '[null,[]]' "$(jq -c '[.findings[0].remedy, .findings[0].remedies]' "$work/out")"

equal "a command that fails" 4 "$(status_of "$kiln" diagnose --quiet --warmup 0 --samples 1 -- false)"
equal "no command" 2 "$(status_of "$kiln" diagnose)"
equal "a report that is not there" 2 "$(status_of "$kiln" diagnose "$work/none.json")"
check "is quoted" said "$work/none.json"
equal "a page that cannot be written" 5 "$(status_of "$kiln" diagnose --html "$work/no/such/page.html" "$record")"
finish
