#!/bin/sh
# Every bad option: exit code 2, nothing on stdout, nothing runs, one sentence that quotes it: usage.expected.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/cli/lib.sh"
expected=$KILN_SOURCE/tests/cli/usage.expected

# Lines in pairs: "$ kiln arguments", then the sentence.
while IFS= read -r line; do
  case $line in '$ kiln'*) ;; *) die "usage.expected: not a command: $line" ;; esac
  IFS= read -r sentence || die "usage.expected: no sentence for: $line"
  arguments=${line#\$ kiln}
  # shellcheck disable=SC2086 # words are meant to be split
  equal "kiln$arguments" 2 "$(status_of "$kiln" $arguments)"
  equal "kiln$arguments: the sentence" "$sentence" "$(cat "$work/err")"
  equal "kiln$arguments: nothing on stdout" "" "$(cat "$work/out")"
done <"$expected"
check "something was tried" test "$checks" -gt 60
nothing_left "a usage error"
finish
